# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Tests of runtime/config: one test_<file>.c for each <file>.c, listed in run.c.

check_PROGRAMS += %D%/run
TESTS += %D%/run
%C%_run_SOURCES = %D%/run.c %D%/suites.h \
    %D%/test_environment.c \
    %D%/test_ini.c \
    %D%/test_search_path.c \
    tests/unit/expect.h \
    tests/unit/failing_heap.c tests/unit/failing_heap.h
%C%_run_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_run_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=calloc -Wl,--wrap=realloc
%C%_run_LDADD = $(UNIT_LIBS)
