/* SPDX-License-Identifier: Apache-2.0
 *
 * Building graphs node by node; attributes come as JSON text.
 */
#include <kcapsule/graph.h>

#include <string.h>

#include "api/argument.h"
#include "base/json.h"
#include "graph/builder.h"

kc_status_t kc_graph_builder_create(const char *name,
                                    kc_graph_builder_t **out_builder,
                                    kc_error_t *error)
{
    KC_REQUIRE(name, error);
    KC_REQUIRE(out_builder, error);
    return kci_graph_builder_create(name, out_builder, error);
}

kc_status_t kc_graph_builder_from_graph(const char *name,
                                        const kc_graph_t *graph,
                                        kc_graph_builder_t **out_builder,
                                        kc_error_t *error)
{
    KC_REQUIRE(name, error);
    KC_REQUIRE(graph, error);
    KC_REQUIRE(out_builder, error);
    return kci_graph_builder_from_graph(name, graph, out_builder, error);
}

static kc_status_t parse_attributes(const kc_node_spec_t *spec,
                                    json_t **out_json, kc_error_t *error)
{
    if (spec->attributes == NULL) {
        *out_json = NULL;
        return KC_OK;
    }
    return kci_json_parse(spec->attributes, strlen(spec->attributes),
                          "attributes", out_json, error);
}

kc_status_t kc_graph_builder_add(kc_graph_builder_t *builder,
                                 const kc_node_spec_t *spec, uint32_t *out_id,
                                 kc_error_t *error)
{
    KC_REQUIRE(builder, error);
    KC_REQUIRE_SIZED(spec, kc_node_spec_t, error);
    KC_REQUIRE(spec->kind, error);
    KC_REQUIRE(out_id, error);
    if (spec->parent_count != 0) {
        KC_REQUIRE(spec->parents, error);
    }
    if (spec->rank > 0) {
        KC_REQUIRE(spec->dims, error);
    }
    json_t *attributes = NULL;
    KC_RETURN_IF_ERROR(parse_attributes(spec, &attributes, error));
    kci_node_spec_t node = {.kind = spec->kind,
                            .parents = spec->parents,
                            .parent_count = spec->parent_count,
                            .dtype = spec->dtype,
                            .rank = spec->rank,
                            .dims = spec->dims,
                            .leading_name = spec->leading_name,
                            .name = spec->name,
                            .attributes = attributes,
                            .is_trainable = spec->is_trainable != 0};
    kc_status_t status = kci_graph_builder_add(builder, &node, out_id, error);
    json_decref(attributes);
    return status;
}

kc_status_t kc_graph_builder_output(kc_graph_builder_t *builder,
                                    const char *name, uint32_t node,
                                    kc_error_t *error)
{
    KC_REQUIRE(builder, error);
    KC_REQUIRE(name, error);
    return kci_graph_builder_output(builder, name, node, error);
}

kc_status_t kc_graph_builder_finish(kc_graph_builder_t *builder,
                                    kc_graph_t **out_graph, kc_error_t *error)
{
    KC_REQUIRE(builder, error);
    KC_REQUIRE(out_graph, error);
    return kci_graph_builder_finish(builder, out_graph, error);
}

void kc_graph_builder_release(kc_graph_builder_t *builder)
{
    kci_graph_builder_destroy(builder);
}
