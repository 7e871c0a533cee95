/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * How the tensors of a run are called, and what they must be. */
#include "unit/exec/backward_fixture.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

#define REFUSED(at, text)                                                      \
    do {                                                                       \
        EXPECT_FAILURE((at).base.error, KC_ERR_TENSOR, text,                   \
                       backward_run(&(at), 1));                                \
        ck_assert_int_eq(rule_log.relu_count, 0);                              \
    } while (0)

START_TEST(tensors_of_a_backward_are_checked)
{
    backward_case_t at;
    backward_begin(&at);
    at.seeds[0] = NULL;
    REFUSED(at, "dispatch.shape: seed of output y (node 4): expected a tensor, "
                "found none");
    at.seeds[0] = &at.seed.view;
    at.seed.shape[0] = 3;
    REFUSED(at, "dispatch.shape: seed of output y (node 4): expected f32");
    at.seed.shape[0] = VECTOR;
    at.gradients[1].view.dtype.bits = 64;
    REFUSED(at, "dispatch.dtype: gradient of w (node 1): expected f32");
    at.gradients[1].view.dtype.bits = 32;
    at.gradients[2].strides[0] = 2;
    REFUSED(at, "dispatch.layout: gradient of node 2: expected dense memory, "
                "found strides");
    at.gradients[2].strides[0] = 1;
    at.gradients[0].view.device.device_type = kDLCUDA;
    REFUSED(at, "dispatch.device: gradient of x (node 0): expected device cpu");
    at.gradients[0].view.device.device_type = kDLCPU;
    at.given[3] = NULL;
    REFUSED(at, "gradient of node 4 (node 4): expected a tensor, found none");
    backward_end(&at);
}
END_TEST

START_TEST(gradients_lie_on_nothing_else)
{
    backward_case_t at;
    backward_begin(&at);
    DLTensor *first = &at.gradients[0].view;
    DLTensor *second = &at.gradients[1].view;
    first->data = at.x.bytes + 4;
    REFUSED(at, "dispatch.alias: gradient of x: expected memory of its own, "
                "found it overlaps input x");
    first->data = at.seed.bytes;
    REFUSED(at, "gradient of x: expected memory of its own, found it overlaps "
                "seed of output y");
    first->data = at.y.bytes;
    REFUSED(at, "gradient of x: expected memory of its own, found it overlaps "
                "output y");
    first->data = tensor_f32(at.w);
    REFUSED(at, "gradient of x: expected memory of its own, found it overlaps "
                "const w");
    first->data = at.gradients[0].bytes;
    second->data = at.gradients[0].bytes;
    REFUSED(at, "gradient of w: expected memory of its own, found it overlaps "
                "gradient of x");
    /* Again refused, though nothing has moved. */
    REFUSED(at, "gradient of w: expected memory of its own");
    second->data = at.gradients[1].bytes;
    EXPECT_OK(at.base.error, backward_run(&at, 1));
    backward_expect(&at);
    first->data = at.y.bytes;
    EXPECT_FAILURE(at.base.error, KC_ERR_TENSOR, "overlaps output y",
                   backward_run(&at, 1));
    /* An output that is not given lies nowhere. */
    EXPECT_OK(at.base.error, backward_run(&at, 0));
    backward_end(&at);
}
END_TEST

Suite *suite_exec_ports(void)
{
    Suite *suite = suite_create("exec/ports");
    TCase *tcase = tcase_create("ports");
    tcase_add_test(tcase, tensors_of_a_backward_are_checked);
    tcase_add_test(tcase, gradients_lie_on_nothing_else);
    suite_add_tcase(suite, tcase);
    return suite;
}
