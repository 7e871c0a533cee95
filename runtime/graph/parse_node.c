/* SPDX-License-Identifier: Apache-2.0
 *
 * The form of one node of a graph file. A shape is judged here too, before
 * anything is allocated for it.
 */
#include "graph/parse_node.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "base/label.h"
#include "base/short_name.h"
#include "graph/draft.h"

static const char *const node_keys[] = {"id",    "op",        "parents",
                                        "shape", "dtype",     "name",
                                        "attrs", "trainable", NULL};

static kc_status_t read_id(const json_t *object, uint32_t index,
                           kc_error_t *error)
{
    const json_t *id = json_object_get(object, "id");
    if (!json_is_integer(id)) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "id: expected the integer %" PRIu32 ", found %s", index,
                        kci_json_kind(id));
    }
    if (json_integer_value(id) != (json_int_t)index) {
        return kci_fail(error, KC_ERR_GRAPH,
                        "id: nodes come in order of their ids, expected "
                        "%" PRIu32 ", found %" JSON_INTEGER_FORMAT,
                        index, json_integer_value(id));
    }
    return KC_OK;
}

/* A text under `key`; NULL when it is absent and not required. */
static kc_status_t read_text(const json_t *object, const char *key,
                             bool is_required, const char **out_text,
                             kc_error_t *error)
{
    const json_t *value = json_object_get(object, key);
    *out_text = json_string_value(value);
    if (*out_text == NULL && (value != NULL || is_required)) {
        return kci_fail(error, KC_ERR_FORMAT, "%s: expected a text, found %s",
                        key, kci_json_kind(value));
    }
    return KC_OK;
}

static kc_status_t read_parents(kci_node_reader_t *reader, const json_t *object,
                                kci_node_spec_t *spec, kc_error_t *error)
{
    const json_t *list = json_object_get(object, "parents");
    size_t count = json_array_size(list);
    if (list != NULL && !json_is_array(list)) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "parents: expected a list of ids, found %s",
                        kci_json_kind(list));
    }
    if (count > UINT32_MAX) {
        return kci_fail(error, KC_ERR_FORMAT, "parents: too many");
    }
    KC_RETURN_IF_ERROR(kci_grow_array((void **)&reader->parents,
                                      &reader->parent_capacity, count,
                                      sizeof *reader->parents, error));
    for (size_t i = 0; i < count; i++) {
        const json_t *id = json_array_get(list, i);
        if (!json_is_integer(id)) {
            return kci_fail(error, KC_ERR_FORMAT,
                            "parents: expected a list of ids, found %s in it",
                            kci_json_kind(id));
        }
        if (json_integer_value(id) < 0 ||
            json_integer_value(id) > (json_int_t)UINT32_MAX) {
            return kci_fail(error, KC_ERR_GRAPH,
                            "parents: there is no node "
                            "%" JSON_INTEGER_FORMAT,
                            json_integer_value(id));
        }
        reader->parents[i] = (uint32_t)json_integer_value(id);
    }
    spec->parents = reader->parents;
    spec->parent_count = (uint32_t)count;
    return KC_OK;
}

static kc_status_t read_extent(const json_t *value, size_t axis,
                               kci_node_spec_t *spec, int64_t *out_extent,
                               kc_error_t *error)
{
    if (json_is_integer(value)) {
        *out_extent = json_integer_value(value);
        return KC_OK;
    }
    if (axis > 0 || !json_is_string(value)) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "shape: expected an integer%s on axis %zu%s",
                        axis == 0 ? " or a name" : "", axis,
                        json_is_string(value) ? ", only the first extent may "
                                                "be a name"
                                              : "");
    }
    spec->leading_name = json_string_value(value);
    *out_extent = 1; /* stands for the name in the check of the product */
    return KC_OK;
}

static kc_status_t read_shape(const json_t *object, kci_node_spec_t *spec,
                              int64_t *dims, kc_error_t *error)
{
    const json_t *list = json_object_get(object, "shape");
    size_t rank = json_array_size(list);
    if (!json_is_array(list)) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "shape: expected a list, found %s",
                        kci_json_kind(list));
    }
    if (rank > KC_MAX_RANK) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "shape: expected a rank of 0 to %d, found %zu",
                        KC_MAX_RANK, rank);
    }
    for (size_t axis = 0; axis < rank; axis++) {
        KC_RETURN_IF_ERROR(read_extent(json_array_get(list, axis), axis, spec,
                                       &dims[axis], error));
    }
    spec->rank = (int32_t)rank;
    spec->dims = dims;
    return kci_check_declared_shape(spec->rank, dims, KC_ERR_FORMAT, error);
}

static kc_status_t read_dtype(const json_t *object, kci_node_spec_t *spec,
                              kc_error_t *error)
{
    const char *text = NULL;
    char known[64];
    spec->dtype = KC_DTYPE_F32;
    KC_RETURN_IF_ERROR(read_text(object, "dtype", false, &text, error));
    if (text != NULL && !kci_label_parse(&kci_dtypes, text, &spec->dtype)) {
        kci_label_list(&kci_dtypes, known, sizeof known);
        return kci_fail(error, KC_ERR_FORMAT,
                        "dtype: expected one of %s, found `%s`", known,
                        kci_short_name(text).text);
    }
    return KC_OK;
}

/* A const of float32 is trainable unless it says otherwise. */
static kc_status_t read_trainable(const json_t *object, kci_node_spec_t *spec,
                                  kc_error_t *error)
{
    const json_t *value = json_object_get(object, "trainable");
    bool is_const = strcmp(spec->kind, "const") == 0;
    if (value == NULL) {
        spec->is_trainable = is_const && spec->dtype == KC_DTYPE_F32;
        return KC_OK;
    }
    if (!is_const) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "trainable: only a const has it, not `%s`",
                        kci_short_name(spec->kind).text);
    }
    if (!json_is_boolean(value)) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "trainable: expected true or false, found %s",
                        kci_json_kind(value));
    }
    spec->is_trainable = json_is_true(value);
    return KC_OK;
}

static kc_status_t read_node(kci_node_reader_t *reader, uint32_t index,
                             const json_t *object, kci_node_spec_t *spec,
                             int64_t *dims, kc_error_t *error)
{
    if (!json_is_object(object)) {
        return kci_fail(error, KC_ERR_FORMAT, "expected an object, found %s",
                        kci_json_kind(object));
    }
    KC_RETURN_IF_ERROR(read_id(object, index, error));
    KC_RETURN_IF_ERROR(kci_json_check_keys(object, node_keys, "keys", error));
    KC_RETURN_IF_ERROR(read_text(object, "op", true, &spec->kind, error));
    KC_RETURN_IF_ERROR(read_text(object, "name", false, &spec->name, error));
    KC_RETURN_IF_ERROR(read_parents(reader, object, spec, error));
    KC_RETURN_IF_ERROR(read_shape(object, spec, dims, error));
    KC_RETURN_IF_ERROR(read_dtype(object, spec, error));
    KC_RETURN_IF_ERROR(read_trainable(object, spec, error));
    spec->attributes = json_object_get(object, "attrs");
    if (spec->attributes != NULL && !json_is_object(spec->attributes)) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "attrs: expected an object, found %s",
                        kci_json_kind(spec->attributes));
    }
    return KC_OK;
}

kc_status_t kci_parse_node(kci_node_reader_t *reader, uint32_t index,
                           const json_t *object, kc_error_t *error)
{
    kci_node_spec_t spec = {0};
    int64_t dims[KC_MAX_RANK];
    kc_status_t status = read_node(reader, index, object, &spec, dims, error);
    if (status != KC_OK) {
        const char *kind = spec.kind == NULL ? "" : spec.kind;
        kci_error_prepend(error, "%s: node %" PRIu32 "%s%s%s", reader->source,
                          index, kind[0] == '\0' ? "" : " (",
                          kci_short_name(kind).text,
                          kind[0] == '\0' ? "" : ")");
        return status;
    }
    return kci_graph_builder_add(reader->builder, &spec, NULL, error);
}
