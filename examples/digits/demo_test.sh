#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# The demonstration runs and says what it should.

. "${KC_SRCDIR:?}/tests/tap.sh"

runs "the demonstration" 0 bash "$KC_SRCDIR/examples/digits/demo.sh"
is "says nothing on stderr" "$(cat "$err")" ""
text=$(cat "$out")
contains "plans the matrix product" "$text" "3 matmul -> reference.matmul"
contains "is accepted" "$text" "accepted under checked"
contains "counts the labels" "$text" "logits: 350 of 359 labels right"
contains "has the expected bits" "$text" \
    "equals digits_mlp_logits_fixed_left.npy byte for byte"
contains "shows the record" "$text" '"capsule": "reference.matmul"'
finish
