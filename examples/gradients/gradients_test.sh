#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors

. "${KC_SRCDIR:?}/tests/tap.sh"

folder=$KC_SRCDIR/examples/gradients
prints "gradients in both modes" 0 "loss 0.66015625
gradient of fc1.weight: 0 0 0 0 0.3046875 -0.203125 0 0.203125 -0.3046875 0.203125 0 -0.203125 -0.9140625 0.609375 0 -0.609375 0 0 0 0 0 0 0 0 -0.609375 0.40625 0 -0.40625 0 0 0 0
gradient of fc1.bias: 0 -0.40625 0.40625 1.21875 0 0 0.8125 0
gradient of fc2.weight: 0 -0.609375 -2.9453125 -0.3046875 0 0 -0.203125 0
gradient of fc2.bias: -1.625
reference.linear: forward, calls 2
reference.relu: forward, calls 1
reference.mse_loss: forward, calls 1
reference.mse_loss: rule, calls 1
reference.sub: inner of the rule of reference.mse_loss, calls 1
reference.scale: inner of the rule of reference.mse_loss, calls 1
reference.broadcast: inner of the rule of reference.mse_loss, calls 1
reference.mul: inner of the rule of reference.mse_loss, calls 1
reference.linear: rule, calls 2
reference.reshape: inner of the rule of reference.linear, calls 5
reference.matmul: inner of the rule of reference.linear, calls 3
reference.permute: inner of the rule of reference.linear, calls 2
reference.reduce_sum: inner of the rule of reference.linear, calls 2
reference.relu: rule, calls 1
graph mode and tape: the same bits" \
    "$KC_BUILDDIR/examples/gradients/gradients" "$folder/mlp_loss.json"
runs "a missing graph" 1 "$KC_BUILDDIR/examples/gradients/gradients" \
    "$tmp/none.json"
contains "is named" "$(cat "$err")" "$tmp/none.json"
runs "a graph without a trainable const" 1 \
    "$KC_BUILDDIR/examples/gradients/gradients" \
    "$KC_SRCDIR/tests/graphs/relu_chain.json"
contains "says what was expected" "$(cat "$err")" \
    "or a trainable const; found neither"
finish
