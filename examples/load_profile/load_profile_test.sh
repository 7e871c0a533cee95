#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors

. "${KC_SRCDIR:?}/tests/tap.sh"

load_profile=$KC_BUILDDIR/examples/load_profile/load_profile
prints "a maintained profile" 0 \
    "profile checked_cpu: device cpu, vjp torchlean-tape, no trusted boundary accepted
modules, first choice first: attention native_cuda reference
relu -> reference.relu
matmul -> reference.matmul" "$load_profile" checked_cpu

mkdir -m 755 "$tmp/modules"
check "the third party's module builds" env MAKEFLAGS= make -s \
    -C "$tmp/modules" -f "$KC_SRCDIR/examples/third_party/Makefile" \
    CC="$KC_CC" SDK_CFLAGS="-I$KC_SRCDIR/sdk/include"
# First choice: what stands first on a path that replaces the installed one.
export KCAPSULE_MODULE_PATH=$tmp/modules:${KCAPSULE_MODULE_PATH:?}
prints "a profile file" 0 \
    "profile acme_cpu: device cpu, vjp none, no trusted boundary accepted
modules, first choice first: acme attention native_cuda reference
relu -> acme.relu
matmul -> reference.matmul" \
    "$load_profile" "$KC_SRCDIR/examples/load_profile/acme.ini"
runs "a profile that is nowhere" 1 "$load_profile" frobnicate
contains "is named" "$(cat "$err")" frobnicate
finish
