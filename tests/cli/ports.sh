#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Inputs, outputs, labels, weights and named extents of a run.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

cd "$tmp" || exit 99
{ npy "(4,)"; floats 1 -1 0 2; } >x.npy
run_it=(run -p checked_cpu --graph "$chain")

runs "a run without --output" 0 "$KCAPSULE" "${run_it[@]}" --input x=x.npy
contains "shows what it computed" "$(cat "$out")" "output y: f32 [4]"
refused "no input" 'input `x` (f32 [4]) has no value' "${run_it[@]}"
refused "an input that is not there" 'has no input `z`; it has: x' \
    "${run_it[@]}" --input z=x.npy
refused "an input twice" 'given twice: x.npy and y.npy' \
    "${run_it[@]}" --input x=x.npy --input x=y.npy
refused "an input without a file" "expected NAME=FILE" "${run_it[@]}" --input x
refused "an input without a name" "expected NAME=FILE" "${run_it[@]}" \
    --input =x.npy
refused "an input that does not exist" "none.npy" "${run_it[@]}" \
    --input x=none.npy
refused "an output that is not there" 'has no output `z`; it has: y' \
    "${run_it[@]}" --input x=x.npy --output z=y.npy
refused "an output twice" "given twice" "${run_it[@]}" --input x=x.npy \
    --output y=1.npy --output y=2.npy
refused "output and record in one file" "two results go to one file" \
    "${run_it[@]}" --input x=x.npy --output y=1.npy --record 1.npy
refused "a folder that is not there" "none/y.npy cannot be written" \
    "${run_it[@]}" --input x=x.npy --output y=none/y.npy
{ npy "(3,)"; floats 1 1 1; } >short.npy
refused "another shape" 'is f32 [4], but short.npy holds f32 [3]' \
    "${run_it[@]}" --input x=short.npy --output y=y.npy
{ npy "(4,)" "<i4"; floats 1 1 1 1; } >ints.npy
refused "another type" 'is f32 [4], but ints.npy holds i32 [4]' \
    "${run_it[@]}" --input x=ints.npy --output y=y.npy
check "no output is left behind" test ! -e y.npy
refused "--bind without such an extent" 'no named extent `N`' \
    "${run_it[@]}" --input x=x.npy --bind N=4

echo old >y.npy
runs "an output replaces what was there" 0 "$KCAPSULE" "${run_it[@]}" \
    --input x=x.npy --output y=y.npy
{ npy "(4,)"; floats 1 0 0 2; } >expected.npy
check "with the result" cmp y.npy expected.npy
is "no temporary file is left" "$(ls -A | grep -c kcapsule-)" 0
if [ -w /dev/full ]; then
    ends 3 "a full disk" "/dev/full" "${run_it[@]}" --input x=x.npy \
        --output y=/dev/full
else
    skip "a full disk" "no /dev/full"
fi

# Two inputs with a named leading extent each, of one name and of two.
two='{"id": 0, "op": "input", "shape": ["N", 2], "name": "a"},
{"id": 1, "op": "input", "shape": ["M", 2], "name": "b"},
{"id": 2, "op": "add", "parents": [0, 1], "shape": ["N", 2]}'
graph "${two//\"M\"/\"N\"}" 2 >named.json
{ npy "(1, 2)"; floats 1 2; } >one.npy
{ npy "(2, 2)"; floats 1 2 4 8; } >two.npy
named=(run -p checked_cpu --graph named.json)
for mode in eager graph; do
    for rows in one two; do
        runs "an extent from the inputs, $mode, $rows" 0 "$KCAPSULE" \
            "${named[@]}" --mode $mode --input a=$rows.npy --input b=$rows.npy
    done
done
contains "is in the result" "$(cat "$out")" "output y: f32 [2, 2]"
refused "inputs that disagree" \
    'extent `N` is 1 in input `a` and 2 in input `b`' \
    "${named[@]}" --input a=one.npy --input b=two.npy
runs "--bind that agrees" 0 "$KCAPSULE" "${named[@]}" --bind N=2 \
    --input a=two.npy --input b=two.npy
refused "--bind that does not" 'extent `N` is 3 by --bind and 2 in input `a`' \
    "${named[@]}" --bind N=3 --input a=two.npy --input b=two.npy
refused "--bind twice" "given twice" "${named[@]}" --bind N=2 --bind N=2 \
    --input a=two.npy --input b=two.npy
refused "--bind without a name" 'expected NAME=NUMBER, found `=3`' \
    "${named[@]}" --bind =3 --input a=two.npy --input b=two.npy
for value in x -1 1.5 2x "" 99999999999999999999; do
    refused "--bind N=$value" "expected NAME=NUMBER" "${named[@]}" \
        --bind "N=$value" --input a=two.npy --input b=two.npy
done
graph '{"id": 0, "op": "rand_uniform", "attrs": {"seed": 7}, "shape": ["N"]}' 0 \
    >random.json
refused "an extent nobody has" 'give --bind N=NUMBER' run -p checked_cpu \
    --graph random.json

weights=(run -p checked_cpu --graph "$digits/digits_mlp.json"
    --input images="$digits/digits_test_images.npy")
refused "no weights" 'const `fc1.weight` has no value' "${weights[@]}"
runs "weights that are not used" 0 "$KCAPSULE" "${run_it[@]}" --input x=x.npy \
    --weights "$digits/digits_mlp.safetensors"
contains "are noted" "$(cat "$err")" '`fc2.bias` is not used by the graph'

sed 's/fc2.weight/fc2.weighs/' "$digits/digits_mlp.safetensors" >w.safetensors
run "$KCAPSULE" "${weights[@]}" --weights w.safetensors
is "weights without a const of the graph" "$status, $(cat "$err")" \
    "2, kcapsule: note: w.safetensors: \`fc2.weighs\` is not used by the graph
kcapsule: run: w.safetensors: expected an entry \`fc2.weight\`, a const of the graph, found none among 4"
sed 's/"F32"/"I32"/' "$digits/digits_mlp.safetensors" >i.safetensors
for mode in eager graph; do
    ends 2 "weights of another type, $mode" "i.safetensors: " "${weights[@]}" \
        --weights i.safetensors --mode $mode
done
entry='"dtype":"F32","shape":[0],"data_offsets":[0,0]'
text="{\"a\":{$entry},\"b\":{$entry},\"c\":{$entry}"
text="$text,\"d\":{$entry},\"e\":{$entry}}      "
printf "\\$(printf %03o $((${#text} % 256)))\\001\\0\\0\\0\\0\\0\\0%s" "$text" \
    >many
run "$KCAPSULE" "${run_it[@]}" --input x=x.npy --weights many
is "many unused weights are counted" "$status, $(tail -n 1 "$err")" \
    "0, kcapsule: note: many: and 1 more"

weights+=(--weights "$digits/digits_mlp.safetensors")
refused "labels of another shape" "its labels are i64 or i32" "${weights[@]}" \
    --labels logits="$digits/digits_test_images.npy"
refused "labels of no output" 'has no output `z`' "${weights[@]}" \
    --labels z="$digits/digits_test_labels.npy"

# Of equal entries the first counts; NaN is never the largest.
graph '{"id": 0, "op": "input", "shape": [4, 2], "name": "x"},
{"id": 1, "op": "detach", "parents": [0], "shape": [4, 2]}' 1 >rows.json
nan='\000\000\300\177'
{ npy "(4, 2)"; floats 1 1 2 4; printf "$nan"; floats -1; printf "$nan$nan"; } \
    >rows.npy
{ npy "(4,)" "<i4"; printf '\000\000\000\000\001\000\000\000\001\000\000\000\000\000\000\000'; } >labels.npy
runs "ties and NaN" 0 "$KCAPSULE" run -p checked_cpu --graph rows.json \
    --input x=rows.npy --labels y=labels.npy
contains "are counted by rule" "$(cat "$out")" "y: 3 of 4 labels right"
is "without a note" "$(cat "$err")" ""
{ npy "(4,)" "<i4"; printf '\000\000\000\000\001\000\000\000\002\000\000\000\377\377\377\377'; } >labels.npy
runs "labels that no row has" 0 "$KCAPSULE" run -p checked_cpu \
    --graph rows.json --input x=rows.npy --labels y=labels.npy
contains "are noted" "$(cat "$err")" "note: labels.npy: 2 labels outside 0..1"
finish
