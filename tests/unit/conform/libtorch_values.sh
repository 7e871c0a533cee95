#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Every operation of the libtorch module against the oracles.

. "${KC_SRCDIR:?}/tests/tap.sh"

[ "${KC_HAVE_LIBTORCH:-0}" = 1 ] || skip_all "this build has no LibTorch"
"$KC_BUILDDIR/tests/unit/conform/reference" -p libtorch_cpu
