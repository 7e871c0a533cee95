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

# A source folder in which configuring and making cost nothing. What configure
# was called with last is in build/arguments.
tree=$tmp/tree
mkdir -p "$tree"/{runtime,sdk,modules,tests,examples,m4/build-aux}
cp "$bootstrap" "$tree"
touch "$tree"/{configure.ac,Makefile.am,m4/kc_x.m4}
touch "$tree"/{Makefile.in,m4/build-aux/ltmain.sh}
cat >"$tree/configure" <<'TEXT'
#!/bin/sh
printf '%s\n' "$@" >arguments
touch Makefile config.status
TEXT
chmod +x "$tree/configure"
made=$tmp/made
printf '#!/bin/sh\necho "$*" >>"%s"\n' "$made" >"$tmp/bin/make"
chmod +x "$tmp/bin/make"
printf '#!/bin/sh\nprintf installed\n' >"$tmp/bin/dpkg-query"

# build ARGUMENT...: what configure has been told by then.
build()
{
    PATH=$tmp/bin:$PATH run bash "$tree/bootstrap" build "$@"
    configured="$(paste -sd ' ' "$tree/build/arguments" 2>&1), status $status"
}

# cleaned: how often make was told to clean since the last time.
cleaned()
{
    grep -c ' clean$' "$made"
    : >"$made"
}

build -- --prefix=/some/where "CFLAGS=-O1 -g"
is "arguments go to configure" "$configured" \
    "--prefix=/some/where CFLAGS=-O1 -g, status 0"
is "an empty folder has nothing to clean" "$(cleaned)" 0
rm "$tree/build/Makefile"
build
is "and are kept when none are given" "$configured" \
    "--prefix=/some/where CFLAGS=-O1 -g, status 0"
rm "$tree/build/arguments"
build
check "nothing is configured again without need" \
    test ! -e "$tree/build/arguments"
is "nor made again" "$(cleaned)" 0
build -- --prefix=/else
is "others take their place" "$configured" "--prefix=/else, status 0"
is "and what was made with the former goes" "$(cleaned)" 1
build --
is "two dashes alone are the defaults" "$configured" ", status 0"
is "which are others too" "$(cleaned)" 1
build
rm "$tree/build/Makefile"
build
is "which are kept as well" "$configured" ", status 0"

# Machines on which LibTorch was missing, and is there now.
build -- --prefix=/some/where
cp "$tmp/bin/dpkg-query" "$tmp/all"
cat >"$tmp/bin/dpkg-query" <<'TEXT'
#!/bin/sh
for name; do :; done
test "$name" = libtorch-dev || printf installed
TEXT
build
cp "$tmp/all" "$tmp/bin/dpkg-query"
rm "$tree/build/arguments"
: >"$made"
build
is "configured again where a package has come" "$configured" \
    "--prefix=/some/where, status 0"
is "with the same arguments nothing goes" "$(cleaned)" 0
rm "$tree/build/arguments"
build
check "once" test ! -e "$tree/build/arguments"

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
