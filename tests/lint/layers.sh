#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Who may include whom: the ranks of runtime/LAYERS, public headers only for the
# upper floors and the examples, SDK headers only for modules.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/lint/lint.sh"

# FOLDER -> "file:line: included" for each include of its C files, with the
# quotes or angle brackets.
includes()
{
    find "$1" -name '*.[ch]' -exec awk '
        /^[ \t]*#[ \t]*include[ \t]/ {
            sub(/^[ \t]*#[ \t]*include[ \t]*/, "")
            match($0, /^("[^"]*"|<[^>]*>)/)
            print FILENAME ":" FNR ": " substr($0, 1, RLENGTH)
        }' {} +
}

declare -A rank_of reach_of
while read -r rank layer reach; do
    rank_of[$layer]=$rank reach_of[$layer]=$reach
done < <(grep -v '^#' runtime/LAYERS)

in_sdk() { [ -e "sdk/include/$1" ]; }

in_public() { in_sdk "$1" || [ -e "runtime/include/$1" ]; }

# may_include LAYER HEADER
may_include()
{
    local layer=$1 other=${2%%/*}
    [ "$other" != "$2" ] || return 1
    [ "$other" != "$layer" ] || return 0
    [ "${reach_of[$layer]}" = lower ] || return 1
    [ -n "${rank_of[$other]-}" ] &&
        [ "${rank_of[$other]}" -lt "${rank_of[$layer]}" ]
}

check_layer()
{
    includes "runtime/$1" | while read -r where header; do
        case $header in
            '<kcapsule/'*) in_public "${header:1:-1}" ;;
            '<'*) true ;;
            *) may_include "$1" "${header:1:-1}" ;;
        esac || echo "$where $header"
    done
}

# Folders outside the layers: own files, and of <kcapsule/...> what $2 allows.
check_folder()
{
    includes "$1" | while read -r where header; do
        case $header in
            '<kcapsule/'*) "$2" "${header:1:-1}" ;;
            '<'*) true ;;
            *) where_is=${where%%:*}
                [ -e "${where_is%/*}/${header:1:-1}" ] &&
                [ "${header#*..}" = "$header" ] ;;
        esac || echo "$where $header"
    done
}

# The SDK needs only the C library and DLPack.
check_sdk()
{
    includes sdk/include | while read -r where header; do
        case $header in
            '<kcapsule/'*) in_sdk "${header:1:-1}" ;;
            '<dlpack/dlpack.h>') true ;;
            '<float.h>' | '<limits.h>' | '<math.h>' | '<stdarg.h>' | \
                '<stdbool.h>' | '<stddef.h>' | '<stdint.h>' | '<stdio.h>' | \
                '<stdlib.h>' | '<string.h>') true ;;
            *) false ;;
        esac || echo "$where $header"
    done
}

unknown=$(find runtime -mindepth 1 -maxdepth 1 -type d ! -name include \
    -printf '%f\n' | while read -r folder; do
        [ -n "${rank_of[$folder]-}" ] || echo "$folder"
    done)
none "every folder of runtime has a rank in runtime/LAYERS" "$unknown"
for layer in $(layers); do
    none "runtime/$layer includes only what its rank allows" \
        "$(check_layer "$layer")"
done
none "the SDK includes only C headers and dlpack.h" "$(check_sdk)"
none "public headers include only public headers" \
    "$(check_folder runtime/include in_public)"
for folder in modules/*/; do
    none "${folder%/} includes only SDK headers and its own" \
        "$(check_folder "${folder%/}" in_sdk)"
done
none "examples include only public headers and their own" \
    "$(check_folder examples in_public)"
finish
