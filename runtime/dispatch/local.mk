# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The dispatch layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(dispatch_sources)
noinst_HEADERS += $(dispatch_headers)

dispatch_sources = \
    %D%/bind.c \
    %D%/call.c \
    %D%/call_vjp.c \
    %D%/cpu_features.c \
    %D%/demand.c \
    %D%/guard_contents.c \
    %D%/guard_layout.c \
    %D%/guard_limits.c \
    %D%/guard_type.c \
    %D%/host.c \
    %D%/invoke.c \
    %D%/operand_copy.c \
    %D%/operands.c \
    %D%/thread_pool.c \
    %D%/thread_trial.c

dispatch_headers = \
    %D%/bind.h \
    %D%/call.h \
    %D%/demand.h \
    %D%/guard.h \
    %D%/host.h \
    %D%/invoke.h \
    %D%/operand_copy.h \
    %D%/operands.h \
    %D%/thread_pool.h \
    %D%/thread_trial.h
