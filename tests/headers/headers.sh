#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Every public header compiles alone, as C11 and as C++17, without a warning, by
# each compiler that is here. SDK headers see the SDK folder only.

. "${KC_SRCDIR:?}/tests/tap.sh"

cd "$KC_SRCDIR" || exit 99
warnings=(-Wall -Wextra -Wpedantic -Wundef -Werror -fsyntax-only)

# compile NAME HEADER FOLDERS COMPILER-AND-LANGUAGE...
compile()
{
    local name=$1 header=$2 folders=$3
    shift 3
    printf '#include <%s>\n#include <%s>\nint used_once;\n' "$header" "$header" \
        >"$tmp/unit"
    check "$header alone: $name" "$@" "${warnings[@]}" $folders "$tmp/unit"
}

# each_compiler HEADER FOLDERS
each_compiler()
{
    if command -v gcc >/dev/null; then
        compile "gcc, C11" "$1" "$2" gcc -x c -std=c11
    fi
    if command -v g++ >/dev/null; then
        compile "g++, C++17" "$1" "$2" g++ -x c++ -std=c++17
    fi
    if command -v clang >/dev/null; then
        compile "clang, C11" "$1" "$2" clang -x c -std=c11
        compile "clang, C++17" "$1" "$2" clang -x c++ -std=c++17
    fi
}

for header in sdk/include/kcapsule/*.h; do
    each_compiler "${header#sdk/include/}" -Isdk/include
done
for header in runtime/include/kcapsule/*.h; do
    [ -e "$header" ] || continue
    each_compiler "${header#runtime/include/}" "-Isdk/include -Iruntime/include"
done
finish
