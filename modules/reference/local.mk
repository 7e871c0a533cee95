# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The reference module. Its flags may speed a loop up, never change its bits.

module_LTLIBRARIES += modules/reference.la
modules_reference_la_SOURCES = \
    %D%/attention.c \
    %D%/attention_typed.h \
    %D%/contracts.c \
    %D%/conv.c \
    %D%/conv.h \
    %D%/conv_panel.c \
    %D%/conv_panel_tile.h \
    %D%/conv_panel_typed.h \
    %D%/conv_phase.c \
    %D%/conv_phase.h \
    %D%/conv_transpose.c \
    %D%/conv_transpose_typed.h \
    %D%/conv_typed.h \
    %D%/extremum_typed.h \
    %D%/finite_typed.h \
    %D%/float32.h \
    %D%/float64.h \
    %D%/handlers.h \
    %D%/index.c \
    %D%/index_typed.h \
    %D%/layout.c \
    %D%/loss.c \
    %D%/loss_typed.h \
    %D%/matmul.c \
    %D%/matmul_typed.h \
    %D%/module.c \
    %D%/norm.c \
    %D%/norm_typed.h \
    %D%/pointwise_binary.c \
    %D%/pointwise_binary_typed.h \
    %D%/pointwise_unary.c \
    %D%/pointwise_unary_typed.h \
    %D%/panel.h \
    %D%/panel_typed.h \
    %D%/pool.c \
    %D%/pool_typed.h \
    %D%/product.h \
    %D%/product_operands_typed.h \
    %D%/product_typed.h \
    %D%/random.c \
    %D%/random_typed.h \
    %D%/reduce.c \
    %D%/reduce_typed.h \
    %D%/softmax.c \
    %D%/softmax_typed.h \
    %D%/tile.c \
    %D%/tile.h \
    %D%/vectors.c \
    %D%/vectors.h \
    %D%/vectors_avx2.c \
    %D%/vectors_avx512.c \
    %D%/vectors_portable.c \
    %D%/vectors_table.h \
    %D%/window.h
modules_reference_la_CPPFLAGS = $(MODULE_CPPFLAGS)
modules_reference_la_CFLAGS = $(AM_CFLAGS) $(KC_REFERENCE_CFLAGS)
modules_reference_la_LDFLAGS = $(MODULE_LINK_FLAGS)
modules_reference_la_LIBADD = -lm

EXTRA_DIST += %D%/README.md
