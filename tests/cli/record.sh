#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# A record names what really ran: capsule, provider, module file, hash, calls,
# the policy in force and the files that took part. Equal runs give equal bytes.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

cd "$tmp" || exit 99

# classify RECORD OPTION...
classify()
{
    run "$KCAPSULE" run -p checked_cpu --graph "$digits/digits_mlp.json" \
        --weights "$digits/digits_mlp.safetensors" \
        --input images="$digits/digits_test_images.npy" \
        --output logits=logits.npy --threads 2 --record "$@"
    is "run for $1" "$status, $(cat "$err")" "0, "
}

# field NAME: the values of that name in order, without quotes and comma.
field() { sed -nE "s/^ *\"$1\": \"?([^\"]*)\"?,?\$/\1/p" "${2:-a.json}" | sed 's/,$//'; }

# operation OP: the object of the record with that operation.
operation()
{
    sed -n "/\"op\": \"$1\"/,/\"passed_over\"/p" a.json |
        sed '/"passed_over"/q' >one.json
}

hash_of() { sha256sum "$1" | cut -d' ' -f1; }

classify a.json
operation matmul
is "matmul: capsule" "$(field capsule one.json)" reference.matmul
is "matmul: provider" "$(field provider one.json)" reference
is "matmul: calls" "$(field calls one.json)" 2
is "matmul: order" "$(field order one.json)" left.mul_add/1
file=$(field file one.json)
is "matmul: the module is a file" "${file##*/}" reference.so
is "matmul: the hash is the file's" "$(field sha256 one.json)" \
    "$(hash_of "$file")"
operation relu
is "relu: calls" "$(field calls one.json)" 1
is "the policy in force computes no gradients" "$(field vjp)" none
is "the mode" "$(field mode)" eager
is "the threads" "$(field threads)" 2
is "five capsules, in first-use order" \
    "$(sed -n '/"operations"/,/"nodes"/p' a.json | grep '"op":' |
        sed -E 's/.*: "(.*)",/\1/' | tr '\n' ' ')" \
    "permute matmul broadcast add relu "
is "nine nodes" "$(grep -c '"node":' a.json)" 9

sed -n '/"files"/,/"operations"/p' a.json >files.json
is "the files" "$(field role files.json | tr '\n' ' ')" \
    "graph weights input output "
is "their hashes" "$(field sha256 files.json)" \
    "$(for name in digits_mlp.json digits_mlp.safetensors \
        digits_test_images.npy; do hash_of "$digits/$name"; done
        hash_of logits.npy)"

cp a.json first.json
classify a.json
check "equal runs give equal records" cmp first.json a.json
is "nothing says when or how long" "$(grep -c '"times"' a.json)" 0
classify timed.json --time
contains "--time adds an object" "$(cat timed.json)" '"times": {'
is "and changes nothing else" \
    "$(sed '/"times": {/,$d' timed.json | head -n -1)" \
    "$(sed -n "1,$(($(sed '/"times": {/,$d' timed.json | wc -l) - 1))p" a.json)"
classify graph.json --mode graph
is "graph mode is said" "$(field mode graph.json)" graph
is "and the same capsules ran" \
    "$(grep '"capsule"' graph.json)" "$(grep '"capsule"' a.json)"

run "$KCAPSULE" run -p checked_cpu --graph "$digits/digits_mlp.json" \
    --weights "$digits/digits_mlp.safetensors" \
    --input images="$digits/digits_test_images.npy" --format json --threads 2 \
    --labels logits="$digits/digits_test_labels.npy"
contains "--format json has the record" "$(cat "$out")" \
    '"capsule": "reference.matmul"'
contains "and the labels" "$(cat "$out")" '"labels_right": 350, "labels": 359'
if command -v jq >/dev/null; then
    check "all of it is JSON" jq -e . a.json timed.json "$out"
else
    skip "all of it is JSON" "no jq"
fi
finish
