# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Tests of runtime/autograd: one test_<file>.c for each <file>.c, listed in
# run.c.

check_PROGRAMS += %D%/run
TESTS += %D%/run
%C%_run_SOURCES = %D%/run.c %D%/suites.h \
    %D%/attention_operands.c %D%/attention_operands.h \
    %D%/composed_rule.c %D%/composed_rule.h \
    %D%/conv_checks.c %D%/conv_checks.h \
    %D%/conv_loops.c %D%/conv_loops.h \
    %D%/differences.c \
    %D%/draw.c %D%/draw.h \
    %D%/failing_rule.c %D%/failing_rule.h \
    %D%/pool_loops.c %D%/pool_loops.h \
    %D%/gradient_fixture.c %D%/gradient_fixture.h \
    %D%/gradient_runs.c %D%/gradient_runs.h \
    %D%/gradient_tape.c \
    %D%/random_graph.c %D%/random_graph.h \
    %D%/random_layout.c %D%/random_spatial.c \
    %D%/rule_fixture.c %D%/rule_fixture.h \
    %D%/rule_spec.c %D%/rule_spec.h \
    %D%/tape_fixture.c %D%/tape_fixture.h \
    %D%/test_attention.c \
    %D%/test_attention_blocked.c \
    %D%/test_attention_rows.c \
    %D%/test_both_modes.c \
    %D%/test_composed_blocked.c \
    %D%/test_composed_large.c \
    %D%/test_conv.c \
    %D%/test_conv_correlate.c \
    %D%/test_conv_slide.c \
    %D%/test_conv_transpose.c \
    %D%/test_gradient_plan.c \
    %D%/test_gradient_plan_request.c \
    %D%/test_gradient_plan_rule.c \
    %D%/test_gradient_plan_walk.c \
    %D%/test_gradient_values.c \
    %D%/test_index.c \
    %D%/test_layout.c \
    %D%/test_matmul.c \
    %D%/test_norm.c \
    %D%/test_panel.c \
    %D%/test_pointwise.c \
    %D%/test_pointwise_select.c \
    %D%/test_pool.c \
    %D%/test_reduce.c \
    %D%/test_rule.c \
    %D%/test_scan.c \
    %D%/test_softmax.c \
    %D%/test_spectral.c \
    %D%/test_tape.c \
    %D%/test_tape_backward.c \
    %D%/test_tape_composition.c \
    %D%/test_tape_gradients.c \
    %D%/test_tape_graph.c \
    %D%/test_tape_memory.c \
    %D%/test_tape_record.c \
    %D%/test_tape_reports.c \
    %D%/test_tape_request.c \
    %D%/test_tape_rule.c \
    %D%/test_tape_saved.c \
    %D%/test_tape_seed.c \
    %D%/test_tape_variable.c \
    tests/unit/built_modules.c tests/unit/built_modules.h \
    tests/unit/contract_fixture.c tests/unit/contract_fixture.h \
    tests/unit/exec/heap_counter.c tests/unit/exec/heap_counter.h \
    tests/unit/expect.h \
    tests/unit/failing_heap.c tests/unit/failing_heap.h \
    tests/unit/operand_fixture.c tests/unit/operand_fixture.h
%C%_run_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_run_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=calloc -Wl,--wrap=realloc
%C%_run_LDADD = $(UNIT_LIBS)
