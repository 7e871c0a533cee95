#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# No code of a module runs before execution: a module whose constructor leaves a
# mark is listed, inspected, planned and audited without one, and leaves one
# when it is run.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

module=$mocks/marker.so
export KC_TEST_MARK=$tmp/mark
mkdir -m 755 "$tmp/modules"
cp "$module" "$tmp/modules/"
folder=(--module-path "$tmp/modules")
cat >"$tmp/marked.ini" <<'TEXT'
[profile]
name = marked
extends = checked_cpu
provider = only:acme
[availability]
providers = acme
[modules]
prepend = marker
TEXT

# untouched NAME COMMAND...: it succeeds, and no mark is there.
untouched()
{
    local name=$1
    shift
    runs "$name" 0 "$KCAPSULE" "$@"
    check "$name: no code ran" test ! -e "$KC_TEST_MARK"
}

untouched "modules" modules --verbose "${folder[@]}"
contains "it is listed" "$(cat "$out")" marker
untouched "inspect by name" inspect marker "${folder[@]}"
untouched "inspect by file" inspect "$module"
untouched "inspect a capsule" inspect marker.relu "${folder[@]}"
untouched "profiles" profiles "${folder[@]}"
planning=(-p "$tmp/marked.ini" "${folder[@]}")
untouched "plan" plan "${planning[@]}" relu
contains "it is planned" "$(cat "$out")" "relu -> marker.relu"
untouched "plan --explain" plan "${planning[@]}" --explain relu
untouched "plan --full" plan "${planning[@]}" --graph "$chain" --full
untouched "check of an operation" check "${planning[@]}" relu
untouched "check of a graph" check "${planning[@]}" --graph "$chain"
contains "it is audited" "$(cat "$out")" marker.relu
untouched "prepended by its file" plan -p checked_cpu --module "$module" relu

{ npy "(4,)"; floats 1 -1 0 2; } >"$tmp/x.npy"
runs "run" 0 "$KCAPSULE" run "${planning[@]}" --graph "$chain" \
    --input x="$tmp/x.npy"
check "run: now its code ran" test -e "$KC_TEST_MARK"

# A handler of a stranger never serves another module's capsule.
stranger=$mocks/stranger_matmul.so
rm -f "$KC_TEST_MARK"
runs "a stranger's handler for a capsule of reference" 0 "$KCAPSULE" run \
    -p checked_cpu --module "$stranger" --graph "$digits/digits_mlp.json" \
    --weights "$digits/digits_mlp.safetensors" \
    --input images="$digits/digits_test_images.npy" \
    --output logits="$tmp/out.npy"
check "does not run" test ! -e "$KC_TEST_MARK"
check "the reference's own does" cmp "$tmp/out.npy" \
    "$digits/digits_mlp_logits_fixed_left.npy"

# Not even when the stranger's own capsule is chosen and the module is opened.
cat >"$tmp/stranger.ini" <<'TEXT'
[profile]
name = stranger
extends = checked_cpu
provider = prefer:acme
vjp = none
[availability]
providers = acme, reference, torchlean
TEXT
rm -f "$KC_TEST_MARK"
run "$KCAPSULE" run -p "$tmp/stranger.ini" \
    --module "$stranger" --graph "$digits/digits_mlp.json" \
    --weights "$digits/digits_mlp.safetensors" \
    --input images="$digits/digits_test_images.npy" \
    --output logits="$tmp/never.npy"
is "opening it is refused" "$status" 3
contains "naming both capsule and provider" "$(cat "$err")" \
    'acme.matmul`: expected provider acme, found reference'
check "no handler of it ran" test ! -e "$KC_TEST_MARK"
check "there is no output" test ! -e "$tmp/never.npy"

finish
