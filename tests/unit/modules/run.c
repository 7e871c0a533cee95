/* SPDX-License-Identifier: Apache-2.0
 *
 * The suites of the maintained modules, in the order in which they run. The
 * name of the first is the evidence that the reference contracts state.
 */
#include "unit/modules/tcases.h"
#include "unit/runner.h"

static Suite *suite_reference_values(void)
{
    Suite *suite = suite_create("modules.reference.values");
    suite_add_tcase(suite, tcase_pointwise_unary());
    suite_add_tcase(suite, tcase_transcendental());
    suite_add_tcase(suite, tcase_pointwise_binary());
    suite_add_tcase(suite, tcase_softmax());
    suite_add_tcase(suite, tcase_reduce());
    suite_add_tcase(suite, tcase_layout());
    suite_add_tcase(suite, tcase_index());
    suite_add_tcase(suite, tcase_random());
    suite_add_tcase(suite, tcase_matmul());
    suite_add_tcase(suite, tcase_loss());
    suite_add_tcase(suite, tcase_norm());
    suite_add_tcase(suite, tcase_conv());
    suite_add_tcase(suite, tcase_conv_transpose());
    suite_add_tcase(suite, tcase_pool());
    suite_add_tcase(suite, tcase_attention());
    return suite;
}

static Suite *suite_attention_values(void)
{
    Suite *suite = suite_create("modules.attention.values");
    suite_add_tcase(suite, tcase_streaming_values());
    suite_add_tcase(suite, tcase_streaming_handler());
    suite_add_tcase(suite, tcase_streaming_blocked());
    return suite;
}

static Suite *suite_attention_gradients(void)
{
    Suite *suite = suite_create("modules.attention.gradients");
    suite_add_tcase(suite, tcase_streaming_gradients());
    suite_add_tcase(suite, tcase_streaming_blocked());
    return suite;
}

static Suite *suite_contracts(void)
{
    Suite *suite = suite_create("modules.contracts");
    suite_add_tcase(suite, tcase_contracts());
    return suite;
}

static Suite *suite_libtorch(void)
{
    Suite *suite = suite_create("modules.libtorch");
    suite_add_tcase(suite, tcase_libtorch_manners());
    suite_add_tcase(suite, tcase_libtorch_softmax());
    suite_add_tcase(suite, tcase_libtorch_reduce());
    suite_add_tcase(suite, tcase_libtorch_index());
    suite_add_tcase(suite, tcase_libtorch_matmul());
    suite_add_tcase(suite, tcase_libtorch_loss());
    suite_add_tcase(suite, tcase_libtorch_norm());
    suite_add_tcase(suite, tcase_libtorch_conv());
    suite_add_tcase(suite, tcase_libtorch_pool());
    suite_add_tcase(suite, tcase_libtorch_spectral());
    suite_add_tcase(suite, tcase_libtorch_threads());
    suite_add_tcase(suite, tcase_libtorch_attention());
    return suite;
}

kc_suite_fn const kc_suites[] = {
    suite_contracts,           suite_reference_values, suite_attention_values,
    suite_attention_gradients, suite_libtorch,         NULL,
};
