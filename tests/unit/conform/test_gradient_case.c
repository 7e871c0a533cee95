/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of gradients: the same from the same seed, small enough, a cotangent
 * that the type holds; and when two gradients are the same.
 */
#include "conform/gradient_case.h"

#include <math.h>
#include <string.h>

#include "unit/conform/gradient_stage.h"
#include "unit/conform/suites.h"
#include "unit/expect.h"

static void make(int32_t op, int32_t dtype, uint64_t seed,
                 kci_gradient_case_t *out)
{
    kc_error_t error = KC_ERROR_INIT;
    EXPECT_OK(error, kci_gradient_case_create(op, dtype, seed, out, &error));
}

START_TEST(every_operation_has_small_ones)
{
    for (int32_t op = KC_OP_BERNOULLI_MASK + 1; op < KC_OP_COUNT; op++) {
        for (uint64_t seed = 50; seed < 70; seed++) {
            int32_t dtype = seed % 2 == 0 ? KC_DTYPE_F32 : KC_DTYPE_F64;
            kci_gradient_case_t one;
            bool has_wanted = false;
            make(op, dtype, seed, &one);
            ck_assert_int_le(one.output.count, KCI_GRADIENT_OUTPUTS_MAX);
            ck_assert_int_eq(one.cotangent.ndim, one.output.rank);
            ck_assert_int_eq(kc_tensor_element_count(&one.cotangent),
                             one.output.count);
            ck_assert_int_eq(kc_tensor_dtype(&one.cotangent), dtype);
            for (size_t i = 0; i < one.trial->input_count; i++) {
                has_wanted = has_wanted || one.wanted[i];
            }
            ck_assert(has_wanted);
            ck_assert_int_eq(kci_case_changed_input(one.trial), -1);
            kci_gradient_case_release(&one);
            ck_assert_ptr_null(one.trial);
        }
    }
}
END_TEST

/* What differences multiply with is to the bit what the tape is given. */
START_TEST(the_cotangent_is_exact)
{
    for (int32_t dtype = KC_DTYPE_F32; dtype <= KC_DTYPE_F64; dtype++) {
        kci_gradient_case_t one;
        kc_error_t error = KC_ERROR_INIT;
        kci_array_t array;
        double largest = 0;
        make(KC_OP_MATMUL, dtype, 61, &one);
        EXPECT_OK(error, kci_array_read(&one.cotangent, &array, &error));
        ck_assert_int_gt(array.count, 0);
        for (int64_t i = 0; i < array.count; i++) {
            ck_assert_double_eq(array.values[i], one.cotangent_values[i]);
            largest = fmax(largest, fabs(array.values[i]));
        }
        ck_assert_double_eq(largest, one.largest_cotangent);
        ck_assert(largest > 0 && largest <= 1);
        kci_array_release(&array);
        kci_gradient_case_release(&one);
    }
}
END_TEST

START_TEST(same_seed_same_case)
{
    kci_gradient_case_t a;
    kci_gradient_case_t b;
    make(KC_OP_CONV, KC_DTYPE_F32, 71, &a);
    make(KC_OP_CONV, KC_DTYPE_F32, 71, &b);
    ck_assert_int_eq(a.output.count, b.output.count);
    ck_assert_int_gt(a.output.count, 0);
    ck_assert_mem_eq(a.cotangent_values, b.cotangent_values,
                     (size_t)a.output.count * sizeof(double));
    ck_assert_mem_eq(a.output.values, b.output.values,
                     (size_t)a.output.count * sizeof(double));
    kci_gradient_case_release(&a);
    kci_gradient_case_release(&b);
}
END_TEST

START_TEST(a_call_has_what_the_case_has)
{
    static const bool wanted[KCI_CASE_INPUT_MAX] = {false, true};
    kci_gradient_case_t one;
    make(KC_OP_MUL, KC_DTYPE_F32, 80, &one);
    kci_gradient_call_t call = kci_gradient_case_call(&one, wanted);
    ck_assert_int_eq(call.op, KC_OP_MUL);
    ck_assert_ptr_eq(call.attributes, &one.trial->attributes);
    ck_assert_ptr_eq(call.inputs, one.trial->inputs);
    ck_assert_uint_eq(call.input_count, 2);
    ck_assert_ptr_eq(call.cotangent, &one.cotangent);
    ck_assert_ptr_eq(call.wanted, wanted);
    kci_gradient_case_release(&one);
}
END_TEST

static kc_tensor_t *tensor_of(kc_runtime_t *runtime, int64_t count,
                              const float *values)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_tensor_t *tensor = NULL;
    EXPECT_OK(error, kc_tensor_create(runtime, KC_DTYPE_F32, 1, &count, &tensor,
                                      &error));
    memcpy(kc_tensor_data(kc_tensor_view(tensor)), values,
           (size_t)count * sizeof *values);
    return tensor;
}

START_TEST(the_same_bits)
{
    static const float plain[] = {1, 0, 3};
    static const float negative_zero[] = {1, -0.0f, 3};
    static const float next[] = {1, 0, 3.0000002f};
    static const float not_a_number[] = {1, NAN, 3};
    gradient_stage_t stage;
    gradient_stage_begin(&stage);
    kc_tensor_t *tensors[] = {tensor_of(stage.runtime, 3, plain),
                              tensor_of(stage.runtime, 3, negative_zero),
                              tensor_of(stage.runtime, 3, next),
                              tensor_of(stage.runtime, 3, not_a_number),
                              tensor_of(stage.runtime, 2, plain),
                              tensor_of(stage.runtime, 0, plain)};
    size_t count = sizeof tensors / sizeof *tensors;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            ck_assert_msg(kci_gradient_is_same(tensors[i], tensors[k]) ==
                              (i == k),
                          "%d and %d", (int)i, (int)k);
        }
    }
    for (size_t i = 0; i < count; i++) {
        kc_tensor_release(tensors[i]);
    }
    gradient_stage_end(&stage);
}
END_TEST

CONFORM_SUITE(gradient_case, every_operation_has_small_ones,
              the_cotangent_is_exact, same_seed_same_case,
              a_call_has_what_the_case_has, the_same_bits)
