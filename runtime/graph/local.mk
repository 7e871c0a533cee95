# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The graph layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(graph_sources)
noinst_HEADERS += $(graph_headers)

graph_sources = \
    %D%/append.c \
    %D%/attribute_pool.c \
    %D%/attribute_text.c \
    %D%/bind.c \
    %D%/builder.c \
    %D%/composed_nodes.c \
    %D%/demand.c \
    %D%/describe.c \
    %D%/dim_names.c \
    %D%/draft.c \
    %D%/extend.c \
    %D%/graph.c \
    %D%/kind_attributes.c \
    %D%/kinds.c \
    %D%/literal.c \
    %D%/parse.c \
    %D%/parse_node.c

graph_headers = \
    %D%/attribute_pool.h \
    %D%/attribute_text.h \
    %D%/builder.h \
    %D%/builder_state.h \
    %D%/demand.h \
    %D%/draft.h \
    %D%/graph.h \
    %D%/kind_attributes.h \
    %D%/kinds.h \
    %D%/parse_node.h
