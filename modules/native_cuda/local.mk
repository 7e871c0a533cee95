# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The native_cuda module: contracts only in this version.

module_LTLIBRARIES += modules/native_cuda.la
modules_native_cuda_la_SOURCES = %D%/contracts.c %D%/module.c
modules_native_cuda_la_CPPFLAGS = $(MODULE_CPPFLAGS)
modules_native_cuda_la_CFLAGS = $(AM_CFLAGS)
modules_native_cuda_la_LDFLAGS = $(MODULE_LINK_FLAGS)

EXTRA_DIST += %D%/README.md
