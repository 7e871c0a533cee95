# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Tests of runtime/report, of what no command prints yet; the rest of the
# layer is covered by tests/cli.

check_PROGRAMS += %D%/run
TESTS += %D%/run
%C%_run_SOURCES = %D%/run.c %D%/suites.h \
    %D%/test_record_roles.c \
    %D%/test_rule_text.c \
    tests/unit/audit/inner_fixture.c tests/unit/audit/inner_fixture.h \
    tests/unit/demand_fixture.c tests/unit/demand_fixture.h \
    tests/unit/contract_fixture.c tests/unit/contract_fixture.h \
    tests/unit/maintained_fixture.c tests/unit/expect.h
%C%_run_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_run_LDADD = $(UNIT_LIBS)
