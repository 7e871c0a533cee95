/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The catalogue's verdict on terms. */
#include "compose/operand_check.h"

#include <string.h>

#include "unit/compose/suites.h"

static kci_term_t vector(kci_composition_t *composition, int32_t dtype,
                         int64_t count)
{
    kci_tensor_type_t type = {.dtype = dtype,
                              .shape = {.rank = 1, .dims = {count}}};
    return kci_compose_argument(composition, &type);
}

START_TEST(makes_no_step)
{
    kci_composition_t composition;
    kci_composition_init(&composition);
    kci_term_t pair[] = {vector(&composition, KC_DTYPE_F32, 3),
                         vector(&composition, KC_DTYPE_F32, 3)};
    ck_assert(kci_compose_takes(&composition, KC_OP_ADD, NULL, pair, 2));
    ck_assert_uint_eq(composition.step_count, 0);
    ck_assert_uint_eq(composition.term_count, 2);
    kci_composition_release(&composition);
}
END_TEST

/* The first failure stays, whatever is asked afterwards. */
START_TEST(keeps_the_failure)
{
    kci_composition_t composition;
    kc_error_t error = KC_ERROR_INIT;
    kci_composition_init(&composition);
    kci_term_t pair[] = {vector(&composition, KC_DTYPE_F32, 3),
                         vector(&composition, KC_DTYPE_F32, 4)};
    kci_term_t equal[] = {pair[0], pair[0]};
    ck_assert(!kci_compose_takes(&composition, KC_OP_ADD, NULL, pair, 2));
    ck_assert(!kci_compose_takes(&composition, KC_OP_ADD, NULL, equal, 2));
    ck_assert_int_eq(kci_composition_status(&composition, &error),
                     KC_ERR_GRAPH);
    ck_assert_ptr_nonnull(strstr(error.message, "[4]"));
    kci_composition_release(&composition);
}
END_TEST

/* With the attributes that are given. */
START_TEST(judges_by_attributes)
{
    kci_composition_t composition;
    kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                  .op = KC_OP_REDUCE_SUM};
    kci_composition_init(&composition);
    kci_term_t x = vector(&composition, KC_DTYPE_F32, 3);
    ck_assert(
        kci_compose_takes(&composition, KC_OP_REDUCE_SUM, &attributes, &x, 1));
    attributes.u.axis.axis = 1;
    ck_assert(
        !kci_compose_takes(&composition, KC_OP_REDUCE_SUM, &attributes, &x, 1));
    kci_composition_release(&composition);
}
END_TEST

Suite *suite_compose_operand_check(void)
{
    Suite *suite = suite_create("compose/operand_check");
    TCase *tcase = tcase_create("verdict");
    tcase_add_test(tcase, makes_no_step);
    tcase_add_test(tcase, keeps_the_failure);
    tcase_add_test(tcase, judges_by_attributes);
    suite_add_tcase(suite, tcase);
    return suite;
}
