#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Who owns each backward rule, decided at planning: what --full says of it, for
# which reasons a capsule cannot train, and that nothing ran to find out.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

cd "$tmp" || exit 99
mkdir -m 755 modules
attention=scaled_dot_product_attention
values="value: covered by test suite modules.reference.values"

# backward OPTION...: what plan --full says from "forward:" or "backward:" on.
backward()
{
    "$KCAPSULE" plan "$@" --full |
        sed -nE '/^  (forward|backward):/,/^#/p' | grep -v '^#'
}

is "the tape, composed" "$(backward -p checked_cpu matmul)" \
    "  backward: the tape's rule of matmul, composed of permute, matmul
    permute -> reference.permute, $values
    matmul -> reference.matmul, $values"
is "the tape, composed of nothing" "$(backward -p checked_cpu add)" \
    "  backward: the tape's rule of add, which passes the cotangent on"
is "the tape, a loop" "$(backward -p checked_cpu relu)" \
    "  backward: the tape's rule of relu, a loop of the runtime on the cpu"
is "a leaf" "$(backward -p checked_cpu rand_uniform)" \
    "  backward: none, rand_uniform is a leaf"
is "no gradients" "$(backward -p checked_cpu --vjp none matmul)" \
    "  backward: none is asked for (vjp none)"
is "a kernel of the module" "$(backward -p checked_cuda relu)" \
    "  backward: the capsule's own kernel"
is "the vjp obligation, claimed and granted" \
    "$("$KCAPSULE" plan -p checked_cpu --full relu | grep -A2 '^  vjp:')" \
    "  vjp: the torchlean-tape VJP refines the meaning of relu
    claimed: covered by test suite autograd.rules
    granted: nothing: not attested"

# A composition names what it is made of, then what its gradient is made of.
composed=$(backward -p checked_cuda $attention)
contains "a composition" "$composed" "  forward: composed of scale, softmax"
contains "its rule" "$composed" \
    "  backward: the tape's rule of $attention, composed of sub, mul"
contains "by capsules of the profile" "$composed" \
    "    softmax -> native_cuda.softmax, value: covered by test suite"
contains "one that leaves its gradient to the tape on cuda: composed as well" \
    "$(backward -p libtorch_forward_cuda $attention | head -1)" \
    "  backward: the tape's rule of $attention, composed of sub, mul"
is "on the cpu a loop" "$(backward -p checked_cpu $attention)" \
    "  backward: the tape's rule of $attention, a loop of the runtime on the cpu"

is "what a contract saves for it" \
    "$("$KCAPSULE" inspect reference.matmul | grep '^  saved')" \
    "  saved for the backward: input 0 (a), input 1 (b)"
is "and what none is saved for" \
    "$("$KCAPSULE" inspect reference.rand_uniform | grep -c '^  saved')" 0

graph=$KC_SRCDIR/tests/graphs/mlp_4_8_1.json
is "every row of a graph" \
    "$(backward -p checked_cpu --graph "$graph" | grep -c '^  backward: ')" 13
is "the broadcast of a bias" \
    "$("$KCAPSULE" plan -p checked_cpu --graph "$graph" --full |
        sed -n '/^#\[6\]/,/^#\[7\]/p' | grep -A2 '^  backward')" \
    "  backward: the tape's rule of broadcast, composed of reduce_sum, reshape
    reduce_sum -> reference.reduce_sum, $values
    reshape -> reference.reshape, $values"
if command -v jq >/dev/null; then
    "$KCAPSULE" plan -p checked_cpu --full --format json matmul relu >plan.json
    is "JSON: owner and rule" \
        "$(jq -c '.rows[].backward | [.owner, .rule]' plan.json)" \
        '["torchlean-tape","composed"]
["torchlean-tape","runtime"]'
    is "JSON: inner operations" \
        "$(jq -r '.rows[0].backward.inner[].capsule' plan.json)" \
        "reference.permute
reference.matmul"
    "$KCAPSULE" plan -p checked_cuda --full --format json $attention >plan.json
    is "JSON: what a composition is made of" \
        "$(jq -r '.rows[0].composed_of[].op' plan.json | head -2)" \
        "scale
softmax"
    is "JSON: what a contract saves" \
        "$("$KCAPSULE" inspect reference.matmul --format json |
            jq -c '[.. | objects | select(has("saved_inputs")) |
                .saved_inputs, .saved_outputs]')" "[[0,1],[]]"
    is "JSON: the catalogue" \
        "$("$KCAPSULE" ops linear --format json |
            jq -c '[.vjp_inputs, .vjp_saved_inputs, .vjp_saves_output]')" \
        '[["x","weight","bias"],["x","weight"],false]'
else
    skip "JSON" "no jq"
fi
is "ops: the rule" "$("$KCAPSULE" ops matmul | grep -A2 derivative)" \
    "  derivative rule of the tape: composed of catalogue operations
    gradients for a, b; saves input 0 (a), input 1 (b)
    may be composed of permute, matmul"
is "ops: a leaf" "$("$KCAPSULE" ops bernoulli_mask | grep -A2 derivative |
    head -1)" "  derivative rule of the tape: none is asked for"

# lacking NAME DEVICE VJP-MODE FIELDS: a module with one relu and one matmul
# of the provider acme. Contracts only, so nothing of it is ever loaded.
lacking()
{
    local vjp="KC_VJP_SUITE(operation, $3, \"tests.cli\", \"\")"
    [ "$3" != KC_VJP_NONE ] || vjp='KC_NO_VJP(operation, "")'
    cat >"$1.c" <<TEXT
#include <kcapsule/sdk.h>
KC_MODULE(.name = "$1", .version = "1.0", .flags = KC_MODULE_CONTRACTS_ONLY);
#define CAPSULE(label, operation, inputs)                                      \\
    {.struct_size = sizeof(kc_capsule_record_t), .op = operation,              \\
     .name = "$1." label, .provider = "acme", .supports_forward = 1,           \\
     .device = $2, .vjp_mode = $3, .saved_inputs = inputs,                     \\
     .shape = KC_SHAPE_GUARD(operation, "dispatch.shape", ""),                 \\
     .layout = KC_LAYOUT_GUARD(operation, KC_LAYOUT_CANONICAL_TENSOR,          \\
                               "dispatch.layout", ""),                         \\
     .value = $4(operation, "tests.cli.gradients", ""),                        \\
     .vjp = $vjp}
KC_CAPSULES(CAPSULE("relu", KC_OP_RELU, 1),
            CAPSULE("matmul", KC_OP_MATMUL, 1));
KC_MODULE_ENTRY(NULL, 0);
TEXT
    check "module $1 builds" $KC_CC -std=c11 -fPIC -shared \
        -I"$KC_SRCDIR/sdk/include" -o "modules/$1.so" "$1.c"
}

# profile NAME BASE PROVIDER
profile()
{
    cat >"$1.ini" <<TEXT
[profile]
name = $1
extends = $2
provider = $3
[availability]
providers = acme, reference, native_cuda, torchlean
[modules]
prepend = $1
TEXT
}

# What is explained, without the two lines of the profile.
explained()
{
    "$KCAPSULE" plan "$@" --module-path modules --explain 2>"$err" |
        tail -n +3
}

# A guard of the planner works when it plans, those of dispatch at calls.
cp -r "$KC_SRCDIR/sdk/template" template
chmod -R u+w,go-w template
check "the template builds" $KC_CC -std=c11 -fPIC -shared \
    -I"$KC_SRCDIR/sdk/include" -o template/acme.so template/acme.c
is "whose contracts say who owns a backward, and when it is checked" \
    "$("$KCAPSULE" inspect ./template/acme.so |
        grep -E '^acme|saved|vjp:|granted: guard, checked at planning')" \
    "acme.relu: relu
  saved for the backward: the output
  vjp: the backend-vjp VJP refines the meaning of relu
acme.add: add
  saved for the backward: nothing
  vjp: the torchlean-tape VJP refines the meaning of add
    granted: guard, checked at planning"
is "its profile takes both" \
    "$(backward -p template/acme.ini --module-path template relu add)" \
    "  backward: the capsule's own kernel
  backward: the tape's rule of add, which passes the cotangent on"

lacking forward KC_DEVICE_CPU KC_VJP_NONE KC_VALUE_SUITE
profile forward checked_cpu prefer:acme
is "preferred, but forward only: the reference is chosen" \
    "$("$KCAPSULE" plan -p forward.ini --module-path modules --names relu)" \
    "forward: reference.relu"
is "and the reason is told" "$(explained -p forward.ini relu | sed 1d |
    grep forward.relu)" \
    "  forward.relu      vjp_mismatch: wanted vjp torchlean-tape or backend-vjp, found vjp none (module forward)"
is "without gradients it is taken" \
    "$("$KCAPSULE" plan -p forward.ini --module-path modules --vjp none \
        --names relu)" "forward: forward.relu"
fails "demanded, it is an error before anything runs" 1 \
    "no admissible kernel capsule for op relu on device cpu" \
    "$KCAPSULE" plan -p forward.ini --module-path modules \
    --provider only:acme relu

lacking far KC_DEVICE_CUDA KC_VJP_TORCHLEAN_TAPE KC_VALUE_SUITE
profile far checked_cuda prefer:acme
contains "a rule that does not run there" "$(explained -p far.ini relu)" \
    "far.relu          vjp_rule_not_on_device: wanted a rule on device cuda, found the tape's rule of relu runs on cpu (module far)"
contains "a contract that saves too little" "$(explained -p far.ini matmul)" \
    "vjp_saves_too_little: wanted saves input 1 (b), found saves input 0 (a) (module far)"

# Nobody but libtorch: its forward would run, its gradient could not.
fails "a rule whose operations nobody may serve" 1 \
    "no admissible kernel capsule for op $attention on device cuda" \
    "$KCAPSULE" plan -p libtorch_forward_cuda --provider only:libtorch \
    $attention
contains "the operation is named" \
    "$(explained -p libtorch_forward_cuda --provider only:libtorch $attention)" \
    "inner_operation_not_planned: wanted inner operation sub and 11 more, found no admissible capsule on device cuda (module libtorch)"
is "its forward alone may be had" \
    "$("$KCAPSULE" plan -p libtorch_forward_cuda --provider only:libtorch \
        --vjp none --names $attention)" \
    "libtorch_forward_cuda: libtorch.sdpa_forward"

# The gate: a rule is as good as what it is made of.
lacking shaky KC_DEVICE_CPU KC_VJP_NONE KC_VALUE_BOUNDARY
profile shaky checked_cpu prefer:acme
shaky=(-p shaky.ini --module-path modules)
runs "check of a rule on a trusted boundary" 1 "$KCAPSULE" check "${shaky[@]}" \
    --assurance checked linear
contains "names the inner operation" "$(cat "$out")" \
    "checked: rejected shaky.matmul value
  trusted boundary: tests.cli.gradients
  inner operation of reference.linear"
graph '{"id": 0, "op": "input", "shape": [2, 3], "name": "x"},
{"id": 1, "op": "const", "shape": [4, 3], "name": "w"},
{"id": 2, "op": "const", "shape": [4], "name": "b"},
{"id": 3, "op": "linear", "parents": [0, 1, 2], "shape": [2, 4]}' 3 >linear.json
runs "the complete gate" 1 "$KCAPSULE" check "${shaky[@]}" --graph linear.json
contains "names capsule and inner capsule" "$(cat "$out")" \
    "op linear, capsule reference.linear: inner operation matmul, capsule shaky.matmul: evidence rejected: value: trusted boundary: tests.cli.gradients"
runs "without gradients nothing rests on it" 0 "$KCAPSULE" check "${shaky[@]}" \
    --vjp none --graph linear.json
finish
