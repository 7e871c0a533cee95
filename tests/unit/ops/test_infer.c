/* SPDX-License-Identifier: Apache-2.0
 *
 * What is checked of every operation alike, and records of attributes that
 * an application filled in as it liked.
 */
#include "unit/expect.h"
#include "unit/ops/cases.h"
#include "unit/ops/suites.h"

/* The request has no names, as in eager mode. */
static kc_status_t infer_record(int32_t op, const char *inputs,
                                kc_attributes_t *attributes, kc_error_t *error)
{
    operand_list_t list;
    kci_tensor_type_t type;
    operand_list_parse(&list, op, inputs);
    list.request.dim_names = NULL;
    return kci_op_infer(&list.request, attributes, &type, error);
}

START_TEST(an_unknown_operation_is_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "there is no operation 47",
                   infer_record(KC_OP_COUNT, "", NULL, &error));
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "there is no operation -1",
                   infer_record(-1, "", NULL, &error));
}
END_TEST

START_TEST(a_record_must_be_that_of_the_operation)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_attributes_t attributes = {.op = KC_OP_CONV};
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "softmax: expected its attributes, found those of conv",
                   infer_record(KC_OP_SOFTMAX, "f32[2]", &attributes, &error));
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "softmax: expected attributes, found none",
                   infer_record(KC_OP_SOFTMAX, "f32[2]", NULL, &error));
    EXPECT_OK(error, infer_record(KC_OP_RELU, "f32[2]", NULL, &error));
}
END_TEST

/* Every operation that reads its record survives a hostile one. */
static const char *const usual_inputs[] = {
    "",
    "f32[]",
    "f32[4]",
    "f32[4,4]",
    "f32[4,4,4]",
    "f32[4] f32[4]",
    "f32[4,4] f32[4,4,4]",
    "f32[4,4,4] f32[4,4,4] f32[4,4,4]",
    "f32[4,4] f32[4,4] f32[4,4]",
    "f32[4] i64[4] f32[4]",
    "f32[4] i64[4]",
    "f32[4,4] f32[4] f32[4]",
    "f32[4,4] f32[4] f32[4] f32[4] f32[4]",
    "f32[4,4] bool[4,4]",
};
enum { INPUT_COUNT = sizeof usual_inputs / sizeof *usual_inputs };

static void fill_record(kc_attributes_t *attributes, int32_t op, int64_t value)
{
    int64_t *words = (int64_t *)(void *)&attributes->u;
    memset(attributes, 0, sizeof *attributes);
    attributes->struct_size = sizeof *attributes;
    attributes->op = op;
    for (size_t i = 0; i < sizeof attributes->u / sizeof *words; i++) {
        words[i] = value;
    }
}

START_TEST(hostile_records_are_survived)
{
    static const int64_t values[] = {-1,
                                     0,
                                     1,
                                     3,
                                     17,
                                     INT32_MAX,
                                     INT64_MIN,
                                     INT64_MAX,
                                     INT64_C(1) << 32,
                                     (INT64_C(1) << 32) + 1};
    kc_error_t error = KC_ERROR_INIT;
    kc_attributes_t attributes;
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        for (size_t i = 0; i < INPUT_COUNT; i++) {
            fill_record(&attributes, _i, values[v]);
            kc_status_t status =
                infer_record(_i, usual_inputs[i], &attributes, &error);
            ck_assert(status == KC_OK || status == KC_ERR_GRAPH);
        }
    }
}
END_TEST

START_TEST(words_out_of_range_are_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_attributes_t record = {.op = KC_OP_GELU};
    record.u.gelu.approximate = 2;
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "attribute approximate: expected 0 to 1, found 2",
                   infer_record(KC_OP_GELU, "f32[2]", &record, &error));
    record = (kc_attributes_t){.op = KC_OP_BATCH_NORM};
    record.u.batch_norm.mode = -1;
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "attribute mode: expected 0 to 2",
                   infer_record(KC_OP_BATCH_NORM, "f32[2] f32[2] f32[2]",
                                &record, &error));
    record = (kc_attributes_t){.op = KC_OP_FFT_FNO};
    record.u.fft.transform = 3;
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "attribute transform: expected 0 to 2",
                   infer_record(KC_OP_FFT_FNO, "f32[2]", &record, &error));
    record = (kc_attributes_t){.op = KC_OP_SCALED_DOT_PRODUCT_ATTENTION};
    record.u.attention.causal = 2;
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "attribute causal: expected 0 to 1",
                   infer_record(KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
                                "f32[2,2] f32[2,2] f32[2,2]", &record, &error));
}
END_TEST

START_TEST(negative_targets_are_no_names_without_names)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_attributes_t record = {.op = KC_OP_BROADCAST};
    record.u.shape.rank = 2;
    record.u.shape.shape[0] = -1;
    record.u.shape.shape[1] = 4;
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "expected extents of 0 or more, found the result [-1, 4]",
                   infer_record(KC_OP_BROADCAST, "f32[4]", &record, &error));
    record.op = KC_OP_RAND_UNIFORM;
    record.u.random.rank = 17;
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "attribute shape: expected a rank of 0 to 16, found 17",
                   infer_record(KC_OP_RAND_UNIFORM, "", &record, &error));
}
END_TEST

/* Resolving twice gives the same record: binding does it. */
START_TEST(inference_repeats)
{
    operand_list_t list;
    kc_attributes_t first;
    kc_attributes_t second;
    kci_tensor_type_t type;
    kc_error_t error = KC_ERROR_INIT;
    operand_list_parse(&list, KC_OP_CONV_TRANSPOSE, "f32[1,3] f32[1,1,3]");
    EXPECT_OK(error,
              infer_text(&list, "{\"padding\": 1}", &first, &type, &error));
    memcpy(&second, &first, sizeof second);
    EXPECT_OK(error, kci_op_infer(&list.request, &second, &type, &error));
    ck_assert_mem_eq(&first, &second, sizeof first);
    ck_assert_int_eq(second.u.conv.groups, 1);
    ck_assert_int_eq(second.u.conv.dilation[0], 1);
    ck_assert_int_eq(second.u.conv.padding_after[0], 1);
}
END_TEST

Suite *suite_ops_infer(void)
{
    Suite *suite = suite_create("ops/infer");
    TCase *tcase = tcase_create("infer");
    tcase_add_test(tcase, an_unknown_operation_is_refused);
    tcase_add_test(tcase, a_record_must_be_that_of_the_operation);
    tcase_add_loop_test(tcase, hostile_records_are_survived, 0, KC_OP_COUNT);
    tcase_add_test(tcase, words_out_of_range_are_refused);
    tcase_add_test(tcase, negative_targets_are_no_names_without_names);
    tcase_add_test(tcase, inference_repeats);
    suite_add_tcase(suite, tcase);
    return suite;
}
