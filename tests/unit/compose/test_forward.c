/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The operation table and the compositions agree on which there are. */
#include "compose/compositions.h"

#include "ops/vjp.h"
#include "unit/compose/suites.h"
#include "unit/operand_fixture.h"

/* Each operation with a composition, on its usual operands: what it is made
 * of is what planning expects, and the type that of the operation. */
START_TEST(composes_what_planning_expects)
{
    size_t count = 0;
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        uint64_t expected = kci_composition_inner_ops(op);
        kci_composition_t composition;
        kci_term_t operands[3];
        kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                      .op = op};
        kci_tensor_type_t type = {.dtype = KC_DTYPE_F32,
                                  .shape = {.rank = 2, .dims = {3, 2}}};
        if (expected == 0) {
            continue;
        }
        attributes = operand_attributes(op);
        kci_composition_init(&composition);
        for (size_t i = 0; i < 3; i++) {
            operands[i] = kci_compose_argument(&composition, &type);
        }
        kci_term_t result =
            kci_compose_forward(&composition, op, &attributes, operands, 3);
        ck_assert_uint_ne(result, KCI_NO_TERM);
        ck_assert(kci_shape_equal(&kci_term_type(&composition, result)->shape,
                                  &type.shape));
        ck_assert_uint_ne(kci_composition_ops(&composition), 0);
        ck_assert_uint_eq(kci_composition_ops(&composition) & ~expected, 0);
        kci_composition_release(&composition);
        count++;
    }
    ck_assert_uint_gt(count, 0);
}
END_TEST

Suite *suite_compose_forward(void)
{
    Suite *suite = suite_create("compose/forward");
    TCase *tcase = tcase_create("table");
    tcase_add_test(tcase, composes_what_planning_expects);
    suite_add_tcase(suite, tcase);
    return suite;
}
