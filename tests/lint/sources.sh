#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Sizes, names, licence lines, README files and test files of the sources.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/lint/lint.sh"

long_files()
{
    sources '*.[ch]' | while read -r file; do
        lines=$(wc -l <"$file")
        [ "$lines" -le 400 ] || exempt file-size "$file" ||
            echo "$file: $lines lines"
    done
}

# A function begins and ends with a brace in the first column.
long_functions()
{
    sources '*.[ch]' | xargs -d '\n' awk '
        FNR == 1 { start = 0 }
        !start && /^[A-Za-z_].*\(/ { name = $0; sub(/\(.*/, "", name)
            sub(/.*[ *]/, "", name) }
        /^\{/ { start = FNR }
        /^\}/ && start { size = FNR - start + 1
            if (size > 60) print FILENAME ":" name " " size
            start = 0 }' | while read -r place size; do
        exempt function-size "$place" || echo "$place: $size lines"
    done
}

without_licence()
{
    { sources '*.[ch]' '*.sh' '*.mk' '*.m4' '*.in' '*.map' 'LAYERS'
        printf '%s\n' configure.ac Makefile.am bootstrap
        [ ! -e .ci/run ] || echo .ci/run; } |
        while read -r file; do
            head -n 3 "$file" |
                grep -q 'SPDX-License-Identifier: Apache-2.0$' || echo "$file"
        done
}

without_test()
{
    for layer in $(layers); do
        for file in runtime/"$layer"/*.c; do
            [ -e "$file" ] || continue
            [ -e "tests/unit/$layer/test_$(basename "$file")" ] ||
                exempt test-file "runtime/$layer/" ||
                exempt test-file "$file" || echo "$file"
        done
    done
}

bad_readmes()
{
    for folder in runtime runtime/*/ modules modules/*/ sdk tests tests/*/ \
        examples m4; do
        file=${folder%/}/README.md
        if [ ! -e "$file" ]; then
            echo "$file is missing"
        elif [ "$(wc -l <"$file")" -gt 40 ]; then
            echo "$file: more than 40 lines"
        fi
    done
}

none "no C file has more than 400 lines" "$(long_files)"
none "no function has more than 60 lines" "$(long_functions)"
none "every source file says its licence at the top" "$(without_licence)"
none "every source of a layer has a test file" "$(without_test)"
none "every folder has a README.md of at most 40 lines" "$(bad_readmes)"
none "no file is called utils, common or helpers" \
    "$(sources 'util.[ch]' 'utils.[ch]' 'common.[ch]' 'helper.[ch]' 'helpers.[ch]')"
finish
