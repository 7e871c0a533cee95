/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The usual terms by name: the operation and attributes of each, literals
 * that are rounded and shared, terms that are no step, silence after a
 * failure. */
#include "compose/composition.h"

#include <math.h>

#include "unit/compose/suites.h"
#include "unit/expect.h"

static kci_composition_t composition;
static kci_term_t matrix; /* argument 0, float32 [2, 3] */

static kci_shape_t shape_of(int32_t rank, const int64_t *dims)
{
    kci_shape_t shape = {.rank = rank};
    for (int32_t axis = 0; axis < rank; axis++) {
        shape.dims[axis] = dims[axis];
    }
    return shape;
}

#define SHAPE(...)                                                             \
    shape_of((int32_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),    \
             (const int64_t[]){__VA_ARGS__})

static kci_term_t argument(int32_t dtype, kci_shape_t shape)
{
    const kci_tensor_type_t type = {.dtype = dtype, .shape = shape};
    return kci_compose_argument(&composition, &type);
}

static void begin(void)
{
    kci_composition_init(&composition);
    matrix = argument(KC_DTYPE_F32, SHAPE(2, 3));
}

static void end(void)
{
    kci_composition_release(&composition);
}

static void expect_ok(void)
{
    kc_error_t error = KC_ERROR_INIT;
    EXPECT_OK(error, kci_composition_status(&composition, &error));
}

/* The step that makes the term, which has this operation and shape. */
static const kci_composition_step_t *expect_step(kci_term_t term, int32_t op,
                                                 kci_shape_t shape)
{
    expect_ok();
    ck_assert_int_eq(composition.terms[term].source, KCI_TERM_STEP);
    const kci_composition_step_t *step =
        &composition.steps[composition.terms[term].slot];
    ck_assert_int_eq(step->op, op);
    ck_assert(
        kci_shape_equal(&kci_term_type(&composition, term)->shape, &shape));
    return step;
}

static const kc_attributes_t *attributes_of(const kci_composition_step_t *step)
{
    return kci_composition_attributes(&composition, step);
}

static kci_term_t operand(const kci_composition_step_t *step, uint32_t place)
{
    ck_assert_uint_lt(place, step->operand_count);
    return composition.operands[step->first_operand + place];
}

static const void *bytes_of(kci_term_t term)
{
    ck_assert_int_eq(composition.terms[term].source, KCI_TERM_LITERAL);
    return composition.literals[composition.terms[term].slot].bytes;
}

START_TEST(numbers_are_rounded_once_and_shared)
{
    kci_term_t tenth = kci_compose_number(&composition, KC_DTYPE_F32, 0.1);
    kci_term_t fine = kci_compose_number(&composition, KC_DTYPE_F64, 0.1);
    ck_assert_float_eq(*(const float *)bytes_of(tenth), 0.1f);
    ck_assert_double_eq(*(const double *)bytes_of(fine), 0.1);
    ck_assert_uint_ne(tenth, fine);
    ck_assert_uint_eq(kci_compose_number(&composition, KC_DTYPE_F32, 0.1),
                      tenth);
    ck_assert_uint_eq(
        kci_compose_number(&composition, KC_DTYPE_F32, (double)0.1f), tenth);
    ck_assert_uint_eq(kci_compose_number(&composition, KC_DTYPE_F64, 0.1),
                      fine);
    ck_assert_uint_eq(composition.literal_count, 2);
}
END_TEST

START_TEST(zeros_of_two_signs_are_two_numbers)
{
    kci_term_t plus = kci_compose_number(&composition, KC_DTYPE_F32, 0);
    kci_term_t minus = kci_compose_number(&composition, KC_DTYPE_F32, -0.0);
    kci_term_t nan = kci_compose_number(&composition, KC_DTYPE_F32, NAN);
    ck_assert_uint_ne(plus, minus);
    ck_assert(signbit(*(const float *)bytes_of(minus)) != 0);
    ck_assert_uint_eq(kci_compose_number(&composition, KC_DTYPE_F32, NAN), nan);
}
END_TEST

/* A vector of one element is no scalar, nor is an index a number. */
START_TEST(only_scalars_are_shared)
{
    const kci_tensor_type_t one = {.dtype = KC_DTYPE_F32, .shape = SHAPE(1)};
    const double value = 2;
    kci_term_t vector = kci_compose_numbers(&composition, &one, &value);
    kci_term_t number = kci_compose_number(&composition, KC_DTYPE_F32, 2);
    ck_assert_uint_ne(vector, number);
    ck_assert_int_eq(kci_term_type(&composition, number)->shape.rank, 0);
}
END_TEST

START_TEST(lists_of_numbers_are_rounded_once)
{
    const double numbers[] = {0.1, -0.0, 1e300};
    const kci_tensor_type_t single = {.dtype = KC_DTYPE_F32, .shape = SHAPE(3)};
    const kci_tensor_type_t full = {.dtype = KC_DTYPE_F64, .shape = SHAPE(3)};
    const float *rounded =
        bytes_of(kci_compose_numbers(&composition, &single, numbers));
    ck_assert_float_eq(rounded[0], 0.1f);
    ck_assert(signbit(rounded[1]) != 0);
    ck_assert_float_eq(rounded[2], INFINITY);
    ck_assert_mem_eq(
        bytes_of(kci_compose_numbers(&composition, &full, numbers)), numbers,
        sizeof numbers);
    expect_ok();
}
END_TEST

START_TEST(indices_are_int64)
{
    const int64_t indices[] = {5, 0, 5};
    kci_term_t term = kci_compose_indices(&composition, indices, 3);
    ck_assert_int_eq(kci_term_type(&composition, term)->dtype, KC_DTYPE_I64);
    ck_assert_mem_eq(bytes_of(term), indices, sizeof indices);
}
END_TEST

START_TEST(operations_by_name)
{
    kci_term_t mask = argument(KC_DTYPE_BOOL, SHAPE(2, 3));
    kci_term_t indices =
        kci_compose_indices(&composition, (const int64_t[]){1, 0, 1, 1}, 4);
    kci_term_t source = argument(KC_DTYPE_F32, SHAPE(2, 4));
    const kci_composition_step_t *step =
        expect_step(kci_compose_unary(&composition, KC_OP_EXP, matrix),
                    KC_OP_EXP, SHAPE(2, 3));
    ck_assert_uint_eq(operand(step, 0), matrix);
    step = expect_step(kci_compose_scale(&composition, matrix, -2.5),
                       KC_OP_SCALE, SHAPE(2, 3));
    ck_assert_double_eq(attributes_of(step)->u.scale.factor, -2.5);
    step = expect_step(
        kci_compose_axis(&composition, KC_OP_REDUCE_MEAN, matrix, 0),
        KC_OP_REDUCE_MEAN, SHAPE(3));
    ck_assert_int_eq(attributes_of(step)->u.axis.axis, 0);
    step = expect_step(kci_compose_masked_softmax(&composition, matrix, mask),
                       KC_OP_HARD_MASKED_SOFTMAX, SHAPE(2, 3));
    ck_assert_uint_eq(operand(step, 1), mask);
    ck_assert_int_eq(attributes_of(step)->u.axis.axis, 1);
    step = expect_step(kci_compose_gather(&composition, matrix, indices, 1),
                       KC_OP_GATHER, SHAPE(2, 4));
    ck_assert_int_eq(attributes_of(step)->u.axis.axis, 1);
    ck_assert_uint_eq(operand(step, 1), indices);
    step = expect_step(
        kci_compose_scatter_add(&composition, matrix, indices, source, 1),
        KC_OP_SCATTER_ADD, SHAPE(2, 3));
    ck_assert_int_eq(attributes_of(step)->u.axis.axis, 1);
    ck_assert_uint_eq(operand(step, 2), source);
}
END_TEST

START_TEST(shapes_by_name)
{
    const kci_shape_t flat = SHAPE(6);
    const kci_shape_t wide = SHAPE(4, 2, 3);
    const kci_term_t pieces[] = {matrix, matrix, matrix};
    (void)expect_step(kci_compose_reshape(&composition, matrix, &flat),
                      KC_OP_RESHAPE, flat);
    (void)expect_step(kci_compose_broadcast(&composition, matrix, &wide),
                      KC_OP_BROADCAST, wide);
    const kci_composition_step_t *step =
        expect_step(kci_compose_slice(&composition, matrix, 1, 1, 2),
                    KC_OP_SLICE, SHAPE(2, 2));
    ck_assert_int_eq(attributes_of(step)->u.slice.start, 1);
    step = expect_step(kci_compose_concat(&composition, pieces, 3, 1),
                       KC_OP_CONCAT, SHAPE(2, 9));
    ck_assert_int_eq(attributes_of(step)->u.axis.axis, 1);
    kci_term_t cube = argument(KC_DTYPE_F64, SHAPE(2, 3, 4));
    step = expect_step(
        kci_compose_permute(&composition, cube, (const int64_t[]){2, 0, 1}),
        KC_OP_PERMUTE, SHAPE(4, 2, 3));
    ck_assert_int_eq(attributes_of(step)->u.permute.rank, 3);
    (void)expect_step(kci_compose_transpose(&composition, cube), KC_OP_PERMUTE,
                      SHAPE(2, 4, 3));
}
END_TEST

START_TEST(what_changes_nothing_is_its_operand)
{
    const kci_shape_t same = SHAPE(2, 3);
    kci_term_t vector = argument(KC_DTYPE_F32, SHAPE(3));
    kci_term_t scalar = kci_compose_number(&composition, KC_DTYPE_F32, 1);
    ck_assert_uint_eq(kci_compose_reshape(&composition, matrix, &same), matrix);
    ck_assert_uint_eq(kci_compose_broadcast(&composition, matrix, &same),
                      matrix);
    ck_assert_uint_eq(
        kci_compose_permute(&composition, matrix, (const int64_t[]){0, 1}),
        matrix);
    ck_assert_uint_eq(kci_compose_slice(&composition, matrix, 1, 0, 3), matrix);
    ck_assert_uint_eq(kci_compose_concat(&composition, &matrix, 1, 0), matrix);
    ck_assert_uint_eq(kci_compose_transpose(&composition, vector), vector);
    ck_assert_uint_eq(kci_compose_transpose(&composition, scalar), scalar);
    ck_assert_uint_eq(composition.step_count, 0);
    expect_ok();
}
END_TEST

/* A slice that only looks like everything is judged by the catalogue. */
START_TEST(slices_out_of_range_fail)
{
    kc_error_t error = KC_ERROR_INIT;
    ck_assert_uint_eq(kci_compose_slice(&composition, matrix, 2, 0, 3),
                      KCI_NO_TERM);
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "slice",
                   kci_composition_status(&composition, &error));
}
END_TEST

START_TEST(fill_is_a_scalar_broadcast)
{
    const kci_tensor_type_t type = {.dtype = KC_DTYPE_F64,
                                    .shape = SHAPE(2, 0, 3)};
    const kci_tensor_type_t scalar = {.dtype = KC_DTYPE_F64};
    const kci_composition_step_t *step =
        expect_step(kci_compose_fill(&composition, &type, 1.5), KC_OP_BROADCAST,
                    type.shape);
    ck_assert_double_eq(*(const double *)bytes_of(operand(step, 0)), 1.5);
    ck_assert_uint_eq(kci_compose_fill(&composition, &scalar, 1.5),
                      operand(step, 0));
}
END_TEST

START_TEST(sums_come_back_to_their_axis)
{
    kci_term_t back = kci_compose_sum_back(&composition, matrix, 0);
    const kci_composition_step_t *step =
        expect_step(back, KC_OP_BROADCAST, SHAPE(2, 3));
    step = expect_step(operand(step, 0), KC_OP_RESHAPE, SHAPE(1, 3));
    step = expect_step(operand(step, 0), KC_OP_REDUCE_SUM, SHAPE(3));
    ck_assert_uint_eq(operand(step, 0), matrix);
    ck_assert_int_eq(attributes_of(step)->u.axis.axis, 0);
    back = kci_compose_sum_back(&composition, matrix, 1);
    step = expect_step(back, KC_OP_BROADCAST, SHAPE(2, 3));
    step = expect_step(operand(step, 0), KC_OP_RESHAPE, SHAPE(2, 1));
    (void)expect_step(operand(step, 0), KC_OP_REDUCE_SUM, SHAPE(2));
}
END_TEST

/* However many sums of nothing there would be. */
START_TEST(sums_of_nothing_do_not_come_back)
{
    kci_term_t empty =
        argument(KC_DTYPE_F32, SHAPE(INT64_C(1) << 40, 0, 1 << 20));
    ck_assert_uint_eq(kci_compose_sum_back(&composition, empty, 1), empty);
    ck_assert_uint_eq(composition.step_count, 0);
    expect_ok();
}
END_TEST

/* Every function, with operands that are good. */
START_TEST(nothing_grows_after_a_failure)
{
    const kci_shape_t same = SHAPE(2, 3);
    const kci_shape_t flat = SHAPE(6);
    const int64_t perm[] = {0, 1};
    const kci_tensor_type_t type = {.dtype = KC_DTYPE_F32, .shape = flat};
    const double numbers[6] = {0};
    kci_composition_t *into = &composition;
    kci_term_t number = kci_compose_number(into, KC_DTYPE_F32, 1);
    size_t count = composition.term_count;
    (void)kci_compose_axis(into, KC_OP_SOFTMAX, matrix, 5);
    const kci_term_t found[] = {
        kci_compose_argument(into, &type),
        kci_compose_literal(into, &type, numbers),
        kci_compose_numbers(into, &type, numbers),
        kci_compose_number(into, KC_DTYPE_F32, 1),
        kci_compose_number(into, KC_DTYPE_F32, 2),
        kci_compose_indices(into, perm, 2),
        kci_compose_unary(into, KC_OP_EXP, matrix),
        kci_compose_binary(into, KC_OP_ADD, matrix, matrix),
        kci_compose_scale(into, matrix, 2),
        kci_compose_axis(into, KC_OP_REDUCE_SUM, matrix, 0),
        kci_compose_masked_softmax(into, matrix, matrix),
        kci_compose_reshape(into, matrix, &same),
        kci_compose_reshape(into, KCI_NO_TERM, &flat),
        kci_compose_broadcast(into, matrix, &same),
        kci_compose_permute(into, matrix, perm),
        kci_compose_transpose(into, KCI_NO_TERM),
        kci_compose_slice(into, matrix, 0, 0, 2),
        kci_compose_slice(into, KCI_NO_TERM, 0, 0, 2),
        kci_compose_concat(into, &matrix, 1, 0),
        kci_compose_gather(into, matrix, number, 0),
        kci_compose_scatter_add(into, matrix, number, matrix, 0),
        kci_compose_fill(into, &type, 1),
        kci_compose_sum_back(into, KCI_NO_TERM, 0)};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        ck_assert_msg(found[i] == KCI_NO_TERM, "call %zu gave a term", i);
    }
    ck_assert_uint_eq(composition.term_count, count);
    ck_assert_uint_eq(composition.step_count, 0);
}
END_TEST

Suite *suite_compose_terms(void)
{
    Suite *suite = suite_create("compose/terms");
    TCase *tests = tcase_create("terms");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, numbers_are_rounded_once_and_shared);
    tcase_add_test(tests, zeros_of_two_signs_are_two_numbers);
    tcase_add_test(tests, only_scalars_are_shared);
    tcase_add_test(tests, lists_of_numbers_are_rounded_once);
    tcase_add_test(tests, indices_are_int64);
    tcase_add_test(tests, operations_by_name);
    tcase_add_test(tests, shapes_by_name);
    tcase_add_test(tests, what_changes_nothing_is_its_operand);
    tcase_add_test(tests, slices_out_of_range_fail);
    tcase_add_test(tests, fill_is_a_scalar_broadcast);
    tcase_add_test(tests, sums_come_back_to_their_axis);
    tcase_add_test(tests, sums_of_nothing_do_not_come_back);
    tcase_add_test(tests, nothing_grows_after_a_failure);
    suite_add_tcase(suite, tests);
    return suite;
}
