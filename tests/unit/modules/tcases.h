/* SPDX-License-Identifier: Apache-2.0
 *
 * The cases of this runner, one function a test file; run.c makes suites of
 * them. The names of the suites are the ones the contracts state.
 */
#ifndef KC_TESTS_UNIT_MODULES_TCASES_H
#define KC_TESTS_UNIT_MODULES_TCASES_H

#include <check.h>

TCase *tcase_attention(void);
TCase *tcase_contracts(void);
TCase *tcase_conv(void);
TCase *tcase_conv_transpose(void);
TCase *tcase_index(void);
TCase *tcase_layout(void);
TCase *tcase_libtorch_attention(void);
TCase *tcase_libtorch_conv(void);
TCase *tcase_libtorch_index(void);
TCase *tcase_libtorch_loss(void);
TCase *tcase_libtorch_manners(void);
TCase *tcase_libtorch_matmul(void);
TCase *tcase_libtorch_norm(void);
TCase *tcase_libtorch_pool(void);
TCase *tcase_libtorch_reduce(void);
TCase *tcase_libtorch_softmax(void);
TCase *tcase_libtorch_spectral(void);
TCase *tcase_libtorch_threads(void);
TCase *tcase_loss(void);
TCase *tcase_matmul(void);
TCase *tcase_norm(void);
TCase *tcase_pointwise_binary(void);
TCase *tcase_pointwise_unary(void);
TCase *tcase_pool(void);
TCase *tcase_random(void);
TCase *tcase_reduce(void);
TCase *tcase_softmax(void);
TCase *tcase_streaming_blocked(void);
TCase *tcase_streaming_gradients(void);
TCase *tcase_streaming_handler(void);
TCase *tcase_streaming_values(void);
TCase *tcase_transcendental(void);

#endif
