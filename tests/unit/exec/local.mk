# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Tests of runtime/exec: one test_<file>.c for each <file>.c, listed in run.c.

check_PROGRAMS += %D%/run
TESTS += %D%/run
%C%_run_SOURCES = %D%/run.c %D%/suites.h \
    %D%/digits_fixture.c %D%/digits_fixture.h \
    %D%/graph_fixture.c %D%/graph_fixture.h \
    %D%/heap_counter.c %D%/heap_counter.h \
    %D%/attention_fixture.c %D%/attention_fixture.h \
    %D%/backward_fixture.c %D%/backward_fixture.h \
    %D%/program_fixture.c %D%/program_fixture.h \
    %D%/test_arena.c \
    %D%/test_arena_gaps.c \
    %D%/test_attach.c \
    %D%/test_compile.c \
    %D%/test_composed_operands.c \
    %D%/test_composed_products.c \
    %D%/test_digits.c \
    %D%/test_executor.c \
    %D%/test_graph_values.c \
    %D%/test_link.c \
    %D%/test_liveness.c \
    %D%/test_ports.c \
    %D%/test_program.c \
    %D%/test_program_composition.c \
    %D%/test_program_forward.c \
    %D%/test_record.c \
    %D%/test_record_rows.c \
    %D%/test_run.c \
    %D%/test_runtime.c \
    %D%/test_session.c \
    %D%/test_session_choice.c \
    %D%/test_session_composed.c \
    %D%/test_session_composition.c \
    %D%/test_session_gradient.c \
    %D%/test_session_graph.c \
    %D%/test_threads.c \
    %D%/test_weights.c \
    tests/unit/built_modules.c tests/unit/built_modules.h \
    tests/unit/contract_fixture.c tests/unit/contract_fixture.h \
    tests/unit/handler_fixture.c tests/unit/handler_fixture.h \
    tests/unit/operand_fixture.c tests/unit/operand_fixture.h \
    tests/unit/expect.h
%C%_run_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_run_LDADD = $(UNIT_LIBS)
