# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Tests of runtime/ops: one test_<file>.c for each <file>.c, listed in run.c.

check_PROGRAMS += %D%/run
TESTS += %D%/run
%C%_run_SOURCES = %D%/run.c %D%/suites.h %D%/cases.c %D%/cases.h \
    %D%/test_attention.c \
    %D%/test_attribute_value.c \
    %D%/test_attributes.c \
    %D%/test_conv.c \
    %D%/test_index.c \
    %D%/test_infer.c \
    %D%/test_layout.c \
    %D%/test_matmul.c \
    %D%/test_norm.c \
    %D%/test_op_info.c \
    %D%/test_pointwise.c \
    %D%/test_pool.c \
    %D%/test_random.c \
    %D%/test_reduce.c \
    %D%/test_rule.c \
    %D%/test_scan.c \
    %D%/test_softmax.c \
    %D%/test_spectral.c \
    %D%/test_vjp.c \
    %D%/test_window.c \
    tests/unit/comma_locale.c tests/unit/comma_locale.h \
    tests/unit/expect.h \
    tests/unit/scratch.c tests/unit/scratch.h
%C%_run_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_run_LDADD = $(UNIT_LIBS)
