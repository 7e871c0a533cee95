# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The module layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(module_sources)
noinst_HEADERS += $(module_headers)

module_sources =

module_headers =
