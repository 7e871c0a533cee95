# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The plan layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(plan_sources)
noinst_HEADERS += $(plan_headers)

plan_sources = \
    %D%/admissible.c \
    %D%/choose.c \
    %D%/claim_text.c \
    %D%/explain.c \
    %D%/group.c \
    %D%/inner.c \
    %D%/limits.c \
    %D%/plan.c \
    %D%/reason.c \
    %D%/rule_text.c

plan_headers = \
    %D%/admissible.h \
    %D%/choose.h \
    %D%/claim_text.h \
    %D%/inner.h \
    %D%/limits.h \
    %D%/plan.h \
    %D%/reason.h \
    %D%/rule_text.h
