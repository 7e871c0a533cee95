# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The dispatch layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(dispatch_sources)
noinst_HEADERS += $(dispatch_headers)

dispatch_sources =

dispatch_headers =
