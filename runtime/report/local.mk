# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The report layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(report_sources)
noinst_HEADERS += $(report_headers)

report_sources =

report_headers =
