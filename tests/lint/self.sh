#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# The lint tests find what they are for: each rule is broken once in a small tree
# and must be reported there.

. "${KC_SRCDIR:?}/tests/tap.sh"

tree=$tmp/tree
build=$tmp/build
mkdir -p "$tree"/{runtime/{base,plan,api,cli,include/kcapsule},modules/mean,m4} \
    "$tree"/{sdk/include/kcapsule,examples,tests/{unit,lint}} \
    "$build"/{runtime/{base,api}/.libs,modules/.libs,modules/mean/.libs}
cp "$KC_SRCDIR"/tests/tap.sh "$tree/tests/"
cp "$KC_SRCDIR"/tests/lint/*.sh "$tree/tests/lint/"
cp "$KC_SRCDIR/runtime/LAYERS" "$tree/runtime/"
echo "global runtime/base/gone.c:x no longer needed" >"$tree/tests/lint/exempt.txt"

write() { cat >"$tree/$1"; }

head_line='/* SPDX-License-Identifier: Apache-2.0 */'
write runtime/base/low.c <<'TEXT'
#include "plan/plan.h"
#include <stdio.h>
#include <stdlib.h>
int count;
const int table[2] = {1, 2};
static const char *const names[] = {"a", "b"};
static _Thread_local int depth;
const char *low(int idx)
{
    count += idx + depth++;
    puts(names[idx]);
    if (idx > 7) {
        abort();
    }
    return names[idx];
}
TEXT
{ printf '%s\nint f(void);\nint f(void)\n{\n' "$head_line"
    yes '    ;' | head -n 59
    printf '    return 0;\n}\n'
    yes '' | head -n 400; } >"$tree/runtime/base/long.c"
echo "no licence" | write runtime/base/helpers.c
printf '#include "base/low.h"\n' | write runtime/cli/main.c
printf '#include <kcapsule/runtime.h>\n' | write modules/mean/mean.c
printf '#include "plan/plan.h"\n' | write examples/example.c
printf '#include <unistd.h>\n' | write sdk/include/kcapsule/sdk.h
printf 'KC_API int kc_one(int a,\n    int b);\nKC_API void kc_two(void);\n' |
    write runtime/include/kcapsule/runtime.h
printf '{\n  global:\n    kc_one;\n  local:\n    *;\n};\n' |
    write runtime/api/libkcapsule.map

compile() { $KC_CC -fPIC -O0 "$@" 2>&1; }

mkdir -p "$tmp/stub/plan"
: >"$tmp/stub/plan/plan.h"
compile -c "$tree/runtime/base/low.c" -I"$tmp/stub" \
    -o "$build/runtime/base/.libs/low.o"
echo 'int kc_one(void){return 1;} int stray(void){return 2;}' >"$tmp/library.c"
mkdir -p "$build/runtime/.libs"
compile -shared "$tmp/library.c" -o "$build/runtime/.libs/libkcapsule.so"
compile -shared "$tmp/library.c" -o "$build/modules/.libs/mean.so"
echo 'float f(float a, float b, float c){return __builtin_fmaf(a * b, b, c);}' \
    >"$tmp/fused.c"
[ "$(uname -m)" != x86_64 ] ||
    compile -shared -mfma "$tmp/fused.c" -o "$build/modules/.libs/reference.so"

# lint SCRIPT: its output over the broken tree.
lint()
{
    found=$(env KC_SRCDIR="$tree" KC_BUILDDIR="$build" KC_SANITIZERS= \
        bash "$tree/tests/lint/$1" 2>&1)
}

lint layers.sh
for place in runtime/base/low.c:1 runtime/cli/main.c:1 modules/mean/mean.c:1 \
    examples/example.c:1 sdk/include/kcapsule/sdk.h:1; do
    contains "layers: $place" "$found" "# $place"
done
lint sources.sh
for line in "runtime/base/long.c: 46" "runtime/base/long.c:f: 62" \
    "runtime/base/low.c" "modules/mean/README.md is missing" \
    "runtime/base/helpers.c"; do
    contains "sources: $line" "$found" "# $line"
done
is "sources: every rule was broken" "$(grep -c '^ok' <<<"$found")" 0
lint objects.sh
for symbol in count depth puts abort low table; do
    contains "objects: $symbol" "$found" "# runtime/base/low.c:$symbol"
done
is "objects: constants may be relocated" "$(grep -c ':names' <<<"$found")" 0
lint exports.sh
contains "exports: a stray symbol" "$found" "# stray"
contains "exports: a function missing from the map" "$found" "# kc_two"
contains "exports: a module with two symbols" "$found" "not ok 3 - mean.so"
lint exempt.sh
contains "exempt: a file that is gone" "$found" "# global: no such file"
if [ "$(uname -m)" = x86_64 ]; then
    lint contraction.sh
    contains "contraction: a fused instruction" "$found" "vfmadd"
else
    skip "contraction: a fused instruction" "x86-64 only"
fi
finish
