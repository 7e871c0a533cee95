#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Every kind of node: its graph in tests/graphs/ops is planned, and it runs with
# the same bytes in both modes and at any number of threads.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

graphs=$KC_SRCDIR/tests/graphs/ops
kinds="input const detach permute transpose reshape flatten broadcast_to concat
slice gather scatter_add add sub mul_elem max_elem min_elem scale clamp abs sqrt
inv relu sigmoid tanh softplus exp log sin cos gelu safe_log softmax log_softmax
hard_masked_softmax reduce_sum reduce_mean sum matmul linear mse_loss layernorm
batch_norm_eval batch_norm conv conv_transpose max_pool avg_pool smooth_max_pool
fft_fno selective_scan scaled_dot_product_attention rand_uniform bernoulli_mask"
no_capsule="fft_fno selective_scan"

is "there is a graph for every kind" \
    "$(cd "$graphs" && printf '%s\n' *.json | sort)" \
    "$(printf '%s.json\n' $kinds | sort)"

# Sets `arguments` to the files that the graph of a kind needs.
find_arguments()
{
    local name
    arguments=()
    for name in $(sed -n 's/.*"op": "input".*"name": "\([a-z]*\)".*/\1/p' \
        "$graphs/$1.json"); do
        arguments+=(--input "$name=$graphs/$name.npy")
    done
    if grep -q '"op": "const"' "$graphs/$1.json"; then
        arguments+=(--weights "$graphs/$1.safetensors")
    fi
}

# run_kind KIND NAME OPTION...: writes the output to $tmp/NAME.npy.
run_kind()
{
    local kind=$1 name=$2
    shift 2
    run "$KCAPSULE" run -p checked_cpu --graph "$graphs/$kind.json" \
        "${arguments[@]}" --output out="$tmp/$name.npy" "$@"
}

# same_as_eager KIND NAME OPTION...
same_as_eager()
{
    local kind=$1 name=$2
    run_kind "$@"
    if [ "$status" -eq 0 ] && cmp -s "$tmp/$name.npy" "$tmp/eager.npy"; then
        return 0
    fi
    not_ok "$kind runs" "$name: status $status
$(cat "$err")
$(cmp "$tmp/$name.npy" "$tmp/eager.npy" 2>&1)"
    return 1
}

: >"$tmp/planned"
for kind in $kinds; do
    case " $no_capsule " in
        *" $kind "*)
            ends 1 "$kind has no capsule on the cpu" \
                "no admissible kernel capsule for op $kind on device cpu" \
                plan -p checked_cpu --graph "$graphs/$kind.json"
            continue ;;
    esac
    runs "$kind is planned" 0 "$KCAPSULE" plan -p checked_cpu \
        --graph "$graphs/$kind.json"
    sed -n 's/.*-> reference\.//p' "$out" >>"$tmp/planned"
    find_arguments "$kind"
    rm -f "$tmp"/*.npy
    run_kind "$kind" eager --mode eager --threads 1
    if [ "$status" -ne 0 ]; then
        not_ok "$kind runs" "$(cat "$err")"
        continue
    fi
    same_as_eager "$kind" graph --mode graph --threads 2 &&
        same_as_eager "$kind" no_reuse --mode graph --no-reuse --threads 7 &&
        ok "$kind runs"
done

# The names of the capsules are those of the operations but for attention.
is "every operation with a capsule was planned" "$(sort -u "$tmp/planned")" \
    "$("$KCAPSULE" ops | sed -nE 's/^([a-z_]+) .*/\1/p' |
        sed 's/^scaled_dot_product_//' | grep -vxF "$(printf '%s\n' $no_capsule)" | sort -u)"

# The stream of seed 2026, counter 0, from the words of the generator.
arguments=()
run_kind rand_uniform words
is "random values are the published ones" \
    "$(tail -c 24 "$tmp/words.npy" | head -c 16 | od -An -v -tx4 | tr -s ' ')" \
    " 3e0f524a 3e8f5adb 3f17b68d 3f516ee3"
finish
