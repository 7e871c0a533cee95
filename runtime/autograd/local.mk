# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The autograd layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(autograd_sources)
noinst_HEADERS += $(autograd_headers)

autograd_sources = \
    %D%/attention.c \
    %D%/attention_rows.c \
    %D%/conv.c \
    %D%/conv_correlate.c \
    %D%/conv_slide.c \
    %D%/conv_transpose.c \
    %D%/gradient_plan.c \
    %D%/gradient_plan_request.c \
    %D%/gradient_plan_rule.c \
    %D%/gradient_plan_walk.c \
    %D%/index.c \
    %D%/layout.c \
    %D%/matmul.c \
    %D%/norm.c \
    %D%/panel.c \
    %D%/pointwise.c \
    %D%/pointwise_select.c \
    %D%/pool.c \
    %D%/reduce.c \
    %D%/rule.c \
    %D%/scan.c \
    %D%/softmax.c \
    %D%/spectral.c \
    %D%/tape.c \
    %D%/tape_backward.c \
    %D%/tape_composition.c \
    %D%/tape_gradients.c \
    %D%/tape_graph.c \
    %D%/tape_record.c \
    %D%/tape_request.c \
    %D%/tape_rule.c \
    %D%/tape_saved.c \
    %D%/tape_seed.c \
    %D%/tape_variable.c

autograd_headers = \
    %D%/attention_rows.h \
    %D%/attention_rows_typed.h \
    %D%/conv_correlate_typed.h \
    %D%/conv_gradient.h \
    %D%/conv_slide_typed.h \
    %D%/conv_typed.h \
    %D%/float32.h \
    %D%/float64.h \
    %D%/panel.h \
    %D%/panel_typed.h \
    %D%/gradient_plan.h \
    %D%/gradient_plan_parts.h \
    %D%/pointwise_select_typed.h \
    %D%/pool_typed.h \
    %D%/rule.h \
    %D%/rule_tiles.h \
    %D%/rules.h \
    %D%/scan_typed.h \
    %D%/sliding_window.h \
    %D%/softmax_typed.h \
    %D%/tape.h \
    %D%/tape_state.h
