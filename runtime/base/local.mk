# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The base layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(base_sources)
noinst_HEADERS += $(base_headers)

base_sources =

base_headers =
