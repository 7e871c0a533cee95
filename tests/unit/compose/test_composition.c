/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * How a composition grows: types from the catalogue, the first failure that
 * stands, reuse, memory that runs out anywhere. */
#include "compose/composition.h"

#include <math.h>

#include "unit/compose/suites.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"

static kci_composition_t composition;

static void begin(void)
{
    kci_composition_init(&composition);
}

static void end(void)
{
    kci_composition_release(&composition);
}

static kci_tensor_type_t vector_of(int32_t dtype, int64_t extent)
{
    return (kci_tensor_type_t){.dtype = dtype,
                               .shape = {.rank = 1, .dims = {extent}}};
}

static kci_term_t argument(int64_t extent)
{
    const kci_tensor_type_t type = vector_of(KC_DTYPE_F32, extent);
    return kci_compose_argument(&composition, &type);
}

static void expect_ok(void)
{
    kc_error_t error = KC_ERROR_INIT;
    EXPECT_OK(error, kci_composition_status(&composition, &error));
}

static void expect_type(kci_term_t term, int32_t dtype, int64_t extent)
{
    const kci_tensor_type_t *type = kci_term_type(&composition, term);
    const kci_tensor_type_t expected = vector_of(dtype, extent);
    ck_assert_int_eq(type->dtype, dtype);
    ck_assert(kci_shape_equal(&type->shape, &expected.shape));
}

START_TEST(terms_know_where_they_come_from)
{
    const float ones[] = {1, 1, 1};
    const kci_tensor_type_t type = vector_of(KC_DTYPE_F32, 3);
    kci_term_t a = argument(3);
    kci_term_t b = argument(3);
    kci_term_t one = kci_compose_literal(&composition, &type, ones);
    kci_term_t sum = kci_compose_binary(&composition, KC_OP_ADD, b, one);
    kci_term_t product = kci_compose_binary(&composition, KC_OP_MUL, sum, a);
    const kci_term_info_t *terms = composition.terms;
    expect_ok();
    ck_assert_int_eq(terms[a].source, KCI_TERM_ARGUMENT);
    ck_assert_uint_eq(terms[a].slot, 0);
    ck_assert_uint_eq(terms[b].slot, 1);
    ck_assert_uint_eq(composition.argument_count, 2);
    ck_assert_int_eq(terms[one].source, KCI_TERM_LITERAL);
    ck_assert_uint_eq(composition.literals[terms[one].slot].term, one);
    ck_assert_int_eq(terms[product].source, KCI_TERM_STEP);
    ck_assert_uint_eq(terms[product].slot, 1);
    const kci_composition_step_t *step = &composition.steps[1];
    ck_assert_int_eq(step->op, KC_OP_MUL);
    ck_assert_uint_eq(step->result, product);
    ck_assert_uint_eq(step->operand_count, 2);
    ck_assert_uint_eq(composition.operands[step->first_operand], sum);
    ck_assert_uint_eq(composition.operands[step->first_operand + 1], a);
    ck_assert_ptr_null(kci_composition_attributes(&composition, step));
    ck_assert_uint_eq(kci_composition_ops(&composition),
                      UINT64_C(1) << KC_OP_ADD | UINT64_C(1) << KC_OP_MUL);
    expect_type(product, KC_DTYPE_F32, 3);
}
END_TEST

START_TEST(literals_are_copies)
{
    int64_t indices[] = {4, 2};
    const kci_tensor_type_t type = vector_of(KC_DTYPE_I64, 2);
    const kci_tensor_type_t none = vector_of(KC_DTYPE_F64, 0);
    kci_term_t term = kci_compose_literal(&composition, &type, indices);
    kci_term_t empty = kci_compose_literal(&composition, &none, NULL);
    indices[0] = 9;
    expect_ok();
    const kci_literal_t *literal = &composition.literals[0];
    ck_assert_uint_eq(literal->term, term);
    ck_assert_uint_eq(literal->size_bytes, sizeof indices);
    ck_assert_int_eq(((const int64_t *)literal->bytes)[0], 4);
    ck_assert_int_eq(((const int64_t *)literal->bytes)[1], 2);
    ck_assert_uint_eq(composition.literals[1].size_bytes, 0);
    expect_type(empty, KC_DTYPE_F64, 0);
}
END_TEST

/* Attention: a scale that nobody gave, an input that is absent. */
START_TEST(attributes_are_resolved_and_inputs_may_be_absent)
{
    const kci_tensor_type_t type = {.dtype = KC_DTYPE_F32,
                                    .shape = {.rank = 2, .dims = {3, 4}}};
    const kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                        .op =
                                            KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
                                        .u.attention.scale = NAN};
    kci_term_t q = kci_compose_argument(&composition, &type);
    const kci_term_t operands[] = {q, q, q, KCI_NO_TERM};
    kci_term_t y =
        kci_compose_apply(&composition, KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
                          &attributes, operands, 4);
    expect_ok();
    const kci_composition_step_t *step = &composition.steps[0];
    ck_assert_uint_eq(step->result, y);
    ck_assert_uint_eq(composition.operands[step->first_operand + 3],
                      KCI_NO_TERM);
    ck_assert_double_eq(
        kci_composition_attributes(&composition, step)->u.attention.scale, 0.5);
    ck_assert(isnan(attributes.u.attention.scale));
}
END_TEST

/* A source has no operands, and then there may be no array of them. */
START_TEST(an_operation_may_have_no_operands)
{
    const kc_attributes_t attributes = {
        .struct_size = sizeof attributes,
        .op = KC_OP_RAND_UNIFORM,
        .u.random = {.seed = 1, .rank = 1, .shape = {5}}};
    kci_term_t y = kci_compose_apply(&composition, KC_OP_RAND_UNIFORM,
                                     &attributes, NULL, 0);
    expect_ok();
    expect_type(y, KC_DTYPE_F32, 5);
}
END_TEST

START_TEST(the_first_failure_stands)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_term_t a = argument(3);
    kci_term_t b = argument(4);
    ck_assert_uint_eq(kci_compose_binary(&composition, KC_OP_ADD, a, b),
                      KCI_NO_TERM);
    size_t term_count = composition.term_count;
    /* Good ones and bad ones do nothing any more. */
    ck_assert_uint_eq(kci_compose_binary(&composition, KC_OP_ADD, a, a),
                      KCI_NO_TERM);
    ck_assert_uint_eq(kci_compose_axis(&composition, KC_OP_SOFTMAX, a, 7),
                      KCI_NO_TERM);
    ck_assert_uint_eq(argument(3), KCI_NO_TERM);
    ck_assert_uint_eq(composition.term_count, term_count);
    ck_assert_uint_eq(composition.step_count, 0);
    ck_assert_uint_eq(composition.argument_count, 2);
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "add",
                   kci_composition_status(&composition, &error));
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "[4]",
                   kci_composition_status(&composition, &error));
}
END_TEST

START_TEST(a_missing_operand_is_named)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_term_t a = argument(3);
    ck_assert_uint_eq(
        kci_compose_binary(&composition, KC_OP_SUB, a, KCI_NO_TERM),
        KCI_NO_TERM);
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "sub",
                   kci_composition_status(&composition, &error));
}
END_TEST

START_TEST(a_cleared_composition_is_a_new_one)
{
    kci_term_t a = argument(3);
    (void)kci_compose_number(&composition, KC_DTYPE_F32, 2);
    (void)kci_compose_axis(&composition, KC_OP_SOFTMAX, a, 9);
    ck_assert_int_eq(composition.status, KC_ERR_GRAPH);
    kci_composition_clear(&composition);
    expect_ok();
    ck_assert_uint_eq(kci_composition_ops(&composition), 0);
    a = argument(5);
    ck_assert_uint_eq(a, 0);
    kci_term_t y = kci_compose_axis(&composition, KC_OP_SOFTMAX, a, 0);
    expect_ok();
    ck_assert_uint_eq(composition.argument_count, 1);
    ck_assert_uint_eq(composition.literal_count, 0);
    ck_assert_uint_eq(composition.terms[y].slot, 0);
    ck_assert_int_eq(
        kci_composition_attributes(&composition, &composition.steps[0])
            ->u.axis.axis,
        0);
    kci_composition_release(&composition);
    kci_composition_release(&composition);
}
END_TEST

/* The array of terms moves while the type is read, at some call of each
 * kind: it doubles, and there are enough of each to reach the next double. */
START_TEST(types_of_own_terms_may_be_given)
{
    const float three[] = {1, 2, 3};
    kci_term_t a = argument(3);
    for (int i = 0; i < 20; i++) {
        expect_type(
            kci_compose_argument(&composition, kci_term_type(&composition, a)),
            KC_DTYPE_F32, 3);
    }
    for (int i = 0; i < 40; i++) {
        expect_type(kci_compose_literal(&composition,
                                        kci_term_type(&composition, a), three),
                    KC_DTYPE_F32, 3);
    }
    for (int i = 0; i < 80; i++) {
        expect_type(
            kci_compose_fill(&composition, kci_term_type(&composition, a), i),
            KC_DTYPE_F32, 3);
        kci_term_t odd = argument(3); /* so that the number moves them too */
        ck_assert_uint_ne(odd, KCI_NO_TERM);
    }
    expect_ok();
}
END_TEST

/* Every kind of array, and a literal whose own memory is the one missing. */
static void build_some(void)
{
    const kci_tensor_type_t type = vector_of(KC_DTYPE_F32, 3);
    kci_term_t a = argument(3);
    kci_term_t b =
        kci_compose_numbers(&composition, &type, (const double[]){1, 2, 3});
    kci_term_t sum = kci_compose_binary(&composition, KC_OP_ADD, a, b);
    sum = kci_compose_binary(&composition, KC_OP_MUL, sum,
                             kci_compose_fill(&composition, &type, 0.5));
    (void)kci_compose_sum_back(&composition, sum, 0);
}

static void build_literal(void)
{
    const kci_tensor_type_t type = vector_of(KC_DTYPE_F32, 1);
    (void)kci_compose_literal(&composition, &type, (const float[]){1});
}

static uint32_t count_arguments(void)
{
    uint32_t count = 0;
    for (size_t i = 0; i < composition.term_count; i++) {
        count += composition.terms[i].source == KCI_TERM_ARGUMENT;
    }
    return count;
}

/* How many requests were needed. */
static int build_with_little_memory(void (*build)(void))
{
    for (int granted = 0;; granted++) {
        kc_error_t error = KC_ERROR_INIT;
        ck_assert_int_lt(granted, 1000);
        failing_heap_break_after(granted);
        build();
        failing_heap_mend();
        ck_assert_uint_eq(composition.argument_count, count_arguments());
        if (composition.status == KC_OK) {
            return granted;
        }
        EXPECT_FAILURE(error, KC_ERR_MEMORY, "memory",
                       kci_composition_status(&composition, &error));
        kci_composition_release(&composition);
    }
}

START_TEST(memory_may_run_out_anywhere)
{
    ck_assert_int_gt(build_with_little_memory(build_some), 8);
    ck_assert_uint_eq(composition.step_count, 6);
    kci_composition_release(&composition);
    /* the list of literals, the bytes of this one, its term */
    ck_assert_int_eq(build_with_little_memory(build_literal), 3);
}
END_TEST

Suite *suite_compose_composition(void)
{
    Suite *suite = suite_create("compose/composition");
    TCase *tests = tcase_create("composition");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, terms_know_where_they_come_from);
    tcase_add_test(tests, literals_are_copies);
    tcase_add_test(tests, attributes_are_resolved_and_inputs_may_be_absent);
    tcase_add_test(tests, an_operation_may_have_no_operands);
    tcase_add_test(tests, the_first_failure_stands);
    tcase_add_test(tests, a_missing_operand_is_named);
    tcase_add_test(tests, a_cleared_composition_is_a_new_one);
    tcase_add_test(tests, types_of_own_terms_may_be_given);
    tcase_add_test(tests, memory_may_run_out_anywhere);
    suite_add_tcase(suite, tests);
    return suite;
}
