#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# kcapsule diff on the graph of every kind of node (tests/graphs/ops), with its
# gradients: one profile against itself, and LibTorch where it has another way
# than the reference.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

graphs=$KC_SRCDIR/tests/graphs/ops
without_reference="fft_fno selective_scan"
by_libtorch="batch_norm batch_norm_eval conv conv_transpose gelu layernorm
linear matmul max_pool mse_loss scatter_add hard_masked_softmax safe_log
scaled_dot_product_attention"

# compared A B KIND: every difference is one that the policies allow.
compared()
{
    local name arguments=()
    for name in $(sed -n 's/.*"op": "input".*"name": "\([a-z]*\)".*/\1/p' \
        "$graphs/$3.json"); do
        arguments+=(--input "$name=$graphs/$name.npy")
    done
    if grep -q '"op": "const"' "$graphs/$3.json"; then
        arguments+=(--weights "$graphs/$3.safetensors")
    fi
    runs "$3: $1 and $2" 0 "$KCAPSULE" diff -p "$1" -p "$2" \
        --graph "$graphs/$3.json" "${arguments[@]}" --gradients
}

for graph in "$graphs"/*.json; do
    kind=$(basename "$graph" .json)
    case " $without_reference " in
        *" $kind "*) ;;
        *)
            compared checked_cpu fast_cpu "$kind"
            case $(cat "$out") in
                *" | "*) ;;
                *)
                    contains "$kind: no bit differs" "$(cat "$out")" \
                        "first different gradient, backwards: none"
                    ;;
            esac
            ;;
    esac
done
if [ "${KC_HAVE_LIBTORCH:-0}" = 1 ]; then
    for kind in $by_libtorch; do
        compared checked_cpu libtorch_cpu "$kind"
        contains "$kind: is by LibTorch" "$(cat "$out")" " | libtorch."
    done
    # Long enough for another order to show.
    for op in softmax log_softmax hard_masked_softmax; do
        shapes=(--shape 9,300)
        attributes=(--attr '{"axis": 1}')
        if [ $op = hard_masked_softmax ]; then
            shapes+=(--shape 9,300)
            attributes=()
        fi
        runs "$op: of 300 terms" 0 "$KCAPSULE" diff -p checked_cpu \
            -p libtorch_cpu $op "${shapes[@]}" "${attributes[@]}" --gradients
        contains "$op: is held to a bound" "$(cat "$out")" " (allowed "
    done
    for kind in $without_reference; do
        compared libtorch_cpu libtorch_cpu "$kind"
        contains "$kind: no bit differs" "$(cat "$out")" \
            "first different gradient, backwards: none"
    done
else
    skip "libtorch_cpu" "built without LibTorch"
fi

# The operands that have no gradient, of single operations.
runs "stored statistics have none" 0 "$KCAPSULE" diff -p checked_cpu \
    -p fast_cpu batch_norm --shape 4,3 --shape 3 --shape 3 --shape 3 \
    --shape 3 --attr '{"mode": "eval", "channel_axis": 1}' --gradients
contains "of batch_norm" "$(cat "$out")" "  5 batch_norm  torchlean-tape  equal"
runs "the same as JSON" 0 "$KCAPSULE" diff -p checked_cpu -p fast_cpu \
    batch_norm --shape 4,3 --shape 3 --shape 3 --shape 3 --shape 3 \
    --attr '{"mode": "eval", "channel_axis": 1}' --gradients --format json
contains "12 of x, 3 of gamma, 3 of beta" "$(cat "$out")" \
    '"gradient": {"elements": 18, '
runs "an epsilon has none" 0 "$KCAPSULE" diff -p checked_cpu -p fast_cpu \
    safe_log --shape 4 --shape scalar --gradients
contains "of safe_log" "$(cat "$out")" "  2 safe_log  torchlean-tape  equal"
finish
