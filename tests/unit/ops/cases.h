/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of shape rules as text: operands, attributes as a file has them, and
 * either the type of the result or words of the error.
 */
#ifndef KC_TESTS_UNIT_OPS_CASES_H
#define KC_TESTS_UNIT_OPS_CASES_H

#include "ops/op_info.h"

typedef struct op_case {
    int32_t op;
    /* "f32[2,3] - bool[N,1]": "-" is an absent operand; N and M are names of
     * extents. */
    const char *inputs;
    const char *attributes; /* JSON; NULL: none given */
    const char *result;     /* "f32[2, 4]"; NULL: an error is expected */
    const char *error;      /* words that its one line holds */
} op_case_t;

/* Operands made from text, ready to be asked about. */
typedef struct operand_list {
    kci_tensor_type_t types[KC_MAX_INPUTS];
    const kci_tensor_type_t *pointers[KC_MAX_INPUTS];
    kci_op_request_t request;
} operand_list_t;

void operand_list_parse(operand_list_t *list, int32_t op, const char *text);
/* Attributes from JSON text, then the rule. */
kc_status_t infer_text(operand_list_t *list, const char *attributes,
                       kc_attributes_t *out_attributes,
                       kci_tensor_type_t *out_type, kc_error_t *error);
/* Fails the test when the case is not as it says. */
void check_op_case(const op_case_t *op_case);

/* One test a case. */
#define OP_CASES_TEST(name, cases)                                             \
    START_TEST(name)                                                           \
    {                                                                          \
        check_op_case(&(cases)[_i]);                                           \
    }                                                                          \
    END_TEST
#define ADD_OP_CASES(tcase, name, cases)                                       \
    tcase_add_loop_test(tcase, name, 0, (int)(sizeof(cases) / sizeof *(cases)))

#endif
