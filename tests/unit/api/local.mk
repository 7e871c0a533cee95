# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Tests of the exported interface: through the shared library, as an
# application sees it.

check_PROGRAMS += %D%/run
TESTS += %D%/run
%C%_run_SOURCES = %D%/run.c %D%/suites.h \
    %D%/api_fixture.c %D%/api_fixture.h \
    %D%/compose_cases.c %D%/compose_fixture.h %D%/compose_runs.c \
    %D%/test_arguments.c \
    %D%/test_compose.c \
    %D%/test_given_modules.c \
    %D%/test_gradients.c \
    %D%/test_graph_nodes.c \
    %D%/test_lifetime.c \
    %D%/test_mixed_owners.c \
    %D%/test_reports.c \
    %D%/test_tape.c \
    tests/unit/scratch.c tests/unit/scratch.h \
    tests/unit/expect.h
%C%_run_CPPFLAGS = $(UNIT_CPPFLAGS) -DKC_HAVE_LIBTORCH=$(KC_HAVE_LIBTORCH)
$(tests_unit_api_run_OBJECTS): modules/libtorch/configured
%C%_run_LDADD = tests/unit/librunner.la runtime/libkcapsule.la $(CHECK_LIBS)
