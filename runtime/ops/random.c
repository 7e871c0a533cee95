/* SPDX-License-Identifier: Apache-2.0
 *
 * Random sources and the keys of their streams. The value of an element
 * depends on the key and its row-major index only. Generator: splitmix64,
 * Steele, Lea, Flood 2014.
 */
#include "ops/entries.h"

#include "ops/rule.h"

static uint64_t splitmix64(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t kci_random_key(uint64_t seed, uint64_t counter)
{
    return splitmix64(seed + counter);
}

static kc_status_t infer_random(const kci_op_request_t *request,
                                kc_attributes_t *attributes,
                                kci_tensor_type_t *out_type, kc_error_t *error)
{
    const kc_random_attributes_t *random = &attributes->u.random;
    return kci_rule_target(request, random->rank, random->shape,
                           &out_type->shape, error);
}

/* The reader of shapes writes a rank and the extents after it. */
_Static_assert(offsetof(kc_random_attributes_t, shape) -
                       offsetof(kc_random_attributes_t, rank) ==
                   offsetof(kc_shape_attributes_t, shape) -
                       offsetof(kc_shape_attributes_t, rank),
               "rank and shape lie as in kc_shape_attributes_t");

static const kci_attribute_info_t random_attributes[] = {
    {"shape", KCI_ATTRIBUTE_SHAPE, offsetof(kc_attributes_t, u.random.rank),
     NULL, NULL, "shape of the result"},
    {"seed", KCI_ATTRIBUTE_SEED, offsetof(kc_attributes_t, u.random.seed), "0",
     NULL, "64 bits; with the place in the step it gives the key"},
};

static const char *const keep_names[] = {"keep_probability"};
static const kci_operand_kind_t keep_kinds[] = {KCI_OPERAND_FLOAT_SCALAR};

const kci_op_info_t kci_op_rand_uniform = {
    .op = KC_OP_RAND_UNIFORM,
    .attributes = random_attributes,
    .attribute_count = 2,
    .doc = "uniform float32 values in [0, 1], a function of key and index",
    .infer = infer_random,
};

const kci_op_info_t kci_op_bernoulli_mask = {
    .op = KC_OP_BERNOULLI_MASK,
    .input_min = 1,
    .input_max = 1,
    .input_names = keep_names,
    .input_kinds = keep_kinds,
    .attributes = random_attributes,
    .attribute_count = 2,
    .doc = "1 with the given probability and 0 otherwise",
    .infer = infer_random,
};
