#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Array and weight files: no number of a header is believed, nothing is read in
# another order than it was written, and a refused file costs no memory.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

cd "$tmp" || exit 99
graph '{"id": 0, "op": "input", "shape": [2, 3], "name": "x"},
{"id": 1, "op": "relu", "parents": [0], "shape": [2, 3]}' 1 >g.json
reading=(run -p checked_cpu --graph g.json --input x=x.npy --output y=y.npy)
values() { floats 1 2 4 8 1 2; }

{ npy "(2, 3)"; values; } >x.npy
runs "a good array" 0 "$KCAPSULE" "${reading[@]}"
check "comes out as it went in" cmp x.npy y.npy
rm y.npy
{ npy "(2, 3)" "<f4" True; values; } >x.npy
refused "column order" "x.npy: column order not supported" "${reading[@]}"
{ npy "(2, 3)" ">f4"; values; } >x.npy
refused "another byte order" 'x.npy: byte 20: found element type `>f4`' \
    "${reading[@]}"
{ npy "(2, 3)" "|O"; values; } >x.npy
refused "objects" "object arrays are not supported" "${reading[@]}"
{ npy "(2, 3)" "<f2"; values; } >x.npy
refused "half precision" 'found element type `<f2`' "${reading[@]}"
{ npy "(2, 3)"; values | head -c 23; } >x.npy
refused "data too short" "expected 24 bytes of data for shape [2, 3], found 23" \
    "${reading[@]}"
{ npy "(2, 3)"; values; printf x; } >x.npy
refused "trailing bytes" "found 25" "${reading[@]}"
{ npy "(4294967296, 4294967296)"; values; } >x.npy
refused "an overflowing shape" "x.npy" "${reading[@]}"
# Odd spacing, another order of keys, format version 2.
{
    printf '\223NUMPY\002\000\100\000\000\000%-63s\n' \
        "{'shape':(2,  3) ,'fortran_order' :False,'descr':'<f4'}"
    values
} >x.npy
runs "an odd header of version 2" 0 "$KCAPSULE" "${reading[@]}"
{ npy "(2, 3)"; values; } >expected.npy
check "is read" cmp y.npy expected.npy
rm y.npy

# cuts FILE COMMAND...: statuses of the command for every cut of the file,
# which the command reads as cut.
cuts()
{
    local file=$1 size
    shift
    size=$(wc -c <"$file")
    for length in $(seq 0 $((size - 1))); do
        head -c "$length" "$file" >cut
        (
            [ -n "${KC_SANITIZERS:-}" ] || ulimit -v 262144
            "$KCAPSULE" "$@" --threads 1 >/dev/null 2>&1
            echo $?
        )
    done | sort | uniq -c | tr -s ' '
}
is "every cut of an array is refused" \
    "$(cuts expected.npy run -p checked_cpu --graph g.json --input x=cut)" \
    " 152 2"

graph '{"id": 0, "op": "const", "shape": [2], "name": "a"},
{"id": 1, "op": "const", "shape": [2], "name": "b"},
{"id": 2, "op": "add", "parents": [0, 1], "shape": [2]}' 2 >w.json
weighing=(run -p checked_cpu --graph w.json)
# weights HEADER: a safetensors file with this header and 16 bytes of data.
weights()
{
    printf "\\x$(printf %x ${#1})\\0\\0\\0\\0\\0\\0\\0%s" "$1"
    floats 1 2 4 8
}
entry() { printf '"%s":{"dtype":"F32","shape":%s,"data_offsets":%s}' "$@"; }
a=$(entry a '[2]' '[0,8]')
weights "{$a,$(entry b '[2]' '[8,16]')}" >good.st
runs "good weights" 0 "$KCAPSULE" "${weighing[@]}" --weights good.st
is "every cut of weights is refused" \
    "$(cuts good.st "${weighing[@]}" --weights cut)" " $(wc -c <good.st) 2"

# wrong NAME PART HEADER
wrong()
{
    weights "$3" >w.st
    refused "$1" "$2" "${weighing[@]}" --weights w.st
}
printf '\377\377\377\377\377\377\377\377{}' >w.st
refused "a header of 2^64-1 bytes" "w.st: byte 0" "${weighing[@]}" \
    --weights w.st
wrong "more elements than bytes" 'w.st: tensor `b`' \
    "{$a,$(entry b '[1000,1000]' '[8,16]')}"
wrong "a range beyond the file" 'w.st: tensor `b`' \
    "{$a,$(entry b '[4]' '[8,24]')}"
wrong "a range that runs backwards" 'w.st: tensor `b`' \
    "{$a,$(entry b '[2]' '[16,8]')}"
wrong "ranges that overlap" "w.st" "{$a,$(entry b '[2]' '[4,12]')}"
wrong "a range of 2^63" "w.st" \
    "{$a,$(entry b '[2]' '[9223372036854775807,9223372036854775815]')}"
wrong "a name twice" "w.st" "{$a,$(entry a '[2]' '[8,16]')}"
weights "{$a,$(entry c '[2]' '[8,16]')}" >w.st
runs "a weight that is missing" 2 "$KCAPSULE" "${weighing[@]}" --weights w.st
contains "is named" "$(cat "$err")" "w.st: expected an entry \`b\`, a const"
wrong "a weight of another shape" 'w.st: dispatch.shape: const b' "{$a,$(entry b '[1,2]' '[8,16]')}"
wrong "deep nesting" "w.st" "$(printf '{"a":%.0s' $(seq 40))"
refused "weights that are not there" "none.st" "${weighing[@]}" \
    --weights none.st
mkfifo fifo
refused "a FIFO does not hang" "fifo" "${weighing[@]}" --weights fifo
refused "nor as an input" "fifo" run -p checked_cpu --graph g.json \
    --input x=fifo
check "no output is left behind" test ! -e y.npy
finish
