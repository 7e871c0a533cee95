#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# What ./bootstrap says without building anything, and how results are counted.

. "${KC_SRCDIR:?}/tests/tap.sh"

bootstrap=$KC_SRCDIR/bootstrap

runs "help" 0 bash "$bootstrap" --help
contains "help names the commands" "$(cat "$out")" "  check "
runs "no command is a request for help" 0 bash "$bootstrap"
runs "an unknown command" 2 bash "$bootstrap" frobnicate
contains "is named" "$(cat "$err")" "unknown command: frobnicate"
runs "an unknown option" 2 bash "$bootstrap" build --frobnicate
contains "is named too" "$(cat "$err")" "unknown argument: --frobnicate"
runs "the packages" 0 bash "$bootstrap" packages
is "are one name a line" "$(grep -vxE '[a-z0-9][a-z0-9+.-]+' "$out")" ""

# A machine on which only gcc is missing, and a user who is not root.
mkdir "$tmp/bin"
cat >"$tmp/bin/dpkg-query" <<'TEXT'
#!/bin/sh
for name; do :; done
test "$name" = gcc || printf installed
TEXT
printf '#!/bin/sh\necho 1000\n' >"$tmp/bin/id"
chmod +x "$tmp/bin"/*
PATH=$tmp/bin:$PATH fails "a missing package is named to users" 2 \
    "bootstrap: packages are missing; run as root: apt-get install gcc" \
    bash "$bootstrap" build --build-dir="$tmp/none"

# count TESTS MAKE-STATUS RESULT...: what is said about one .trs of such lines.
count()
{
    local tests=$1 make_status=$2
    shift 2
    rm -rf "$tmp/built"
    mkdir -p "$tmp/built/a"
    printf 'list-tests:\n\t@echo %s\n' "$tests" >"$tmp/built/Makefile"
    printf ':test-result: %s x\n' "$@" >"$tmp/built/a/b.trs"
    echo ":global-test-result: FAIL" >>"$tmp/built/a/b.trs"
    run bash "$KC_SRCDIR/tests/count_results.sh" "$tmp/built" "$make_status"
    counted="$(cat "$out"), status $status"
}

count a/b.sh 0 PASS XFAIL SKIP PASS
is "passed and skipped" "$counted" \
    "3 passed, 0 failed, 1 skipped, status 0"
count a/b 2 PASS FAIL XPASS ERROR
is "failed" "$counted" "1 passed, 3 failed, 0 skipped, status 1"
count a/b 2 PASS
is "make failed, no test did" "$counted" \
    "1 passed, 1 failed, 0 skipped, status 1"
count a/b 0 SKIP
is "nothing passed" "$counted" "0 passed, 1 failed, 1 skipped, status 1"
count "a/b a/c.sh" 0 PASS
is "a test without a result" "$counted" \
    "1 passed, 1 failed, 0 skipped, status 1"
finish
