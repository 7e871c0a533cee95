# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# What all tests share: the TAP driver, the environment and the shell helper.

TEST_EXTENSIONS = .sh
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) \
    $(top_srcdir)/m4/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = bash

# make installcheck runs the same scripts through the installed command.
TESTED_COMMAND = $(abs_top_builddir)/runtime/cli/kcapsule
TESTED_MODULE_PATH = $(abs_top_builddir)/modules/.libs

AM_TESTS_ENVIRONMENT = \
    unset KCAPSULE_ADD_MODULE_PATH KCAPSULE_PROFILE_PATH KCAPSULE_MODULE_PATH; \
    test -z '$(TESTED_MODULE_PATH)' || \
        { KCAPSULE_MODULE_PATH='$(TESTED_MODULE_PATH)'; \
          export KCAPSULE_MODULE_PATH; }; \
    KCAPSULE='$(TESTED_COMMAND)'; export KCAPSULE; \
    KC_SRCDIR='$(abs_top_srcdir)'; export KC_SRCDIR; \
    KC_BUILDDIR='$(abs_top_builddir)'; export KC_BUILDDIR; \
    KC_CC='$(CC)'; export KC_CC; \
    KC_CXX='$(KC_CXX)'; export KC_CXX; \
    KC_SANITIZERS='$(KC_SANITIZERS)'; export KC_SANITIZERS; \
    $(KC_SANITIZER_ENVIRONMENT) \
    LC_ALL=C; export LC_ALL; unset LANGUAGE LANG;

EXTRA_DIST += %D%/README.md %D%/tap.sh

if HAVE_CHECK
include tests/unit/local.mk
endif
include tests/cli/local.mk
include tests/mocks/local.mk
include tests/fuzz/local.mk
include tests/bench/local.mk
include tests/lint/local.mk
include tests/headers/local.mk
include tests/install/local.mk
include tests/device/local.mk
