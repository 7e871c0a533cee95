# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The audit layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(audit_sources)
noinst_HEADERS += $(audit_headers)

audit_sources = \
    %D%/accept.c \
    %D%/accept_failures.c \
    %D%/audit.c \
    %D%/contract_check.c \
    %D%/evidence.c \
    %D%/guards.c \
    %D%/inner_rows.c \
    %D%/key_set.c

audit_headers = \
    %D%/accept.h \
    %D%/accept_failures.h \
    %D%/audit.h \
    %D%/guards.h \
    %D%/inner_rows.h \
    %D%/key_set.h
