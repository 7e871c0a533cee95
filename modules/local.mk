# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The maintained modules. All are built into this one folder, so that the
# uninstalled command finds them in modules/.libs. A module sees the SDK headers
# only and links nothing of ours.

MODULE_CPPFLAGS = $(SDK_CPPFLAGS)
MODULE_LINK_FLAGS = $(AM_LDFLAGS) $(KC_LIBRARY_LDFLAGS) \
    -module -avoid-version -shared -export-symbols-regex '^kc_module_entry$$'

EXTRA_DIST += %D%/README.md

include modules/reference/local.mk
include modules/attention/local.mk
include modules/native_cuda/local.mk
include modules/libtorch/local.mk
