/* SPDX-License-Identifier: Apache-2.0
 *
 * Graph files: JSON of format "kcapsule-graph", version 1. Unknown keys are
 * errors, so that a later version is never half understood.
 */
#include "graph/graph.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file_bytes.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/short_name.h"
#include "graph/draft.h"
#include "graph/parse_node.h"

#define FORMAT_NAME "kcapsule-graph"
enum { FORMAT_VERSION = 1 };

static const char *const file_keys[] = {"format", "version", "doc",
                                        "nodes",  "outputs", NULL};
static const char *const output_keys[] = {"name", "node", NULL};

static kc_status_t check_head(const json_t *root, const char *source,
                              kc_error_t *error)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    const json_t *version = json_object_get(root, "version");
    const json_t *doc = json_object_get(root, "doc");
    KC_RETURN_IF_ERROR(kci_json_check_keys(root, file_keys, source, error));
    if (format == NULL || strcmp(format, FORMAT_NAME) != 0) {
        return kci_fail(
            error, KC_ERR_FORMAT, "%s: format: expected \"%s\", found %s",
            source, FORMAT_NAME,
            format == NULL ? kci_json_kind(json_object_get(root, "format"))
                           : kci_short_name(format).text);
    }
    if (!json_is_integer(version)) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "%s: version: expected %d, found %s", source,
                        FORMAT_VERSION, kci_json_kind(version));
    }
    if (json_integer_value(version) != FORMAT_VERSION) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "%s: version: expected %d, found %" JSON_INTEGER_FORMAT,
                        source, FORMAT_VERSION, json_integer_value(version));
    }
    if (doc != NULL && !json_is_string(doc)) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "%s: doc: expected a text, found %s", source,
                        kci_json_kind(doc));
    }
    return KC_OK;
}

static kc_status_t find_list(const json_t *root, const char *key,
                             const char *source, const json_t **out_list,
                             kc_error_t *error)
{
    *out_list = json_object_get(root, key);
    if (!json_is_array(*out_list)) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "%s: %s: expected a list, found %s", source, key,
                        kci_json_kind(*out_list));
    }
    if (json_array_size(*out_list) >= KCI_NO_INDEX) {
        return kci_fail(error, KC_ERR_FORMAT, "%s: %s: too many", source, key);
    }
    return KC_OK;
}

static kc_status_t read_nodes(kc_graph_builder_t *builder, const json_t *root,
                              const char *source, kc_error_t *error)
{
    kci_node_reader_t reader = {.builder = builder, .source = source};
    const json_t *list = NULL;
    kc_status_t status = find_list(root, "nodes", source, &list, error);
    for (size_t i = 0; status == KC_OK && i < json_array_size(list); i++) {
        status = kci_parse_node(&reader, (uint32_t)i, json_array_get(list, i),
                                error);
    }
    kci_free(reader.parents);
    return status;
}

static kc_status_t read_output(kc_graph_builder_t *builder,
                               const json_t *object, kc_error_t *error)
{
    const char *name = json_string_value(json_object_get(object, "name"));
    const json_t *node = json_object_get(object, "node");
    KC_RETURN_IF_ERROR(
        kci_json_check_keys(object, output_keys, "output", error));
    if (name == NULL || !json_is_integer(node)) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "output: expected a text as name and an id as node");
    }
    if (json_integer_value(node) < 0 ||
        json_integer_value(node) >= (json_int_t)KCI_NO_INDEX) {
        return kci_fail(error, KC_ERR_GRAPH,
                        "output `%s`: there is no node "
                        "%" JSON_INTEGER_FORMAT,
                        kci_short_name(name).text, json_integer_value(node));
    }
    return kci_graph_builder_output(builder, name,
                                    (uint32_t)json_integer_value(node), error);
}

static kc_status_t read_outputs(kc_graph_builder_t *builder, const json_t *root,
                                const char *source, kc_error_t *error)
{
    const json_t *list = NULL;
    KC_RETURN_IF_ERROR(find_list(root, "outputs", source, &list, error));
    for (size_t i = 0; i < json_array_size(list); i++) {
        kc_status_t status =
            read_output(builder, json_array_get(list, i), error);
        if (status != KC_OK) {
            kci_error_prepend(error, "%s: outputs[%zu]", source, i);
            return status;
        }
    }
    return KC_OK;
}

static kc_status_t build(const json_t *root, const char *name,
                         kc_graph_t **out_graph, kc_error_t *error)
{
    char source[KCI_SOURCE_TEXT_SIZE];
    kc_graph_builder_t *builder = NULL;
    kci_format_source(name, source);
    KC_RETURN_IF_ERROR(check_head(root, source, error));
    KC_RETURN_IF_ERROR(kci_graph_builder_create(name, &builder, error));
    kc_status_t status = read_nodes(builder, root, source, error);
    if (status == KC_OK) {
        status = read_outputs(builder, root, source, error);
    }
    if (status == KC_OK) {
        status = kci_graph_builder_finish(builder, out_graph, error);
    }
    if (status != KC_OK) {
        kci_graph_builder_destroy(builder);
    }
    return status;
}

kc_status_t kci_graph_parse(const char *text, size_t length, const char *name,
                            kc_graph_t **out_graph, kc_error_t *error)
{
    char source[KCI_SOURCE_TEXT_SIZE];
    json_t *root = NULL;
    kci_format_source(name, source);
    KC_RETURN_IF_ERROR(kci_json_parse(text, length, source, &root, error));
    kc_status_t status = build(root, name, out_graph, error);
    json_decref(root);
    return status;
}

kc_status_t kci_graph_read(const char *path, kc_graph_t **out_graph,
                           kc_error_t *error)
{
    kci_bytes_t bytes = {NULL, 0};
    kc_graph_t *graph = NULL;
    KC_RETURN_IF_ERROR(kci_file_read(path, &bytes, error));
    kc_status_t status = kci_graph_parse((const char *)bytes.data, bytes.size,
                                         path, &graph, error);
    if (status == KC_OK) {
        kci_sha256_bytes(bytes.data, bytes.size, graph->sha256);
        *out_graph = graph;
    }
    kci_bytes_release(&bytes);
    return status;
}
