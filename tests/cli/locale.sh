#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# The same bytes under a locale whose decimal point is a comma.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

german() { LOCPATH=${KC_LOCPATH:-} LC_ALL=de_DE.UTF-8 "$@"; }
[ "$(german locale decimal_point 2>/dev/null)" = , ] ||
    skip_all "no locale with a decimal comma"

cd "$tmp" || exit 99
graph '{"id": 0, "op": "input", "shape": [4], "name": "x"},
{"id": 1, "op": "scale", "attrs": {"factor": 0.5}, "parents": [0],
 "shape": [4]},
{"id": 2, "op": "clamp", "attrs": {"lo": -0.25, "hi": 1e3}, "parents": [1],
 "shape": [4]}' 2 >g.json
{ npy "(4,)"; floats 1 -1 4 8; } >x.npy

# same NAME ARGUMENT...: stdout and stderr are the same bytes in both locales.
same()
{
    local name=$1
    shift
    run "$KCAPSULE" "$@"
    cp "$out" c.out
    cp "$err" c.err
    run german "$KCAPSULE" "$@"
    check "$name: stdout" cmp c.out "$out"
    check "$name: stderr" cmp c.err "$err"
}

same "plan" plan -p checked_cpu --graph g.json
contains "the factor is shown with a point" "$(cat "$out")" 0.5
same "plan, full" plan -p checked_cpu --graph g.json --full
same "plan, JSON" plan -p checked_cpu --graph g.json --format json
same "plan, explained" plan -p checked_cuda --graph g.json --explain
same "ops" ops clamp
same "ops, JSON" ops layer_norm --format json
same "a number that is none" run -p checked_cpu --graph g.json --threads 1,5
same "inspect" inspect reference.matmul
cp "$mocks/drifting.so" .
cat >drifting.ini <<'TEXT'
[profile]
name = drifting
extends = checked_cpu
provider = prefer:acme
[availability]
providers = acme, reference
[modules]
prepend = drifting
TEXT
for format in text json; do
    same "diff, $format" diff -p checked_cpu -p drifting.ini --module-path . \
        add --shape 3 --shape 3 --format $format
    contains "an error is shown with a point" "$(cat "$out")" " 1.19"
done
for mode in eager graph; do
    running=(run -p checked_cpu --graph g.json --input x=x.npy --mode $mode
        --threads 2 --record r.json --output y=y.npy)
    runs "run, $mode" 0 "$KCAPSULE" "${running[@]}"
    cp y.npy c.npy
    cp r.json c.json
    cp "$out" c.out
    runs "run, $mode, decimal comma" 0 german "$KCAPSULE" "${running[@]}"
    check "$mode: the same summary" cmp "$out" c.out
    check "$mode: the same output" cmp y.npy c.npy
    check "$mode: the same record" cmp r.json c.json
done
{ npy "(4,)"; printf '\000\000\000\077\000\000\200\276'; floats 2 4; } \
    >expected.npy
check "a half is a half" cmp y.npy expected.npy
sed 's/0\.5/0,5/' g.json >comma.json
run german "$KCAPSULE" plan -p checked_cpu --graph comma.json
is "a comma in a file is no decimal point" "$status" 2
finish
