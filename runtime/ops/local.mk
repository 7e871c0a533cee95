# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The ops layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(ops_sources)
noinst_HEADERS += $(ops_headers)

ops_sources =

ops_headers =
