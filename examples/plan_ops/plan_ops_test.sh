#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors

. "${KC_SRCDIR:?}/tests/tap.sh"

plan_ops=$KC_BUILDDIR/examples/plan_ops/plan_ops
prints "a plan with its candidates" 0 "relu -> reference.relu
  native_cuda.relu: device_unavailable (wanted available devices cpu, found device cuda)
  reference.relu: selected
fft_fno -> nothing
  native_cuda.fft_fno: device_unavailable (wanted available devices cpu, found device cuda)" \
    "$plan_ops" checked_cpu relu fft_fno
runs "an unknown operation" 1 "$plan_ops" checked_cpu frobnicate
contains "is named" "$(cat "$err")" frobnicate
finish
