#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Every option in --help is in the manual page of its command, and the other way
# round; every command has a page.

. "${KC_SRCDIR:?}/tests/tap.sh"

pages=$KC_SRCDIR/runtime/cli/man

# "  -p, --profile PROFILE  text" and "      --graph FILE  text"
options_in_help()
{
    "$KCAPSULE" "$1" --help |
        sed -nE 's/^  (-([a-z]), |    )--([a-z-]+)( [A-Z=]+)?( .*|$)/\2 --\3\4/p' |
        sed 's/^ //; s/ *$//' | LC_ALL=C sort
}

# ".It Fl p , -profile Ar PROFILE" and ".It Fl -input Ar NAME Ns = Ns Ar FILE"
options_in_page()
{
    sed -nE 's/^\.It Fl (.*)$/\1/p' "$pages/kcapsule-$1.1" |
        sed -E 's/ Ns = Ns Ar /=/; s/ Ar / /; s/^([a-z]) , -/\1 --/; s/^-/--/' |
        LC_ALL=C sort
}

commands=$("$KCAPSULE" --help | sed -nE 's/^  ([a-z]+) +[A-Z].*/\1/p')
is "the commands" "$(echo $commands)" \
    "modules inspect ops profiles plan check run diff doctor"
is "every command has a page and every page a command" \
    "$(cd "$pages" && ls | sed -nE 's/^kcapsule-(.*)\.1$/\1/p' | sort)" \
    "$(printf '%s\n' $commands | sort)"
for command in $commands; do
    is "options of $command" "$(options_in_page "$command")" \
        "$(options_in_help "$command")"
    contains "kcapsule.1 names $command" "$(cat "$pages/kcapsule.1")" \
        ".It Cm $command"
done
if command -v groff >/dev/null; then
    for page in "$pages"/*.1; do
        is "${page##*/} is well formed" \
            "$(groff -mdoc -Tutf8 -ww -z "$page" 2>&1)" ""
    done
else
    skip "pages are well formed" "no groff"
fi
finish
