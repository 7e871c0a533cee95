#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Why nothing was found is told for every candidate; a provider that was chosen
# and cannot run ends the run; one provider more takes none away.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

cd "$tmp" || exit 99
mkdir -m 755 modules
{ npy "(4,)"; floats 1 -1 0 2; } >x.npy
attention=scaled_dot_product_attention

# Kernels that are hard to please: attention of rank 4, softmax with 32-bit
# indices. Contracts only, so nothing of it is ever loaded.
cat >picky.c <<'TEXT'
#include <kcapsule/sdk.h>
KC_MODULE(.name = "picky", .version = "1.0", .flags = KC_MODULE_CONTRACTS_ONLY);
#define CAPSULE(label, operation, ...)                                         \
    {.struct_size = sizeof(kc_capsule_record_t), .op = operation,              \
     .name = label, .provider = "acme", .supports_forward = 1,                 \
     .shape = KC_SHAPE_GUARD(operation, "shape", ""),                          \
     .layout = KC_LAYOUT_GUARD(operation, KC_LAYOUT_CANONICAL_TENSOR,          \
                               "layout", ""),                                  \
     .value = KC_VALUE_SUITE(operation, "tests.cli.choice", ""),               \
     .vjp = KC_NO_VJP(operation, ""),                                          \
     .numerics = {.reduction = KC_REDUCTION_IMPLEMENTATION_DEFINED},           \
     .limits = __VA_ARGS__}
KC_CAPSULES(CAPSULE("picky.attention", KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
                    {.ranks = 1u << 4}),
            CAPSULE("picky.softmax", KC_OP_SOFTMAX, {.index_bits = 32}));
KC_MODULE_ENTRY(NULL, 0);
TEXT
check "a picky module builds" $KC_CC -std=c11 -fPIC -shared \
    -I"$KC_SRCDIR/sdk/include" -o modules/picky.so picky.c
cat >picky.ini <<'TEXT'
[profile]
name = picky
extends = checked_cpu
provider = only:acme
vjp = none
[availability]
providers = acme, reference
[modules]
prepend = picky
TEXT
picky=(-p picky.ini --module-path modules)
qkv=$(for id in 0 1 2; do
    printf '{"id": %d, "op": "input", "shape": [2, 3, 4], "name": "%s"},\n' \
        $id ${id/0/q}
done | sed 's/"1"/"k"/; s/"2"/"v"/')
graph "$qkv
{\"id\": 3, \"op\": \"$attention\", \"parents\": [0, 1, 2], \"shape\": [2, 3, 4]}" \
    3 >rank3.json
ends 1 "attention of rank 3" \
    "no admissible kernel capsule for op $attention on device cpu" \
    plan "${picky[@]}" --graph rank3.json
runs "explained" 1 "$KCAPSULE" plan "${picky[@]}" --graph rank3.json --explain
text=$(cat "$out")
contains "the kernel of rank 4 lost by its rank" "$text" \
    "picky.attention                 rank_not_supported: wanted rank 3"
contains "the kernels for CUDA by their device" "$text" \
    "native_cuda.direct_attention    device_unavailable"
contains "the one of another profile by its availability" "$text" \
    "native_cpu.streaming_attention  provider_unavailable"
contains "the reference by its provider" "$text" \
    "reference.attention             provider_not_accepted: wanted provider acme"
contains "the failure is on stderr" "$(cat "$err")" "no admissible"
runs "as JSON" 1 "$KCAPSULE" plan "${picky[@]}" --graph rank3.json --format json
is "the same candidates with the same reasons" \
    "$(grep -c '"reason":' "$out"), $(grep '"reason":' "$out" | sort -u |
        sed -E 's/.*: "(.*)",/\1/' | tr '\n' ' ')" \
    "5, device_unavailable provider_not_accepted provider_unavailable rank_not_supported "

graph '{"id": 0, "op": "input", "shape": [65536, 65537], "name": "x"},
{"id": 1, "op": "softmax", "attrs": {"axis": 1}, "parents": [0],
 "shape": [65536, 65537]}' 1 >large.json
runs "more elements than 32 bits count" 1 "$KCAPSULE" plan "${picky[@]}" \
    --graph large.json --explain
contains "too many elements" "$(cat "$out")" "picky.softmax        too_many_elements"

runs "check of what was not planned" 1 "$KCAPSULE" check "${picky[@]}" \
    --graph rank3.json --format json
contains "has the plan as JSON" "$(cat "$out")" '"failed": 1'

# Strict means error.
run_it=(run --graph "$chain" --input x=x.npy)
ends 3 "CUDA only, without CUDA" "native_cuda.relu" "${run_it[@]}" \
    -p checked_cuda --provider only:native_cuda --output y=y.npy
check "leaves no output" test ! -e y.npy
ends 1 "CUDA kernels on the cpu, strict" "no admissible" \
    plan -p checked_cpu --provider only:native_cuda relu
runs "CUDA preferred on the cpu" 0 "$KCAPSULE" "${run_it[@]}" -p checked_cpu \
    --provider prefer:native_cuda --record r.json
is "says who ran" "$(tr -d " " <r.json | grep "^\"provider\"" | sort -u | tr -d "\n")" \
    '"provider":"prefer:native_cuda","provider":"reference",'
contains "and why CUDA did not" "$(cat r.json)" '"reason": "device_unavailable"'
is "and nothing else says CUDA" "$(grep -c -i cuda "$out")" 1

# A chosen provider that cannot be bound ends the run, naming file and reason.
profile_for()
{
    cp "$mocks/$1.so" modules/
    sed "s/prefer:.*/prefer:acme/; s/only:acme/prefer:acme/; s/= picky/= $1/" \
        picky.ini >"$1.ini"
}
for fault in init_fails forward_fails undefined_symbol null_entry; do
    profile_for $fault
    ends 3 "$fault" "$fault" "${run_it[@]}" -p $fault.ini \
        --module-path modules --output y=y.npy
    check "$fault leaves no output" test ! -e y.npy
done
profile_for forward_exits
ends 3 "a kernel that ends the process" "a module ended the process" \
    "${run_it[@]}" -p forward_exits.ini --module-path modules --output y=y.npy
check "is no success and leaves no output" test ! -e y.npy
profile_for init_fails
run "$KCAPSULE" "${run_it[@]}" -p init_fails.ini --module-path modules
contains "the module's own reason" "$(cat "$err")" "no licence"
run "$KCAPSULE" "${run_it[@]}" -p undefined_symbol.ini --module-path modules
contains "the missing symbol is named" "$(cat "$err")" kc_mock_missing_function

# One provider more: what it does not have still comes from the default.
cp "$mocks/good.so" modules/
cat >acme.ini <<'TEXT'
[profile]
name = acme_cpu
extends = checked_cpu
provider = prefer:acme
[availability]
providers = acme, reference, torchlean
[modules]
prepend = acme
TEXT
prints "one provider more" 0 "acme_cpu: acme.relu, reference.matmul" \
    "$KCAPSULE" plan -p acme.ini --module-path modules --names relu matmul
sed 's/providers = .*/providers = acme/' acme.ini >alone.ini
ends 1 "taking the default away is explicit" \
    "no admissible kernel capsule for op matmul on device cpu" \
    plan -p alone.ini --module-path modules matmul
runs "and explained" 1 "$KCAPSULE" plan -p alone.ini --module-path modules \
    --explain matmul
contains "by the profile" "$(cat "$out")" \
    "reference.matmul    provider_unavailable: wanted available providers acme"

# --module puts a module first and changes nothing else.
prints "a stranger's module alone is not enough" 0 "checked_cpu: reference.relu" \
    "$KCAPSULE" plan -p checked_cpu --module modules/good.so --names relu
run "$KCAPSULE" plan -p checked_cpu --module modules/good.so --explain relu
contains "and --explain says why" "$(cat "$out")" \
    "acme.relu         provider_unavailable"

# What a trusted boundary is: selectable, then refused.
cp "$mocks/checked_boundary.so" modules/
sed 's/= acme$/= checked_boundary/; s/name = .*/name = boundary/' acme.ini \
    >boundary.ini
prints "a checked label over a trusted boundary is planned" 0 \
    "boundary: checked_boundary.relu" \
    "$KCAPSULE" plan -p boundary.ini --module-path modules --names relu
runs "and refused by the gate" 1 "$KCAPSULE" check -p boundary.ini \
    --module-path modules --graph "$chain"
contains "with its evidence" "$(cat "$out")" "the vendor's word"
runs "and does not run" 1 "$KCAPSULE" "${run_it[@]}" -p boundary.ini \
    --module-path modules --output y=y.npy
contains "for that reason" "$(cat "$err")" "the vendor's word"
check "nor leave an output" test ! -e y.npy
runs "unless the policy is external" 0 "$KCAPSULE" "${run_it[@]}" \
    -p boundary.ini --module-path modules --assurance external
finish
