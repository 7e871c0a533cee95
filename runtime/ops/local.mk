# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The ops layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(ops_sources)
noinst_HEADERS += $(ops_headers)

ops_sources = \
    %D%/attention.c \
    %D%/attribute_value.c \
    %D%/attributes.c \
    %D%/conv.c \
    %D%/index.c \
    %D%/infer.c \
    %D%/layout.c \
    %D%/matmul.c \
    %D%/norm.c \
    %D%/op_info.c \
    %D%/pointwise.c \
    %D%/pool.c \
    %D%/random.c \
    %D%/reduce.c \
    %D%/rule.c \
    %D%/scan.c \
    %D%/softmax.c \
    %D%/spectral.c \
    %D%/vjp.c \
    %D%/window.c

ops_headers = \
    %D%/attribute_table.h \
    %D%/entries.h \
    %D%/op_info.h \
    %D%/rule.h \
    %D%/vjp.h \
    %D%/window.h
