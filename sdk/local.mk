# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The module SDK: headers that need only libc and dlpack.h, and the pkg-config
# file of out-of-tree providers.

EXTRA_DIST += %D%/README.md
pkgconfig_DATA += %D%/kcapsule-sdk.pc

pkginclude_HEADERS +=
