/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of leading extents: identifiers, so that a command line can bind
 * them, each with a negative code in place of the extent.
 */
#include "graph/builder_state.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/short_name.h"

enum { NAME_LENGTH_MAX = 32 };

static bool is_identifier(const char *name)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    size_t length = strlen(name);
    return length > 0 && length <= NAME_LENGTH_MAX &&
           strspn(name, letters) == length &&
           !(name[0] >= '0' && name[0] <= '9');
}

/* The list ends with NULL at all times. */
static kc_status_t add_name(kc_graph_builder_t *builder, const char *name,
                            kc_error_t *error)
{
    kc_graph_t *graph = builder->graph;
    uint32_t count = graph->dim_name_count;
    KC_RETURN_IF_ERROR(
        kci_grow_array((void **)&graph->dim_names, &builder->dim_name_capacity,
                       (size_t)count + 2, sizeof *graph->dim_names, error));
    KC_RETURN_IF_ERROR(kci_copy_string(name, &graph->dim_names[count], error));
    if (json_object_set_new_nocheck(builder->dim_names, name,
                                    json_integer(count)) != 0) {
        kci_free(graph->dim_names[count]);
        graph->dim_names[count] = NULL;
        return kci_fail(error, KC_ERR_MEMORY, "out of memory for a name");
    }
    graph->dim_name_count++;
    return KC_OK;
}

kc_status_t kci_builder_dim_name(kc_graph_builder_t *builder, const char *name,
                                 int64_t *out_code, kc_error_t *error)
{
    json_t *known = json_object_get(builder->dim_names, name);
    if (known != NULL) {
        *out_code = -1 - (int64_t)json_integer_value(known);
        return KC_OK;
    }
    if (!is_identifier(name)) {
        return kci_fail(error, KC_ERR_GRAPH,
                        "shape: expected the name of an extent as a letter "
                        "or _, then letters, digits and _, at most %d in "
                        "all, found `%s`",
                        NAME_LENGTH_MAX, kci_short_name(name).text);
    }
    *out_code = -1 - (int64_t)builder->graph->dim_name_count;
    return add_name(builder, name, error);
}

void kci_builder_drop_dim_names(kc_graph_builder_t *builder, uint32_t count)
{
    kc_graph_t *graph = builder->graph;
    while (graph->dim_name_count > count) {
        char **name = &graph->dim_names[--graph->dim_name_count];
        (void)json_object_del(builder->dim_names, *name);
        kci_free(*name);
        *name = NULL;
    }
}
