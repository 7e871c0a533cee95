# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The public headers of the library: list every one here, by hand.

pkginclude_HEADERS +=
