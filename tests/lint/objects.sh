#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# What the object files define and call: no writable globals, no print or exit
# in a library, exported definitions in runtime/api only.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/lint/lint.sh"

[ -z "${KC_SANITIZERS:-}" ] || skip_all "sanitizers add objects of their own"

code_folders()
{
    printf 'runtime/%s\n' $(layers)
    find modules -mindepth 1 -maxdepth 1 -type d | LC_ALL=C sort
}

# Each reader gets objects and prints "object symbol" for every violation.

# Data that stays writable after relocation. Thread-local data counts; what
# <iostream> leaves in an object, which headers of LibTorch 2 include, does not.
writable_objects()
{
    "$objdump" -t "$@" | awk '
        / file format / { object = $1; sub(/:$/, "", object); next }
        { section = ""; for (i = 2; i < NF; i++)
            if ($i ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/) section = $i }
        section == "" || section ~ /^\.data\.rel\.ro/ { next }
        $NF ~ /^(\.|__gcov|__llvm|__prof|DW\.ref\.|_ZStL8__ioinit$)/ { next }
        { print object, $NF }'
}

forbidden_calls()
{
    "$nm" -A -u "$@" | awk '
        { object = $1; sub(/:$/, "", object); sub(/@.*/, "", $NF) }
        $NF ~ /^(v?printf|puts|putchar|perror|__v?printf_chk|stdout|stderr)$/ ||
        $NF ~ /^(abort|exit|_exit|_Exit|quick_exit|v?errx?|v?warnx?)$/ {
            print object, $NF }'
}

exported_definitions()
{
    readelf -sW /dev/null "$@" 2>/dev/null | awk '
        $1 == "File:" { object = $2 }
        $5 == "GLOBAL" && $6 == "DEFAULT" && $7 != "UND" { print object, $8 }'
}

# violations READER RULE FOLDERS: "source:symbol", less the exempt ones.
violations()
{
    local folder found object symbol place
    for folder in $3; do
        mapfile -t found < <(objects "$folder")
        [ ${#found[@]} -gt 0 ] || continue
        "$1" "${found[@]}" | while read -r object symbol; do
            place=${object##*[/-]}
            place=$folder/${place%.o}.c:$symbol
            exempt "$2" "$place" || echo "$place"
        done
    done
}

folders=$(code_folders)
libraries=$(grep -vx -e runtime/cli <<<"$folders")
inner=$(grep -vx -e runtime/cli -e runtime/api <<<"$folders" | grep ^runtime/)

[ -n "$(for folder in $folders; do objects "$folder"; done)" ] ||
    skip_all "no object files in $KC_BUILDDIR"
none "no writable globals" \
    "$(violations writable_objects global "$folders")"
none "no print, abort or exit outside runtime/cli" \
    "$(violations forbidden_calls symbol "$libraries")"
none "only runtime/api defines exported symbols" \
    "$(violations exported_definitions export "$inner")"
finish
