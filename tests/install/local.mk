# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Tests of the installed tree, run by make installcheck alone, and two of the
# set-up, run by make check.

install_tests = \
    %D%/layout.sh \
    %D%/pkgconfig.sh

TESTS += %D%/bootstrap.sh %D%/reconfigure.sh
INSTALLED_TESTS += $(install_tests)
EXTRA_DIST += $(install_tests) %D%/bootstrap.sh %D%/reconfigure.sh \
    %D%/README.md %D%/debootstrap.sh
CLEANFILES += $(install_tests:.sh=.log) $(install_tests:.sh=.trs)
