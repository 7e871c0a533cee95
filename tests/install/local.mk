# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Tests of the installed tree, run by make installcheck alone.

install_tests = \
    %D%/layout.sh \
    %D%/pkgconfig.sh

INSTALLED_TESTS += $(install_tests)
EXTRA_DIST += $(install_tests) %D%/README.md %D%/debootstrap.sh
