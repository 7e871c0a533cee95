/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * A capsule that is a composition, in a session: values, refusals, record. */
#include <math.h>
#include <string.h>

#include "unit/exec/attention_fixture.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

#define OUTPUT_COUNT (ATTENTION_QUERIES * ATTENTION_WIDTH)

/* The formula in double. */
static double expected_value(attention_case_t *at, int query, int column)
{
    double sum = 0;
    double total = 0;
    for (int key = 0; key < ATTENTION_KEYS; key++) {
        double score = 0;
        for (int d = 0; d < ATTENTION_WIDTH; d++) {
            score += (double)operand_f32(&at->q)[query * ATTENTION_WIDTH + d] *
                     (double)operand_f32(&at->k)[key * ATTENTION_WIDTH + d];
        }
        if (at->mask.bytes[query * ATTENTION_KEYS + key] != 0) {
            double weight = exp(0.5 * score);
            total += weight;
            sum += weight *
                   (double)operand_f32(&at->v)[key * ATTENTION_WIDTH + column];
        }
    }
    return total == 0 ? 0 : sum / total;
}

/* A few roundings to float each of scores (below 4), exp, sum and quotient,
 * of values below 16: far less than 64 units in the last place of 16. */
static void expect_output(attention_case_t *at)
{
    for (int i = 0; i < OUTPUT_COUNT; i++) {
        ck_assert_double_eq_tol(
            (double)operand_f32(&at->y)[i],
            expected_value(at, i / ATTENTION_WIDTH, i % ATTENTION_WIDTH),
            64 * 16 * 0x1p-24);
    }
}

START_TEST(values_and_blocked_rows)
{
    attention_case_t at;
    attention_begin(&at);
    EXPECT_OK(at.error, attention_run(&at, 3));
    expect_output(&at);
    memset(at.mask.bytes + ATTENTION_KEYS, 0, ATTENTION_KEYS);
    at.mask.bytes[2] = 0;
    EXPECT_OK(at.error, attention_run(&at, 4));
    expect_output(&at);
    /* F01: to the bit. */
    static const float zeros[ATTENTION_WIDTH];
    ck_assert_int_eq(
        memcmp(operand_f32(&at.y) + ATTENTION_WIDTH, zeros, sizeof zeros), 0);
    attention_end(&at);
}
END_TEST

START_TEST(the_record_names_capsule_and_inner_operations)
{
    attention_case_t at;
    attention_begin(&at);
    EXPECT_OK(at.error, attention_run(&at, 4));
    EXPECT_OK(at.error, attention_run(&at, 4));
    const kci_run_record_t *record = kci_session_record(at.session);
    ck_assert_uint_gt(record->entry_count, 3);
    const kci_entry_t *capsule = record->entries[0].entry;
    ck_assert_str_eq(capsule->capsule->name, "torchlean.composed_attention");
    ck_assert_int_eq(record->entries[0].role, KCI_CALL_FORWARD);
    ck_assert_ptr_null(record->entries[0].served);
    ck_assert_uint_eq(record->entries[0].call_count, 2);
    uint64_t product_count = 0;
    for (size_t i = 1; i < record->entry_count; i++) {
        const kci_record_entry_t *row = &record->entries[i];
        ck_assert_int_eq(row->role, KCI_CALL_INNER_FORWARD);
        ck_assert_ptr_eq(row->served, capsule);
        ck_assert_str_eq(row->entry->module->name, "reference");
        if (row->entry->capsule->op == KC_OP_MATMUL) {
            product_count += row->call_count;
        }
        /* Of one catalogue, that of the record. */
        ck_assert(row->entry >= record->profile->entries &&
                  row->entry <
                      record->profile->entries + record->profile->entry_count);
    }
    ck_assert_uint_eq(product_count, 4);
    attention_end(&at);
}
END_TEST

START_TEST(what_is_asked_for_has_rows_of_its_own)
{
    attention_case_t at;
    operand_t y;
    attention_begin(&at);
    EXPECT_OK(at.error, attention_run(&at, 3));
    size_t before = kci_session_record(at.session)->entry_count;
    operand_init(&y, KC_DTYPE_F32, 2,
                 DIMS(ATTENTION_QUERIES, ATTENTION_QUERIES));
    operand_t t;
    operand_init(&t, KC_DTYPE_F32, 2, DIMS(ATTENTION_WIDTH, ATTENTION_QUERIES));
    const DLTensor *inputs[] = {&at.q.view, &t.view};
    EXPECT_OK(at.error, kci_session_run(at.session, KC_OP_MATMUL, NULL, inputs,
                                        2, &y.view, &at.error));
    const kci_run_record_t *record = kci_session_record(at.session);
    ck_assert_uint_eq(record->entry_count, before + 1);
    ck_assert_int_eq(record->entries[before].role, KCI_CALL_FORWARD);
    ck_assert_uint_eq(record->entries[before].call_count, 1);
    attention_end(&at);
}
END_TEST

START_TEST(guards_come_first)
{
    attention_case_t at;
    attention_begin(&at);
    at.k.shape[1] = 1;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR,
                   "dispatch.shape: scaled_dot_product_attention",
                   attention_run(&at, 3));
    at.k.shape[1] = ATTENTION_WIDTH;
    at.y.view.data = at.q.bytes;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR, "dispatch.alias",
                   attention_run(&at, 3));
    at.y.view.data = at.y.bytes;
    EXPECT_FAILURE(
        at.error, KC_ERR_TENSOR,
        "dispatch.shape: scaled_dot_product_attention output: "
        "expected an operand, found none",
        kci_session_run(at.session, KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
                        &at.attributes, at.inputs, 3, NULL, &at.error));
    operand_f32(&at.v)[0] = NAN;
    at.mask.bytes[0] = 0;
    EXPECT_FAILURE(at.error, KC_ERR_TENSOR,
                   "scaled_dot_product_attention v: expected finite values",
                   attention_run(&at, 4));
    ck_assert_uint_eq(kci_session_record(at.session)->entry_count, 0);
    attention_end(&at);
}
END_TEST

/* Strided operands are what they hold; the output keeps its own memory. */
START_TEST(operands_with_gaps)
{
    attention_case_t at;
    operand_t wide;
    attention_begin(&at);
    operand_init(&wide, KC_DTYPE_F32, 2, DIMS(ATTENTION_KEYS, ATTENTION_WIDTH));
    wide.strides[0] = 3 * ATTENTION_WIDTH;
    for (int i = 0; i < ATTENTION_KEYS * ATTENTION_WIDTH; i++) {
        operand_f32(&wide)[i / ATTENTION_WIDTH * 3 * ATTENTION_WIDTH +
                           i % ATTENTION_WIDTH] = operand_f32(&at.v)[i];
    }
    at.inputs[2] = &wide.view;
    EXPECT_OK(at.error, attention_run(&at, 3));
    expect_output(&at);
    attention_end(&at);
}
END_TEST

START_TEST(an_operation_without_a_composition_is_refused)
{
    attention_case_t at;
    attention_begin(&at);
    EXPECT_FAILURE(at.error, KC_ERR_NOT_IN_BUILD,
                   "capsule torchlean.relu: a composition of relu is not in "
                   "this build",
                   kci_session_run(at.session, KC_OP_RELU, NULL, at.inputs, 1,
                                   &at.y.view, &at.error));
    attention_end(&at);
}
END_TEST

START_TEST(graph_mode_gives_the_same_bits_and_rows)
{
    attention_case_t at;
    kc_executor_t *executor = NULL;
    float eager[OUTPUT_COUNT];
    attention_begin(&at);
    at.attributes.u.attention.causal = _i;
    at.mask.bytes[5] = 0;
    EXPECT_OK(at.error, attention_run(&at, 4));
    memcpy(eager, at.y.bytes, sizeof eager);
    memset(at.y.bytes, 0, sizeof eager);
    kc_graph_t *graph = attention_graph(_i == 1);
    executor = compile_graph(at.host.host, at.profile, graph, false);
    DLTensor *outputs[] = {&at.y.view};
    EXPECT_OK(at.error,
              kci_executor_run(executor, at.inputs, 4, outputs, 1, &at.error));
    ck_assert_int_eq(memcmp(eager, at.y.bytes, sizeof eager), 0);
    const kci_run_record_t *compiled = kci_executor_record(executor);
    const kci_run_record_t *record = kci_session_record(at.session);
    ck_assert_uint_eq(compiled->entry_count, record->entry_count);
    for (size_t i = 0; i < record->entry_count; i++) {
        const kci_record_entry_t *row = &compiled->entries[i];
        ck_assert_str_eq(row->entry->capsule->name,
                         record->entries[i].entry->capsule->name);
        ck_assert_int_eq(row->role, record->entries[i].role);
        ck_assert_uint_eq(row->call_count, record->entries[i].call_count);
        ck_assert(i == 0 || row->served == compiled->entries[0].entry);
    }
    ck_assert_uint_eq(compiled->node_count, 1);
    ck_assert_uint_eq(compiled->nodes[0].node, 4);
    operand_f32(&at.k)[3] = NAN;
    EXPECT_FAILURE(
        at.error, KC_ERR_TENSOR,
        "scaled_dot_product_attention k: expected finite values",
        kci_executor_run(executor, at.inputs, 4, outputs, 1, &at.error));
    ck_assert_ptr_eq(strstr(at.error.message, "node 4 ("), at.error.message);
    ck_assert_uint_eq(compiled->entries[0].call_count, 1);
    kci_executor_destroy(executor);
    kci_graph_release(graph);
    attention_end(&at);
}
END_TEST

START_TEST(an_eager_graph_lists_the_node)
{
    attention_case_t at;
    kc_tensor_t *y = NULL;
    attention_begin(&at);
    kc_graph_t *graph = attention_graph(false);
    EXPECT_OK(at.error, kci_session_run_graph(at.session, graph, NULL, 0,
                                              at.inputs, 4, &y, 1, &at.error));
    memcpy(at.y.bytes, tensor_f32(y), OUTPUT_COUNT * sizeof(float));
    expect_output(&at);
    const kci_run_record_t *record = kci_session_record(at.session);
    ck_assert_uint_eq(record->node_count, 1);
    ck_assert_uint_eq(record->nodes[0].op, KC_OP_SCALED_DOT_PRODUCT_ATTENTION);
    kci_tensor_release(y);
    kci_graph_release(graph);
    attention_end(&at);
}
END_TEST

Suite *suite_exec_session_composed(void)
{
    Suite *suite = suite_create("exec/session_composed");
    TCase *tcase = tcase_create("session_composed");
    tcase_add_test(tcase, values_and_blocked_rows);
    tcase_add_test(tcase, the_record_names_capsule_and_inner_operations);
    tcase_add_test(tcase, what_is_asked_for_has_rows_of_its_own);
    tcase_add_test(tcase, guards_come_first);
    tcase_add_test(tcase, operands_with_gaps);
    tcase_add_test(tcase, an_operation_without_a_composition_is_refused);
    tcase_add_loop_test(tcase, graph_mode_gives_the_same_bits_and_rows, 0, 2);
    tcase_add_test(tcase, an_eager_graph_lists_the_node);
    suite_add_tcase(suite, tcase);
    return suite;
}
