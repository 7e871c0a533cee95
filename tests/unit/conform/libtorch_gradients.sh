#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Every gradient of the libtorch module, and of the tape over it, against
# differences, kinks and blocked entries.

. "${KC_SRCDIR:?}/tests/tap.sh"

[ "${KC_HAVE_LIBTORCH:-0}" = 1 ] || skip_all "this build has no LibTorch"
"$KC_BUILDDIR/tests/unit/conform/gradients" libtorch_cpu
