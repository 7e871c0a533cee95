#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# kcapsule diff: equal profiles, providers that are off in known ways, where
# they part, exit status, JSON, and what is refused.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

cd "$tmp" || exit 99
mkdir -m 755 modules
for mock in drifting slanted plain_loops forward_fails composed_attention; do
    cp "$mocks/$mock.so" modules
done

# profile NAME PROVIDER MODULE
profile()
{
    cat >"$1.ini" <<TEXT
[profile]
name = $1
extends = checked_cpu
provider = prefer:$2
[availability]
providers = acme, reference, torchlean
[modules]
prepend = $3
TEXT
}
profile drifting acme drifting
profile slanted acme slanted
profile fails acme forward_fails
profile loops acme plain_loops
profile composed torchlean composed_attention
profile otherwise torchlean composed_attention,drifting

drift=(diff -p checked_cpu -p drifting.ini --module-path modules)
same=(diff -p checked_cpu -p checked_cpu)

prints "equal profiles" 0 "A: checked_cpu
B: checked_cpu
of: softmax
seed: 1, of 1 tensors that no file gave
values, each capsule on the operands of A:
  1 softmax  reference.softmax  equal
first difference: none
within what the numerical policies allow" \
    "$KCAPSULE" "${same[@]}" softmax --shape 3,4 --attr '{"axis": 1}'
prints "off by one ulp where nothing is summed" 1 "A: checked_cpu
B: drifting
of: add
seed: 1, of 2 tensors that no file gave
values, each capsule on the operands of A:
  2 add  reference.add | drifting.add  1 ulp, 1.19e-07 (equal bits expected)
    outside in 3 of 3 elements, first in 0: 1.05174601 and 1.05174613, allowed 0
first difference: node 2 (add)
outside of what the numerical policies allow: 1" \
    "$KCAPSULE" "${drift[@]}" add --shape 3 --shape 3

# judged STATUS NAME LINE ARGUMENT...: the line of the operation, after its
# capsules, is LINE.
judged()
{
    local want=$1 name=$2 line=$3
    shift 3
    runs "$name" "$want" "$KCAPSULE" "${drift[@]}" "$@"
    contains "$name: the line" "$(cat "$out")" "$line"
}

judged 0 "one ulp of a function of the C library" \
    "reference.exp | drifting.exp  1 ulp, 2.38e-07 (allowed" exp --shape 20
judged 0 "the same in f64" "reference.exp | drifting.exp  1 ulp, 4.44e-16 (allowed" \
    exp --shape 20 --dtype f64
judged 1 "twice as much" "  8388608 ulp, " mul --shape 3 --shape 3
judged 1 "twice as much, f64" "  4503599627370496 ulp, " mul --shape 3 \
    --shape 3 --dtype f64
judged 1 "a NaN" "reference.abs | drifting.abs  NaN on one side (allowed 0)" \
    abs --shape 3
contains "the element is named" "$(cat "$out")" \
    "outside in 1 of 3 elements, first in 0: "
judged 0 "the same numbers by another policy" \
    "reference.sqrt | drifting.sqrt  equal" sqrt --shape 20
for dtype in f32 f64; do
    judged 0 "another order of a sum, $dtype" "(allowed " matmul --shape 4,90 \
        --shape 90,5 --dtype $dtype
    judged 1 "another order than the stated one, $dtype" \
        "(equal bits expected)" reduce_sum --shape 30,90 --attr '{"axis": 1}' \
        --dtype $dtype
done
judged 1 "a rule that multiplies wrong" "of operand 0: " exp --shape 20 \
    --gradients
contains "what is allowed there is no zero" "$(cat "$out")" "  1 exp  torchlean-tape  8"

slant=(diff -p checked_cpu -p slanted.ini --module-path modules)
prints "the sign of a zero" 1 "A: checked_cpu
B: slanted
of: relu
seed: 1, of 1 tensors that no file gave
values, each capsule on the operands of A:
  1 relu  reference.relu | slanted.relu  0 ulp, 0 (equal bits expected)
    outside in 3 of 4 elements, first in 1: 0 and -0, allowed 0
first difference: node 1 (relu)
outside of what the numerical policies allow: 1" \
    "$KCAPSULE" "${slant[@]}" relu --shape 4
runs "the smallest numbers on both sides of zero" 1 "$KCAPSULE" \
    "${slant[@]}" scale --shape 3 --attr '{"factor": 1e-45}'
contains "are two ulp apart" "$(cat "$out")" \
    "slanted.scale  2 ulp, 2.8e-45 (equal bits expected)"
runs "operands of a logarithm" 1 "$KCAPSULE" "${slant[@]}" log --shape 20
contains "each has another result" "$(cat "$out")" \
    "    outside in 20 of 20 elements, "
is "none of them NaN" "$(grep -c NaN "$out")" 0
runs "a rule that is off for two operands" 1 "$KCAPSULE" "${slant[@]}" sub \
    --shape 3 --shape 3 --gradients
contains "the largest error is that of the second" "$(cat "$out")" \
    " ulp, 1.92 (allowed 0)"
contains "and the first place outside in the first" "$(cat "$out")" \
    "    outside in 4 of 6 elements, first in 2 of operand 0: "
runs "a rule that is off for the second operand" 1 "$KCAPSULE" "${slant[@]}" \
    sub --shape 2 --shape 2 --gradients
contains "the operand is named" "$(cat "$out")" \
    "    outside in 2 of 4 elements, first in 0 of operand 1: "
runs "a scalar" 1 "$KCAPSULE" "${slant[@]}" sub --shape scalar --shape scalar \
    --gradients
contains "has the cotangent 1" "$(cat "$out")" \
    "    outside in 1 of 2 elements, first in 0 of operand 1: -1 and 1, "
runs "indices that the attributes tell" 0 "$KCAPSULE" "${same[@]}" gather \
    --shape 2,3 --shape 4 --attr '{"axis": 0}'
contains "are counted once" "$(cat "$out")" "seed: 1, of 2 tensors"
runs "a gradient of 90 terms" 0 "$KCAPSULE" "${drift[@]}" matmul --shape 1,2 \
    --shape 2,90 --gradients
contains "is held to a bound of as many" "$(cat "$out")" \
    "  2 matmul  torchlean-tape  15 ulp, 1.67e-06 (allowed 0.000222)"
runs "two stated orders" 0 "$KCAPSULE" "${slant[@]}" reduce_sum \
    --shape 2,90 --attr '{"axis": 1}'
contains "are held to a bound" "$(cat "$out")" \
    "reference.reduce_sum | slanted.reduce_sum  "
contains "of sums" "$(cat "$out")" " (allowed "
runs "two that are fixed but not stated" 0 "$KCAPSULE" diff -p drifting.ini \
    -p slanted.ini --module-path modules reduce_mean --shape 2,90 \
    --attr '{"axis": 1}'
contains "are as well" "$(cat "$out")" " (allowed "

runs "one name in two modules" 0 "$KCAPSULE" diff -p drifting.ini \
    -p slanted.ini --module-path modules matmul --shape 4,90 --shape 90,5 \
    --gradients
contains "is not one capsule" "$(cat "$out")" \
    "  2 matmul  drifting.matmul (drifting) | drifting.matmul (slanted)  "
contains "and is held to a bound as well" "$(cat "$out")" " (allowed "
contains "nor is its rule one" "$(cat "$out")" "  2 matmul  torchlean-tape  "

attention=(scaled_dot_product_attention --shape 5,40 --shape 6,40 --shape 6,40)
runs "a composition of other operations" 0 "$KCAPSULE" diff -p composed.ini \
    -p otherwise.ini --module-path modules "${attention[@]}"
contains "differs as they do" "$(cat "$out")" \
    "  3 scaled_dot_product_attention  composed_attention.attention  "
contains "and is held to a bound" "$(cat "$out")" " (allowed "
runs "blocked and causal attention with a rule that multiplies wrong" 1 \
    "$KCAPSULE" diff -p composed.ini -p otherwise.ini --module-path modules \
    scaled_dot_product_attention --shape 2,3,5,40 --shape 2,3,6,40 \
    --shape 2,3,6,40 --shape 2,1,5,6 --attr '{"causal": true}' --seed 2 \
    --gradients
contains "its bound counts what may attend, and no more" "$(cat "$out")" \
    " ulp, 1.86 (allowed 0.000325)"
runs "another seed" 0 "$KCAPSULE" "${drift[@]}" matmul --shape 4,90 \
    --shape 90,5 --seed 2
contains "is said" "$(cat "$out")" "seed: 2, of 2 tensors"
runs "the same by --module" 1 "$KCAPSULE" diff -p checked_cpu -p drifting.ini \
    --module modules/drifting.so add --shape 2 --shape 2
runs "and the bits of two runs" 0 bash -c \
    "'$KCAPSULE' ${drift[*]} exp --shape 20 >first &&
        '$KCAPSULE' ${drift[*]} exp --shape 20 --threads 3 >second &&
        cmp first second"

# A graph: where they part, and who is to blame.
graph '{"id": 0, "op": "input", "shape": ["N", 90], "name": "x"},
{"id": 1, "op": "const", "shape": [90, 5], "name": "w"},
{"id": 2, "op": "relu", "parents": [0], "shape": ["N", 90]},
{"id": 3, "op": "matmul", "parents": [2, 1], "shape": ["N", 5]},
{"id": 4, "op": "relu", "parents": [3], "shape": ["N", 5]}' 4 >net.json
prints "a graph, forward and backward" 0 "A: checked_cpu
B: drifting
of: net.json
seed: 1, of 3 tensors that no file gave
values, each capsule on the operands of A:
  2 relu  reference.relu  equal
  3 matmul  reference.matmul | drifting.matmul  222 ulp, 9.54e-07 (allowed 0.000157)
  4 relu  reference.relu  equal; in the chain 222 ulp, 7.15e-07
first difference: node 3 (matmul)
gradients, each rule on the operands and the cotangent of A:
  4 relu  torchlean-tape  equal
  3 matmul  torchlean-tape  128 ulp, 1.19e-07 (allowed 1.07e-06)
  2 relu  torchlean-tape  equal; in the chain 128 ulp, 1.19e-07
  1 const w  in the chain 2 ulp, 1.19e-07
  0 input x  in the chain 128 ulp, 1.19e-07
first different gradient, backwards: node 2 (relu)
within what the numerical policies allow" \
    "$KCAPSULE" "${drift[@]}" --graph net.json --bind N=4 --gradients

graph '{"id": 0, "op": "input", "shape": [2, 3], "name": "x"},
{"id": 1, "op": "relu", "parents": [0], "shape": [2, 3]},
{"id": 2, "op": "mul_elem", "parents": [1, 1], "shape": [2, 3]},
{"id": 3, "op": "detach", "parents": [2], "shape": [2, 3]},
{"id": 4, "op": "relu", "parents": [3], "shape": [2, 3]}' 4 >blame.json
runs "a fault in the middle" 1 "$KCAPSULE" "${drift[@]}" --graph blame.json
text=$(cat "$out")
contains "the first difference" "$text" "first difference: node 2 (mul_elem)"
contains "the node at fault" "$text" \
    "  2 mul_elem  reference.mul | drifting.mul  8388608 ulp, "
contains "and not the one that got its value" "$text" \
    "  4 relu  reference.relu  equal; in the chain 8388608 ulp, "
contains "one is outside" "$text" \
    "outside of what the numerical policies allow: 1"
{ npy "(2, 3)"; floats 0 1 2 4 8 -1; } >x.npy
{ npy "(3, 2)"; floats 0 1 2 4 8 -1; } >turned.npy
prints "an input from a file" 1 "A: checked_cpu
B: drifting
of: blame.json
values, each capsule on the operands of A:
  1 relu  reference.relu  equal
  2 mul_elem  reference.mul | drifting.mul  8388608 ulp, 64 (equal bits expected)
    outside in 4 of 6 elements, first in 1: 1 and 2, allowed 0
  4 relu  reference.relu  equal; in the chain 8388608 ulp, 64
first difference: node 2 (mul_elem)
outside of what the numerical policies allow: 1" \
    "$KCAPSULE" "${drift[@]}" --graph blame.json --input x=x.npy

if command -v jq >/dev/null; then
    "$KCAPSULE" "${drift[@]}" --graph blame.json --input x=x.npy \
        --format json >found.json
    is "JSON: the verdict" "$(jq -c '[.a, .b, .first_difference, .outside,
        .without_bound, .within, .drawn]' found.json)" \
        '["checked_cpu","drifting",2,1,0,false,0]'
    is "JSON: the node" "$(jq -c '.nodes[2] | [.a.capsule, .b.module,
        .value.ulp, .value.absolute, .value.rule, .value.allowed,
        .value.outside, .value.first_outside, .value_in_chain.different]' \
        found.json)" \
        '["reference.mul","drifting",8388608,64,"equal-bits",0,4,{"element":1,"a":1,"b":2,"allowed":0},4]'
    "$KCAPSULE" "${drift[@]}" abs --shape 3 --format json >found.json
    is "JSON: a NaN" "$(jq -c '.nodes[1].value | [.ulp, .absolute,
        .first_outside.b, .rule]' found.json)" '[null,null,null,"bounded"]'
else
    skip "JSON" "no jq"
fi

runs "one capsule on both sides" 0 "$KCAPSULE" diff -p loops.ini -p loops.ini \
    --module-path modules fft_fno --shape 8 --gradients \
    --attr '{"transform": "rfft", "n": 8}'
contains "has equal bits" "$(cat "$out")" \
    "  1 fft_fno  plain_loops.fft_fno  equal"

refused "one profile" "expected two profiles, -p A -p B, found 1" \
    diff -p checked_cpu relu --shape 2
refused "three profiles" "found 3" diff -p a -p b -p c relu --shape 2
refused "nothing to run" "either --graph or an operation, found neither" \
    "${same[@]}"
refused "too much to run" "found both" "${same[@]}" relu --graph net.json
refused "two operations" "unexpected argument: relu" "${same[@]}" relu relu
refused "an unknown operation" "expected an operation of the catalogue" \
    "${same[@]}" reelu --shape 2
refused "an unknown profile" "nobody" diff -p checked_cpu -p nobody relu \
    --shape 2
refused "shapes of a graph" "are of an operation" "${same[@]}" \
    --graph net.json --shape 2
refused "weights of an operation" "need --graph" "${same[@]}" relu --shape 2 \
    --weights w.safetensors
for shape in 2,,3 2,x -1 2, 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1; do
    refused "--shape $shape" "expected up to 16 extents as 2,3" "${same[@]}" \
        relu "--shape=$shape"
done
refused "shapes that do not fit" "expected" "${same[@]}" add --shape 2 --shape 3
refused "too few operands" "add" "${same[@]}" add --shape 2
refused "attributes that are none" "attributes" "${same[@]}" softmax \
    --shape 2 --attr 'axis'
refused "an unknown attribute" "axes" "${same[@]}" softmax --shape 2 \
    --attr '{"axes": 1}'
refused "an unknown dtype" "known: f32, f64" "${same[@]}" relu --shape 2 \
    --dtype f16
refused "a seed that is none" "--seed: expected a number" "${same[@]}" relu \
    --shape 2 --seed -3
refused "an extent without a value" "give --bind N=NUMBER" "${same[@]}" \
    --graph net.json
refused "an extent that is not there" "no named extent \`M\`" "${same[@]}" \
    --graph net.json --bind M=3
refused "an input that is not there" "no input \`y\`" "${same[@]}" \
    --graph net.json --input y=x.npy
refused "an input twice" "given twice" "${same[@]}" --graph blame.json \
    --input x=x.npy --input x=x.npy
refused "another shape" "input \`x\` is f32 [2, 3], but its file holds f32 [3, 2]" \
    "${same[@]}" --graph blame.json --input x=turned.npy
refused "no file" "absent.npy" "${same[@]}" --graph blame.json \
    --input x=absent.npy
refused "no graph" "absent.json" "${same[@]}" --graph absent.json
sed 's/^extends/vjp = none\n&/' drifting.ini >none.ini
refused "gradients of a profile without" "has the VJP mode none" \
    diff -p checked_cpu -p none.ini --module-path modules relu --shape 2 \
    --gradients
ends 1 "an operation that nobody has" "no admissible kernel capsule" \
    "${same[@]}" fft_fno --shape 8 --attr '{"transform": "rfft", "n": 8}'
ends 3 "a kernel that fails" "fails: node 1 (relu)" diff -p checked_cpu \
    -p fails.ini --module-path modules relu --shape 2
ends 3 "in a graph" "fails: node 1 (relu)" diff -p checked_cpu -p fails.ini \
    --module-path modules --graph blame.json
finish
