/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole files: the good ones of the examples, damaged ones, hostile ones.
 */
#include "graph/graph.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "base/hash.h"
#include "base/string_buffer.h"
#include "unit/comma_locale.h"
#include "unit/expect.h"
#include "unit/failing_heap.h"
#include "unit/graph/suites.h"
#include "unit/graph/texts.h"

#define HEAD             "{\"format\": \"kcapsule-graph\", \"version\": 1, "
#define SMALL_STACK_SIZE (256 * 1024)

static const char good_text[] = HEAD
    "\"doc\": \"d\", \"nodes\": ["
    "{\"id\": 0, \"op\": \"input\", \"name\": "
    "\"x\", \"shape\": [\"N\", 4]}, {\"id\": 1, \"op\": \"scale\", "
    "\"parents\": [0], \"shape\": [\"N\", 4], \"attrs\": {\"factor\": 0.5}}]"
    ", \"outputs\": [{\"name\": \"y\", \"node\": 1}]}\n";

START_TEST(the_demo_graphs_are_read)
{
    kc_graph_t *graph = graph_of_file("tests/graphs/mlp_4_8_1.json");
    ck_assert_uint_eq(graph->node_count, 18);
    ck_assert_uint_eq(strlen(graph->sha256), 64);
    kci_graph_release(graph);
    graph = graph_of_file("tests/graphs/relu_chain.json");
    ck_assert_uint_eq(graph->node_count, 4);
    kci_graph_release(graph);
    graph = graph_of_file("examples/digits/digits_mlp.json");
    ck_assert_uint_eq(graph->node_count, 14);
    ck_assert_str_eq(graph->outputs[0].name, "logits");
    kci_graph_release(graph);
}
END_TEST

START_TEST(a_missing_file_is_an_error)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = NULL;
    EXPECT_FAILURE(error, KC_ERR_IO, "/nonexistent/g.json",
                   kci_graph_read("/nonexistent/g.json", &graph, &error));
}
END_TEST

START_TEST(the_hash_is_that_of_the_file)
{
    scratch_t scratch = scratch_make();
    char path[SCRATCH_PATH_SIZE];
    char expected[KCI_SHA256_TEXT_SIZE];
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = NULL;
    scratch_write(&scratch, "g.json", good_text, sizeof good_text - 1, path);
    EXPECT_OK(error, kci_graph_read(path, &graph, &error));
    kci_sha256_bytes(good_text, sizeof good_text - 1, expected);
    ck_assert_str_eq(graph->sha256, expected);
    ck_assert_str_eq(graph->source, path);
    kci_graph_release(graph);
    EXPECT_OK(error, parse_text(good_text, &graph, &error));
    ck_assert_str_eq(graph->sha256, "");
    kci_graph_release(graph);
    scratch_remove(&scratch);
}
END_TEST

/* Each prefix in a block of its own size, so that a checker sees over-reads. */
START_TEST(every_prefix_fails)
{
    size_t length = sizeof good_text - 1;
    for (size_t cut = 0; cut < length; cut++) {
        kc_error_t error = KC_ERROR_INIT;
        kc_graph_t *graph = NULL;
        char *text = malloc(cut + 1);
        ck_assert_ptr_nonnull(text);
        memcpy(text, good_text, cut);
        kc_status_t status = kci_graph_parse(text, cut, "cut", &graph, &error);
        bool is_blank_lost = cut == length - 1;
        ck_assert_int_eq(status, is_blank_lost ? KC_OK : KC_ERR_FORMAT);
        ck_assert(is_blank_lost || strncmp(error.message, "cut", 3) == 0);
        kci_graph_release(graph);
        free(text);
    }
}
END_TEST

static const struct bad_file {
    const char *text;
    const char *words;
} bad_files[] = {
    {"[]", "g.json: expected an object"},
    {"{}", "format: expected \"kcapsule-graph\", found none"},
    {"{\"format\": \"onnx\"}", "found onnx"},
    {"{\"format\": \"kcapsule-graph\"}", "version: expected 1, found none"},
    {"{\"format\": 7}", "format: expected \"kcapsule-graph\", found an "
                        "integer"},
    {"{\"format\": \"kcapsule-graph\", \"version\": \"1\"}",
     "version: expected 1, found a text"},
    {"{\"format\": \"kcapsule-graph\", \"version\": 2}",
     "version: expected 1, found 2"},
    {"{\"format\": \"kcapsule-graph\", \"version\": 1.0}",
     "found a number that is no integer"},
    {HEAD "\"doc\": 3}", "doc: expected a text"},
    {HEAD "\"outputs\": []}", "nodes: expected a list, found none"},
    {HEAD "\"nodes\": {}, \"outputs\": []}", "nodes: expected a list"},
    {HEAD "\"nodes\": []}", "outputs: expected a list, found none"},
    {HEAD "\"nodes\": [], \"outputs\": {}}", "outputs: expected a list"},
    {HEAD "\"nodes\": [], \"outputs\": [], \"x\": 1}", "unknown key `x`"},
    {HEAD "\"nodes\": [], \"nodes\": [], \"outputs\": []}",
     "duplicate object key"},
    {HEAD "\"nodes\": [], \"outputs\": []} x", "end of file"},
    {HEAD "\"nodes\": [], \"outputs\": [3]}", "g.json: outputs[0]: output: "
                                              "expected an object"},
    {HEAD "\"nodes\": [], \"outputs\": [{\"name\": \"y\"}]}",
     "expected a text as name and an id as node"},
    {HEAD "\"nodes\": [], \"outputs\": [{\"name\": \"y\", \"node\": 0.0}]}",
     "expected a text as name"},
    {HEAD "\"nodes\": [], \"outputs\": [{\"name\": \"y\", \"node\": 0, "
          "\"x\": 0}]}",
     "unknown key `x`"},
    {HEAD "\"nodes\": [{\"id\": 0, \"op\": \"input\", \"name\": \"x\", "
          "\"shape\": [9223372036854775808]}], \"outputs\": []}",
     "too big"},
};

START_TEST(bad_files_are_format_errors)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = NULL;
    EXPECT_FAILURE(error, KC_ERR_FORMAT, bad_files[_i].words,
                   parse_text(bad_files[_i].text, &graph, &error));
    ck_assert_ptr_null(graph);
}
END_TEST

START_TEST(bad_outputs_are_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = NULL;
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "g.json: outputs[0]: output `y`: there is no node 0, the "
                   "graph has 0",
                   parse_text(HEAD "\"nodes\": [], \"outputs\": [{\"name\": "
                                   "\"y\", \"node\": 0}]}",
                              &graph, &error));
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "there is no node -1",
                   parse_text(HEAD "\"nodes\": [], \"outputs\": [{\"name\": "
                                   "\"y\", \"node\": -1}]}",
                              &graph, &error));
}
END_TEST

/* The order of the list is the order of the graph: nothing is sorted. */
START_TEST(reverse_order_is_refused)
{
    expect_refused("{\"id\": 1, \"op\": \"relu\", \"parents\": [0], "
                   "\"shape\": [2]}, {\"id\": 0, \"op\": \"input\", "
                   "\"name\": \"x\", \"shape\": [2]}",
                   "g.json: node 0: id: nodes come in order of their ids, "
                   "expected 0, found 1");
}
END_TEST

static char *repeat(const char *open, const char *close, size_t count)
{
    kci_string_buffer_t buffer = KCI_STRING_BUFFER_INIT;
    kc_error_t error = KC_ERROR_INIT;
    char *text = NULL;
    for (size_t i = 0; i < count; i++) {
        kci_string_append(&buffer, open);
    }
    for (size_t i = 0; i < count; i++) {
        kci_string_append(&buffer, close);
    }
    EXPECT_OK(error, kci_string_take(&buffer, &text, &error));
    return text;
}

static void *parse_deep(void *context)
{
    static const char *const opens[] = {"[", "{\"a\":"};
    static const char *const closes[] = {"]", "}"};
    (void)context;
    for (int i = 0; i < 4; i++) {
        char *text = repeat(opens[i % 2], i < 2 ? closes[i % 2] : "", 100000);
        kc_error_t error = KC_ERROR_INIT;
        kc_graph_t *graph = NULL;
        EXPECT_FAILURE(error, KC_ERR_FORMAT,
                       "g.json:1:", parse_text(text, &graph, &error));
        kci_free(text);
    }
    return NULL;
}

START_TEST(deep_nesting_needs_no_stack)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, SMALL_STACK_SIZE);
    ck_assert_int_eq(pthread_create(&thread, &attributes, parse_deep, NULL), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
}
END_TEST

START_TEST(a_comma_locale_changes_nothing)
{
    scratch_t scratch = scratch_make();
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = NULL;
    if (comma_locale_begin(&scratch)) {
        EXPECT_OK(error, parse_text(good_text, &graph, &error));
        char text[64];
        kci_graph_describe_node(graph, 1, text, sizeof text);
        ck_assert_str_eq(text, "scale 0.5");
        ck_assert(kci_graph_attributes(graph, 1)->u.scale.factor == 0.5);
        ck_assert(comma_locale_is_on());
        comma_locale_end();
        kci_graph_release(graph);
    }
    scratch_remove(&scratch);
}
END_TEST

START_TEST(no_failed_allocation_hurts)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = NULL;
    kc_status_t status = KC_ERR_MEMORY;
    for (int granted = 0; status != KC_OK && granted < 200; granted++) {
        failing_heap_break_after(granted);
        status = parse_text(good_text, &graph, &error);
        failing_heap_mend();
        ck_assert(status == KC_OK || status == KC_ERR_MEMORY);
    }
    EXPECT_OK(error, status);
    kci_graph_release(graph);
}
END_TEST

START_TEST(messages_fit_and_keep_the_point)
{
    char name[2000];
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = NULL;
    memset(name, 'd', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    const char *text = HEAD "\"nodes\": [{\"id\": 7}], \"outputs\": []}";
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "expected 0, found 7",
                   kci_graph_parse(text, strlen(text), name, &graph, &error));
    EXPECT_FAILURE(error, KC_ERR_FORMAT,
                   ":1:1: ", kci_graph_parse("x", 1, name, &graph, &error));
}
END_TEST

Suite *suite_graph_parse(void)
{
    Suite *suite = suite_create("graph/parse");
    TCase *tcase = tcase_create("parse");
    tcase_add_test(tcase, the_demo_graphs_are_read);
    tcase_add_test(tcase, a_missing_file_is_an_error);
    tcase_add_test(tcase, the_hash_is_that_of_the_file);
    tcase_add_test(tcase, every_prefix_fails);
    tcase_add_loop_test(tcase, bad_files_are_format_errors, 0,
                        (int)(sizeof bad_files / sizeof *bad_files));
    tcase_add_test(tcase, bad_outputs_are_refused);
    tcase_add_test(tcase, reverse_order_is_refused);
    tcase_add_test(tcase, deep_nesting_needs_no_stack);
    tcase_add_test(tcase, a_comma_locale_changes_nothing);
    tcase_add_test(tcase, no_failed_allocation_hurts);
    tcase_add_test(tcase, messages_fit_and_keep_the_point);
    suite_add_tcase(suite, tcase);
    return suite;
}
