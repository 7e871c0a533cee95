# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Tests of runtime/audit: one test_<file>.c for each <file>.c, listed in run.c.

check_PROGRAMS += %D%/run
TESTS += %D%/run
%C%_run_SOURCES = %D%/run.c %D%/suites.h \
    %D%/test_accept.c \
    %D%/test_accept_failures.c \
    %D%/test_accept_inner.c \
    %D%/test_audit.c \
    %D%/test_contract_check.c \
    %D%/test_evidence.c \
    %D%/test_guards.c \
    %D%/test_inner_rows.c \
    %D%/test_key_set.c \
    %D%/inner_fixture.c %D%/inner_fixture.h \
    tests/unit/demand_fixture.c tests/unit/demand_fixture.h \
    tests/unit/contract_fixture.c tests/unit/contract_fixture.h \
    tests/unit/failing_heap.c tests/unit/failing_heap.h \
    tests/unit/maintained_fixture.c tests/unit/expect.h
%C%_run_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_run_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=calloc -Wl,--wrap=realloc
%C%_run_LDADD = $(UNIT_LIBS)
