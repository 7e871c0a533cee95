# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Golden tests of the command. Each takes the command from $KCAPSULE, so the
# same script runs again through the installed command in make installcheck.

cli_tests =

TESTS += $(cli_tests)
INSTALLED_TESTS += $(cli_tests)
EXTRA_DIST += $(cli_tests)
