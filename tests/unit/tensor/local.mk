# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Tests of runtime/tensor: one test_<file>.c for each <file>.c, listed in run.c.

check_PROGRAMS += %D%/run
TESTS += %D%/run
%C%_run_SOURCES = %D%/run.c %D%/suites.h \
    %D%/array_file.c %D%/array_file.h \
    %D%/counting_allocator.c %D%/counting_allocator.h \
    %D%/test_byte_source.c \
    %D%/test_dtype.c \
    %D%/test_npy.c \
    %D%/test_npy_header.c \
    %D%/test_npy_write.c \
    %D%/test_safetensors.c \
    %D%/test_safetensors_entry.c \
    %D%/test_safetensors_header.c \
    %D%/test_shape.c \
    %D%/test_tensor.c \
    %D%/test_tensor_copy.c \
    tests/unit/address_space.c tests/unit/address_space.h \
    tests/unit/comma_locale.c tests/unit/comma_locale.h \
    tests/unit/expect.h \
    tests/unit/failing_heap.c tests/unit/failing_heap.h \
    tests/unit/scratch.c tests/unit/scratch.h
%C%_run_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_run_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=calloc -Wl,--wrap=realloc
%C%_run_LDADD = $(UNIT_LIBS) -lpthread
