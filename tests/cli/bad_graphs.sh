#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Graph files that are refused: sizes that overflow, deep nesting, order,
# cycles, double names. And large ones that are not.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

cd "$tmp" || exit 99
planning=(plan -p checked_cpu --graph g.json)

# shaped SHAPE: x and relu of it.
shaped()
{
    graph "{\"id\": 0, \"op\": \"input\", \"shape\": $1, \"name\": \"x\"},
{\"id\": 1, \"op\": \"relu\", \"parents\": [0], \"shape\": $1}" 1 >g.json
}
# Under half a gigabyte: nothing is allocated by what a file says.
limited()
{
    if [ -n "${KC_SANITIZERS:-}" ]; then
        "$@"
    else
        (ulimit -v 524288; "$@")
    fi
}
for shape in '[65536, 65536]' '[]' '[0, 4]' '["N", 4]'; do
    shaped "$shape"
    runs "shape $shape" 0 limited "$KCAPSULE" "${planning[@]}"
done
for shape in '[4294967296, 4294967296]' '[2147483648, 2, 2147483648]' \
    '[0, 9223372036854775807, 4]'; do
    shaped "$shape"
    refused "shape $shape" "too many elements" \
        "${planning[@]}"
done
ones=$(printf '1, %.0s' $(seq 64))
for shape in '[-1]' '[1.5]' '["N", "M"]' "[${ones}1]"; do
    shaped "$shape"
    refused "shape ${shape:0:20}" "node 0 (input): shape" "${planning[@]}"
done
shaped '[9223372036854775808]'
refused "an extent of 2^63" "g.json:2:" "${planning[@]}"
# More bytes than there are addresses: planned by no mode, run by none.
for mode in eager graph; do
    shaped '[2305843009213693952]'
    refused "bytes without addresses, $mode mode" \
        "node 0 (input, parents []): shape [2305843009213693952]: too many" \
        run -p checked_cpu --graph g.json --mode $mode
    graph '{"id": 0, "op": "rand_uniform", "shape": ["N", 4]}' 0 >g.json
    refused "bytes without addresses by --bind, $mode mode" \
        "node 0 (rand_uniform 0, parents []): shape [1152921504606846976, 4]" \
        run -p checked_cpu --graph g.json --mode $mode \
        --bind N=1152921504606846976
done
# Addresses that hold no memory. Sanitizers end the command instead.
lone='{"id": 0, "op": "rand_uniform", "shape": [281474976710656]},
{"id": 1, "op": "reduce_sum", "parents": [0], "shape": [], "attrs": {"axis": 0}}'
graph "$lone" 1 >g.json
if [ -n "${KC_SANITIZERS:-}" ]; then
    skip "memory that is not there" "sanitizers"
else
    for mode in eager graph; do
        ends 3 "memory that is not there, $mode mode" \
            "node 0 (rand_uniform 0): out of memory: 1125899906842624 bytes" \
            run -p checked_cpu --graph g.json --mode $mode --output y=y.npy
    done
fi
shaped '[65536, 65536]'
{ npy "(65536, 65536)"; floats 0; } >x.npy
refused "16 GB that are not there" "x.npy: byte 128: expected 17179869184" \
    run -p checked_cpu --graph g.json --input x=x.npy

input='{"id": 0, "op": "input", "shape": [4], "name": "x"}'
relu() { printf ',\n{"id": %d, "op": "relu", "parents": [%d], "shape": [4]}' "$1" "$2"; }
wrong()
{
    graph "$3" "$4" >g.json
    refused "$1" "$2" "${planning[@]}"
}
wrong "reverse order" "node 0: id: nodes come in order" \
    "$(relu 1 0 | tail -c +3),$input" 1
wrong "a node that reads itself" "node 1 (relu, parents [1])" \
    "$input$(relu 1 1)" 1
wrong "a cycle of two" "node 1 (relu, parents [2])" \
    "$input$(relu 1 2)$(relu 2 1)" 2
wrong "a cycle that no output reaches" "node 2 (relu, parents [3])" \
    "$input$(relu 1 0)$(relu 2 3)$(relu 3 2)" 1
wrong "a parent nobody makes" "node 1 (relu, parents [9])" \
    "$input$(relu 1 9)" 1
wrong "an output that is no node" "there is no node 7" "$input$(relu 1 0)" 7
wrong "two inputs of one name" 'node 1 (input, parents []): the name `x`' \
    "$input,
{\"id\": 1, \"op\": \"input\", \"shape\": [4], \"name\": \"x\"}" 0
wrong "an unknown kind" 'node 1: there is no kind `frob`' "$input,
{\"id\": 1, \"op\": \"frob\", \"parents\": [0], \"shape\": [4]}" 1
wrong "a key twice" "duplicate object key" "$input,
{\"id\": 1, \"op\": \"relu\", \"parents\": [0], \"parents\": [0], \"shape\": [4]}" 1
wrong "an unknown key" 'unknown key `colour`' "$input,
{\"id\": 1, \"op\": \"relu\", \"parents\": [0], \"shape\": [4], \"colour\": 3}" 1
wrong "an unknown attribute" "node 1" "$input,
{\"id\": 1, \"op\": \"relu\", \"parents\": [0], \"shape\": [4],
 \"attrs\": {\"colour\": 3}}" 1
wrong "another shape than declared" \
    "node 1 (relu, parents [0]): declared f32 [5], but relu gives f32 [4]" \
    "$input,
{\"id\": 1, \"op\": \"relu\", \"parents\": [0], \"shape\": [5]}" 1
wrong "a name that could not be given" "as NAME=FILE, found one with" \
    '{"id": 0, "op": "input", "shape": [4], "name": "a=b"}' 0
{ printf '\357\273\277'; cat "$chain"; } >g.json
runs "a byte-order mark" 0 "$KCAPSULE" "${planning[@]}"
printf '{"format": "a\\u0000"}' >g.json
refused "an escape of NUL" 'the escape \u0000 is not allowed' "${planning[@]}"
printf '{"format": "kcapsule-graph"}' >g.json
refused "no version" "version: expected 1, found none" "${planning[@]}"
graph "$input" 0 | sed 's/\[{"name": "y", "node": 0}\]/[{"name": "y", "node": 0}, {"name": "y", "node": 0}]/' >g.json
refused "two outputs of one name" 'output `y`' "${planning[@]}"
graph "$input$(relu 1 0),
{\"id\": 2, \"op\": \"add\", \"parents\": [0, 1], \"shape\": [4]}" 2 >g.json
runs "a diamond" 0 "$KCAPSULE" "${planning[@]}"

# Deep nesting, with a small stack. Sanitizers need more of it.
small_stack()
{
    [ -n "${KC_SANITIZERS:-}" ] || ulimit -s 256
    "$KCAPSULE" "${planning[@]}"
}
for text in '[' '{"a":'; do
    for closed in open closed; do
        yes "$text" | head -n 100000 | tr -d '\n' >g.json
        [ $closed = open ] ||
            yes "$(tr '[{' ']}' <<<"${text:0:1}")" | head -n 100000 |
            tr -d '\n' >>g.json
        run small_stack
        is "100000 of $text, $closed: status" "$status" 2
        contains "100000 of $text, $closed: place" "$(cat "$err")" \
            "g.json:1:"
    done
done

# A long chain has no limit by recursion.
{
    printf '{"format": "kcapsule-graph", "version": 1, "nodes": [\n%s' "$input"
    seq 1 100000 | awk '{
        printf ",\n{\"id\":%d,\"op\":\"relu\",\"parents\":[%d],\"shape\":[4]}",
            $1, $1 - 1 }'
    printf '],\n"outputs": [{"name": "y", "node": 100000}]}\n'
} >g.json
{ npy "(4,)"; floats 1 -1 0 2; } >x.npy
{ npy "(4,)"; floats 1 0 0 2; } >expected.npy
run small_stack
is "a chain of 100000 nodes is planned" "$status, $(head -n 1 "$out")" \
    "0, nodes 100001, planned 100000"
for mode in eager graph; do
    runs "and runs in $mode mode" 0 "$KCAPSULE" run -p checked_cpu \
        --graph g.json --input x=x.npy --output y=y.npy --mode $mode
    check "with the right result in $mode mode" cmp y.npy expected.npy
done

# Every cut of a good file is refused, except those that lose white space only.
cp "$chain" whole.json
size=$(wc -c <whole.json)
statuses=$(for length in $(seq 0 $((size - 2))); do
    head -c "$length" whole.json >g.json
    "$KCAPSULE" "${planning[@]}" >/dev/null 2>&1
    echo $?
done | sort | uniq -c | tr -s ' ')
is "every cut of a graph file is refused" "$statuses" " $((size - 1)) 2"
finish
