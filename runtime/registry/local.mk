# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The registry layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(registry_sources)
noinst_HEADERS += $(registry_headers)

registry_sources =

registry_headers =
