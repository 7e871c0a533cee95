#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# The reference module built by other compilers, at other levels, for this very
# processor: the same bits.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

[ -z "${KC_SANITIZERS:-}" ] || skip_all "the modules built here lack sanitizers"

# build COMPILER OPTION...: the reference module alone in a folder.
build()
{
    rm -rf "$tmp/modules"
    mkdir -m 755 "$tmp/modules"
    "$@" -std=c11 -ffp-contract=off -fPIC -fvisibility=hidden -shared \
        -I"$KC_SRCDIR/sdk/include" -o "$tmp/modules/reference.so" \
        "$KC_SRCDIR"/modules/reference/*.c -lm
}

logits()
{
    rm -f "$tmp/out.npy"
    KCAPSULE_MODULE_PATH=$tmp/modules "$KCAPSULE" run -p checked_cpu \
        --graph "$digits/digits_mlp.json" \
        --weights "$digits/digits_mlp.safetensors" \
        --input images="$digits/digits_test_images.npy" \
        --output logits="$tmp/out.npy" --record "$tmp/record.json" "$@" &&
        grep -q "\"file\": \"$tmp/modules/reference.so\"" "$tmp/record.json" &&
        cmp "$tmp/out.npy" "$digits/digits_mlp_logits_fixed_left.npy"
}

for compiler in gcc clang; do
    for level in -O0 -O3 "-O3 -march=native"; do
        name="$compiler $level"
        if ! command -v $compiler >/dev/null; then
            skip "$name" "no $compiler"
        elif ! text=$(build $compiler $level 2>&1); then
            not_ok "$name" "$text"
        else
            check "$name" logits
        fi
    done
done
finish
