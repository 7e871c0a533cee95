#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# The logits of the digit classifier have the expected bits in every mode, at
# every number of threads, with and without reuse of buffers, and whether the
# images go in all at once or one at a time.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

expected=$digits/digits_mlp_logits_fixed_left.npy

# logits NAME OPTION...: runs the classifier and compares what it wrote.
logits()
{
    local name=$1
    shift
    rm -f "$tmp/out.npy"
    run "$KCAPSULE" run -p checked_cpu --graph "$digits/digits_mlp.json" \
        --weights "$digits/digits_mlp.safetensors" \
        --input images="$digits/digits_test_images.npy" \
        --output logits="$tmp/out.npy" "$@"
    if [ "$status" -eq 0 ] && cmp -s "$tmp/out.npy" "$expected"; then
        ok "$name"
    else
        not_ok "$name" "status $status
$(cat "$err")
$(cmp "$tmp/out.npy" "$expected" 2>&1)"
    fi
}

logits "the default" --labels logits="$digits/digits_test_labels.npy"
contains "350 labels are right" "$(cat "$out")" \
    "logits: 350 of 359 labels right"
is "nothing is said on stderr" "$(cat "$err")" ""
for threads in 1 2 7; do
    logits "eager, $threads threads" --mode eager --threads $threads
    logits "graph, $threads threads" --mode graph --threads $threads
    logits "graph, $threads threads, no reuse" --mode graph --no-reuse \
        --threads $threads
done

# One at a time: the same graph with a named leading extent, and each image in
# a file of its own behind the header of a [1, 64] array.
graph=$tmp/digits_named.json
sed 's/"shape": \[359,/"shape": ["N",/' "$digits/digits_mlp.json" >"$graph"
is "the extent was named in eight places" "$(grep -c '"N"' "$graph")" 8

# The bytes of row $2, $3 bytes long, behind the 128 bytes of the header of $1.
row() { tail -c +$((129 + $2 * $3)) "$1" | head -c "$3"; }

# one_at_a_time STEP OPTION...: the logits of every STEPth image.
one_at_a_time()
{
    local image step=$1
    shift
    for image in $(seq 0 "$step" 358); do
        { npy "(1, 64)"; row "$digits/digits_test_images.npy" "$image" 256
        } >"$tmp/image.npy"
        "$KCAPSULE" run -p checked_cpu --graph "$graph" "$@" \
            --weights "$digits/digits_mlp.safetensors" \
            --input images="$tmp/image.npy" \
            --output logits="$tmp/one.npy" >/dev/null || return
        tail -c 40 "$tmp/one.npy"
    done
}
tail -c +129 "$expected" >"$tmp/bytes"
one_at_a_time 1 --threads 1 >"$tmp/single" 2>"$tmp/single.err"
check "all images one at a time, eager" cmp "$tmp/single" "$tmp/bytes"
is "without a word on stderr" "$(cat "$tmp/single.err")" ""
one_at_a_time 9 --mode graph --threads 1 >"$tmp/single" 2>"$tmp/single.err"
for image in $(seq 0 9 358); do row "$expected" "$image" 40; done >"$tmp/bytes"
check "every ninth one at a time, graph" cmp "$tmp/single" "$tmp/bytes"
finish
