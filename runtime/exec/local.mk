# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The exec layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(exec_sources)
noinst_HEADERS += $(exec_headers)

exec_sources =

exec_headers =
