/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of one node against the nodes before it.
 */
#include "graph/draft.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/label.h"
#include "base/one_line.h"
#include "base/short_name.h"
#include "graph/demand.h"
#include "graph/kind_attributes.h"
#include "ops/attribute_table.h"
#include "ops/rule.h"
#include "tensor/dtype.h"

/* The operands of the node as its kernel will see them. */
typedef struct operands {
    kci_tensor_type_t types[KC_MAX_INPUTS];
    const kci_tensor_type_t *pointers[KC_MAX_INPUTS];
    kci_op_request_t request;
} operands_t;

static void collect_operands(const kci_draft_t *draft, operands_t *operands)
{
    const kci_kind_t *kind = kci_kind(draft->kind);
    for (uint32_t i = 0; i < draft->parent_count; i++) {
        kci_graph_node_type(draft->graph, draft->parents[i],
                            &operands->types[i]);
        operands->pointers[i] = &operands->types[i];
    }
    if (kind->lowering == KCI_LOWERING_FLAT_INPUT) {
        kci_lower_to_flat(&operands->types[0].shape);
    }
    operands->request = (kci_op_request_t){
        .op = kind->op,
        .input_count = draft->parent_count,
        .inputs = operands->pointers,
        .dim_names = (const char *const *)draft->graph->dim_names,
    };
}

void kci_draft_of_node(const kc_graph_t *from, uint32_t node,
                       const kc_graph_t *to, kci_draft_t *out_draft)
{
    const kci_node_t *record = &from->nodes[node];
    const kc_attributes_t *attributes = kci_graph_attributes(from, node);
    const kci_graph_literal_t *literal = kci_graph_literal(from, node);
    *out_draft = (kci_draft_t){
        .graph = to,
        .kind = record->kind,
        .parents = kci_graph_parents(from, node),
        .parent_count = record->parent_count,
        .name = record->name == KCI_NO_INDEX ? NULL : from->names[record->name],
        .is_trainable = record->is_trainable != 0,
        .is_literal = literal != NULL,
        .literal = literal == NULL ? NULL : literal->bytes,
    };
    memcpy(out_draft->axes, record->axes, sizeof out_draft->axes);
    if (attributes != NULL) {
        memcpy(&out_draft->attributes, attributes,
               sizeof out_draft->attributes);
    }
    kci_graph_node_type(from, node, &out_draft->declared);
}

kc_status_t kci_check_declared_shape(int32_t rank, const int64_t *dims,
                                     kc_status_t fault, kc_error_t *error)
{
    int64_t count = 0;
    char what[KCI_SHAPE_TEXT_SIZE / 2] = "shape ";
    if (kci_shape_check(rank, dims, "shape", &count, NULL) == KC_OK) {
        return KC_OK;
    }
    if (rank > 0 && rank <= KC_MAX_RANK) {
        kci_shape_format(rank, dims, NULL, what + 6, sizeof what - 6);
    } else {
        what[5] = '\0';
    }
    if (kci_shape_check(rank, dims, what, &count, error) != KC_OK &&
        error != NULL) {
        error->status = fault;
    }
    return fault;
}

kc_status_t kci_check_declared_size(const kci_tensor_type_t *type,
                                    kc_error_t *error)
{
    size_t size = kci_dtype_size(type->dtype);
    kci_shape_t numbers = kci_rule_without_name(&type->shape);
    uint64_t count = (uint64_t)kci_shape_element_count(&numbers);
    char text[KCI_SHAPE_TEXT_SIZE / 2];
    if (size == 0 || count <= (uint64_t)PTRDIFF_MAX / size) {
        return KC_OK;
    }
    kci_shape_format(numbers.rank, numbers.dims, NULL, text, sizeof text);
    return kci_fail(error, KC_ERR_GRAPH,
                    "shape %s: too many elements: %" PRIu64
                    " of %zu bytes cannot be addressed",
                    text, count, size);
}

kc_status_t kci_check_name(const char *name, bool is_port, kc_error_t *error)
{
    if (name == NULL || name[0] == '\0') {
        return kci_fail(error, KC_ERR_GRAPH, "expected a name, found none");
    }
    if (!kci_is_one_line(name)) {
        return kci_fail(error, KC_ERR_GRAPH,
                        "expected a name of UTF-8 without control "
                        "characters, found `%s`",
                        kci_short_name(name).text);
    }
    if (is_port && strchr(name, '=') != NULL) {
        return kci_fail(error, KC_ERR_GRAPH,
                        "expected a name that can be given as NAME=FILE, "
                        "found one with `=`: `%s`",
                        kci_short_name(name).text);
    }
    return KC_OK;
}

static void format_bounds(const kci_kind_t *kind, char *out, size_t size)
{
    if (kind->parent_min == kind->parent_max) {
        snprintf(out, size, "%" PRIu32, kind->parent_min);
    } else {
        snprintf(out, size, "%" PRIu32 " to %" PRIu32, kind->parent_min,
                 kind->parent_max);
    }
}

kc_status_t kci_draft_check_parents(const kci_draft_t *draft, kc_error_t *error)
{
    const kci_kind_t *kind = kci_kind(draft->kind);
    char bounds[32];
    if (draft->parent_count < kind->parent_min ||
        draft->parent_count > kind->parent_max) {
        format_bounds(kind, bounds, sizeof bounds);
        return kci_fail(error, KC_ERR_GRAPH,
                        "expected %s parents, found %" PRIu32, bounds,
                        draft->parent_count);
    }
    for (uint32_t i = 0; i < draft->parent_count; i++) {
        if (draft->parents[i] >= draft->graph->node_count) {
            return kci_fail(error, KC_ERR_GRAPH,
                            "expected parents before the node, found parent "
                            "%" PRIu32,
                            draft->parents[i]);
        }
    }
    return KC_OK;
}

static bool is_float(int32_t dtype)
{
    return dtype == KC_DTYPE_F32 || dtype == KC_DTYPE_F64;
}

kc_status_t kci_draft_check_marks(const kci_draft_t *draft, kc_error_t *error)
{
    const kci_kind_t *kind = kci_kind(draft->kind);
    bool is_named =
        kind->role == KCI_ROLE_INPUT || kind->role == KCI_ROLE_CONST;
    if (is_named) {
        KC_RETURN_IF_ERROR(
            kci_check_name(draft->name, kind->role == KCI_ROLE_INPUT, error));
    }
    if (!is_named && draft->name != NULL) {
        return kci_fail(error, KC_ERR_GRAPH, "expected no name, found `%s`",
                        kci_short_name(draft->name).text);
    }
    if (draft->is_trainable && kind->role != KCI_ROLE_CONST) {
        return kci_fail(error, KC_ERR_GRAPH, "only a const is trainable");
    }
    if (draft->is_trainable && !is_float(draft->declared.dtype)) {
        return kci_fail(error, KC_ERR_GRAPH,
                        "expected a trainable const of f32 or f64, found %s",
                        kci_label(&kci_dtypes, draft->declared.dtype));
    }
    return KC_OK;
}

kc_status_t kci_draft_read_attributes(kci_draft_t *draft, const json_t *object,
                                      kc_error_t *error)
{
    const kci_kind_t *kind = kci_kind(draft->kind);
    operands_t operands;
    if (kind->role != KCI_ROLE_OPERATION) {
        if (object != NULL &&
            (!json_is_object(object) || json_object_size(object) > 0)) {
            return kci_fail(error, KC_ERR_GRAPH, "expected no attributes");
        }
        return KC_OK;
    }
    collect_operands(draft, &operands);
    if (kind->read_attributes == NULL) {
        return kci_op_attributes_from_json(&operands.request, object,
                                           &draft->attributes, error);
    }
    KC_RETURN_IF_ERROR(kind->read_attributes(&operands.request, object,
                                             &draft->declared,
                                             &draft->attributes, error));
    if (kind->read_attributes == kci_read_transpose) {
        kci_transpose_axes(object, draft->axes);
    }
    return KC_OK;
}

static kc_status_t compare_types(const kci_draft_t *draft,
                                 const kci_tensor_type_t *inferred,
                                 kc_error_t *error)
{
    const kci_tensor_type_t *declared = &draft->declared;
    const char *const *names = (const char *const *)draft->graph->dim_names;
    char given[KCI_SHAPE_TEXT_SIZE / 3];
    char stated[KCI_SHAPE_TEXT_SIZE / 3];
    if (inferred->dtype == declared->dtype &&
        kci_shape_equal(&inferred->shape, &declared->shape)) {
        return KC_OK;
    }
    kci_shape_format(inferred->shape.rank, inferred->shape.dims, names, given,
                     sizeof given);
    kci_shape_format(declared->shape.rank, declared->shape.dims, names, stated,
                     sizeof stated);
    return kci_fail(error, KC_ERR_GRAPH, "declared %s %s, but %s gives %s %s",
                    kci_label(&kci_dtypes, declared->dtype), stated,
                    kci_kind(draft->kind)->label,
                    kci_label(&kci_dtypes, inferred->dtype), given);
}

kc_status_t kci_draft_infer(kci_draft_t *draft, kc_error_t *error)
{
    const kci_kind_t *kind = kci_kind(draft->kind);
    operands_t operands;
    kci_tensor_type_t inferred = draft->declared;
    collect_operands(draft, &operands);
    if (kind->role == KCI_ROLE_DETACH) {
        inferred = operands.types[0];
    } else if (kind->role == KCI_ROLE_OPERATION) {
        KC_RETURN_IF_ERROR(kci_op_infer(&operands.request, &draft->attributes,
                                        &inferred, error));
    }
    draft->demand = kci_demand_of(&operands.request, &inferred);
    return compare_types(draft, &inferred, error);
}

static void format_parents(const kci_draft_t *draft, char *out, size_t size)
{
    size_t length = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < draft->parent_count && length < size; i++) {
        bool is_cut = i == 6 && draft->parent_count > 7;
        int written =
            snprintf(out + length, size - length,
                     is_cut ? "%s... %" PRIu32 " in all" : "%s%" PRIu32,
                     i == 0 ? "" : ", ",
                     is_cut ? draft->parent_count : draft->parents[i]);
        if (written < 0 || is_cut) {
            return;
        }
        length += (size_t)written;
    }
}

void kci_draft_name_error(const kci_draft_t *draft, const char *attributes,
                          kc_error_t *error)
{
    char parents[96];
    format_parents(draft, parents, sizeof parents);
    kci_error_prepend(error, "node %" PRIu32 " (%s%s%.90s%s, parents [%s])",
                      draft->graph->node_count, kci_kind(draft->kind)->label,
                      attributes[0] == '\0' ? "" : " ", attributes,
                      strlen(attributes) > 90 ? "..." : "", parents);
}

void kci_format_source(const char *source, char out[KCI_SOURCE_TEXT_SIZE])
{
    size_t length = strlen(source);
    size_t room = KCI_SOURCE_TEXT_SIZE - 1;
    if (length <= room) {
        memcpy(out, source, length + 1);
        return;
    }
    snprintf(out, KCI_SOURCE_TEXT_SIZE, "...%s", source + length - (room - 3));
}
