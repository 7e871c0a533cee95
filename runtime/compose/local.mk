# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The compose layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(compose_sources)
noinst_HEADERS += $(compose_headers)

compose_sources = \
    %D%/attention.c \
    %D%/composition.c \
    %D%/forward.c \
    %D%/graph_nodes.c \
    %D%/operand_check.c \
    %D%/scan.c \
    %D%/spectral.c \
    %D%/terms.c \
    %D%/transform.c

compose_headers = \
    %D%/composition.h \
    %D%/compositions.h \
    %D%/graph_nodes.h \
    %D%/operand_check.h \
    %D%/transform.h
