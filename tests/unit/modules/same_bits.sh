#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The promise of the reference module put to the test: built plainly, with full
# optimisation, for this very processor and with every width of vectors it has,
# it passes the same comparison bit by bit; built with contraction it does not,
# so the comparison can tell.

. "${KC_SRCDIR:?}/tests/tap.sh"

runner=${KC_BUILDDIR:?}/tests/unit/modules/run
[ -x "$runner" ] || skip_all "no $runner"
[ -z "${KC_SANITIZERS:-}" ] || skip_all "modules built by hand lack the sanitizer"

# build FOLDER FLAGS...
build()
{
    local folder=$1
    shift
    mkdir -p "$folder" &&
        "${KC_CC:?}" -std=c11 -ffp-contract=off "$@" -fvisibility=hidden \
            -fPIC -shared -I"$KC_SRCDIR/sdk/include" \
            "$KC_SRCDIR"/modules/reference/*.c -o "$folder/reference.so" -lm
}

# values FOLDER: the failed tests about values, with that folder's module
values()
{
    KCAPSULE_MODULE_PATH=$1 CK_RUN_SUITE=modules.reference.values "$runner" |
        grep '^not ok'
}

same_bits()
{
    local name=$1 failed
    shift
    if ! text=$(build "$tmp/$name" "$@" 2>&1); then
        skip "the same bits with $*" "the compiler does not take $*"
        return
    fi
    failed=$(values "$tmp/$name")
    if [ -z "$failed" ]; then
        ok "the same bits with $*"
    else
        not_ok "the same bits with $*" "$failed"
    fi
}

same_bits plain -O0
same_bits full -O3
same_bits native -O3 -march=native

# vectors BYTES WORD: only up to that width; WORD is what the processor needs.
vectors()
{
    local flag=-DKC_REFERENCE_VECTOR_LIMIT=$1
    if [ -z "$2" ] || grep -qw "$2" /proc/cpuinfo 2>/dev/null; then
        same_bits "vectors$1" -O2 "$flag"
    else
        skip "the same bits with -O2 $flag" "no $2 here"
    fi
}

vectors 16 ""
vectors 32 avx2
vectors 64 avx512f

if grep -qw fma /proc/cpuinfo 2>/dev/null &&
    build "$tmp/fused" -O3 -mfma -ffp-contract=fast 2>/dev/null; then
    check "contraction is seen" grep -q '^not ok' <(values "$tmp/fused")
else
    skip "contraction is seen" "no fused multiply-add here"
fi
finish
