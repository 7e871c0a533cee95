#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# The digit classifier with its loss, forward and backward, under three
# profiles, and where each two of them part.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

# The labels, int64 behind 128 bytes, as rows of 0 and 1.
onehot()
{
    local label place row
    npy "(359, 10)"
    od -An -v -t d8 -w8 -j 128 "$digits/digits_test_labels.npy" |
        while read -r label; do
            row=
            for place in 0 1 2 3 4 5 6 7 8 9; do
                row="$row $((place == label))"
            done
            floats $row
        done
}
onehot >"$tmp/onehot.npy"
is "one-hot labels of all images" "$(wc -c <"$tmp/onehot.npy")" \
    "$((128 + 359 * 10 * 4))"

subject=(--graph "$digits/digits_mlp_loss.json"
    --weights "$digits/digits_mlp.safetensors"
    --input images="$digits/digits_test_images.npy"
    --input labels="$tmp/onehot.npy" --gradients)

# compared NAME A B THREADS: within what the policies allow, nothing drawn.
compared()
{
    runs "$1" 0 "$KCAPSULE" diff -p "$2" -p "$3" "${subject[@]}" --threads "$4"
    text=$(cat "$out")
    is "$1: without a word on stderr" "$(cat "$err")" ""
    contains "$1: the verdict" "$text" "within what the numerical policies allow"
    case $text in
        *"no bound stated"* | *"seed:"*) not_ok "$1: all judged" "$text" ;;
        *) ok "$1: every value given, every difference judged" ;;
    esac
}

compared "checked_cpu against itself" checked_cpu checked_cpu 2
contains "the loss" "$text" "  15 mse_loss  reference.mse_loss  equal"
contains "no value differs" "$text" "first difference: none"
contains "nor a gradient" "$text" "first different gradient, backwards: none"

# Nothing of the graph is made faster yet: the same kernels.
compared "checked_cpu and fast_cpu" checked_cpu fast_cpu 2
contains "part nowhere" "$text" "first difference: none"

if [ "${KC_HAVE_LIBTORCH:-0}" != 1 ]; then
    skip "libtorch_cpu" "built without LibTorch"
    finish
    exit 0
fi
for threads in 1 2; do
    compared "checked_cpu and libtorch_cpu, $threads threads" checked_cpu \
        libtorch_cpu $threads
done
contains "the first product" "$text" \
    "  3 matmul  reference.matmul | libtorch.matmul  "
# Products part or not, by the BLAS that LibTorch has here; the loss does.
parting=$(awk '/^values/ { inside = 1 } /^first/ { inside = 0 }
    inside && $1 ~ /^[0-9]+$/ && $0 !~ /  equal(;|$)/ {
        print "node " $1 " (" $2 ")"; exit }' <<<"$text")
case $parting in
    "node 3 (matmul)" | "node 10 (matmul)" | "node 15 (mse_loss)")
        ok "a sum parts first" ;;
    *) not_ok "a sum parts first" "$text" ;;
esac
contains "and is named" "$text" "first difference: $parting"
contains "what is no sum is equal by itself" "$text" \
    "  7 relu  reference.relu | libtorch.relu  equal"
contains "owners of the backward" "$text" \
    "  10 matmul  torchlean-tape | backend-vjp  "
contains "gradients part at the loss" "$text" \
    "first different gradient, backwards: node "
compared "fast_cpu and libtorch_cpu" fast_cpu libtorch_cpu 2
finish
