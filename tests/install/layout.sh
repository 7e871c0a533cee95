#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# What is where after make install, and that the installed command finds it
# without any help from the environment.

. "${KC_SRCDIR:?}/tests/tap.sh"

modules=${KC_MODULE_DIR:?}
check "the command is installed" test -x "$KCAPSULE"
check "the SDK headers are installed" test -e "$KC_PREFIX/include/kcapsule/sdk.h"
for name in reference attention native_cuda libtorch; do
    check "module $name is installed" test -e "$modules/$name.so"
done
writable=$(find "$modules" "$KCAPSULE" -perm /022 ! -type l)
is "nothing that is loaded is writable by others" "$writable" ""
runs "the installed command lists modules" 0 "$KCAPSULE" modules
for name in reference attention native_cuda libtorch; do
    contains "it lists $name" "$(cat "$out")" "$name"
done
finish
