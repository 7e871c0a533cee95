/* SPDX-License-Identifier: Apache-2.0
 *
 * Building a graph: each node passes all checks before it is stored, so a
 * graph is well formed at any time.
 */
#include "graph/builder_state.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/short_name.h"
#include "graph/attribute_text.h"

static kc_status_t create_tables(kc_graph_builder_t *builder, kc_error_t *error)
{
    kc_graph_t *graph = builder->graph;
    builder->node_names = json_object();
    builder->dim_names = json_object();
    builder->output_names = json_object();
    if (builder->node_names == NULL || builder->dim_names == NULL ||
        builder->output_names == NULL) {
        return kci_fail(error, KC_ERR_MEMORY, "out of memory for a graph");
    }
    /* Pools are never NULL, so that an index into an empty one is a valid
     * address. */
    KC_RETURN_IF_ERROR(kci_grow_array((void **)&graph->parents,
                                      &builder->parent_capacity, 1,
                                      sizeof *graph->parents, error));
    KC_RETURN_IF_ERROR(kci_grow_array((void **)&graph->dims,
                                      &builder->dim_capacity, 1,
                                      sizeof *graph->dims, error));
    return kci_grow_array((void **)&graph->dim_names,
                          &builder->dim_name_capacity, 1,
                          sizeof *graph->dim_names, error);
}

kc_status_t kci_graph_builder_create(const char *source,
                                     kc_graph_builder_t **out,
                                     kc_error_t *error)
{
    kc_graph_builder_t *builder = NULL;
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(1, sizeof *builder, &memory, error));
    builder = memory;
    kc_status_t status =
        kci_alloc_array(1, sizeof *builder->graph, &memory, error);
    if (status == KC_OK) {
        builder->graph = memory;
        atomic_init(&builder->graph->reference_count, 1);
        kci_format_source(source, builder->source);
        status = kci_copy_string(source, &builder->graph->source, error);
    }
    if (status == KC_OK) {
        status = create_tables(builder, error);
    }
    if (status != KC_OK) {
        kci_graph_builder_destroy(builder);
        return status;
    }
    *out = builder;
    return KC_OK;
}

void kci_graph_builder_destroy(kc_graph_builder_t *builder)
{
    if (builder == NULL) {
        return;
    }
    kci_graph_release(builder->graph);
    kci_attribute_pool_release(&builder->attributes);
    json_decref(builder->node_names);
    json_decref(builder->dim_names);
    json_decref(builder->output_names);
    kci_free(builder);
}

/* Dtype and shape as declared; a name becomes its code. */
static kc_status_t declare_type(kc_graph_builder_t *builder,
                                const kci_node_spec_t *spec,
                                kci_tensor_type_t *out_type, kc_error_t *error)
{
    int64_t dims[KC_MAX_RANK];
    bool is_named = spec->leading_name != NULL;
    if (spec->dtype < 0 || spec->dtype >= KC_DTYPE_COUNT) {
        return kci_fail(error, KC_ERR_GRAPH, "dtype: there is no %" PRId32,
                        spec->dtype);
    }
    if (spec->rank > 0 && spec->rank <= KC_MAX_RANK) {
        memcpy(dims, spec->dims, (size_t)spec->rank * sizeof *dims);
    }
    if (is_named && spec->rank < 1) {
        return kci_fail(error, KC_ERR_GRAPH,
                        "shape: a name needs an axis, found rank %" PRId32,
                        spec->rank);
    }
    if (is_named) {
        dims[0] = 1;
    }
    KC_RETURN_IF_ERROR(
        kci_check_declared_shape(spec->rank, dims, KC_ERR_GRAPH, error));
    out_type->dtype = spec->dtype;
    out_type->shape.rank = spec->rank;
    memcpy(out_type->shape.dims, dims, (size_t)spec->rank * sizeof *dims);
    KC_RETURN_IF_ERROR(kci_check_declared_size(out_type, error));
    return is_named ? kci_builder_dim_name(builder, spec->leading_name,
                                           &out_type->shape.dims[0], error)
                    : KC_OK;
}

static void set_random_key(const kc_graph_builder_t *builder,
                           kci_draft_t *draft)
{
    int32_t op = kci_kind(draft->kind)->op;
    kc_random_attributes_t *random = &draft->attributes.u.random;
    if (op == KC_OP_RAND_UNIFORM || op == KC_OP_BERNOULLI_MASK) {
        random->key = kci_random_key(random->seed, builder->random_count);
    }
}

static kc_status_t check_draft(kc_graph_builder_t *builder, kci_draft_t *draft,
                               const kci_node_spec_t *spec, kc_error_t *error)
{
    KC_RETURN_IF_ERROR(kci_draft_check_parents(draft, error));
    KC_RETURN_IF_ERROR(declare_type(builder, spec, &draft->declared, error));
    KC_RETURN_IF_ERROR(kci_draft_check_marks(draft, error));
    KC_RETURN_IF_ERROR(
        kci_draft_read_attributes(draft, spec->attributes, error));
    set_random_key(builder, draft);
    KC_RETURN_IF_ERROR(kci_draft_infer(draft, error));
    return kci_builder_append(builder, draft, error);
}

kc_status_t kci_graph_builder_add(kc_graph_builder_t *builder,
                                  const kci_node_spec_t *spec, uint32_t *out_id,
                                  kc_error_t *error)
{
    uint32_t dim_name_count = builder->graph->dim_name_count;
    uint32_t id = builder->graph->node_count;
    char attributes[KCI_ATTRIBUTE_TEXT_SIZE];
    kci_draft_t draft = {.graph = builder->graph,
                         .kind = kci_kind_find(spec->kind),
                         .parents = spec->parents,
                         .parent_count = spec->parent_count,
                         .name = spec->name,
                         .is_trainable = spec->is_trainable};
    if (draft.kind < 0) {
        return kci_fail(error, KC_ERR_GRAPH,
                        "%s: node %" PRIu32 ": there is no kind `%s`",
                        builder->source, id, kci_short_name(spec->kind).text);
    }
    kc_status_t status = check_draft(builder, &draft, spec, error);
    if (status != KC_OK) {
        kci_format_attributes(spec->attributes, attributes);
        kci_draft_name_error(&draft, attributes, error);
        kci_error_prepend(error, "%s", builder->source);
        kci_builder_drop_dim_names(builder, dim_name_count);
        return status;
    }
    if (out_id != NULL) {
        *out_id = id;
    }
    return KC_OK;
}

static kc_status_t check_output(const kc_graph_builder_t *builder,
                                const char *name, uint32_t node,
                                kc_error_t *error)
{
    kc_status_t status = kci_check_name(name, true, error);
    if (status != KC_OK) {
        kci_error_prepend(error, "output of node %" PRIu32, node);
        return status;
    }
    if (node >= builder->graph->node_count) {
        return kci_fail(
            error, KC_ERR_GRAPH,
            "output `%s`: there is no node %" PRIu32 ", the graph has %" PRIu32,
            kci_short_name(name).text, node, builder->graph->node_count);
    }
    json_t *known = json_object_get(builder->output_names, name);
    if (known != NULL) {
        return kci_fail(error, KC_ERR_GRAPH,
                        "output `%s` is node %" JSON_INTEGER_FORMAT
                        " already, found node %" PRIu32,
                        kci_short_name(name).text, json_integer_value(known),
                        node);
    }
    return KC_OK;
}

kc_status_t kci_graph_builder_output(kc_graph_builder_t *builder,
                                     const char *name, uint32_t node,
                                     kc_error_t *error)
{
    kc_graph_t *graph = builder->graph;
    kci_graph_output_t output = {NULL, node};
    KC_RETURN_IF_ERROR(check_output(builder, name, node, error));
    KC_RETURN_IF_ERROR(kci_grow_array(
        (void **)&graph->outputs, &builder->output_capacity,
        (size_t)graph->output_count + 1, sizeof *graph->outputs, error));
    KC_RETURN_IF_ERROR(kci_copy_string(name, &output.name, error));
    if (json_object_set_new_nocheck(builder->output_names, name,
                                    json_integer(node)) != 0) {
        kci_free(output.name);
        return kci_fail(error, KC_ERR_MEMORY, "out of memory for a name");
    }
    graph->outputs[graph->output_count++] = output;
    return KC_OK;
}

kc_status_t kci_graph_builder_finish(kc_graph_builder_t *builder,
                                     kc_graph_t **out_graph, kc_error_t *error)
{
    (void)error; /* nothing is left that could fail */
    *out_graph = builder->graph;
    builder->graph = NULL;
    kci_graph_builder_destroy(builder);
    return KC_OK;
}
