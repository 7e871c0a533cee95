/* SPDX-License-Identifier: Apache-2.0
 *
 * The table itself: every entry is a call that the catalogue takes, with an
 * output of the shape that it says, and no operation with a kink is missing.
 */
#include <string.h>

#include <kcapsule/kcapsule.h>
#include "conform/kink.h"
#include "conform/oracle.h"
#include "unit/conform/suites.h"
#include "unit/expect.h"

static int64_t product(int64_t rank, const int64_t *shape)
{
    return kci_extent_product(shape, 0, rank);
}

START_TEST(entries_fit)
{
    ck_assert_uint_gt(kci_kink_count(), 0);
    for (size_t i = 0; i < kci_kink_count(); i++) {
        const kci_kink_t *kink = kci_kink(i);
        ck_assert_int_gt(kink->op, KC_OP_BERNOULLI_MASK);
        ck_assert_int_lt(kink->op, KC_OP_COUNT);
        ck_assert(kink->name != NULL && kink->name[0] != '\0');
        ck_assert(kink->input_count >= 1 &&
                  kink->input_count <= KCI_KINK_INPUTS);
        ck_assert_int_le(product(kink->rank, kink->shape), KCI_KINK_ELEMENTS);
        ck_assert_int_le(product(kink->out_rank, kink->out_shape),
                         KCI_KINK_ELEMENTS);
        ck_assert(!kink->second_is_mask || kink->input_count == 2);
        for (size_t k = 0; k < i; k++) {
            ck_assert(kci_kink(k)->op != kink->op ||
                      strcmp(kci_kink(k)->name, kink->name) != 0);
        }
    }
}
END_TEST

static DLTensor view(double *numbers, int32_t rank, int64_t *shape)
{
    return (DLTensor){.data = numbers,
                      .device = {kDLCPU, 0},
                      .ndim = rank,
                      .dtype = {kDLFloat, 64, 1},
                      .shape = shape};
}

/* The forward of an entry, by the oracle. */
static void evaluate(const kci_kink_t *kink, kci_problem_t *out)
{
    kci_kink_t own = *kink;
    kc_error_t error = KC_ERROR_INIT;
    unsigned char mask[KCI_KINK_ELEMENTS];
    DLTensor views[KCI_KINK_INPUTS];
    const DLTensor *inputs[KCI_KINK_INPUTS];
    kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                  .op = kink->op};
    for (size_t i = 0; i < kink->input_count; i++) {
        views[i] = view(own.inputs[i], own.rank, own.shape);
        inputs[i] = &views[i];
    }
    for (int i = 0; i < KCI_KINK_ELEMENTS; i++) {
        mask[i] = kink->inputs[1][i] != 0;
    }
    if (kink->second_is_mask) {
        views[1].data = mask;
        views[1].dtype = (DLDataType){KC_DLPACK_BOOL, 8, 1};
    }
    if (kink->set_attributes != NULL) {
        kink->set_attributes(&attributes);
    }
    EXPECT_OK(error, kci_oracle_evaluate(kink->op, &attributes, inputs,
                                         kink->input_count, 0, out, &error));
}

START_TEST(outputs_have_their_shape)
{
    for (size_t i = 0; i < kci_kink_count(); i++) {
        const kci_kink_t *kink = kci_kink(i);
        kci_problem_t problem;
        evaluate(kink, &problem);
        ck_assert_msg(problem.rank == kink->out_rank, "%s: %s",
                      kc_op_label(kink->op), kink->name);
        for (int32_t axis = 0; axis < problem.rank; axis++) {
            ck_assert_int_eq(problem.shape[axis], kink->out_shape[axis]);
        }
        kci_problem_release(&problem);
    }
}
END_TEST

/* ops.md: what has a kink, a tie, or blocks something. */
START_TEST(none_is_missing)
{
    static const int32_t ops[] = {
        KC_OP_RELU, KC_OP_ABS,  KC_OP_CLAMP,    KC_OP_MAX,
        KC_OP_MIN,  KC_OP_SQRT, KC_OP_MAX_POOL, KC_OP_HARD_MASKED_SOFTMAX};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        int count = 0;
        for (size_t k = 0; k < kci_kink_count(); k++) {
            count += kci_kink(k)->op == ops[i];
        }
        ck_assert_msg(count > 0, "%s", kc_op_label(ops[i]));
    }
}
END_TEST

CONFORM_SUITE(kink_table, entries_fit, outputs_have_their_shape,
              none_is_missing)
