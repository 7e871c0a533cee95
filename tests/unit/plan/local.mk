# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Tests of runtime/plan: one test_<file>.c for each <file>.c, listed in run.c.

check_PROGRAMS += %D%/run
TESTS += %D%/run
%C%_run_SOURCES = %D%/run.c %D%/suites.h \
    %D%/test_admissible.c \
    %D%/test_choose.c \
    %D%/test_claim_text.c \
    %D%/test_explain.c \
    %D%/test_group.c \
    %D%/test_inner.c \
    %D%/test_limits.c \
    %D%/test_maintained_selection.c \
    %D%/test_plan.c \
    %D%/test_reason.c \
    %D%/test_rule_text.c \
    tests/unit/demand_fixture.c tests/unit/demand_fixture.h \
    tests/unit/contract_fixture.c tests/unit/contract_fixture.h \
    tests/unit/failing_heap.c tests/unit/failing_heap.h \
    tests/unit/maintained_fixture.c tests/unit/expect.h
%C%_run_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_run_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=calloc -Wl,--wrap=realloc
%C%_run_LDADD = $(UNIT_LIBS)
