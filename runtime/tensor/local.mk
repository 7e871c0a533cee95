# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The tensor layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(tensor_sources)
noinst_HEADERS += $(tensor_headers)

tensor_sources =

tensor_headers =
