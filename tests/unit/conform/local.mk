# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Tests of runtime/conform: one test_<file>.c for each <file>.c, listed in
# suites.h; the reference module against the oracles, and gradients, whoever
# owns them, against differences. Through the shared library, as an
# application sees it.

CONFORM_LIBS = runtime/conform/libkcapsule-conform.la runtime/libkcapsule.la

check_PROGRAMS += %D%/run %D%/reference %D%/gradients
TESTS += %D%/run %D%/reference %D%/gradients \
    %D%/fast_values.sh %D%/fast_gradients.sh \
    %D%/libtorch_values.sh %D%/libtorch_gradients.sh
EXTRA_DIST += %D%/README.md %D%/composed_attention.ini %D%/own_backward.ini \
    %D%/plain_loops.ini
%C%_run_SOURCES = %D%/run.c %D%/suites.h \
    %D%/gradient_impostors.c %D%/gradient_impostors.h \
    %D%/gradient_stage.c %D%/gradient_stage.h \
    %D%/impostors.c %D%/impostors.h \
    %D%/worked.c %D%/worked.h \
    %D%/test_allowance.c \
    %D%/test_array.c \
    %D%/test_attention.c \
    %D%/test_blocked.c \
    %D%/test_case.c \
    %D%/test_compare.c \
    %D%/test_conform.c \
    %D%/test_conv.c \
    %D%/test_describe.c \
    %D%/test_difference.c \
    %D%/test_draw.c \
    %D%/test_family.c \
    %D%/test_gradient.c \
    %D%/test_gradient_case.c \
    %D%/test_gradient_run.c \
    %D%/test_gradient_sensitivity.c \
    %D%/test_guarded.c \
    %D%/test_index.c \
    %D%/test_kink.c \
    %D%/test_kink_table.c \
    %D%/test_layout.c \
    %D%/test_matmul.c \
    %D%/test_norm.c \
    %D%/test_oracle.c \
    %D%/test_pointwise.c \
    %D%/test_pool.c \
    %D%/test_random.c \
    %D%/test_reduce.c \
    %D%/test_scan.c \
    %D%/test_sensitivity.c \
    %D%/test_smooth.c \
    %D%/test_softmax.c \
    %D%/test_spectral.c \
    %D%/test_tracked.c
%C%_run_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_run_LDADD = tests/unit/librunner.la $(CONFORM_LIBS) $(CHECK_LIBS) -lm

%C%_reference_SOURCES = %D%/reference.c %D%/suite_program.c %D%/suite_program.h
%C%_reference_CPPFLAGS = $(PUBLIC_CPPFLAGS) -I$(top_srcdir)/runtime \
    -I$(top_srcdir)/tests
%C%_reference_LDADD = $(CONFORM_LIBS) -lm

%C%_gradients_SOURCES = %D%/gradients.c %D%/suite_program.c %D%/suite_program.h
%C%_gradients_CPPFLAGS = $(PUBLIC_CPPFLAGS) -I$(top_srcdir)/runtime \
    -I$(top_srcdir)/tests
%C%_gradients_LDADD = $(CONFORM_LIBS) -lm
