# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Tests of runtime/module: one test_<file>.c for each <file>.c, listed in run.c.

check_PROGRAMS += %D%/run
TESTS += %D%/run
%C%_run_SOURCES = %D%/run.c %D%/suites.h \
    %D%/contract_record.h %D%/entry_fixture.h %D%/open_bytes.h \
    %D%/mock_fixture.c %D%/mock_fixture.h \
    %D%/test_alignment.c \
    %D%/test_elf_words.c \
    %D%/test_entry_check.c \
    %D%/test_file_judge.c \
    %D%/test_folder_names.c \
    %D%/test_handler_check.c \
    %D%/test_image.c \
    %D%/test_inspect_capsule.c \
    %D%/test_inspect_dynamic.c \
    %D%/test_inspect_elf.c \
    %D%/test_inspect_notes.c \
    %D%/test_inspect_records.c \
    %D%/test_inspect_symbol.c \
    %D%/test_loaded_image.c \
    %D%/test_module_file.c \
    %D%/test_module_search.c \
    %D%/test_open.c \
    %D%/test_openmp_runtimes.c \
    %D%/test_record_text.c \
    %D%/test_state_guard.c \
    tests/unit/expect.h \
    tests/unit/failing_heap.c tests/unit/failing_heap.h \
    tests/unit/scratch.c tests/unit/scratch.h
%C%_run_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_run_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=calloc -Wl,--wrap=realloc
%C%_run_LDADD = $(UNIT_LIBS)
