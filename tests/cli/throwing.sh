#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# A module in C++ that breaks the rule that nothing is thrown: doctor, which
# loads each module in a process of its own, says so and lives.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

[ -z "${KC_SANITIZERS:-}" ] || skip_all "sanitizers report what is thrown first"
[ -n "${KC_CXX:-}" ] && command -v "${KC_CXX%% *}" >/dev/null ||
    skip_all "no C++ compiler"
cd "$tmp" || exit 99
mkdir -m 755 modules
cat >record.c <<'END'
#define _GNU_SOURCE
#include "mocks/mock.h"
KC_MODULE(MOCK_MODULE("throwing"));
KC_CAPSULES(MOCK_RELU("throwing.relu", "acme"));
kc_status_t throwing_open(const kc_host_t *, void **, kc_error_t *);
void throwing_close(void *);
static const kc_handler_t for_relu =
    MOCK_HANDLER(KC_OP_RELU, "acme", mock_relu);
static const kc_handler_t *const handlers[] = {&for_relu};
KC_MODULE_ENTRY_WITH(handlers, 1, .open = throwing_open,
                     .close = throwing_close);
END
cat >throwing.cpp <<'END'
#include <kcapsule/handler.h>
#include <stdexcept>
extern "C" kc_status_t throwing_open(const kc_host_t *, void **out_state,
                                     kc_error_t *)
{
    *out_state = nullptr;
    if (THROWS == 1) {
        throw std::runtime_error("thrown while it was opened");
    }
    return KC_OK;
}
extern "C" void throwing_close(void *)
{
    if (THROWS == 2) {
        throw std::runtime_error("thrown while it was closed");
    }
}
END
includes="-I$KC_SRCDIR/sdk/include -I$KC_SRCDIR/tests"
$KC_CC -std=c11 -fPIC -c record.c $includes -o record.o || exit 99

# built THROWS: the module that throws nowhere (0), when it is opened, closed.
built()
{
    $KC_CXX -std=c++17 -fPIC -DTHROWS="$1" -c throwing.cpp $includes \
        -o throwing.o &&
        $KC_CXX -shared -o modules/throwing.so record.o throwing.o || exit 99
}

built 0
runs "one that throws nothing" 0 "$KCAPSULE" doctor --module-path modules
contains "is well" "$(cat "$out")" "  ok       throwing"
for when in 1 2; do
    built $when
    runs "one that throws, $when" 1 "$KCAPSULE" doctor --module-path modules
    contains "is a problem, $when" "$(cat "$out")" \
        "modules/throwing.so: crashed with signal 6"
    contains "and the only one, $when" "$(cat "$out")" "1 problem"
done
finish
