#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# One graph, several providers: a profile of its own splits it over LibTorch,
# the maintained kernels for this processor and the reference module, and both
# plan and record say who did what. Also who owns the backward of each.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

cd "$tmp" || exit 99
if "$KCAPSULE" inspect libtorch | grep -q 'contracts only'; then
    skip_all "the libtorch module was built without LibTorch"
fi

# native_cpu before all, LibTorch for the rest: it has concat as well, but of
# no more than 32 pieces.
cat >split.ini <<'END'
[profile]
name = split
extends = libtorch_cpu
provider = prefer:native_cpu

[availability]
providers = native_cpu, libtorch, reference, torchlean

[modules]
prepend = libtorch
END
pieces=$(printf '0, %.0s' {1..32})0
graph "{\"id\": 0, \"op\": \"input\", \"shape\": [2, 1, 4], \"name\": \"x\"},
{\"id\": 1, \"op\": \"concat\", \"parents\": [$pieces], \"shape\": [2, 33, 4],
 \"attrs\": {\"axis\": 1}},
{\"id\": 2, \"op\": \"relu\", \"parents\": [1], \"shape\": [2, 33, 4]},
{\"id\": 3, \"op\": \"scaled_dot_product_attention\", \"parents\": [0, 2, 2],
 \"shape\": [2, 1, 4]}" 3 >g.json

is "three providers are planned" \
    "$("$KCAPSULE" plan -p split.ini --graph g.json | grep ' -> ' |
        sed -E 's/.* -> //')" \
    "reference.concat
libtorch.relu
native_cpu.streaming_attention"

# All rows that are attended to are one: relu of x comes out.
{ npy "(2, 1, 4)"; floats 1 -1 2 4 0 8 -1 1; } >x.npy
{ npy "(2, 1, 4)"; floats 1 0 2 4 0 8 0 1; } >expected.npy
split()
{
    run "$KCAPSULE" run -p "$1" --graph g.json --input x=x.npy \
        --output "y=$2.npy" --mode "$3" --record "$2.json"
    is "$1, $3: it runs" "$status, $(cat "$err")" "0, "
}
# The values behind the head of an array, to five digits.
values() { tail -c +129 "$1" | od -An -v -t f4 -w4 | awk '{printf "%.5f ", $1 + 0}'; }

# ran FIELD RECORD: of what was called, in the order of first use.
ran()
{
    sed -nE '/"op": /,/"calls": /s/^ *"'"$1"'": "(.*)",$/\1/p' "$2"
}

for mode in eager graph; do
    split split.ini split_$mode $mode
    is "$mode: relu of x" "$(values split_$mode.npy)" "$(values expected.npy)"
    is "$mode: the record says who ran" \
        "$(ran provider split_$mode.json)" \
        "reference
libtorch
native_cpu"
    is "$mode: and what" \
        "$(ran capsule split_$mode.json)" \
        "reference.concat
libtorch.relu
native_cpu.streaming_attention"
done
check "both modes give the same bits" cmp split_eager.npy split_graph.npy
split libtorch_cpu libtorch eager
is "LibTorch's attention agrees" "$(values libtorch.npy)" \
    "$(values expected.npy)"
contains "and is named" "$(cat libtorch.json)" \
    '"capsule": "libtorch.sdpa_forward"'

# The same three trained: each has another owner of its backward.
is "three owners of backward" \
    "$("$KCAPSULE" plan -p split.ini --graph g.json --full |
        grep '^  backward: ')" \
    "  backward: the tape's rule of concat, composed of slice
  backward: the capsule's own kernel
  backward: the capsule's own kernel"
is "LibTorch's forward, the tape's backward" \
    "$("$KCAPSULE" plan -p libtorch_cpu --graph g.json --full |
        sed -n '/sdpa_forward/,$p' | grep '^  backward: ')" \
    "  backward: the tape's rule of scaled_dot_product_attention, a loop of the runtime on the cpu"
finish
