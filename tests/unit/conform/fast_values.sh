#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Streaming attention against the oracle. All other operations of fast_cpu are
# those of checked_cpu.

. "${KC_SRCDIR:?}/tests/tap.sh"

"${KC_BUILDDIR:?}/tests/unit/conform/reference" -p fast_cpu \
    scaled_dot_product_attention
