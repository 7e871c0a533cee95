# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Tests of runtime/audit: one test_<file>.c for each <file>.c, listed in run.c.

check_PROGRAMS += %D%/run
TESTS += %D%/run
%C%_run_SOURCES = %D%/run.c
%C%_run_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_run_LDADD = $(UNIT_LIBS)
