# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The graph layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(graph_sources)
noinst_HEADERS += $(graph_headers)

graph_sources =

graph_headers =
