# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The libtorch module: contracts only in this version.

module_LTLIBRARIES += modules/libtorch.la
modules_libtorch_la_SOURCES = %D%/contracts.c %D%/module.c
modules_libtorch_la_CPPFLAGS = $(MODULE_CPPFLAGS)
modules_libtorch_la_CFLAGS = $(AM_CFLAGS)
modules_libtorch_la_LDFLAGS = $(MODULE_LINK_FLAGS)

EXTRA_DIST += %D%/README.md
