/* SPDX-License-Identifier: Apache-2.0
 *
 * softmax by LibTorch: what ATen's own masked softmax and its kernels for
 * other layouts would get wrong.
 */
#include <math.h>
#include <stdlib.h>

#include "unit/modules/libtorch_call.h"
#include "unit/modules/module_file.h"
#include "unit/modules/tcases.h"

#define ROWS   4
#define WIDTH  3
#define MATRIX SHAPE(ROWS, WIDTH)

/* Row 0 allows all, row 1 two, row 2 none, row 3 one. */
static const double mask_values[] = {1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1};

static trial_t masked(int32_t dtype, const double *x)
{
    trial_t trial;
    trial_init(&trial, KC_OP_HARD_MASKED_SOFTMAX);
    trial.attributes.u.axis.axis = 1;
    trial_add(&trial, operand_of(dtype, MATRIX, x));
    trial_add(&trial, operand_of(KC_DTYPE_BOOL, MATRIX, mask_values));
    trial_set_output(&trial, operand_create(dtype, MATRIX));
    return trial;
}

/* Equal scores, so that every weight is exact; what is blocked is not. */
static void check_blocked(const libtorch_t *libtorch, int32_t dtype,
                          double evil)
{
    const double x[] = {5, 5, 5, evil, 7, 7, evil, evil, evil, evil, evil, 2};
    const double third = rounded(dtype, 1.0 / 3);
    const double y[] = {third, third, third, 0, .5, .5, 0, 0, 0, 0, 0, 1};
    const double g[] = {0, 0, 0, evil, 1, 0, evil, evil, evil, evil, evil, 3};
    const double dx[] = {0, 0, 0, 0, .25, -.25, 0, 0, 0, 0, 0, 0};
    trial_t trial = masked(dtype, x);
    operand_t *cotangent = operand_of(dtype, MATRIX, g);
    operand_t *gradients[] = {operand_create(dtype, MATRIX), NULL};
    const double *expected[] = {dx, NULL};
    libtorch_expect(libtorch, &trial, y);
    libtorch_expect_vjp(libtorch, &trial, cotangent, gradients, expected);
    trial.in_place = 1;
    libtorch_expect(libtorch, &trial, y);
    operand_destroy(gradients[0]);
    operand_destroy(cotangent);
    trial_clear(&trial);
}

START_TEST(blocked_entries_hold_anything)
{
    const double evils[] = {0, NAN, INFINITY, -INFINITY, 3e38};
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    for (int i = 0; i < 5; i++) {
        check_blocked(&libtorch, KC_DTYPE_F32, evils[i]);
        check_blocked(&libtorch, KC_DTYPE_F64, evils[i]);
    }
    libtorch_close(&libtorch);
}
END_TEST

static void check_scalar(const libtorch_t *libtorch, int32_t op, int32_t dtype,
                         double expected)
{
    trial_t trial;
    const double zero = 0;
    const double *slopes[] = {&zero};
    const double three = 3;
    operand_t *cotangent = operand_of(dtype, 0, NULL, &three);
    operand_t *gradient = operand_create(dtype, 0, NULL);
    trial_init(&trial, op);
    trial_add(&trial, operand_of(dtype, 0, NULL, &three));
    trial_set_output(&trial, operand_create(dtype, 0, NULL));
    libtorch_expect(libtorch, &trial, &expected);
    libtorch_expect_vjp(libtorch, &trial, cotangent, &gradient, slopes);
    operand_destroy(gradient);
    operand_destroy(cotangent);
    trial_clear(&trial);
}

START_TEST(a_scalar_is_one_slice)
{
    libtorch_t libtorch;
    if (!libtorch_open(&libtorch)) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        check_scalar(&libtorch, KC_OP_SOFTMAX, trial_floats[i], 1);
        check_scalar(&libtorch, KC_OP_LOG_SOFTMAX, trial_floats[i], 0);
    }
    libtorch_close(&libtorch);
}
END_TEST

/* ATen writes wrong numbers into results that are not dense, and says
 * nothing: the host has to make them dense. */
START_TEST(only_dense_operands_are_taken)
{
    module_note_t note = module_file_read_note("libtorch", KC_NOTE_CAPSULES);
    const kc_capsule_record_t *capsules = note.records;
    int found = 0;
    for (size_t i = 0; i < note.size_bytes / sizeof *capsules; i++) {
        if (capsules[i].op == KC_OP_SOFTMAX ||
            capsules[i].op == KC_OP_LOG_SOFTMAX ||
            capsules[i].op == KC_OP_HARD_MASKED_SOFTMAX) {
            ck_assert((capsules[i].limits.layouts & ~KC_OPERAND_DENSE) == 0);
            found++;
        }
    }
    ck_assert_int_eq(found, 3);
    free(note.records);
}
END_TEST

TCase *tcase_libtorch_softmax(void)
{
    TCase *tcase = tcase_create("libtorch_softmax");
    tcase_add_test(tcase, blocked_entries_hold_anything);
    tcase_add_test(tcase, a_scalar_is_one_slice);
    tcase_add_test(tcase, only_dense_operands_are_taken);
    return tcase;
}
