/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler of streaming attention in the built file: small cases whose
 * results are known exactly, and what a backward call may leave out.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/modules/module_file.h"
#include "unit/modules/operand.h"
#include "unit/modules/tcases.h"
#include "unit/modules/test_host.h"

/* One head; q, k, v, mask, y, g and the three cotangents. */
typedef struct stage {
    operand_t *q;
    operand_t *k;
    operand_t *v;
    operand_t *mask;
    operand_t *y;
    operand_t *g;
    operand_t *cotangents[3];
    kc_attributes_t attributes;
} stage_t;

static const kc_handler_t *handler(void)
{
    const kc_module_t *module = module_file_load("attention");
    ck_assert_uint_eq(module->handler_count, 1);
    ck_assert_str_eq(module->handlers[0]->capsule,
                     "native_cpu.streaming_attention");
    return module->handlers[0];
}

static stage_t make_stage(int64_t queries, int64_t keys, int64_t width)
{
    stage_t s = {.q = operand_create(KC_DTYPE_F32, SHAPE(queries, width)),
                 .k = operand_create(KC_DTYPE_F32, SHAPE(keys, width)),
                 .v = operand_create(KC_DTYPE_F32, SHAPE(keys, width)),
                 .mask = operand_create(KC_DTYPE_BOOL, SHAPE(queries, keys)),
                 .y = operand_create(KC_DTYPE_F32, SHAPE(queries, width)),
                 .g = operand_create(KC_DTYPE_F32, SHAPE(queries, width))};
    s.cotangents[0] = operand_create(KC_DTYPE_F32, SHAPE(queries, width));
    s.cotangents[1] = operand_create(KC_DTYPE_F32, SHAPE(keys, width));
    s.cotangents[2] = operand_create(KC_DTYPE_F32, SHAPE(keys, width));
    s.attributes.struct_size = sizeof s.attributes;
    s.attributes.op = KC_OP_SCALED_DOT_PRODUCT_ATTENTION;
    s.attributes.u.attention.scale = 1;
    return s;
}

static void clear_stage(stage_t *s)
{
    operand_t *const all[] = {s->q, s->k, s->v, s->mask, s->y, s->g};
    for (size_t i = 0; i < 6; i++) {
        ck_assert(operand_guards_hold(all[i]));
        operand_destroy(all[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        ck_assert(operand_guards_hold(s->cotangents[i]));
        operand_destroy(s->cotangents[i]);
    }
}

static void call(const stage_t *s, kc_call_t *call, kc_handler_fn run,
                 kc_workspace_fn ask)
{
    test_host_t host;
    kc_error_t error = KC_ERROR_INIT;
    size_t size = 0;
    const DLTensor *inputs[] = {&s->q->view, &s->k->view, &s->v->view,
                                &s->mask->view};
    DLTensor *output = &s->y->view;
    call->struct_size = sizeof *call;
    call->op = KC_OP_SCALED_DOT_PRODUCT_ATTENTION;
    call->input_count = 4;
    call->output_count = 1;
    call->inputs = inputs;
    call->outputs = &output;
    call->attributes = &s->attributes;
    call->host = test_host_init(&host, 1);
    call->error = &error;
    ck_assert_int_eq(ask(call, &size), KC_OK);
    call->workspace = aligned_alloc(64, (size / 64 + 1) * 64);
    ck_assert_ptr_nonnull(call->workspace);
    memset(call->workspace, 0xff, (size / 64 + 1) * 64);
    call->workspace_size = size;
    ck_assert_int_eq(run(call), KC_OK);
    free(call->workspace);
}

static void run_forward(stage_t *s)
{
    kc_call_t forward = {0};
    operand_spoil(s->y);
    call(s, &forward, handler()->forward, handler()->forward_workspace);
}

/* `wanted` has a bit for each of q, k and v. */
static void run_backward(stage_t *s, unsigned wanted, int has_cotangent)
{
    const DLTensor *g = has_cotangent ? &s->g->view : NULL;
    DLTensor *cotangents[4] = {NULL};
    kc_call_t backward = {.cotangents_out = &g, .cotangents_in = cotangents};
    for (size_t i = 0; i < 3; i++) {
        operand_spoil(s->cotangents[i]);
        cotangents[i] = (wanted & 1u << i) ? &s->cotangents[i]->view : NULL;
    }
    call(s, &backward, handler()->vjp, handler()->vjp_workspace);
}

static void expect(const operand_t *operand, const double *values)
{
    for (size_t i = 0; i < operand->count; i++) {
        ck_assert_msg(same_bits(operand_get(operand, i), values[i]),
                      "element %zu: expected %g, found %g", i, values[i],
                      operand_get(operand, i));
    }
}

#define VALUES(...) ((const double[]){__VA_ARGS__})

/* Padding rows that may attend to nothing are zero, not NaN. */
START_TEST(a_fully_blocked_row_is_zero)
{
    stage_t s = make_stage(2, 2, 1);
    operand_fill(s.q, VALUES(1, 1));
    operand_fill(s.k, VALUES(1, 1));
    operand_fill(s.v, VALUES(3, 5));
    operand_fill(s.mask, VALUES(1, 1, 0, 0));
    operand_fill(s.g, VALUES(2, NAN));
    run_forward(&s);
    expect(s.y, VALUES(4, 0.0));
    run_backward(&s, 7, 1);
    expect(s.cotangents[0], VALUES(0.0, 0.0)); /* equal keys */
    expect(s.cotangents[1], VALUES(-1, 1));
    expect(s.cotangents[2], VALUES(1, 1));
    clear_stage(&s);
}
END_TEST

/* Row 0 sees key 0 alone: 20 would be the other polarity. */
START_TEST(true_means_may_attend)
{
    stage_t s = make_stage(2, 2, 1);
    operand_fill(s.q, VALUES(1, 1));
    operand_fill(s.k, VALUES(1, 1));
    operand_fill(s.v, VALUES(10, 20));
    operand_fill(s.mask, VALUES(1, 0, 1, 1));
    run_forward(&s);
    expect(s.y, VALUES(10, 15));
    clear_stage(&s);
}
END_TEST

/* The same entries, allowed to query 0 and blocked for query 1, in one tile:
 * who may attend gets the NaN, who may not gets nothing of it. */
START_TEST(what_is_not_finite_goes_to_those_who_may_attend)
{
    stage_t s = make_stage(2, 2, 1);
    operand_fill(s.q, VALUES(1, 1));
    operand_fill(s.k, VALUES(1, 1));
    operand_fill(s.v, VALUES(NAN, 20));
    operand_fill(s.mask, VALUES(1, 1, 0, 1));
    operand_fill(s.g, VALUES(1, 1));
    run_forward(&s);
    expect(s.y, VALUES(NAN, 20));
    operand_fill(s.v, VALUES(INFINITY, 20));
    run_forward(&s);
    expect(s.y, VALUES(INFINITY, 20));
    run_backward(&s, 7, 1);
    expect(s.cotangents[0], VALUES(NAN, 0.0));
    expect(s.cotangents[1], VALUES(NAN, -INFINITY));
    expect(s.cotangents[2], VALUES(0.5, 1.5));
    operand_fill(s.v, VALUES(10, 20));
    operand_fill(s.g, VALUES(NAN, 1));
    run_backward(&s, 4, 1);
    expect(s.cotangents[2], VALUES(NAN, NAN));
    operand_fill(s.mask, VALUES(1, 0, 0, 1));
    run_backward(&s, 4, 1);
    expect(s.cotangents[2], VALUES(NAN, 1));
    /* A weight of 0 times a key that is not finite. */
    operand_fill(s.mask, VALUES(1, 1, 0, 1));
    operand_fill(s.k, VALUES(-INFINITY, 1));
    operand_fill(s.g, VALUES(1, 1));
    run_backward(&s, 1, 1);
    expect(s.cotangents[0], VALUES(NAN, 0.0));
    clear_stage(&s);
}
END_TEST

/* Two keys with scores 0 and -x and values 0 and 1: the output is the weight
 * e^-x / (1 + e^-x). A unit for e^-x, half a unit each for the sum, its
 * inverse and the product are less than three units; the sum hardly feels the
 * error of e^-x. */
START_TEST(weights_are_within_a_few_units)
{
    stage_t s = make_stage(48, 2, 1);
    operand_fill(s.k, VALUES(0, -1));
    operand_fill(s.v, VALUES(0, 1));
    for (size_t i = 0; i < s.mask->count; i++) {
        operand_set(s.mask, i, 1);
    }
    for (int round = 0; round < 200; round++) {
        uint64_t state = 48000 + (uint64_t)round;
        for (size_t i = 0; i < 48; i++) {
            operand_set(s.q, i, random_uniform(&state, 0, round % 2 ? 80 : 2));
        }
        run_forward(&s);
        for (size_t i = 0; i < 48; i++) {
            const double e = exp(-operand_get(s.q, i));
            const double weight = e / (1 + e);
            ck_assert_msg(fabs(operand_get(s.y, i) - weight) <=
                              3 * 0x1p-23 * weight,
                          "x = %.9g: expected %.9g, found %.9g",
                          operand_get(s.q, i), weight, operand_get(s.y, i));
        }
    }
    clear_stage(&s);
}
END_TEST

/* The mean of large values is not their sum first; and whether a key that is
 * blocked here overflows elsewhere changes nothing. */
START_TEST(a_mean_of_large_values_is_finite)
{
    stage_t s = make_stage(2, 3, 1);
    operand_fill(s.q, VALUES(1, 1));
    operand_fill(s.k, VALUES(1, 1, 1));
    operand_fill(s.v, VALUES(0x1p127, 0x1p127, -0x1p126));
    operand_fill(s.mask, VALUES(1, 1, 0, 0, 1, 1));
    run_forward(&s);
    expect(s.y, VALUES(0x1p127, 0x1p125));
    operand_fill(s.v, VALUES(0x1p127, 0x1p127, 0x1p127));
    operand_fill(s.mask, VALUES(1, 1, 0, 1, 1, 1));
    run_forward(&s);
    ck_assert_double_eq_tol(operand_get(s.y, 1) * 0x1p-127, 1, 0x1p-20);
    clear_stage(&s);
}
END_TEST

/* The same over more keys than a tile holds. */
START_TEST(a_mean_of_large_values_in_two_tiles)
{
    stage_t s = make_stage(1, 130, 1);
    operand_fill(s.q, VALUES(1));
    for (size_t i = 0; i < 130; i++) {
        operand_set(s.mask, i, 1);
        operand_set(s.v, i, i < 2 || i == 129 ? 0x1p127 : 0);
    }
    run_forward(&s);
    ck_assert_double_eq_tol(operand_get(s.y, 0) * 0x1p-127, 3.0 / 130, 0x1p-20);
    clear_stage(&s);
}
END_TEST

/* Half of the smallest number below zero is -0; the sum that it is a term of
 * begins with +0. */
START_TEST(a_zero_of_the_output_is_positive)
{
    stage_t s = make_stage(2, 3, 1);
    operand_fill(s.q, VALUES(1, 1));
    operand_fill(s.k, VALUES(0, 0, 0));
    operand_fill(s.mask, VALUES(1, 1, 0, 1, 1, 1));
    operand_fill(s.v, VALUES(0, -0x1p-149, 5));
    run_forward(&s);
    ck_assert(same_bits(operand_get(s.y, 0), 0.0));
    operand_fill(s.k, VALUES(0, -80, 0));
    operand_fill(s.v, VALUES(0, -1e-30, -5));
    run_forward(&s);
    ck_assert(same_bits(operand_get(s.y, 0), 0.0));
    clear_stage(&s);
}
END_TEST

/* An allowed score that is infinite gives what softmax gives: NaN; one of
 * -inf has no weight beside others. */
START_TEST(allowed_infinities)
{
    stage_t s = make_stage(1, 2, 1);
    operand_fill(s.q, VALUES(1));
    operand_fill(s.v, VALUES(10, 20));
    operand_fill(s.mask, VALUES(1, 1));
    operand_fill(s.k, VALUES(-INFINITY, 1));
    run_forward(&s);
    expect(s.y, VALUES(20));
    operand_fill(s.k, VALUES(INFINITY, 1));
    run_forward(&s);
    expect(s.y, VALUES(NAN));
    operand_fill(s.k, VALUES(-INFINITY, -INFINITY));
    run_forward(&s);
    expect(s.y, VALUES(NAN));
    operand_fill(s.k, VALUES(NAN, 1));
    run_forward(&s);
    expect(s.y, VALUES(NAN));
    clear_stage(&s);
}
END_TEST

START_TEST(each_cotangent_alone_has_the_same_bits)
{
    stage_t s = make_stage(5, 7, 6);
    operand_t *const operands[] = {s.q, s.k, s.v, s.g};
    uint64_t state = 47000;
    double all[3][7 * 6];
    for (size_t i = 0; i < 4; i++) {
        for (size_t at = 0; at < operands[i]->count; at++) {
            operand_set(operands[i], at, random_uniform(&state, -2, 2));
        }
    }
    for (size_t at = 0; at < s.mask->count; at++) {
        operand_set(s.mask, at, random_word(&state) % 3 != 0);
    }
    run_backward(&s, 7, 1);
    for (size_t i = 0; i < 3; i++) {
        for (size_t at = 0; at < s.cotangents[i]->count; at++) {
            all[i][at] = operand_get(s.cotangents[i], at);
        }
    }
    for (unsigned wanted = 1; wanted < 7; wanted++) {
        run_backward(&s, wanted, 1);
        for (size_t i = 0; i < 3; i++) {
            if (wanted & 1u << i) {
                expect(s.cotangents[i], all[i]);
            }
        }
    }
    clear_stage(&s);
}
END_TEST

START_TEST(no_cotangent_is_zeros)
{
    static const double zeros[7 * 6];
    stage_t s = make_stage(5, 7, 6);
    run_backward(&s, 7, 0);
    for (size_t i = 0; i < 3; i++) {
        expect(s.cotangents[i], zeros);
    }
    clear_stage(&s);
}
END_TEST

TCase *tcase_streaming_handler(void)
{
    TCase *tcase = tcase_create("streaming_handler");
    tcase_add_test(tcase, a_fully_blocked_row_is_zero);
    tcase_add_test(tcase, true_means_may_attend);
    tcase_add_test(tcase, what_is_not_finite_goes_to_those_who_may_attend);
    tcase_add_test(tcase, weights_are_within_a_few_units);
    tcase_add_test(tcase, a_mean_of_large_values_is_finite);
    tcase_add_test(tcase, a_mean_of_large_values_in_two_tiles);
    tcase_add_test(tcase, a_zero_of_the_output_is_positive);
    tcase_add_test(tcase, allowed_infinities);
    tcase_add_test(tcase, each_cotangent_alone_has_the_same_bits);
    tcase_add_test(tcase, no_cotangent_is_zeros);
    return tcase;
}
