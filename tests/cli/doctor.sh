#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# What doctor finds: it loads each module in a process of its own, and tells a
# crash, an exit and silence apart.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

cd "$tmp" || exit 99
runs "a healthy installation" 0 "$KCAPSULE" doctor
contains "all well" "$(cat "$out")" "all well"
contains "with the handlers counted" "$(cat "$out")" " handlers"
is "nothing on stderr" "$(cat "$err")" ""
runs "as JSON" 0 "$KCAPSULE" doctor --format json
contains "the same" "$(cat "$out")" '"problems": 0'
if command -v jq >/dev/null; then
    check "which is JSON" jq -e . "$out"
else
    skip "which is JSON" "no jq"
fi

mkdir -m 755 modules
cp "$mocks"/{good,init_fails,undefined_symbol,handler_mismatch,wrong_major}.so \
    modules/

# mock NAME CODE: a module whose constructor does that.
mock()
{
    cat >"$1.c" <<TEXT
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <kcapsule/sdk.h>
KC_MODULE(.name = "$1", .version = "1.0");
KC_CAPSULES({.struct_size = sizeof(kc_capsule_record_t), .op = KC_OP_RELU,
             .name = "$1.relu", .provider = "acme", .supports_forward = 1,
             .shape = KC_SHAPE_GUARD(KC_OP_RELU, "shape", ""),
             .layout = KC_LAYOUT_GUARD(KC_OP_RELU, KC_LAYOUT_CANONICAL_TENSOR,
                                       "layout", ""),
             .value = KC_VALUE_SUITE(KC_OP_RELU, "tests.cli.doctor", ""),
             .vjp = KC_NO_VJP(KC_OP_RELU, ""),
             .numerics = {.reduction = KC_REDUCTION_NOT_APPLICABLE}});
static kc_status_t relu(const kc_call_t *call) { (void)call; return KC_OK; }
static const kc_handler_t handler = {.struct_size = sizeof handler,
    .op = KC_OP_RELU, .provider = "acme", .forward = relu};
static const kc_handler_t *const handlers[] = {&handler};
__attribute__((constructor)) static void at_load(void) { $2 }
__attribute__((destructor)) static void at_exit(void) { $3 }
KC_MODULE_ENTRY(handlers, 1);
TEXT
    $KC_CC -std=c11 -D_GNU_SOURCE -fPIC -shared \
        -I"$KC_SRCDIR/sdk/include" -o "modules/$1.so" "$1.c" || exit 99
}
mock crasher "raise(SIGSEGV);" ""
mock exiter "_exit(7);" ""
mock sleeper "sleep(60);" ""
mock late "" "signal(SIGSEGV, SIG_DFL); raise(SIGSEGV);"
mock talker 'puts("ok 1 - all well");' ""
mock reader "if (getchar() != EOF) { _exit(8); }" ""

start=$SECONDS
runs "an installation with broken modules" 1 "$KCAPSULE" doctor \
    --module-path modules
took=$((SECONDS - start))
text=$(cat "$out")
# finding NAME: the line of doctor about modules/NAME.so or module NAME.
finding() { grep -E "(modules/$1\.so|^  ok +$1 )" <<<"$text"; }
contains "a good module" "$(finding acme)" "ok"
contains "one whose open fails" "$(finding init_fails)" "no licence"
contains "one with a missing symbol" "$(finding undefined_symbol)" \
    kc_mock_missing_function
contains "one with a foreign handler" "$(finding handler_mismatch)" PROBLEM
contains "one of another version" "$(finding wrong_major)" "found 2.0"
contains "a crash" "$(finding crasher)" "crashed with signal 11"
contains "an exit" "$(finding exiter)" "ended the process with status 7"
contains "silence" "$(finding sleeper)" "did not answer within 20 seconds"
contains "a crash at exit" "$(finding late)" "crashed with signal 11"
is "what a module prints goes nowhere" "$(grep -c '^ok 1' <<<"$text")" 0
is "there is nothing for it to read" "$(finding reader | grep -c 'status 8')" 0
contains "the others are still well" "$(finding reference)" "ok"
check "the deadline is kept" test "$took" -lt 60
is "nothing is left running" "$(pgrep -f "$tmp/modules/sleeper.so")" ""

whole=${KCAPSULE_MODULE_PATH:-$("$KCAPSULE" modules --verbose |
    sed -n 's/^  \(.*\) (built-in).*/\1/p')}

# Two modules that bring OpenMP runtimes of their own, by whatever name.
omp_module()
{
    mkdir -p -m 755 lib "$1"
    echo 'int omp_get_max_threads(void) { return 1; }' >omp.c
    $KC_CC -fPIC -shared -Wl,-soname,"$3" -o "lib/$3" omp.c || exit 99
    $KC_CC -std=c11 -D_GNU_SOURCE -fPIC -shared -I"$KC_SRCDIR/sdk/include" \
        -Wl,--no-as-needed -Wl,-rpath,"$tmp/lib" -o "$1/$2.so" "$2.c" \
        "lib/$3" || exit 99
}
rm -rf modules
mkdir -m 755 modules
mock first "" ""
mock second "" ""
rm -rf modules
mkdir -m 755 empty
export KCAPSULE_MODULE_PATH=$tmp/empty
omp_module one first libone_omp.so
omp_module one second libone_omp.so
runs "modules with one OpenMP runtime" 1 "$KCAPSULE" doctor --module-path one
contains "it is named" "$(cat "$out")" "1 handler, OpenMP of libone_omp.so"
is "and no problem" "$(grep -c 'PROBLEM.*OpenMP' "$out")" 0
cp -r one two
omp_module two second libtwo_omp.so
both="modules in one process: expected one OpenMP runtime, found \
libone_omp.so (first) and libtwo_omp.so (second)"
runs "modules with one each" 1 "$KCAPSULE" doctor --module-path two
contains "are a problem together" "$(cat "$out")" "PROBLEM  $both"
runs "as JSON" 1 "$KCAPSULE" doctor --module-path two --format json
contains "the module's" "$(cat "$out")" '"openmp": ["libtwo_omp.so"]'
contains "the problem" "$(cat "$out")" "\"openmp_problem\": \"$both\""
export KCAPSULE_MODULE_PATH=$whole

# A profile without one of its modules works less than it says.
mkdir -m 755 part
cp "$whole/native_cuda.so" "$whole/attention.so" "$whole/libtorch.so" part/
printf 'not a module' >part/reference.so
export KCAPSULE_MODULE_PATH=relative:$tmp/part
runs "profiles without a module of theirs" 1 "$KCAPSULE" doctor
contains "are findings" "$(cat "$out")" \
    'PROBLEM  checked_cpu: without module `reference`, which is refused:'
contains "so is a path that is not searched" "$(cat "$out")" '`relative`'
is "and nothing is said twice" "$(cat "$err")" ""
runs "as JSON" 1 "$KCAPSULE" doctor --format json
contains "the profile" "$(cat "$out")" \
    '"name": "checked_cpu", "problem": "without module `reference`'

export KCAPSULE_MODULE_PATH=$tmp/none
runs "no module at all" 1 "$KCAPSULE" doctor
contains "is a problem" "$(cat "$out")" "no module was found"
is "said once" "$(cat "$err")" ""
finish
