# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The config layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(config_sources)
noinst_HEADERS += $(config_headers)

config_sources =

config_headers =
