#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Limits of the system: on the size of a file, on addresses. Each ends in a
# status and a line, never in a signal, a hang or a file left behind.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

mkdir "$tmp/in" && cd "$tmp/in" || exit 99
graph '{"id": 0, "op": "input", "shape": [256], "name": "x"},
{"id": 1, "op": "relu", "parents": [0], "shape": [256]}' 1 >g.json
{ npy "(256,)"; head -c 1024 /dev/zero; } >x.npy
run_line=(run -p checked_cpu --graph g.json --input x=x.npy)

# Standard error is a pipe here: the limit holds for files.
if ! prlimit --fsize=512 true; then
    skip "a limit on the size of a file" "no prlimit"
else
    for limit in 0 512; do
        for mode in eager graph; do
            text=$(timeout 60 prlimit --fsize=$limit "$KCAPSULE" \
                "${run_line[@]}" --mode $mode --output y=y.npy 2>&1 >/dev/null)
            is "y of 1152 bytes, $mode mode, limit $limit: status" $? 3
            contains "says so in $mode mode, limit $limit" "$text" \
                "y.npy: cannot be written: File too large"
        done
        text=$(timeout 60 prlimit --fsize=$limit "$KCAPSULE" \
            "${run_line[@]}" --record r.json 2>&1 >/dev/null)
        is "a record, limit $limit: status" $? 3
        contains "a record says so, limit $limit" "$text" "File too large"
    done
    is "nothing is left behind" "$(ls -A | tr '\n' ' ')" "g.json x.npy "
fi

# 2 GiB of address space hold the command, not 1024 stacks of 8 MiB.
if [ -n "${KC_SANITIZERS:-}" ]; then
    skip "threads that find no address" "sanitizers need the addresses"
else
    few_addresses() { (ulimit -s 8192; ulimit -v 2097152; "$@"); }
    run few_addresses timeout 60 "$KCAPSULE" "${run_line[@]}" --threads 1024
    is "threads that find no address: status" "$status" 3
    contains "threads that find no address" "$(cat "$err")" \
        "thread pool: expected 1024 threads, the system gave "
fi
finish
