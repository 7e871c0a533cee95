# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The api layer: the only sources that define exported symbols. Every exported
# function is also listed in libkcapsule.map.

EXTRA_DIST += %D%/libkcapsule.map
runtime_libkcapsule_la_SOURCES += $(api_sources)
noinst_HEADERS += $(api_headers)

api_sources = \
    %D%/attributes.c \
    %D%/compose.c \
    %D%/gradients.c \
    %D%/graph.c \
    %D%/graph_builder.c \
    %D%/labels.c \
    %D%/plan.c \
    %D%/profile.c \
    %D%/report.c \
    %D%/runtime.c \
    %D%/session.c \
    %D%/tape.c \
    %D%/values.c

api_headers = \
    %D%/argument.h \
    %D%/graph_port.h
