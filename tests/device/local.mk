# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Tests that need a GPU: one .sh a test in this folder, found by run.

TESTS += %D%/as_test
EXTRA_DIST += %D%/run %D%/as_test %D%/README.md
