#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# count_results.sh BUILD-FOLDER MAKE-STATUS: prints "N passed, N failed, N
# skipped" for the last make check in that folder and fails when anything did.
# A make that failed without a failed test, a run in which nothing passed, and a
# listed test without a result each count as a failure.

set -euo pipefail

build_dir=$1
make_status=$2

# Expected failures that fail count as passed, unexpected passes as failed.
sum_results()
{
    find "$build_dir" -name '*.trs' -exec cat {} + | awk '
        $1 != ":test-result:" { next }
        $2 == "PASS" || $2 == "XFAIL" { passed++; next }
        $2 == "SKIP" { skipped++; next }
        { failed++ }
        END { print passed + 0, failed + 0, skipped + 0 }'
}

# a.sh and a are both recorded in a.trs.
tests_without_result()
{
    local test
    for test in $(env -u MAKEFLAGS make -s -C "$build_dir" --no-print-directory list-tests); do
        [ -e "$build_dir/${test%.sh}.trs" ] || echo "$test"
    done
}

read -r passed failed skipped < <(sum_results)
for test in $(tests_without_result); do
    echo "no result: $test" >&2
    failed=$((failed + 1))
done
if [ "$failed" -eq 0 ] && { [ "$make_status" -ne 0 ] || [ "$passed" -eq 0 ]; }
then
    failed=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
