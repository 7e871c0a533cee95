# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# What all tests share: the TAP driver, the environment, a locale with a decimal
# comma, and the run through the installed command.

TEST_EXTENSIONS = .sh
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) \
    $(top_srcdir)/m4/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = $(BASH)

# make installcheck replaces these two.
TESTED_COMMAND = $(abs_top_builddir)/runtime/cli/kcapsule
TESTED_MODULE_PATH = $(abs_top_builddir)/modules/.libs

AM_TESTS_ENVIRONMENT = \
    unset KCAPSULE_ADD_MODULE_PATH KCAPSULE_PROFILE_PATH \
        KCAPSULE_MODULE_PATH LANGUAGE LANG \
        MAKEFLAGS MFLAGS MAKELEVEL; \
    test -z '$(TESTED_MODULE_PATH)' || \
        { KCAPSULE_MODULE_PATH='$(TESTED_MODULE_PATH)'; \
          export KCAPSULE_MODULE_PATH; }; \
    KCAPSULE='$(TESTED_COMMAND)'; export KCAPSULE; \
    KC_SRCDIR='$(abs_top_srcdir)'; export KC_SRCDIR; \
    KC_BUILDDIR='$(abs_top_builddir)'; export KC_BUILDDIR; \
    KC_CC='$(CC)'; export KC_CC; \
    KC_CXX='$(KC_CXX)'; export KC_CXX; \
    KC_HAVE_LIBTORCH='$(KC_HAVE_LIBTORCH)'; export KC_HAVE_LIBTORCH; \
    KC_SANITIZERS='$(KC_SANITIZERS)'; export KC_SANITIZERS; \
    KC_LOCPATH='$(abs_top_builddir)/tests/locale'; export KC_LOCPATH; \
    $(KC_SANITIZER_ENVIRONMENT) \
    LC_ALL=C; export LC_ALL;

EXTRA_DIST += %D%/README.md %D%/tap.sh %D%/count_results.sh \
    %D%/bench/README.md %D%/unit/README.md %D%/graphs

# Where localedef or the German sources are missing the folder stays empty, and
# the tests that want a decimal comma skip.
check_DATA += %D%/locale/made
tests/locale/made:
	$(AM_V_GEN)mkdir -p tests/locale && \
	{ localedef --no-archive -i de_DE -f UTF-8 tests/locale/de_DE.UTF-8 \
	    >/dev/null 2>&1 || :; } && : >$@
clean-local:
	rm -rf tests/locale

# What tests/count_results.sh compares the results with.
list-tests:
	@echo $(TESTS)
.PHONY: list-tests

# The installed command sees an environment without any variable of ours.
installcheck-local: $(check_LTLIBRARIES) $(check_PROGRAMS) $(check_DATA)
	env -i PATH="$$PATH" HOME="$${HOME-/}" TMPDIR="$${TMPDIR-/tmp}" \
	    MAKEFLAGS="$$MAKEFLAGS" \
	    KC_PREFIX='$(DESTDIR)$(prefix)' KC_MODULE_DIR='$(moduledir)' \
	    KC_DOC_DIR='$(DESTDIR)$(docdir)' \
	    KC_PKG_CONFIG_PATH='$(DESTDIR)$(pkgconfigdir)' \
	    $(MAKE) $(AM_MAKEFLAGS) check-TESTS \
	    TESTS='$(INSTALLED_TESTS)' TEST_SUITE_LOG=installcheck.log \
	    TESTED_COMMAND='$(DESTDIR)$(bindir)/kcapsule' TESTED_MODULE_PATH=
CLEANFILES += installcheck.log

if HAVE_CHECK
include tests/unit/local.mk
else
TESTS += tests/unit/without_check.sh
endif
EXTRA_DIST += tests/unit/without_check.sh tests/unit/modules/same_bits.sh \
    tests/unit/conform/fast_values.sh \
    tests/unit/conform/fast_gradients.sh \
    tests/unit/conform/libtorch_values.sh \
    tests/unit/conform/libtorch_gradients.sh
include tests/cli/local.mk
include tests/mocks/local.mk
include tests/fuzz/local.mk
include tests/bench/local.mk
include tests/lint/local.mk
include tests/headers/local.mk
include tests/install/local.mk
include tests/device/local.mk
