# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Tests of runtime/base: one test_<file>.c for each <file>.c, listed in run.c.

check_PROGRAMS += %D%/run
TESTS += %D%/run
%C%_run_SOURCES = %D%/run.c %D%/suites.h \
    %D%/test_alloc.c \
    %D%/test_c_locale.c \
    %D%/test_clock.c \
    %D%/test_error.c \
    %D%/test_file_bytes.c \
    %D%/test_file_open.c \
    %D%/test_file_writer.c \
    %D%/test_hash.c \
    %D%/test_host_allocator.c \
    %D%/test_json.c \
    %D%/test_json_depth.c \
    %D%/test_json_format.c \
    %D%/test_label.c \
    %D%/test_log.c \
    %D%/test_number.c \
    %D%/test_one_line.c \
    %D%/test_short_name.c \
    %D%/test_string_buffer.c \
    tests/unit/comma_locale.c tests/unit/comma_locale.h \
    tests/unit/expect.h \
    tests/unit/failing_heap.c tests/unit/failing_heap.h \
    tests/unit/scratch.c tests/unit/scratch.h
%C%_run_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_run_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=calloc -Wl,--wrap=realloc
%C%_run_LDADD = $(UNIT_LIBS) -lpthread
