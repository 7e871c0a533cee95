/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The composed rule of attention with huge finite factors, blocked pair by
 * blocked pair: it has the bits of the loop, which skips, or is refused, and
 * is refused only where a product leaves the type. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/composed_operands.h"
#include "unit/autograd/attention_operands.h"
#include "unit/autograd/draw.h"
#include "unit/autograd/suites.h"
#include "unit/contract_fixture.h"
#include "unit/expect.h"

enum { Q, K, V, G, FACTORS };

/* Those with more than a few rows take long, pair by pair. */
#define SMALL_ROWS 9
#define SEED       4242

static rule_fixture_t fixture;

typedef struct large_case {
    attention_operands_t operands;
    kc_tensor_t *factors[FACTORS];
    kc_tensor_t *output;
    int refused;
    int passed;
    int needed; /* refused, and the rule gave NaN where the loop does not */
} large_case_t;

static void begin(void)
{
    rule_fixture_begin(&fixture, 1);
}

static void end(void)
{
    rule_fixture_end(&fixture);
}

static void case_begin(large_case_t *at, const attention_geometry_t *geometry)
{
    *at = (large_case_t){0};
    attention_operands_make(&fixture, geometry, KC_DTYPE_F32, SEED,
                            &at->operands);
    at->output = rule_forward(&fixture, &at->operands.rule);
    memcpy(at->factors, at->operands.rule.inputs, G * sizeof *at->factors);
    at->factors[G] = attention_cotangent(&fixture, &at->operands, SEED + 4);
}

static void case_end(large_case_t *at)
{
    kci_tensor_release(at->factors[G]);
    kci_tensor_release(at->output);
    attention_operands_release(&at->operands);
}

static bool is_small(const attention_geometry_t *of)
{
    return of->queries <= SMALL_ROWS && of->keys <= SMALL_ROWS &&
           of->width <= SMALL_ROWS && of->value_width <= SMALL_ROWS;
}

/* No sum of a row of `a` times a row of `b` leaves a quarter of the type. */
static bool is_bounded(const large_case_t *at, int a, int64_t a_row, int b,
                       int64_t b_row)
{
    const DLTensor *view = &at->factors[a]->view;
    int64_t width = view->shape[view->ndim - 1];
    double sum = 0;
    for (int64_t c = 0; c < width; c++) {
        sum += fabs(rule_element(at->factors[a], a_row * width + c) *
                    rule_element(at->factors[b], b_row * width + c));
    }
    return sum <= (double)FLT_MAX / 4;
}

static bool row_is_bounded(const large_case_t *at, int64_t head, int64_t query)
{
    const attention_geometry_t *of = &at->operands.geometry;
    bool is_bound = true;
    bool is_whole = true;
    for (int64_t key = 0; key < of->keys; key++) {
        int64_t i = head * of->queries + query;
        int64_t j = head * of->keys + key;
        bool is_seen = attention_allows(&at->operands, head, query, key);
        is_whole = is_whole && is_seen;
        is_bound = is_bound && is_bounded(at, G, i, V, j) &&
                   (!is_seen || is_bounded(at, Q, i, K, j));
    }
    return is_bound || is_whole;
}

static bool all_is_bounded(const large_case_t *at)
{
    const attention_geometry_t *of = &at->operands.geometry;
    for (int64_t head = 0; head < attention_heads(of); head++) {
        for (int64_t query = 0; query < of->queries; query++) {
            if (!row_is_bounded(at, head, query)) {
                return false;
            }
        }
    }
    return true;
}

static bool has_nan(const kc_tensor_t *tensor)
{
    for (int64_t i = 0; i < kc_tensor_element_count(&tensor->view); i++) {
        if (isnan(rule_element(tensor, i))) {
            return true;
        }
    }
    return false;
}

static kc_status_t check_rule(const large_case_t *at, kc_error_t *error)
{
    const DLTensor *inputs[RULE_INPUTS_MAX] = {NULL};
    kc_capsule_record_t capsule = fixture_capsule(
        "torchlean.composed_attention", KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
        "torchlean", KC_DEVICE_CPU);
    kci_operands_t operands = {.op = KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
                               .capsule = &capsule,
                               .inputs = inputs,
                               .input_count = at->operands.rule.input_count};
    for (size_t i = 0; i < operands.input_count; i++) {
        inputs[i] = &at->operands.rule.inputs[i]->view;
    }
    return kci_check_composed_rule(&operands, &at->factors[G]->view,
                                   &at->operands.attributes, error);
}

/* What the rule would give is looked at even where it is refused. */
static void run_both(large_case_t *at)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_tensor_t *composed[RULE_INPUTS_MAX];
    kc_tensor_t *loop[RULE_INPUTS_MAX];
    bool is_fine = all_is_bounded(at);
    bool is_needed = false;
    if (is_fine) {
        EXPECT_OK(error, check_rule(at, &error));
    } else {
        EXPECT_FAILURE(error, KC_ERR_TENSOR, "expected products of",
                       check_rule(at, &error));
    }
    rule_vjp(&fixture, RULE_COMPOSED, &at->operands.rule, at->output,
             at->factors[G], attention_all, composed);
    attention_rows_run(&fixture, &at->operands, at->factors[G], attention_all,
                       loop);
    for (int i = 0; i < G; i++) {
        if (is_fine) {
            rule_check_bits(composed[i], loop[i]);
        }
        is_needed = is_needed || (has_nan(composed[i]) && !has_nan(loop[i]));
    }
    at->passed += is_fine;
    at->refused += !is_fine;
    at->needed += !is_fine && is_needed;
    attention_release_three(composed);
    attention_release_three(loop);
}

static void poison_row(kc_tensor_t *tensor, int64_t row, uint64_t *state)
{
    int64_t width = tensor->view.shape[tensor->view.ndim - 1];
    for (int64_t c = 0; c < width; c++) {
        float sign = draw_integer(state, 0, 1) == 0 ? 1 : -1;
        attention_floats(tensor)[row * width + c] =
            ldexpf(sign, (int)draw_integer(state, 0, 127));
    }
}

/* Two of the four factors of one pair, or all: a product of the first two, of
 * the last two. */
static void poison_pair(large_case_t *at, int64_t head, int64_t query,
                        int64_t key, uint64_t *state)
{
    const attention_geometry_t *of = &at->operands.geometry;
    int64_t which = draw_integer(state, 0, 2);
    for (int i = 0; i < FACTORS; i++) {
        bool is_score = i == Q || i == K;
        if (which == 2 || is_score == (which == 0)) {
            int64_t row = i == Q || i == G ? head * of->queries + query
                                           : head * of->keys + key;
            poison_row(at->factors[i], row, state);
        }
    }
}

static void keep(const large_case_t *at, void **kept)
{
    for (int i = 0; i < FACTORS; i++) {
        size_t size = (size_t)kc_tensor_element_count(&at->factors[i]->view) *
                      sizeof(float);
        kept[i] = malloc(size + 1);
        ck_assert_ptr_nonnull(kept[i]);
        memcpy(kept[i], attention_floats(at->factors[i]), size);
    }
}

static void put_back(const large_case_t *at, void *const *kept)
{
    for (int i = 0; i < FACTORS; i++) {
        memcpy(attention_floats(at->factors[i]), kept[i],
               (size_t)kc_tensor_element_count(&at->factors[i]->view) *
                   sizeof(float));
    }
}

static void run_pairs(large_case_t *at, uint64_t *state)
{
    const attention_geometry_t *of = &at->operands.geometry;
    void *kept[FACTORS];
    keep(at, kept);
    for (int64_t pair = 0; pair < attention_heads(of) * of->queries * of->keys;
         pair++) {
        int64_t head = pair / of->keys / of->queries;
        int64_t query = pair / of->keys % of->queries;
        int64_t key = pair % of->keys;
        if (!attention_allows(&at->operands, head, query, key)) {
            poison_pair(at, head, query, key, state);
            run_both(at);
            put_back(at, kept);
        }
    }
    for (int i = 0; i < FACTORS; i++) {
        free(kept[i]);
    }
}

START_TEST(the_bits_of_the_loop_or_a_refusal)
{
    uint64_t state = SEED;
    int refused = 0;
    int passed = 0;
    int needed = 0;
    for (int n = 0; n < ATTENTION_GEOMETRIES; n++) {
        large_case_t at;
        if (is_small(&attention_geometries[n])) {
            case_begin(&at, &attention_geometries[n]);
            run_pairs(&at, &state);
            refused += at.refused;
            passed += at.passed;
            needed += at.needed;
            case_end(&at);
        }
    }
    /* All three happen: it would not do without the refusal. */
    ck_assert_int_gt(passed, 100);
    ck_assert_int_gt(refused, 100);
    ck_assert_int_gt(needed, 50);
}
END_TEST

Suite *suite_autograd_composed_large(void)
{
    Suite *suite = suite_create("autograd.composed_large");
    TCase *tests = tcase_create("composed_large");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, the_bits_of_the_loop_or_a_refusal);
    suite_add_tcase(suite, tests);
    return suite;
}
