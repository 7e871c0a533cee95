#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# LibTorch in the build, not in the build, and in the build but not on the
# machine: what is said, when, and that everything else works.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

cd "$tmp" || exit 99
{ npy "(4,)"; floats 1 -1 0 2; } >x.npy
run_it=(run --graph "$chain" --input x=x.npy)
for module in reference attention native_cuda libtorch; do
    cp "$KC_BUILDDIR/modules/.libs/$module.so" . || exit 99
done
mkdir -m 755 modules
mv ./*.so modules
export KCAPSULE_MODULE_PATH=$tmp/modules

runs "inspect" 0 "$KCAPSULE" inspect modules/libtorch.so
inspected=$(cat "$out")
prints "planned in any build" 0 "libtorch_cpu: libtorch.relu" \
    "$KCAPSULE" plan -p libtorch_cpu --names relu

if [ "${KC_HAVE_LIBTORCH:-0}" != 1 ]; then
    contains "inspect says what it lacks" "$inspected" "contracts only"
    ends 3 "a run ends at binding" "was built without handlers: contracts only" \
        "${run_it[@]}" -p libtorch_cpu --output y=y.npy
    check "and leaves no output" test ! -e y.npy
    runs "the reference runs" 0 "$KCAPSULE" "${run_it[@]}" -p checked_cpu
    finish
    exit 0
fi

runs "LibTorch runs" 0 "$KCAPSULE" "${run_it[@]}" -p libtorch_cpu \
    --output y=torch.npy --record record.json
contains "and is recorded" "$(cat record.json)" '"libtorch.relu"'
runs "the reference runs" 0 "$KCAPSULE" "${run_it[@]}" -p checked_cpu \
    --output y=reference.npy
check "the same bytes" cmp torch.npy reference.npy
prints "rejected where only checked kernels count" 1 \
    "checked: rejected libtorch.relu value
  trusted boundary: LibTorch/CPU ATen implementation" \
    "$KCAPSULE" check -p libtorch_cpu --assurance checked relu

# The same file needing a library of a name that no machine has.
LC_ALL=C sed 's/libtorch_cpu\.so/libtorch_not.so/g' modules/libtorch.so >changed
cat changed >modules/libtorch.so
runs "inspect reads bytes only" 0 "$KCAPSULE" inspect modules/libtorch.so
contains "and names what is needed" "$(cat "$out")" "libtorch_not.so"
prints "planned all the same" 0 "libtorch_cpu: libtorch.relu" \
    "$KCAPSULE" plan -p libtorch_cpu --names relu
ends 3 "a run ends at binding, naming the file" "$tmp/modules/libtorch.so" \
    "${run_it[@]}" -p libtorch_cpu --output y=y.npy
contains "and what the dynamic linker says" "$(cat "$err")" \
    "libtorch_not.so"
check "and leaves no output" test ! -e y.npy
runs "the reference runs beside it" 0 "$KCAPSULE" "${run_it[@]}" \
    -p libtorch_cpu --provider prefer:reference --output y=again.npy
check "the same bytes again" cmp again.npy reference.npy
finish
