# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The attention module. The streaming kernels are compiled once for each
# instruction set; which one runs is decided on the machine.

ATTENTION_STREAMING_SOURCES = \
    modules/attention/kernels.c \
    modules/attention/kernels.h \
    modules/attention/kernels_avx2.c \
    modules/attention/kernels_avx512.c \
    modules/attention/kernels_portable.c \
    modules/attention/kernels_table.h \
    modules/attention/problem.c \
    modules/attention/problem.h \
    modules/attention/streaming.c \
    modules/attention/streaming.h \
    modules/attention/vector.h \
    modules/attention/vector_backward.h \
    modules/attention/vector_forward.h \
    modules/attention/vector_product.h \
    modules/attention/vector_softmax.h \
    modules/attention/vector_tile.h

module_LTLIBRARIES += modules/attention.la
modules_attention_la_SOURCES = %D%/contracts.c %D%/module.c \
    $(ATTENTION_STREAMING_SOURCES)
modules_attention_la_CPPFLAGS = $(MODULE_CPPFLAGS)
modules_attention_la_CFLAGS = $(AM_CFLAGS)
modules_attention_la_LDFLAGS = $(MODULE_LINK_FLAGS)

EXTRA_DIST += %D%/README.md
