#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# The printed examples that the project took over, to the letter.

. "${KC_SRCDIR:?}/tests/tap.sh"

cd "$KC_SRCDIR/tests/graphs" || exit 99

prints "plan of two operations" 0 "matmul -> reference.matmul
  provider reference, trust checked
  reduction fixed-left
  value: covered by test suite modules.reference.values
relu -> reference.relu
  provider reference, trust checked
  reduction n/a
  value: covered by test suite modules.reference.values" \
    "$KCAPSULE" plan -p checked_cpu matmul relu

fails "operations without a capsule" 1 \
    "no admissible kernel capsule for op selective_scan on device cpu
no admissible kernel capsule for op fft_fno on device cpu" \
    "$KCAPSULE" plan -p checked_cpu selective_scan fft_fno

attention=scaled_dot_product_attention
prints "attention under checked_cuda" 0 \
    "checked_cuda: torchlean.composed_attention" \
    "$KCAPSULE" plan -p checked_cuda --names $attention
prints "attention under libtorch_forward_cuda" 0 \
    "libtorch_forward_cuda: libtorch.sdpa_forward" \
    "$KCAPSULE" plan -p libtorch_forward_cuda --names $attention
prints "attention under libtorch_forward_strict" 0 \
    "libtorch_forward_strict: native_cuda.direct_attention" \
    "$KCAPSULE" plan -p libtorch_forward_strict --names $attention
fails "only instead of prefer" 1 \
    "no admissible kernel capsule for op $attention on device cuda" \
    "$KCAPSULE" plan -p libtorch_forward_strict --provider only:libtorch \
    $attention

prints "a trusted boundary under checked" 1 \
    "checked: rejected libtorch.sdpa_forward value
  trusted boundary: LibTorch/CUDA SDPA implementation" \
    "$KCAPSULE" check -p libtorch_forward_cuda --assurance checked $attention
prints "a trusted boundary under external" 0 "external: accepted" \
    "$KCAPSULE" check -p libtorch_forward_cuda --assurance external $attention

# mlp_rows PROVIDER: the plan of the small network.
mlp_rows()
{
    cat <<TEXT
nodes 18, planned 13
  1 reshape [4] [1, 4] -> $1.reshape
  3 transpose 0 1 -> $1.permute
  4 matmul -> $1.matmul
  6 broadcast_to [8] [1, 8] -> $1.broadcast
  7 add -> $1.add
  8 reshape [1, 8] [8] -> $1.reshape
  9 relu -> $1.relu
  10 reshape [8] [1, 8] -> $1.reshape
  12 transpose 0 1 -> $1.permute
  13 matmul -> $1.matmul
  15 broadcast_to [1] [1, 1] -> $1.broadcast
  16 add -> $1.add
  17 reshape [1, 1] [1] -> $1.reshape
TEXT
}
prints "plan of a graph" 0 "$(mlp_rows reference)" \
    "$KCAPSULE" plan -p checked_cpu --graph mlp_4_8_1.json
prints "the same graph for CUDA, on any machine" 0 "$(mlp_rows native_cuda)" \
    "$KCAPSULE" plan -p checked_cuda --graph mlp_4_8_1.json

prints "groups of one" 0 "kernels 13, groups 13
  #[1] reshape reference.reshape
  #[3] permute reference.permute
  #[4] matmul reference.matmul
  #[6] broadcast reference.broadcast
  #[7] add reference.add
  #[8] reshape reference.reshape
  #[9] relu reference.relu
  #[10] reshape reference.reshape
  #[12] permute reference.permute
  #[13] matmul reference.matmul
  #[15] broadcast reference.broadcast
  #[16] add reference.add
  #[17] reshape reference.reshape" \
    "$KCAPSULE" plan -p checked_cpu --graph mlp_4_8_1.json --groups
prints "one group of three" 0 "kernels 3, groups 1
  #[1, 2, 3] relu reference.relu" \
    "$KCAPSULE" plan -p checked_cpu --graph relu_chain.json --groups

prints "the gate on a graph" 0 "accepted under checked
13 rows, distinct capsules:
  reference.reshape
  reference.permute
  reference.matmul
  reference.broadcast
  reference.add
  reference.relu" \
    "$KCAPSULE" check -p checked_cpu --graph mlp_4_8_1.json

mocks=$KC_BUILDDIR/tests/mocks/.libs
fails "two modules of one name in one contribution" 2 \
    "duplicate backend capsule module \`libtorch\`" \
    "$KCAPSULE" plan -p checked_cpu --module "$mocks/two_libtorch_a.so" \
    --module "$mocks/two_libtorch_b.so" matmul
fails "a capsule with a value claim in its shape field" 1 \
    "no admissible kernel capsule for op $attention on device cpu" \
    "$KCAPSULE" plan -p checked_cpu --module "$mocks/misaligned.so" $attention
finish
