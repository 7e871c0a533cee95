# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Unit tests: one Check runner a layer, linked with the internal archive, so
# that a test may force failures with the linker's --wrap.

UNIT_CPPFLAGS = $(AM_CPPFLAGS) $(KC_DEPENDENCY_CFLAGS) $(CHECK_CFLAGS) \
    -I$(top_srcdir)/tests
UNIT_LIBS = tests/unit/librunner.la runtime/libkcapsule-internal.la \
    $(CHECK_LIBS)

check_LTLIBRARIES += %D%/librunner.la
%C%_librunner_la_SOURCES = %D%/runner.c %D%/runner.h
%C%_librunner_la_CPPFLAGS = $(UNIT_CPPFLAGS)

include tests/unit/base/local.mk
include tests/unit/config/local.mk
include tests/unit/tensor/local.mk
include tests/unit/ops/local.mk
include tests/unit/graph/local.mk
include tests/unit/compose/local.mk
include tests/unit/module/local.mk
include tests/unit/registry/local.mk
include tests/unit/plan/local.mk
include tests/unit/audit/local.mk
include tests/unit/dispatch/local.mk
include tests/unit/exec/local.mk
include tests/unit/autograd/local.mk
include tests/unit/report/local.mk
include tests/unit/api/local.mk
include tests/unit/conform/local.mk
include tests/unit/modules/local.mk
