# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The attention module. Enable these lines together with the first source.
#
# module_LTLIBRARIES += modules/attention.la
# modules_attention_la_SOURCES = %D%/contracts.c
# modules_attention_la_CPPFLAGS = $(MODULE_CPPFLAGS)
# modules_attention_la_CFLAGS = $(AM_CFLAGS)
# modules_attention_la_LDFLAGS = $(MODULE_LINK_FLAGS)
# modules_attention_la_LIBADD = -lm
