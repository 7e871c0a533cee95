/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Weights from a file and from tensors, and the consts of a graph in them. */
#include "exec/weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "unit/exec/graph_fixture.h"
#include "unit/exec/suites.h"
#include "unit/expect.h"

typedef struct weights_case {
    kc_runtime_t *runtime;
    kc_graph_t *graph;
    kc_weights_t *weights;
    kc_error_t error;
    char path[1024];
} weights_case_t;

static const char *example(weights_case_t *at, const char *name)
{
    const char *folder = getenv("KC_SRCDIR");
    ck_assert_ptr_nonnull(folder);
    snprintf(at->path, sizeof at->path, "%s/examples/digits/%s", folder, name);
    return at->path;
}

static void weights_begin(weights_case_t *at)
{
    kci_runtime_settings_t settings = {.thread_count = 1};
    memset(at, 0, sizeof *at);
    at->error = (kc_error_t)KC_ERROR_INIT;
    EXPECT_OK(at->error,
              kci_runtime_create(&settings, &at->runtime, &at->error));
}

static void weights_end(weights_case_t *at)
{
    kci_weights_release(at->weights);
    kci_graph_release(at->graph);
    kci_runtime_release(at->runtime);
}

START_TEST(entries_of_a_file_are_read_once)
{
    weights_case_t at;
    kci_named_tensor_t *consts = NULL;
    kci_named_tensor_t *again = NULL;
    size_t count = 0;
    weights_begin(&at);
    EXPECT_OK(at.error, kci_weights_open(at.runtime,
                                         example(&at, "digits_mlp.safetensors"),
                                         &at.weights, &at.error));
    EXPECT_OK(at.error, kci_graph_read(example(&at, "digits_mlp.json"),
                                       &at.graph, &at.error));
    ck_assert_ptr_null(at.weights->tensors[0]);
    EXPECT_OK(at.error, kci_weights_for_graph(at.weights, at.graph, &consts,
                                              &count, &at.error));
    EXPECT_OK(at.error, kci_weights_for_graph(at.weights, at.graph, &again,
                                              &count, &at.error));
    ck_assert_uint_eq(count, 4);
    ck_assert_str_eq(consts[0].name, "fc1.weight");
    ck_assert_str_eq(consts[3].name, "fc2.bias");
    ck_assert_int_eq(consts[0].tensor->view.shape[0], 48);
    for (size_t i = 0; i < count; i++) {
        ck_assert_ptr_eq(consts[i].tensor, again[i].tensor);
    }
    kci_free(consts);
    kci_free(again);
    weights_end(&at);
}
END_TEST

static kc_graph_t *graph_of_w(void)
{
    kc_graph_builder_t *builder = graph_begin();
    uint32_t w = graph_const(builder, "w");
    graph_output(builder, "y", graph_unary(builder, "relu", w));
    return graph_end(builder);
}

START_TEST(tensors_are_shared)
{
    weights_case_t at;
    kci_named_tensor_t *consts = NULL;
    size_t count = 0;
    const char *const names[] = {"other", "w"};
    weights_begin(&at);
    at.graph = graph_of_w();
    kc_tensor_t *tensors[] = {vector_tensor(at.runtime->allocator, 1, 0),
                              vector_tensor(at.runtime->allocator, 2, 0)};
    EXPECT_OK(at.error, kci_weights_from_tensors(at.runtime, names, tensors, 2,
                                                 &at.weights, &at.error));
    kci_tensor_release(tensors[0]);
    kci_tensor_release(tensors[1]);
    EXPECT_OK(at.error, kci_weights_for_graph(at.weights, at.graph, &consts,
                                              &count, &at.error));
    ck_assert_uint_eq(count, 1);
    ck_assert_float_eq(tensor_f32(consts[0].tensor)[5], 10);
    kci_free(consts);
    weights_end(&at);
}
END_TEST

START_TEST(names_that_are_missing_or_double)
{
    weights_case_t at;
    kci_named_tensor_t *consts = NULL;
    size_t count = 0;
    const char *const names[] = {"v", "v"};
    weights_begin(&at);
    at.graph = graph_of_w();
    EXPECT_FAILURE(
        at.error, KC_ERR_NOT_FOUND, "const w",
        kci_weights_for_graph(NULL, at.graph, &consts, &count, &at.error));
    kc_tensor_t *tensor = vector_tensor(at.runtime->allocator, 1, 0);
    kc_tensor_t *tensors[] = {tensor, tensor};
    EXPECT_FAILURE(at.error, KC_ERR_DUPLICATE, "two tensors are named v",
                   kci_weights_from_tensors(at.runtime, names, tensors, 2,
                                            &at.weights, &at.error));
    ck_assert_ptr_null(at.weights);
    EXPECT_OK(at.error, kci_weights_from_tensors(at.runtime, names, tensors, 1,
                                                 &at.weights, &at.error));
    kci_tensor_release(tensor);
    EXPECT_FAILURE(at.error, KC_ERR_NOT_FOUND, "w",
                   kci_weights_for_graph(at.weights, at.graph, &consts, &count,
                                         &at.error));
    ck_assert_ptr_null(consts);
    weights_end(&at);
    kci_weights_release(NULL);
}
END_TEST

Suite *suite_exec_weights(void)
{
    Suite *suite = suite_create("exec/weights");
    TCase *tcase = tcase_create("weights");
    tcase_add_test(tcase, entries_of_a_file_are_read_once);
    tcase_add_test(tcase, tensors_are_shared);
    tcase_add_test(tcase, names_that_are_missing_or_double);
    suite_add_tcase(suite, tcase);
    return suite;
}
