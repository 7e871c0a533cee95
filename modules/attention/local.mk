# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The attention module: contracts only in this version.

module_LTLIBRARIES += modules/attention.la
modules_attention_la_SOURCES = %D%/contracts.c %D%/module.c
modules_attention_la_CPPFLAGS = $(MODULE_CPPFLAGS)
modules_attention_la_CFLAGS = $(AM_CFLAGS)
modules_attention_la_LDFLAGS = $(MODULE_LINK_FLAGS)

EXTRA_DIST += %D%/README.md
