#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# The gradients of streaming attention, by its own backward, against
# differences, and what blocked entries must not do.

. "${KC_SRCDIR:?}/tests/tap.sh"

"${KC_BUILDDIR:?}/tests/unit/conform/gradients" fast_cpu \
    scaled_dot_product_attention
