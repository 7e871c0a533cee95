# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Tests of runtime/compose: one test_<file>.c for each <file>.c, listed in
# run.c.

check_PROGRAMS += %D%/run
TESTS += %D%/run
%C%_run_SOURCES = %D%/run.c %D%/suites.h \
    %D%/test_composition.c \
    %D%/test_terms.c \
    tests/unit/expect.h
%C%_run_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_run_LDADD = $(UNIT_LIBS)
