/* SPDX-License-Identifier: Apache-2.0
 *
 * Records from JSON: defaults filled in, keys that nobody knows refused.
 */
#include "ops/attribute_table.h"

#include <math.h>
#include "unit/comma_locale.h"
#include "unit/expect.h"
#include "unit/ops/cases.h"
#include "unit/ops/suites.h"

static kc_attributes_t read(int32_t op, const char *inputs, const char *text)
{
    operand_list_t list;
    kc_attributes_t attributes;
    kc_error_t error = KC_ERROR_INIT;
    json_t *json = text == NULL ? NULL : json_loads(text, 0, NULL);
    operand_list_parse(&list, op, inputs);
    EXPECT_OK(error, kci_op_attributes_from_json(&list.request, json,
                                                 &attributes, &error));
    json_decref(json);
    return attributes;
}

START_TEST(conv_defaults)
{
    kc_attributes_t record = read(KC_OP_CONV, "f32[1,8,8] f32[1,1,3,3]", NULL);
    const kc_conv_attributes_t *conv = &record.u.conv;
    ck_assert_uint_eq(record.struct_size, sizeof record);
    ck_assert_int_eq(record.op, KC_OP_CONV);
    ck_assert_int_eq(conv->spatial_rank, 2);
    for (int axis = 0; axis < 2; axis++) {
        ck_assert_int_eq(conv->stride[axis], 1);
        ck_assert_int_eq(conv->padding[axis], 0);
        ck_assert_int_eq(conv->padding_after[axis], 0);
        ck_assert_int_eq(conv->dilation[axis], 1);
    }
    ck_assert_int_eq(conv->groups, 1);
    ck_assert_int_eq(conv->stride[2], 0);
}
END_TEST

START_TEST(a_default_may_be_another_attribute)
{
    kc_attributes_t record = read(KC_OP_CONV, "f32[1,8,8] f32[1,1,3,3]",
                                  "{\"padding\": [1, 2], \"stride\": 3}");
    ck_assert_int_eq(record.u.conv.padding_after[0], 1);
    ck_assert_int_eq(record.u.conv.padding_after[1], 2);
    ck_assert_int_eq(record.u.conv.stride[1], 3);
    record = read(KC_OP_MAX_POOL, "f32[8,8]", "{\"kernel\": [2, 3]}");
    ck_assert_int_eq(record.u.pool.spatial_rank, 2);
    ck_assert_int_eq(record.u.pool.stride[0], 2);
    ck_assert_int_eq(record.u.pool.stride[1], 3);
    ck_assert_int_eq(record.u.pool.padding[1], 0);
}
END_TEST

START_TEST(other_defaults)
{
    kc_attributes_t record = read(KC_OP_GELU, "f32[2]", NULL);
    ck_assert_int_eq(record.u.gelu.approximate, KC_GELU_TANH);
    record = read(KC_OP_GELU, "f32[2]", "{\"approximate\": \"none\"}");
    ck_assert_int_eq(record.u.gelu.approximate, KC_GELU_ERF);
    record = read(KC_OP_LAYER_NORM, "f32[2]", "{\"axis\": 0}");
    ck_assert(record.u.layer_norm.eps == 1e-5);
    record = read(KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "", NULL);
    ck_assert(isnan(record.u.attention.scale));
    ck_assert_int_eq(record.u.attention.causal, 0);
    record =
        read(KC_OP_FFT_FNO, "f32[2]", "{\"transform\": \"irfft\", \"n\": 2}");
    ck_assert_int_eq(record.u.fft.transform, KC_FFT_IRFFT);
    ck_assert_int_eq(record.u.fft.modes, 0);
}
END_TEST

START_TEST(a_permutation_has_its_length)
{
    kc_attributes_t record =
        read(KC_OP_PERMUTE, "f32[2,3,4]", "{\"perm\": [2, 0, 1]}");
    ck_assert_int_eq(record.u.permute.rank, 3);
    ck_assert_int_eq(record.u.permute.perm[0], 2);
}
END_TEST

START_TEST(a_conv_needs_its_weight_first)
{
    operand_list_t list;
    kc_attributes_t attributes;
    kc_error_t error = KC_ERROR_INIT;
    operand_list_parse(&list, KC_OP_CONV, "f32[1,8]");
    EXPECT_FAILURE(
        error, KC_ERR_GRAPH, "conv: weight is missing",
        kci_op_attributes_from_json(&list.request, NULL, &attributes, &error));
}
END_TEST

START_TEST(only_an_object_will_do)
{
    operand_list_t list;
    kc_attributes_t attributes;
    kc_error_t error = KC_ERROR_INIT;
    json_t *array = json_array();
    operand_list_parse(&list, KC_OP_RELU, "f32[1]");
    EXPECT_FAILURE(
        error, KC_ERR_GRAPH, "relu: attributes: expected an object",
        kci_op_attributes_from_json(&list.request, array, &attributes, &error));
    json_decref(array);
}
END_TEST

START_TEST(a_comma_locale_changes_nothing)
{
    scratch_t scratch = scratch_make();
    if (comma_locale_begin(&scratch)) {
        kc_attributes_t record =
            read(KC_OP_LAYER_NORM, "f32[2]", "{\"axis\": 0}");
        ck_assert(record.u.layer_norm.eps == 1e-5);
        ck_assert(comma_locale_is_on());
        comma_locale_end();
    }
    scratch_remove(&scratch);
}
END_TEST

Suite *suite_ops_attributes(void)
{
    Suite *suite = suite_create("ops/attributes");
    TCase *tcase = tcase_create("attributes");
    tcase_add_test(tcase, conv_defaults);
    tcase_add_test(tcase, a_default_may_be_another_attribute);
    tcase_add_test(tcase, other_defaults);
    tcase_add_test(tcase, a_permutation_has_its_length);
    tcase_add_test(tcase, a_conv_needs_its_weight_first);
    tcase_add_test(tcase, only_an_object_will_do);
    tcase_add_test(tcase, a_comma_locale_changes_nothing);
    suite_add_tcase(suite, tcase);
    return suite;
}
