# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The exec layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(exec_sources)
noinst_HEADERS += $(exec_headers)

exec_sources = \
    %D%/arena.c \
    %D%/arena_gaps.c \
    %D%/attach.c \
    %D%/compile.c \
    %D%/composed_operands.c \
    %D%/composed_products.c \
    %D%/executor.c \
    %D%/graph_values.c \
    %D%/link.c \
    %D%/liveness.c \
    %D%/ports.c \
    %D%/program.c \
    %D%/program_composition.c \
    %D%/program_forward.c \
    %D%/record.c \
    %D%/record_rows.c \
    %D%/run.c \
    %D%/runtime.c \
    %D%/session.c \
    %D%/session_choice.c \
    %D%/session_composed.c \
    %D%/session_composition.c \
    %D%/session_gradient.c \
    %D%/session_graph.c \
    %D%/weights.c

exec_headers = \
    %D%/arena.h \
    %D%/arena_gaps.h \
    %D%/call_role.h \
    %D%/composed_operands.h \
    %D%/composed_products.h \
    %D%/executor.h \
    %D%/executor_state.h \
    %D%/graph_values.h \
    %D%/program.h \
    %D%/record.h \
    %D%/runtime.h \
    %D%/session.h \
    %D%/session_state.h \
    %D%/weights.h
