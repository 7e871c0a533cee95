/* SPDX-License-Identifier: Apache-2.0
 *
 * Equal attributes are stored once, different ones never mixed up.
 */
#include "graph/attribute_pool.h"

#include "base/alloc.h"
#include "unit/expect.h"
#include "unit/graph/suites.h"

static uint32_t add_factor(kci_attribute_pool_t *pool, kc_graph_t *graph,
                           double factor)
{
    kc_attributes_t attributes;
    kc_error_t error = KC_ERROR_INIT;
    memset(&attributes, 0, sizeof attributes);
    attributes.op = KC_OP_SCALE;
    attributes.u.scale.factor = factor;
    EXPECT_OK(error, kci_attribute_pool_reserve(pool, graph, &error));
    return kci_attribute_pool_add(pool, graph, &attributes);
}

START_TEST(equal_records_are_shared)
{
    kc_graph_t graph = {.source = NULL};
    kci_attribute_pool_t pool = {0};
    uint32_t first = add_factor(&pool, &graph, 0.5);
    uint32_t second = add_factor(&pool, &graph, 0.25);
    ck_assert_uint_ne(first, second);
    ck_assert_uint_eq(add_factor(&pool, &graph, 0.5), first);
    ck_assert_uint_eq(graph.attribute_pool_count, 2);
    kci_attribute_pool_release(&pool);
    kci_free(graph.attributes);
}
END_TEST

START_TEST(every_record_keeps_its_value)
{
    kc_graph_t graph = {.source = NULL};
    kci_attribute_pool_t pool = {0};
    for (int i = 0; i < 5000; i++) {
        uint32_t index = add_factor(&pool, &graph, i % 1000);
        ck_assert(graph.attributes[index].u.scale.factor == i % 1000);
    }
    /* A full neighbourhood of the table may cost a few doubles. */
    ck_assert_uint_ge(graph.attribute_pool_count, 1000);
    ck_assert_uint_lt(graph.attribute_pool_count, 1100);
    kci_attribute_pool_release(&pool);
    kci_free(graph.attributes);
}
END_TEST

Suite *suite_graph_attribute_pool(void)
{
    Suite *suite = suite_create("graph/attribute_pool");
    TCase *tcase = tcase_create("pool");
    tcase_add_test(tcase, equal_records_are_shared);
    tcase_add_test(tcase, every_record_keeps_its_value);
    suite_add_tcase(suite, tcase);
    return suite;
}
