# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The libtorch module. Enable these lines together with the first source.
#
# module_LTLIBRARIES += modules/libtorch.la
# modules_libtorch_la_SOURCES = %D%/contracts.c
# modules_libtorch_la_CPPFLAGS = $(MODULE_CPPFLAGS)
# modules_libtorch_la_CFLAGS = $(AM_CFLAGS)
# modules_libtorch_la_LDFLAGS = $(MODULE_LINK_FLAGS)
# modules_libtorch_la_LIBADD = -lm
