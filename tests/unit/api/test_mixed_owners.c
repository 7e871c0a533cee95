/* SPDX-License-Identifier: Apache-2.0
 *
 * One operation with two owners: LibTorch's forward, the tape's backward, next
 * to an operation that LibTorch differentiates itself. The record names both,
 * and the gradients are those of the reference module's profile.
 */
#include <math.h>
#include <string.h>

#include "unit/api/api_fixture.h"
#include "unit/api/suites.h"
#include "unit/expect.h"

#define COUNT 6 /* elements of q, k and v: two queries, three keys, width 2 */

/* What one profile makes of relu(attention(q, k, v, mask)). */
typedef struct outcome {
    float gradients[3][COUNT];
    kc_record_t *record;
} outcome_t;

static kc_tensor_t *tensor_of(kc_runtime_t *runtime, int32_t dtype,
                              int64_t rows, int64_t columns, const void *data,
                              size_t size)
{
    const int64_t shape[] = {rows, columns};
    kc_error_t error = KC_ERROR_INIT;
    kc_tensor_t *tensor = NULL;
    EXPECT_OK(error,
              kc_tensor_create(runtime, dtype, 2, shape, &tensor, &error));
    memcpy(kc_tensor_data(kc_tensor_view(tensor)), data, size);
    return tensor;
}

/* Query 1 may attend to nothing, nobody to key 2, which holds NaN. */
static void make_leaves(kc_runtime_t *runtime, kc_tape_t *tape,
                        kc_variable_t *leaves)
{
    static const float q[] = {0.5F, -1, 2, 0.25F};
    static const float k[] = {1, 0.5F, -0.75F, 2, NAN, NAN};
    static const float v[] = {3, -1, 4, 2, INFINITY, NAN};
    static const unsigned char mask[] = {1, 1, 0, 0, 0, 0};
    const void *const data[] = {q, k, v, mask};
    const size_t sizes[] = {sizeof q, sizeof k, sizeof v, sizeof mask};
    kc_error_t error = KC_ERROR_INIT;
    for (int i = 0; i < 4; i++) {
        kc_tensor_t *tensor =
            tensor_of(runtime, i == 3 ? KC_DTYPE_BOOL : KC_DTYPE_F32,
                      i % 3 == 0 ? 2 : 3, i == 3 ? 3 : 2, data[i], sizes[i]);
        EXPECT_OK(error, kc_tape_leaf(tape, tensor, "operand",
                                      i == 3 ? 0 : KC_LEAF_GRADIENT, &leaves[i],
                                      &error));
        kc_tensor_release(tensor);
    }
}

static void backward(kc_runtime_t *runtime, kc_tape_t *tape,
                     kc_variable_t output)
{
    static const float seed[] = {1, -2, NAN, 3};
    kc_error_t error = KC_ERROR_INIT;
    kc_tensor_t *tensor =
        tensor_of(runtime, KC_DTYPE_F32, 2, 2, seed, sizeof seed);
    const DLTensor *view = kc_tensor_view(tensor);
    kc_backward_request_t request = {.struct_size = sizeof request,
                                     .outputs = &output,
                                     .seeds = &view,
                                     .output_count = 1};
    EXPECT_OK(error, kc_tape_backward(tape, &request, &error));
    kc_tensor_release(tensor);
}

static void run(const char *profile_name, outcome_t *outcome)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                  .op = KC_OP_SCALED_DOT_PRODUCT_ATTENTION};
    kc_session_t *session = NULL;
    kc_tape_t *tape = NULL;
    kc_variable_t leaves[4];
    kc_variable_t y;
    kc_runtime_t *runtime = fixture_runtime(NULL);
    kc_profile_t *profile = fixture_profile(runtime, profile_name);
    attributes.u.attention.scale = 0.5;
    EXPECT_OK(error, kc_session_create(runtime, profile, KC_SESSION_GRADIENTS,
                                       &session, &error));
    EXPECT_OK(error, kc_tape_create(session, &tape, &error));
    make_leaves(runtime, tape, leaves);
    EXPECT_OK(error, kc_tape_apply(tape, attributes.op, &attributes, leaves, 4,
                                   &y, &error));
    EXPECT_OK(error, kc_tape_apply(tape, KC_OP_RELU, NULL, &y, 1, &y, &error));
    backward(runtime, tape, y);
    memset(outcome, 0, sizeof *outcome);
    for (int i = 0; i < 3; i++) {
        kc_tensor_t *gradient = NULL;
        EXPECT_OK(error, kc_tape_gradient(tape, leaves[i], &gradient, &error));
        const DLTensor *view = kc_tensor_view(gradient);
        memcpy(outcome->gradients[i], kc_tensor_data(view),
               (size_t)kc_tensor_element_count(view) * sizeof(float));
        kc_tensor_release(gradient);
    }
    EXPECT_OK(error, kc_session_record(session, &outcome->record, &error));
    kc_tape_release(tape);
    kc_session_release(session);
    kc_profile_release(profile);
    kc_runtime_release(runtime);
}

/* Of a capsule that was called in this way; fails where there is none. */
static kc_record_row_t row_of(const kc_record_t *record, const char *capsule,
                              int32_t kind)
{
    kc_record_row_t row = {.struct_size = sizeof row};
    for (size_t i = 0; i < kc_record_row_count(record); i++) {
        kc_record_row(record, i, &row);
        if (row.kind == kind && strcmp(row.capsule, capsule) == 0) {
            return row;
        }
    }
    ck_abort_msg("no %s in the record, called as %d", capsule, (int)kind);
    return row;
}

static void expect_owner(const kc_record_t *record, const char *capsule,
                         int32_t owner)
{
    kc_record_row_t forward = row_of(record, capsule, KC_CALL_FORWARD);
    kc_record_row_t rule = row_of(record, capsule, KC_CALL_VJP);
    ck_assert_str_eq(forward.provider, "libtorch");
    ck_assert_str_eq(forward.module_name, "libtorch");
    ck_assert_uint_eq(forward.call_count, 1);
    ck_assert_uint_eq(rule.call_count, 1);
    ck_assert_int_eq(rule.vjp_mode, owner);
}

START_TEST(forward_by_libtorch_backward_by_the_tape)
{
    outcome_t mixed;
    kc_error_t error = KC_ERROR_INIT;
    char *text = NULL;
    if (!KC_HAVE_LIBTORCH) {
        return; /* the module then carries contracts only */
    }
    run("libtorch_cpu", &mixed);
    expect_owner(mixed.record, "libtorch.sdpa_forward", KC_VJP_TORCHLEAN_TAPE);
    expect_owner(mixed.record, "libtorch.relu", KC_VJP_BACKEND);
    EXPECT_OK(error,
              kc_report_record(mixed.record, KC_FORMAT_JSON, &text, &error));
    ck_assert_msg(strstr(text, "\"libtorch.sdpa_forward\"") != NULL &&
                      strstr(text, "\"torchlean-tape\"") != NULL &&
                      strstr(text, "\"backend-vjp\"") != NULL,
                  "one of the owners is not in:\n%s", text);
    kc_text_release(text);
    kc_record_release(mixed.record);
}
END_TEST

/* Twice the roundings of a softmax of two and its rule, values below 10. */
#define TOLERANCE (64 * 6e-8F * 10)

START_TEST(gradients_are_those_of_the_reference)
{
    outcome_t mixed;
    outcome_t plain;
    if (!KC_HAVE_LIBTORCH) {
        return;
    }
    run("libtorch_cpu", &mixed);
    run("checked_cpu", &plain);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < COUNT; k++) {
            ck_assert_float_eq_tol(mixed.gradients[i][k], plain.gradients[i][k],
                                   TOLERANCE);
        }
    }
    /* What is blocked has no part: the query, the key and its value. */
    for (int k = 0; k < 2; k++) {
        static const float zero = 0;
        ck_assert_mem_eq(&mixed.gradients[0][2 + k], &zero, sizeof zero);
        ck_assert_mem_eq(&mixed.gradients[1][4 + k], &zero, sizeof zero);
        ck_assert_mem_eq(&mixed.gradients[2][4 + k], &zero, sizeof zero);
    }
    ck_assert(mixed.gradients[0][0] != 0 && mixed.gradients[2][0] != 0);
    kc_record_release(plain.record);
    kc_record_release(mixed.record);
}
END_TEST

Suite *suite_api_mixed_owners(void)
{
    Suite *suite = suite_create("api/mixed_owners");
    TCase *tcase = tcase_create("mixed_owners");
    tcase_set_timeout(tcase, 60); /* LibTorch takes its time to be mapped */
    tcase_add_test(tcase, forward_by_libtorch_backward_by_the_tape);
    tcase_add_test(tcase, gradients_are_those_of_the_reference);
    suite_add_tcase(suite, tcase);
    return suite;
}
