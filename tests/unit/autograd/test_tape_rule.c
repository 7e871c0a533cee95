/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The rule of one node by its owner: what runs, what the record says, what
 * happens when it fails, and that each gradient alone has the bits it has
 * with the others. */
#include "autograd/tape_state.h"

#include <string.h>

#include "unit/autograd/suites.h"
#include "unit/autograd/tape_fixture.h"
#include "unit/built_modules.h"

/* The row `index` of the record: role, capsule, the capsule it served. */
static void expect_row(const tape_fixture_t *at, size_t index,
                       kci_call_role_t role, const char *capsule,
                       const char *served, uint64_t count)
{
    const kci_run_record_t *record = kci_session_record(at->session);
    ck_assert_uint_lt(index, record->entry_count);
    const kci_record_entry_t *row = &record->entries[index];
    ck_assert_str_eq(row->entry->capsule->name, capsule);
    ck_assert_int_eq(row->role, role);
    ck_assert_uint_eq(row->call_count, count);
    ck_assert_str_eq(row->served != NULL ? row->served->capsule->name : "",
                     served);
}

/* x * x: a composed rule of two products, and a sum of their terms. */
START_TEST(a_composed_rule_in_the_record)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t x = tape_number(&at, "x", 3);
    tape_backward(&at, tape_binary(&at, KC_OP_MUL, x, x));
    expect_row(&at, 0, KCI_CALL_FORWARD, "reference.mul", "", 1);
    expect_row(&at, 1, KCI_CALL_VJP, "reference.mul", "", 1);
    expect_row(&at, 2, KCI_CALL_INNER_VJP, "reference.mul", "reference.mul", 2);
    expect_row(&at, 3, KCI_CALL_SUM, "reference.add", "", 1);
    ck_assert_uint_eq(kci_session_record(at.session)->entry_count, 4);
    tape_end(&at);
}
END_TEST

START_TEST(a_rule_of_the_runtime_in_the_record)
{
    tape_fixture_t at;
    tape_begin(&at);
    kc_variable_t x = tape_leaf(&at, "x", 1, DIMS(3), FLOATS(-1, 0, 2));
    tape_backward_filled(&at, tape_unary(&at, KC_OP_RELU, x), 5);
    TAPE_EXPECT(&at, x, 0, 0, 5);
    expect_row(&at, 0, KCI_CALL_FORWARD, "reference.relu", "", 1);
    expect_row(&at, 1, KCI_CALL_VJP, "reference.relu", "", 1);
    ck_assert_uint_eq(kci_session_record(at.session)->entry_count, 2);
    tape_end(&at);
}
END_TEST

START_TEST(the_backward_of_a_capsule)
{
    tape_fixture_t at;
    built_mark_begin();
    tape_begin_with(&at, built_profile_with("own_backward", "acme"), 1);
    kc_variable_t x = tape_leaf(&at, "x", 1, DIMS(2), FLOATS(-1, 2));
    kc_variable_t y = tape_unary(&at, KC_OP_RELU, x);
    /* It saves its output, not its input, which may change. */
    ck_assert_int_eq(at.tape->nodes[0].rule, KCI_TAPE_RULE_BACKEND);
    ck_assert_uint_eq(at.tape->saved_count, 1);
    tape_data(&at, x)[0] = 100;
    kc_variable_t z = tape_binary(&at, KC_OP_MUL, y, y);
    tape_backward_filled(&at, z, 1);
    TAPE_EXPECT(&at, x, 0, 4);
    ck_assert_str_eq(built_mark(), "mul backward\nrelu backward\n");
    expect_row(&at, 0, KCI_CALL_FORWARD, "own_backward.relu", "", 1);
    expect_row(&at, 1, KCI_CALL_FORWARD, "own_backward.mul", "", 1);
    expect_row(&at, 2, KCI_CALL_VJP, "own_backward.mul", "", 1);
    expect_row(&at, 3, KCI_CALL_SUM, "reference.add", "", 1);
    expect_row(&at, 4, KCI_CALL_VJP, "own_backward.relu", "", 1);
    tape_end(&at);
}
END_TEST

/* Whoever owns the rule of relu: the capsule, which saves the output, or the
 * runtime, which saves the input. */
START_TEST(no_rule_reads_what_has_changed)
{
    static const char *const operands[] = {
        "operation 1 (relu): expected its saved operand output, the result of "
        "operation 1 (relu), as it was",
        "operation 1 (relu): expected its saved operand x, leaf x, as it was"};
    for (int is_runtime = 0; is_runtime < 2; is_runtime++) {
        tape_fixture_t at;
        built_mark_begin();
        tape_begin_with(&at,
                        is_runtime ? built_checked_cpu()
                                   : built_profile_with("own_backward", "acme"),
                        1);
        kc_variable_t x = tape_number(&at, "x", 2);
        kc_variable_t y = tape_unary(&at, KC_OP_RELU, x);
        float *saved = tape_data(&at, is_runtime ? x : y);
        *saved = 100;
        EXPECT_FAILURE(at.error, KC_ERR_TENSOR, operands[is_runtime],
                       tape_try(&at, y, 0));
        ck_assert_str_eq(built_mark(), "");
        *saved = 2;
        tape_backward(&at, y);
        TAPE_EXPECT(&at, x, 1);
        tape_end(&at);
    }
}
END_TEST

/* One matrix of a backward with a workspace, each alone. */
START_TEST(the_backward_of_a_capsule_for_one_input)
{
    tape_fixture_t at;
    built_mark_begin();
    tape_begin_with(&at, built_profile_with("own_backward", "acme"), 1);
    kc_variable_t a = tape_leaf(&at, "a", 2, DIMS(1, 2), FLOATS(3, 5));
    kc_variable_t b = tape_leaf(&at, "b", 2, DIMS(2, 1), FLOATS(7, 11));
    kc_variable_t y = tape_binary(&at, KC_OP_MATMUL, a, b);
    kc_tensor_t *seed = tape_tensor(&at, 2, DIMS(1, 1), FLOATS(1));
    kc_tensor_t *of_a = tape_gradient_of(&at, y, &seed->view, a);
    kc_tensor_t *of_b = tape_gradient_of(&at, y, &seed->view, b);
    tape_expect_values(of_a, FLOATS(7, 11), 2);
    tape_expect_values(of_b, FLOATS(3, 5), 2);
    ck_assert_str_eq(built_mark(), "matmul backward\nmatmul backward\n");
    kci_tensor_release(of_a);
    kci_tensor_release(of_b);
    kci_tensor_release(seed);
    tape_end(&at);
}
END_TEST

/* In the middle: the gradients of leaves before and after it are as they
 * were, and so is the tape. */
START_TEST(a_failing_rule_changes_nothing)
{
    tape_fixture_t at;
    tape_begin_with(&at, built_profile_with("vjp_fails", "acme"), 1);
    kc_variable_t w = tape_leaf(&at, "w", 1, DIMS(2), FLOATS(3, 4));
    tape_backward_filled(&at, tape_scale(&at, w, 10), 1);
    TAPE_EXPECT(&at, w, 10, 10);
    kc_variable_t x = tape_leaf(&at, "x", 1, DIMS(2), FLOATS(1, 2));
    kc_variable_t k = tape_unary(&at, KC_OP_RELU, tape_scale(&at, x, 2));
    kc_variable_t y = tape_binary(&at, KC_OP_MUL, k, w);
    kc_tensor_t *seed = tape_tensor(&at, 1, DIMS(2), FLOATS(1, 1));
    const DLTensor *view = &seed->view;
    kc_backward_request_t request = tape_request(&y, &view);
    size_t live = at.allocator.live_bytes;
    EXPECT_FAILURE(
        at.error, KC_ERR_KERNEL,
        "(relu): its derivative rule: vjp_fails.relu backward: the mock rule "
        "gave up",
        kci_tape_backward(at.tape, &request, &at.error));
    ck_assert_uint_eq(at.allocator.live_bytes, live);
    TAPE_EXPECT(&at, w, 10, 10);
    ck_assert(!tape_has_gradient(&at, x));
    ck_assert_float_eq(tape_data(&at, y)[1], 16);
    /* Around the failing rule all is well. */
    kc_tensor_t *of_w = tape_gradient_of(&at, y, view, w);
    tape_expect_values(of_w, FLOATS(2, 4), 2);
    kci_tensor_release(of_w);
    kci_tensor_release(seed);
    tape_end(&at);
}
END_TEST

/* One operation on random operands: gradients of all together and of each
 * input alone have the same bits. */
typedef struct alone_case {
    int32_t op;
    size_t count;
    int32_t ranks[4];
    int64_t dims[4][4];
} alone_case_t;

static const alone_case_t alone_cases[] = {
    {KC_OP_SUB, 2, {1, 1}, {{5}, {5}}},
    {KC_OP_MUL, 2, {2, 2}, {{2, 3}, {2, 3}}},
    {KC_OP_MAX, 2, {1, 1}, {{6}, {6}}},
    {KC_OP_MATMUL, 2, {2, 2}, {{3, 4}, {4, 2}}},
    {KC_OP_MATMUL, 2, {3, 3}, {{2, 3, 4}, {2, 4, 2}}},
    {KC_OP_LINEAR, 3, {2, 2, 1}, {{3, 4}, {2, 4}, {2}}},
    {KC_OP_MSE_LOSS, 2, {2, 2}, {{3, 4}, {3, 4}}},
    {KC_OP_LAYER_NORM, 3, {2, 1, 1}, {{3, 4}, {4}, {4}}},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
     3,
     {4, 4, 4},
     {{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}}},
};

static const kc_attributes_t *alone_attributes(int32_t op, kc_attributes_t *out)
{
    *out = (kc_attributes_t){.struct_size = sizeof *out, .op = op};
    if (op == KC_OP_LAYER_NORM) {
        out->u.layer_norm.axis = 1;
        out->u.layer_norm.eps = 1e-5;
        return out;
    }
    if (op == KC_OP_SCALED_DOT_PRODUCT_ATTENTION) {
        out->u.attention.scale = 0.5;
        return out;
    }
    return NULL;
}

START_TEST(each_gradient_alone)
{
    const alone_case_t *of = &alone_cases[_i];
    tape_fixture_t at;
    kc_attributes_t attributes;
    kc_variable_t inputs[4];
    kc_tensor_t *together[4] = {NULL};
    kci_tensor_type_t type;
    tape_begin(&at);
    for (size_t i = 0; i < of->count; i++) {
        inputs[i] = tape_leaf_of(
            &at, tape_random(&at, of->ranks[i], of->dims[i], 40 + i), NULL,
            KC_LEAF_GRADIENT);
    }
    kc_variable_t y = tape_op(
        &at, of->op, alone_attributes(of->op, &attributes), inputs, of->count);
    EXPECT_OK(at.error, kci_tape_type(at.tape, y, &type, &at.error));
    kc_tensor_t *seed = tape_random(&at, type.shape.rank, type.shape.dims, 77);
    const DLTensor *view = &seed->view;
    kc_backward_request_t request = tape_request(&y, &view);
    request.flags = KC_BACKWARD_KEEP;
    request.wanted = inputs;
    request.wanted_count = of->count;
    request.out_gradients = together;
    EXPECT_OK(at.error, kci_tape_backward(at.tape, &request, &at.error));
    for (size_t i = 0; i < of->count; i++) {
        kc_tensor_t *alone = tape_gradient_of(&at, y, view, inputs[i]);
        size_t count = (size_t)kc_tensor_element_count(&alone->view);
        tape_expect_values(alone, kc_tensor_data(&together[i]->view), count);
        float magnitude = 0;
        for (size_t k = 0; k < count; k++) {
            float element = ((float *)kc_tensor_data(&alone->view))[k];
            magnitude += element < 0 ? -element : element;
        }
        ck_assert_float_gt(magnitude, 0);
        kci_tensor_release(alone);
        kci_tensor_release(together[i]);
    }
    kci_tensor_release(seed);
    tape_end(&at);
}
END_TEST

Suite *suite_autograd_tape_rule(void)
{
    Suite *suite = suite_create("autograd/tape_rule");
    TCase *tcase = tcase_create("tape_rule");
    tcase_add_test(tcase, a_composed_rule_in_the_record);
    tcase_add_test(tcase, a_rule_of_the_runtime_in_the_record);
    tcase_add_test(tcase, the_backward_of_a_capsule);
    tcase_add_test(tcase, no_rule_reads_what_has_changed);
    tcase_add_test(tcase, the_backward_of_a_capsule_for_one_input);
    tcase_add_test(tcase, a_failing_rule_changes_nothing);
    tcase_add_loop_test(tcase, each_gradient_alone, 0,
                        (int)(sizeof alone_cases / sizeof *alone_cases));
    suite_add_tcase(suite, tcase);
    return suite;
}
