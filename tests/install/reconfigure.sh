#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# A build folder that is configured again where LibTorch has come, gone or
# changed: all that was made for the one before is made anew. Nothing is made
# here; make says what it would do.

. "${KC_SRCDIR:?}/tests/tap.sh"

cd "$KC_BUILDDIR" || exit 99
record=modules/libtorch/configured
targets=(modules/libtorch.la tests/bench/bench_attention)
# Not without Check.
unit_tests=(tests/unit/modules/run tests/unit/api/run)
[ -e "${unit_tests[0]}" ] || unit_tests=()

before=$(stat -c %y "$record")
runs "config.status, nothing having changed" 0 ./config.status "$record"
is "leaves the record as old as it was" "$(stat -c %y "$record")" "$before"

# would WHAT TEXT: whether TEXT is in what make would do.
would()
{
    contains "made again: $1" "$planned" "$2"
}

runs "with another LibTorch" 0 make V=1 -n -W "$record" \
    "${targets[@]}" "${unit_tests[@]}"
planned=$(cat "$out")
would "the contracts" "modules/libtorch/contracts.c"
would "the module" "-o modules/libtorch.la"
would "the benchmark" "-o tests/bench/bench_attention"
if [ "${#unit_tests[@]}" -gt 0 ]; then
    would "the tests of modules" "tests/unit/modules/test_contracts.c"
    would "the tests of the interface" "tests/unit/api/test_mixed_owners.c"
fi
if [ "${KC_HAVE_LIBTORCH:-0}" = 1 ]; then
    would "what is C++" "modules/libtorch/matmul.cpp"
    would "its side of the benchmark" "tests/bench/torch_attention.cpp"
fi
finish
