#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# The suite that acme.relu names as its evidence: built with the SDK alone,
# brought along by an application, it gives the values of relu.

. "${KC_SRCDIR:?}/tests/tap.sh"

here=$KC_SRCDIR/examples/third_party
mkdir -m 755 "$tmp/modules"
check "the module builds with its own Makefile" env MAKEFLAGS= make -s \
    -C "$tmp/modules" -f "$here/Makefile" \
    CC="$KC_CC" SDK_CFLAGS="-I$KC_SRCDIR/sdk/include"
prints "an application brings it along" 0 \
    "relu by acme.relu of module acme: 0 0 0 0.5 2" \
    "$KC_BUILDDIR/examples/third_party/third_party" "$tmp/modules" \
    "$here/acme.ini"

cat >"$tmp/nan.json" <<'TEXT'
{"format": "kcapsule-graph", "version": 1, "nodes": [
  {"id": 0, "op": "input", "shape": [4], "name": "x"},
  {"id": 1, "op": "relu", "parents": [0], "shape": [4]}],
 "outputs": [{"name": "y", "node": 1}]}
TEXT
# NaN, -inf, -0, inf as little-endian float32 behind a version 1.0 npy header.
{
    printf '\223NUMPY\001\000\166\000'
    printf "%-117s\n" "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }"
    printf '\000\000\300\177\000\000\200\377\000\000\000\200\000\000\200\177'
} >"$tmp/x.npy"
relu()
{
    "$KCAPSULE" run -p "$here/acme.ini" --module-path "$tmp/modules" \
        --graph "$tmp/nan.json" --input x="$tmp/x.npy" --output y="$tmp/$1.npy" \
        "${@:2}" >"$tmp/$1.txt"
}
check "it runs through the command" relu acme --module "$tmp/modules/acme.so"
contains "which says who ran" "$(cat "$tmp/acme.txt")" "acme.relu"
check "the reference runs too" relu reference
contains "as itself" "$(cat "$tmp/reference.txt")" "reference.relu"
check "both give the same bits for NaN, infinities and -0" \
    cmp "$tmp/acme.npy" "$tmp/reference.npy"
finish
