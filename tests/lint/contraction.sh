#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# The reference module promises a product rounded before it is added: no fused
# multiply-add instruction may be in it, whatever the compiler thought.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/lint/lint.sh"

module=$KC_BUILDDIR/modules/.libs/reference.so
[ "$(uname -m)" = x86_64 ] || skip_all "reads x86-64 instructions only"
[ -e "$module" ] || skip_all "no $module"
fused='\bvfn?m(add|sub|addsub|subadd)[0-9]*[ps][sd]\b'
"$objdump" -d --no-show-raw-insn "$module" >"$tmp/code"
check "the module has code to look at" grep -qE '\bmulss\b|\bv?mulps\b' "$tmp/code"
none "no fused multiply-add in reference.so" "$(grep -E "$fused" "$tmp/code" | head)"
finish
