# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Tests of the command. Each takes it from $KCAPSULE, so the same script runs
# again through the installed command in make installcheck.

cli_tests = \
    %D%/bad_arrays.sh \
    %D%/bad_graphs.sh \
    %D%/bad_modules.sh \
    %D%/bad_profiles.sh \
    %D%/choice.sh \
    %D%/control_bytes.sh \
    %D%/diff.sh \
    %D%/diff_digits.sh \
    %D%/diff_kinds.sh \
    %D%/digits.sh \
    %D%/digits_matrix.sh \
    %D%/doctor.sh \
    %D%/gradients_plan.sh \
    %D%/kinds.sh \
    %D%/libtorch.sh \
    %D%/limits.sh \
    %D%/locale.sh \
    %D%/man_pages.sh \
    %D%/marker.sh \
    %D%/mixed_owners.sh \
    %D%/options.sh \
    %D%/ports.sh \
    %D%/record.sh \
    %D%/results.sh \
    %D%/search.sh \
    %D%/throwing.sh \
    %D%/transcripts.sh

TESTS += $(cli_tests)
INSTALLED_TESTS += $(cli_tests)
EXTRA_DIST += $(cli_tests) %D%/README.md %D%/scenario.sh
