#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# The list of exemptions is well formed and names only what exists.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/lint/lint.sh"

bad=$(grep -v -e '^#' -e '^$' tests/lint/exempt.txt |
    while read -r rule path reason; do
        case $rule in
            file-size | function-size | test-file | global | symbol) ;;
            *) echo "unknown rule: $rule" ;;
        esac
        [ -e "${path%:*}" ] || echo "$rule: no such file: $path"
        [ -n "$reason" ] || echo "$rule: no reason for $path"
    done)
none "every exemption names a rule, a file that exists and a reason" "$bad"
finish
