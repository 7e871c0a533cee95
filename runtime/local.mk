# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The library in two steps: libkcapsule-internal holds every layer up to report
# and is what the unit tests link; libkcapsule adds runtime/api and exports
# exactly what runtime/api/libkcapsule.map lists.

EXTRA_DIST += \
    %D%/LAYERS \
    %D%/README.md \
    %D%/api/README.md \
    %D%/audit/README.md \
    %D%/autograd/README.md \
    %D%/base/README.md \
    %D%/cli/README.md \
    %D%/compose/README.md \
    %D%/config/README.md \
    %D%/dispatch/README.md \
    %D%/exec/README.md \
    %D%/graph/README.md \
    %D%/include/README.md \
    %D%/module/README.md \
    %D%/ops/README.md \
    %D%/plan/README.md \
    %D%/registry/README.md \
    %D%/report/README.md \
    %D%/tensor/README.md
pkgconfig_DATA += %D%/kcapsule.pc

noinst_LTLIBRARIES += %D%/libkcapsule-internal.la
%C%_libkcapsule_internal_la_SOURCES =
%C%_libkcapsule_internal_la_CPPFLAGS = $(AM_CPPFLAGS) $(KC_DEPENDENCY_CFLAGS)
%C%_libkcapsule_internal_la_LIBADD = $(KC_DEPENDENCY_LIBS)

# Interface version of the library: current:revision:age.
KC_LIBRARY_VERSION = 0:0:0
KC_LIBRARY_MAP = $(srcdir)/runtime/api/libkcapsule.map

lib_LTLIBRARIES += %D%/libkcapsule.la
%C%_libkcapsule_la_SOURCES =
%C%_libkcapsule_la_CPPFLAGS = $(AM_CPPFLAGS) $(KC_DEPENDENCY_CFLAGS)
%C%_libkcapsule_la_LIBADD = %D%/libkcapsule-internal.la
%C%_libkcapsule_la_LDFLAGS = $(AM_LDFLAGS) $(KC_LIBRARY_LDFLAGS) \
    -version-info $(KC_LIBRARY_VERSION) \
    -Wl,--version-script=$(KC_LIBRARY_MAP)
EXTRA_runtime_libkcapsule_la_DEPENDENCIES = $(KC_LIBRARY_MAP)

include runtime/include/local.mk
include runtime/base/local.mk
include runtime/config/local.mk
include runtime/tensor/local.mk
include runtime/ops/local.mk
include runtime/graph/local.mk
include runtime/compose/local.mk
include runtime/module/local.mk
include runtime/registry/local.mk
include runtime/plan/local.mk
include runtime/audit/local.mk
include runtime/dispatch/local.mk
include runtime/exec/local.mk
include runtime/autograd/local.mk
include runtime/report/local.mk
include runtime/api/local.mk
include runtime/conform/local.mk
include runtime/cli/local.mk
