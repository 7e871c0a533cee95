# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Tests that read the sources and the objects. See README.md.

lint_tests =

TESTS += $(lint_tests)
EXTRA_DIST += $(lint_tests)
