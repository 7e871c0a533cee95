#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# An application and a module are built out of tree with what pkg-config says.

. "${KC_SRCDIR:?}/tests/tap.sh"

command -v pkg-config >/dev/null || skip_all "no pkg-config"
export PKG_CONFIG_PATH=${KC_PKG_CONFIG_PATH:?}
ask() { pkg-config "$@" 2>&1; }

for package in kcapsule kcapsule-sdk; do
    is "$package says where modules go" \
        "$(ask --variable=moduledir "$package")" "$KC_MODULE_DIR"
    check "$package says where profiles go" \
        test -n "$(ask --variable=profiledir "$package")"
done
is "the SDK links nothing" "$(ask --libs kcapsule-sdk | tr -d ' ')" ""

cat >"$tmp/module.c" <<'TEXT'
#include <kcapsule/sdk.h>
KC_MODULE(.name = "stranger", .version = "1.0");
KC_MODULE_ENTRY(NULL, 0);
TEXT
check "a module builds with the installed SDK" $KC_CC -std=c11 -Wall -Wextra \
    -Werror -fPIC -shared $(ask --cflags kcapsule-sdk) \
    -o "$tmp/stranger.so" "$tmp/module.c"

cat >"$tmp/application.c" <<'TEXT'
#include <kcapsule/kcapsule.h>
int main(void) { return 0; }
TEXT
check "an application builds with the installed library" $KC_CC -std=c11 \
    -Wall -Wextra -Werror $(ask --cflags kcapsule) -o "$tmp/application" \
    "$tmp/application.c" $(ask --libs kcapsule)

cp -r "$KC_DOC_DIR"/template "$tmp/provider"
chmod -R go-w "$tmp"
check "the installed template builds and passes its test" \
    make -C "$tmp/provider" acme.so check CC="$KC_CC"
runs "the installed command inspects it" 0 \
    "$KCAPSULE" inspect "$tmp/provider/acme.so"
finish
