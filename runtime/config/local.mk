# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The config layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(config_sources)
noinst_HEADERS += $(config_headers)

config_sources = \
    %D%/environment.c \
    %D%/ini.c \
    %D%/search_path.c

config_headers = \
    %D%/environment.h \
    %D%/ini.h \
    %D%/search_path.h
