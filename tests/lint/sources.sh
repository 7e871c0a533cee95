#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Sizes, names, licence lines, README files and test files of the sources.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/lint/lint.sh"

long_files()
{
    sources '*.[ch]' '*.cpp' | xargs -d '\n' awk '{ lines[FILENAME] = FNR }
        END { for (file in lines) if (lines[file] > 400)
            print file, lines[file] }' | while read -r file lines; do
        exempt file-size "$file" || echo "$file: $lines lines"
    done
}

# A function begins and ends with a brace in the first column.
long_functions()
{
    sources '*.[ch]' '*.cpp' | xargs -d '\n' awk '
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
    { sources '*.[ch]' '*.cpp' '*.sh' '*.mk' '*.m4' '*.in' '*.map' 'LAYERS'
        find . -maxdepth 2 \( -name configure.ac -o -name Makefile.am -o \
            -name bootstrap -o -path ./.ci/run \); } |
        xargs -d '\n' awk '
            FNR == 1 { files[FILENAME] }
            FNR <= 3 && /SPDX-License-Identifier: Apache-2.0$/ {
                stated[FILENAME] }
            END { for (file in files) if (!(file in stated)) print file }'
}

without_test()
{
    for layer in $(layers); do
        for file in runtime/"$layer"/*.c; do
            [ -e "$file" ] || continue
            [ -e "tests/unit/$layer/test_${file##*/}" ] ||
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

none "no C or C++ file has more than 400 lines" "$(long_files 2>&1)"
none "no function has more than 60 lines" "$(long_functions 2>&1)"
none "every source file says its licence at the top" "$(without_licence 2>&1)"
none "every source of a layer has a test file" "$(without_test 2>&1)"
none "every folder has a README.md of at most 40 lines" "$(bad_readmes 2>&1)"
none "no file is called utils, common or helpers" \
    "$(sources 'util.[ch]' 'utils.[ch]' 'common.[ch]' 'helper.[ch]' 'helpers.[ch]')"
finish
