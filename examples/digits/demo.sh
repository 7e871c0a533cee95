#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# From a graph to an accounted run, in six steps. KCAPSULE names the command
# (default: the one on PATH). Results go to a temporary folder, shown as RESULTS.

set -euo pipefail

kcapsule=${KCAPSULE:-kcapsule}
cd "$(dirname "${BASH_SOURCE[0]}")"
results=$(mktemp -d "${TMPDIR:-/tmp}/kcapsule-demo.XXXXXX")
trap 'rm -rf -- "$results"' EXIT

step() { printf '\n== %s\n' "$1"; }

# Shows the command as one would type it, then runs it.
show()
{
    local shown="kcapsule $*"
    printf '$ %s\n' "${shown//$results/RESULTS}"
    "$kcapsule" "$@" | sed "s|$results|RESULTS|g"
}

step "The plan: which capsule serves each node"
show plan -p checked_cpu --graph digits_mlp.json

step "The evidence: what one of these choices rests on"
show plan -p checked_cpu --full matmul

step "The audit: whether what the plan rests on is acceptable"
show check -p checked_cpu --graph digits_mlp.json

step "The run: 359 images; RESULTS is a temporary folder that goes at the end"
show run -p checked_cpu --graph digits_mlp.json \
    --weights digits_mlp.safetensors --input images=digits_test_images.npy \
    --output logits="$results/logits.npy" \
    --labels logits=digits_test_labels.npy --record "$results/record.json"

step "The bits: the logits against the ones computed elsewhere"
cmp "$results/logits.npy" digits_mlp_logits_fixed_left.npy
echo "RESULTS/logits.npy equals digits_mlp_logits_fixed_left.npy byte for byte"

step "The record: what really ran (one of five capsules)"
sed -n '/"op": "matmul"/,/"calls"/{p;/"calls"/q}' "$results/record.json"
