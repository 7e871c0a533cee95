/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of kinds: complete, without doubles, consistent with the
 * operations.
 */
#include "graph/kinds.h"

#include <string.h>
#include "unit/graph/suites.h"

START_TEST(labels_find_their_kind)
{
    ck_assert_int_eq(kci_kind_find(kci_kind(_i)->label), _i);
}
END_TEST

START_TEST(unknown_labels_are_not_found)
{
    ck_assert_int_eq(kci_kind_find("mul"), -1);
    ck_assert_int_eq(kci_kind_find("Relu"), -1);
    ck_assert_int_eq(kci_kind_find(""), -1);
}
END_TEST

START_TEST(bounds_are_those_of_the_operation)
{
    const kci_kind_t *kind = kci_kind(_i);
    ck_assert((kind->op >= 0) == (kind->role == KCI_ROLE_OPERATION));
    if (kind->op >= 0) {
        const kci_op_info_t *info = kci_op_info(kind->op);
        ck_assert(kind->parent_min >= info->input_min);
        ck_assert(kind->parent_max <= info->input_max);
    }
}
END_TEST

START_TEST(every_operation_has_a_kind)
{
    bool is_found = false;
    for (int32_t i = 0; i < kci_kind_count(); i++) {
        is_found = is_found || kci_kind(i)->op == _i;
    }
    ck_assert(is_found);
}
END_TEST

START_TEST(the_order_is_that_of_the_specification)
{
    ck_assert_str_eq(kci_kind(0)->label, "input");
    ck_assert_str_eq(kci_kind(3)->label, "permute");
    ck_assert_int_eq(kci_kind(kci_kind_find("mul_elem"))->op, KC_OP_MUL);
    ck_assert_int_eq(kci_kind(kci_kind_find("sum"))->lowering,
                     KCI_LOWERING_FLAT_INPUT);
    ck_assert_str_eq(kci_kind(kci_kind_count() - 1)->label, "bernoulli_mask");
}
END_TEST

Suite *suite_graph_kinds(void)
{
    Suite *suite = suite_create("graph/kinds");
    TCase *tcase = tcase_create("kinds");
    tcase_add_loop_test(tcase, labels_find_their_kind, 0, kci_kind_count());
    tcase_add_test(tcase, unknown_labels_are_not_found);
    tcase_add_loop_test(tcase, bounds_are_those_of_the_operation, 0,
                        kci_kind_count());
    tcase_add_loop_test(tcase, every_operation_has_a_kind, 0, KC_OP_COUNT);
    tcase_add_test(tcase, the_order_is_that_of_the_specification);
    suite_add_tcase(suite, tcase);
    return suite;
}
