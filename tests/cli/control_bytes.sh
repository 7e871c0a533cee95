#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Names of files are printed as `?` where they would do something to a terminal
# or make a line of their own; JSON escapes them.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

cd "$tmp" || exit 99
odd=$'a\e[2J\nreference 9.9, 1 capsule\r\x7fb\xc2\x9bc\xffd'
seen='a?[2J?reference 9.9, 1 capsule??b??c?d'
mkdir -m 755 "$odd"
cp "$mocks/good.so" "$odd/$odd.so"
printf '[profile]\n' >"$odd/$odd.ini"
{ npy "(4,)"; floats 1 -1 0 2; } >"$odd/x.npy"

# clean NAME FILE: only printable lines.
clean()
{
    is "$1" "$(LC_ALL=C tr -d '\n\40-\176' <"$2" | od -An -c)" ""
}

shows()
{
    local name=$1 want=$2
    shift 2
    run "$KCAPSULE" "$@"
    is "$name ends with" "$status" "$want"
    clean "$name: stdout" "$out"
    clean "$name: stderr" "$err"
    contains "$name has the name" "$(cat "$out" "$err")" "$seen"
    is "$name makes no line of it" \
        "$(cat "$out" "$err" | grep -c '^reference 9.9')" 0
}

shows "modules" 0 modules --verbose --module-path "$tmp/$odd"
shows "inspect" 0 inspect acme --module-path "$tmp/$odd"
shows "inspect of a capsule" 0 inspect acme.relu --module-path "$tmp/$odd"
KCAPSULE_PROFILE_PATH=$tmp/$odd shows "profiles" 0 profiles
KCAPSULE_PROFILE_PATH=$tmp/$odd shows "doctor" 1 doctor
shows "a module that is not there" 2 plan -p checked_cpu --module "$odd" relu
shows "an operation" 2 plan -p checked_cpu "$odd"
shows "an argument too many" 2 modules "$odd"
shows "a run" 0 run -p checked_cpu --graph "$chain" --input x="$odd/x.npy" \
    --output y="$odd/y.npy"
shows "a missing folder" 2 run -p checked_cpu --graph "$chain" \
    --input x="$odd/x.npy" --output y="none$odd/y.npy"
runs "as JSON" 0 "$KCAPSULE" modules --format json --module-path "$tmp/$odd"
clean "the bytes are escaped" "$out"
finish
