# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Tests of runtime/compose: one test_<file>.c for each <file>.c, listed in
# run.c.

check_PROGRAMS += %D%/run
TESTS += %D%/run
%C%_run_SOURCES = %D%/run.c %D%/suites.h \
    %D%/evaluate.c %D%/evaluate.h \
    %D%/test_attention.c \
    %D%/test_composition.c \
    %D%/test_forward.c \
    %D%/test_graph_nodes.c \
    %D%/test_operand_check.c \
    %D%/test_scan.c \
    %D%/test_spectral.c \
    %D%/test_terms.c \
    %D%/test_transform.c \
    tests/unit/autograd/attention_operands.c \
    tests/unit/autograd/attention_operands.h \
    tests/unit/autograd/composed_rule.c tests/unit/autograd/composed_rule.h \
    tests/unit/autograd/differences.c \
    tests/unit/autograd/draw.c tests/unit/autograd/draw.h \
    tests/unit/autograd/rule_fixture.c tests/unit/autograd/rule_fixture.h \
    tests/unit/built_modules.c tests/unit/built_modules.h \
    tests/unit/operand_fixture.c tests/unit/operand_fixture.h \
    tests/unit/expect.h \
    tests/unit/failing_heap.c tests/unit/failing_heap.h
%C%_run_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_run_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=calloc -Wl,--wrap=realloc
%C%_run_LDADD = $(UNIT_LIBS)
