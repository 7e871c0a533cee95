# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Tests of runtime/registry: one test_<file>.c for each <file>.c, listed in run.c.

check_PROGRAMS += %D%/run
TESTS += %D%/run
%C%_run_SOURCES = %D%/run.c %D%/suites.h \
    %D%/test_alignment_matrix.c \
    %D%/test_capsule_module.c \
    %D%/test_catalogue.c \
    %D%/test_maintained.c \
    %D%/test_policy.c \
    %D%/test_profile.c \
    %D%/test_profile_draft.c \
    %D%/test_profile_file.c \
    %D%/test_profile_load.c \
    %D%/test_profile_resolve.c \
    %D%/test_provider.c \
    %D%/test_validate.c \
    %D%/test_word_list.c \
    tests/unit/scratch.c tests/unit/scratch.h \
    tests/unit/contract_fixture.c tests/unit/contract_fixture.h \
    tests/unit/failing_heap.c tests/unit/failing_heap.h \
    tests/unit/maintained_fixture.c tests/unit/expect.h
%C%_run_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_run_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=calloc -Wl,--wrap=realloc
%C%_run_LDADD = $(UNIT_LIBS)
