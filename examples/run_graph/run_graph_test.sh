#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors

. "${KC_SRCDIR:?}/tests/tap.sh"

digits=$KC_SRCDIR/examples/digits
prints "a graph in both modes" 0 "reference.permute of reference, calls 2
reference.matmul of reference, calls 2
reference.broadcast of reference, calls 2
reference.add of reference, calls 2
reference.relu of reference, calls 1
eager and graph mode: the same bits" \
    "$KC_BUILDDIR/examples/run_graph/run_graph" "$digits/digits_mlp.json" \
    "$digits/digits_mlp.safetensors" "$digits/digits_test_images.npy"
runs "a missing graph" 1 "$KC_BUILDDIR/examples/run_graph/run_graph" \
    "$tmp/none.json" "$digits/digits_mlp.safetensors" \
    "$digits/digits_test_images.npy"
contains "is named" "$(cat "$err")" "$tmp/none.json"
finish
