# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The registry layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(registry_sources)
noinst_HEADERS += $(registry_headers)

registry_sources = \
    %D%/capsule_module.c \
    %D%/catalogue.c \
    %D%/maintained.c \
    %D%/policy.c \
    %D%/profile.c \
    %D%/profile_draft.c \
    %D%/profile_file.c \
    %D%/profile_load.c \
    %D%/profile_resolve.c \
    %D%/provider.c \
    %D%/validate.c \
    %D%/word_list.c

registry_headers = \
    %D%/capsule_module.h \
    %D%/maintained.h \
    %D%/policy.h \
    %D%/profile.h \
    %D%/profile_draft.h \
    %D%/profile_file.h \
    %D%/profile_load.h \
    %D%/profile_parts.h \
    %D%/provider.h \
    %D%/word_list.h
