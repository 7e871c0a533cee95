# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The base layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(base_sources)
noinst_HEADERS += $(base_headers)

base_sources = \
    %D%/alloc.c \
    %D%/c_locale.c \
    %D%/clock.c \
    %D%/error.c \
    %D%/file_bytes.c \
    %D%/file_open.c \
    %D%/file_writer.c \
    %D%/hash.c \
    %D%/host_allocator.c \
    %D%/json.c \
    %D%/json_depth.c \
    %D%/json_format.c \
    %D%/label.c \
    %D%/log.c \
    %D%/number.c \
    %D%/one_line.c \
    %D%/short_name.c \
    %D%/string_buffer.c

base_headers = \
    %D%/alloc.h \
    %D%/c_locale.h \
    %D%/checked_size.h \
    %D%/clock.h \
    %D%/error.h \
    %D%/file_bytes.h \
    %D%/file_open.h \
    %D%/hash.h \
    %D%/host_allocator.h \
    %D%/json.h \
    %D%/json_depth.h \
    %D%/label.h \
    %D%/log.h \
    %D%/number.h \
    %D%/one_line.h \
    %D%/short_name.h \
    %D%/string_buffer.h
