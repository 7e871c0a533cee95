#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# What the object files define and call: no writable globals, no print or exit
# in a library, exported definitions in runtime/api only.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/lint/lint.sh"

[ -z "${KC_SANITIZERS:-}" ] || skip_all "sanitizers add objects of their own"

code_folders() { printf 'runtime/%s\n' $(layers); printf '%s\n' modules/*/; }

# each_object FUNCTION: FUNCTION gets an object and prints the symbols that
# violate its rule; the output is "source:symbol", less the exempt ones of $2.
each_object()
{
    local folder object symbol place
    for folder in $3; do
        for object in $(objects "${folder%/}"); do
            for symbol in $("$1" "$object"); do
                place=${folder%/}/$(basename "${object##*-}" .o).c:$symbol
                exempt "$2" "$place" || echo "$place"
            done
        done
    done
}

# Data that stays writable after relocation. Thread-local data counts.
writable_objects()
{
    "$objdump" -t "$1" | awk '
        { section = ""; for (i = 2; i < NF; i++)
            if ($i ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/) section = $i }
        section == "" || section ~ /^\.data\.rel\.ro/ { next }
        $NF ~ /^(\.|__gcov|__llvm|__prof)/ { next }
        { print $NF }'
}

forbidden_calls()
{
    "$nm" -u "$1" | awk '{ sub(/@.*/, "", $NF); print $NF }' | grep -xE \
        'v?printf|puts|putchar|perror|__v?printf_chk|stdout|stderr|abort|exit|_exit|_Exit|quick_exit|v?errx?|v?warnx?'
}

exported_definitions()
{
    readelf -sW "$1" | awk \
        '$5 == "GLOBAL" && $6 == "DEFAULT" && $7 != "UND" { print $8 }'
}

folders=$(code_folders)
libraries=$(grep -vx -e runtime/cli <<<"$folders")
inner=$(grep -vx -e runtime/cli -e runtime/api <<<"$folders" | grep ^runtime/)

[ -n "$(for folder in $folders; do objects "${folder%/}"; done)" ] ||
    skip_all "no object files in $KC_BUILDDIR"
none "no writable globals" \
    "$(each_object writable_objects global "$folders")"
none "no print, abort or exit outside runtime/cli" \
    "$(each_object forbidden_calls symbol "$libraries")"
none "only runtime/api defines exported symbols" \
    "$(each_object exported_definitions export "$inner")"
finish
