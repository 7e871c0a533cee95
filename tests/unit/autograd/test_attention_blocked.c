/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * What attention blocks reaches no gradient of the runtime's rule, whatever
 * it holds: byte for byte. */
#include <math.h>
#include <string.h>

#include "unit/autograd/attention_operands.h"
#include "unit/autograd/suites.h"
#include "unit/expect.h"

static rule_fixture_t fixture;

static void begin(void)
{
    rule_fixture_begin(&fixture, 1);
}

static void end(void)
{
    rule_fixture_end(&fixture);
}

static void fill_row(kc_tensor_t *tensor, int64_t row, int64_t width,
                     float value)
{
    for (int64_t c = 0; c < width; c++) {
        attention_floats(tensor)[row * width + c] = value;
    }
}

/* `value` into q and g of queries that see nothing, and into k and v of keys
 * that nobody sees. How many there are. */
static int poison(attention_operands_t *operands, kc_tensor_t *g, float value)
{
    const attention_geometry_t *of = &operands->geometry;
    kc_tensor_t *const *inputs = operands->rule.inputs;
    int count = 0;
    for (int64_t head = 0; head < attention_heads(of); head++) {
        for (int64_t i = 0; i < of->queries; i++) {
            if (attention_is_dead_query(operands, head, i)) {
                fill_row(inputs[0], head * of->queries + i, of->width, value);
                fill_row(g, head * of->queries + i, of->value_width, value);
                count++;
            }
        }
        for (int64_t j = 0; j < of->keys; j++) {
            if (attention_is_dead_key(operands, head, j)) {
                fill_row(inputs[1], head * of->keys + j, of->width, value);
                fill_row(inputs[2], head * of->keys + j, of->value_width,
                         value);
                count++;
            }
        }
    }
    return count;
}

static void check_zero_row(const kc_tensor_t *tensor, int64_t row,
                           int64_t width)
{
    static const float zero = 0;
    for (int64_t c = 0; c < width; c++) {
        ck_assert_mem_eq(attention_floats(tensor) + row * width + c, &zero,
                         sizeof zero);
    }
}

static void check_dead_rows(const attention_operands_t *operands,
                            kc_tensor_t *const *found)
{
    const attention_geometry_t *of = &operands->geometry;
    for (int64_t head = 0; head < attention_heads(of); head++) {
        for (int64_t i = 0; i < of->queries; i++) {
            if (attention_is_dead_query(operands, head, i)) {
                check_zero_row(found[0], head * of->queries + i, of->width);
            }
        }
        for (int64_t j = 0; j < of->keys; j++) {
            if (attention_is_dead_key(operands, head, j)) {
                check_zero_row(found[1], head * of->keys + j, of->width);
                check_zero_row(found[2], head * of->keys + j, of->value_width);
            }
        }
    }
}

static int64_t bytes_of(const kc_tensor_t *tensor)
{
    return kc_tensor_element_count(&tensor->view) * (int64_t)sizeof(float);
}

/* Byte for byte, and exact zeros where everything is blocked. */
START_TEST(what_is_blocked_never_matters)
{
    static const float poisons[] = {NAN, INFINITY, -INFINITY};
    kc_tensor_t *clean[RULE_INPUTS_MAX];
    kc_tensor_t *found[RULE_INPUTS_MAX];
    attention_operands_t operands;
    attention_operands_make(&fixture, &attention_geometries[_i], KC_DTYPE_F32,
                            71, &operands);
    kc_tensor_t *g = attention_cotangent(&fixture, &operands, 75);
    attention_rows_run(&fixture, &operands, g, attention_all, clean);
    for (size_t n = 0; n < sizeof poisons / sizeof *poisons; n++) {
        (void)poison(&operands, g, poisons[n]);
        attention_rows_run(&fixture, &operands, g, attention_all, found);
        for (int i = 0; i < 3; i++) {
            ck_assert_int_eq(memcmp(attention_floats(found[i]),
                                    attention_floats(clean[i]),
                                    (size_t)bytes_of(clean[i])),
                             0);
        }
        check_dead_rows(&operands, found);
        attention_release_three(found);
    }
    attention_release_three(clean);
    kci_tensor_release(g);
    attention_operands_release(&operands);
}
END_TEST

/* The test above has something to find: rows and keys, by mask and order. */
START_TEST(geometries_have_blocked_rows)
{
    int count = 0;
    for (int n = 0; n < ATTENTION_GEOMETRIES; n++) {
        attention_operands_t operands;
        attention_operands_make(&fixture, &attention_geometries[n],
                                KC_DTYPE_F32, 71, &operands);
        kc_tensor_t *g = attention_cotangent(&fixture, &operands, 75);
        count += poison(&operands, g, 0) > 0;
        kci_tensor_release(g);
        attention_operands_release(&operands);
    }
    ck_assert_int_ge(count, ATTENTION_GEOMETRIES / 2);
}
END_TEST

/* A key that only the last query sees reaches no other query's gradient. */
START_TEST(a_key_reaches_only_who_sees_it)
{
    const attention_geometry_t causal = {0, {0}, 4, 4, 3, 2, 1, -1, {0}};
    kc_tensor_t *clean[RULE_INPUTS_MAX];
    kc_tensor_t *found[RULE_INPUTS_MAX];
    attention_operands_t operands;
    attention_operands_make(&fixture, &causal, KC_DTYPE_F32, 81, &operands);
    kc_tensor_t *g = attention_cotangent(&fixture, &operands, 85);
    attention_rows_run(&fixture, &operands, g, attention_all, clean);
    fill_row(operands.rule.inputs[1], 3, causal.width, NAN);
    fill_row(operands.rule.inputs[2], 3, causal.value_width, INFINITY);
    attention_rows_run(&fixture, &operands, g, attention_all, found);
    ck_assert_mem_eq(attention_floats(found[0]), attention_floats(clean[0]),
                     (size_t)(3 * causal.width) * sizeof(float));
    ck_assert(isnan(attention_floats(found[0])[3 * causal.width]));
    attention_release_three(clean);
    attention_release_three(found);
    kci_tensor_release(g);
    attention_operands_release(&operands);
}
END_TEST

Suite *suite_autograd_attention_blocked(void)
{
    Suite *suite = suite_create("autograd/attention_blocked");
    TCase *tcase = tcase_create("attention_blocked");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_loop_test(tcase, what_is_blocked_never_matters, 0,
                        ATTENTION_GEOMETRIES);
    tcase_add_test(tcase, geometries_have_blocked_rows);
    tcase_add_test(tcase, a_key_reaches_only_who_sees_it);
    suite_add_tcase(suite, tcase);
    return suite;
}
