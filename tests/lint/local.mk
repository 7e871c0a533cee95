# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Tests that read the sources and the objects. See README.md.

lint_tests = \
    %D%/contraction.sh \
    %D%/exempt.sh \
    %D%/exports.sh \
    %D%/layers.sh \
    %D%/objects.sh \
    %D%/self.sh \
    %D%/sources.sh

TESTS += $(lint_tests)
EXTRA_DIST += $(lint_tests) %D%/README.md %D%/lint.sh %D%/exempt.txt
