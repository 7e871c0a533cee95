/* SPDX-License-Identifier: Apache-2.0
 *
 * Giving names of extents a value: the graph is built again node by node
 * with numbers in place of the names, and every check is made again.
 */
#include "graph/builder_state.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/short_name.h"

enum { UNBOUND = -1 };

static int64_t *find_value(const kc_graph_t *graph, const char *name,
                           int64_t *bound)
{
    for (uint32_t i = 0; i < graph->dim_name_count; i++) {
        if (strcmp(graph->dim_names[i], name) == 0) {
            return &bound[i];
        }
    }
    return NULL;
}

static kc_status_t take_value(const kc_graph_t *graph, const char *name,
                              int64_t value, int64_t *bound, kc_error_t *error)
{
    int64_t *slot = find_value(graph, name, bound);
    if (slot == NULL) {
        return kci_fail(error, KC_ERR_ARGUMENT, "there is no extent named `%s`",
                        kci_short_name(name).text);
    }
    if (value < 0) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "extent %s: expected 0 or more, found %" PRId64,
                        kci_short_name(name).text, value);
    }
    if (*slot != UNBOUND) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "extent %s is given twice, %" PRId64 " and %" PRId64,
                        kci_short_name(name).text, *slot, value);
    }
    *slot = value;
    return KC_OK;
}

static kc_status_t take_values(const kc_graph_t *graph,
                               const char *const *names, const int64_t *values,
                               size_t count, int64_t *bound, kc_error_t *error)
{
    for (uint32_t i = 0; i < graph->dim_name_count; i++) {
        bound[i] = UNBOUND;
    }
    for (size_t i = 0; i < count; i++) {
        KC_RETURN_IF_ERROR(
            take_value(graph, names[i], values[i], bound, error));
    }
    for (uint32_t i = 0; i < graph->dim_name_count; i++) {
        if (bound[i] == UNBOUND) {
            return kci_fail(error, KC_ERR_ARGUMENT,
                            "extent %s needs a value, found none",
                            graph->dim_names[i]);
        }
    }
    return KC_OK;
}

static void replace_name(int64_t rank, int64_t *dims, const int64_t *bound)
{
    if (rank > 0 && dims[0] < 0) {
        dims[0] = bound[-1 - dims[0]];
    }
}

/* Target shapes are the only attributes that hold extents of the graph. */
static void replace_attribute_name(kc_attributes_t *attributes,
                                   const int64_t *bound)
{
    kc_shape_attributes_t *shape = &attributes->u.shape;
    kc_random_attributes_t *random = &attributes->u.random;
    switch (attributes->op) {
    case KC_OP_RESHAPE:
    case KC_OP_BROADCAST:
        replace_name(shape->rank, shape->shape, bound);
        break;
    case KC_OP_RAND_UNIFORM:
    case KC_OP_BERNOULLI_MASK:
        replace_name(random->rank, random->shape, bound);
        break;
    default:
        break;
    }
}

/* What the description says after the kind. */
static const char *attributes_of(const kc_graph_t *graph, uint32_t node,
                                 char *text, size_t size)
{
    kci_graph_describe_node(graph, node, text, size);
    const char *space = strchr(text, ' ');
    return space == NULL ? "" : space + 1;
}

static kc_status_t bind_node(kc_graph_builder_t *builder,
                             const kc_graph_t *graph, uint32_t node,
                             const int64_t *bound, kc_error_t *error)
{
    char text[128];
    kci_draft_t draft;
    kci_draft_of_node(graph, node, builder->graph, &draft);
    if (kci_graph_attributes(graph, node) != NULL) {
        replace_attribute_name(&draft.attributes, bound);
    }
    replace_name(draft.declared.shape.rank, draft.declared.shape.dims, bound);
    kc_status_t status = kci_builder_append_typed(builder, &draft, error);
    if (status != KC_OK) {
        kci_draft_name_error(
            &draft, attributes_of(graph, node, text, sizeof text), error);
    }
    return status;
}

static kc_status_t bind_all(kc_graph_builder_t *builder,
                            const kc_graph_t *graph, const int64_t *bound,
                            kc_error_t *error)
{
    for (uint32_t node = 0; node < graph->node_count; node++) {
        KC_RETURN_IF_ERROR(bind_node(builder, graph, node, bound, error));
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        KC_RETURN_IF_ERROR(kci_graph_builder_output(
            builder, graph->outputs[i].name, graph->outputs[i].node, error));
    }
    memcpy(builder->graph->sha256, graph->sha256, sizeof graph->sha256);
    return KC_OK;
}

static kc_status_t rebuild(const kc_graph_t *graph, const int64_t *bound,
                           kc_graph_t **out_graph, kc_error_t *error)
{
    kc_graph_builder_t *builder = NULL;
    KC_RETURN_IF_ERROR(
        kci_graph_builder_create(graph->source, &builder, error));
    kc_status_t status = bind_all(builder, graph, bound, error);
    if (status == KC_OK) {
        status = kci_graph_builder_finish(builder, out_graph, error);
    }
    if (status != KC_OK) {
        kci_graph_builder_destroy(builder);
    }
    return status;
}

kc_status_t kci_graph_bind(kc_graph_t *graph, const char *const *names,
                           const int64_t *values, size_t count,
                           kc_graph_t **out_graph, kc_error_t *error)
{
    char source[KCI_SOURCE_TEXT_SIZE];
    void *bound = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(graph->dim_name_count, sizeof(int64_t), &bound, error));
    kc_status_t status = take_values(graph, names, values, count, bound, error);
    if (status == KC_OK && graph->dim_name_count == 0) {
        *out_graph = kci_graph_retain(graph);
    } else if (status == KC_OK) {
        status = rebuild(graph, bound, out_graph, error);
    }
    kci_free(bound);
    if (status != KC_OK) {
        kci_format_source(graph->source, source);
        kci_error_prepend(error, "%s", source);
    }
    return status;
}
