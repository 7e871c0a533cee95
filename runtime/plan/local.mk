# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The plan layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(plan_sources)
noinst_HEADERS += $(plan_headers)

plan_sources =

plan_headers =
