#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# The exported symbols: the library's are those of its map, which are those that
# the public headers declare; a module has one.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/lint/lint.sh"

# Version nodes are absolute symbols (A) and not counted.
exported()
{
    "$nm" -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3)
        print $3 }' | LC_ALL=C sort
}

in_map()
{
    sed 's:/\*.*\*/::' runtime/api/libkcapsule.map |
        grep -oE '\bkc_[a-z0-9_]+;' | tr -d ';' | LC_ALL=C sort
}

# The name before the first parenthesis after each KC_API.
declared()
{
    cat runtime/include/kcapsule/*.h | grep -v '^#' | tr '\n' ' ' |
        grep -oE '\bKC_API\b[^;]*;' |
        sed -E 's/.*[ *](kc_[a-z0-9_]+) *\(.*/\1/; s/^([^;]*;)$/unreadable: \1/' |
        LC_ALL=C sort
}

library=$KC_BUILDDIR/runtime/.libs/libkcapsule.so
[ -e "$library" ] || skip_all "no $library"
is "the library exports what its map lists" "$(exported "$library")" "$(in_map)"
is "the map lists what the public headers declare" "$(in_map)" "$(declared)"
for module in "$KC_BUILDDIR"/modules/.libs/*.so; do
    [ -e "$module" ] || continue
    is "$(basename "$module") exports its getter only" "$(exported "$module")" \
        kc_module_entry
done
finish
