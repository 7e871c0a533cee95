# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The reference module. Enable these lines together with the first source.
#
# module_LTLIBRARIES += modules/reference.la
# modules_reference_la_SOURCES = %D%/contracts.c
# modules_reference_la_CPPFLAGS = $(MODULE_CPPFLAGS)
# modules_reference_la_CFLAGS = $(AM_CFLAGS)
# modules_reference_la_LDFLAGS = $(MODULE_LINK_FLAGS)
# modules_reference_la_LIBADD = -lm
