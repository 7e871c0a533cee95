/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs from texts.
 */
#include "unit/graph/texts.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/string_buffer.h"
#include "unit/expect.h"

static void append_nodes(kci_string_buffer_t *buffer, const char *nodes)
{
    unsigned id = 0;
    for (; *nodes != '\0'; nodes++) {
        if (*nodes == '@') {
            kci_string_appendf(buffer, "\"id\": %u", id++);
        } else {
            kci_string_append_bytes(buffer, nodes, 1);
        }
    }
}

kc_status_t parse_text(const char *text, kc_graph_t **out_graph,
                       kc_error_t *error)
{
    return kci_graph_parse(text, strlen(text), "g.json", out_graph, error);
}

kc_status_t parse_nodes(const char *nodes, kc_graph_t **out_graph,
                        kc_error_t *error)
{
    kci_string_buffer_t text = KCI_STRING_BUFFER_INIT;
    kci_string_append(&text, "{\"format\": \"kcapsule-graph\", "
                             "\"version\": 1, \"nodes\": [");
    append_nodes(&text, nodes);
    kci_string_append(&text, "], \"outputs\": []}");
    ck_assert(!text.has_failed);
    kc_status_t status = parse_text(text.text, out_graph, error);
    kci_string_release(&text);
    return status;
}

kc_graph_t *graph_of(const char *nodes)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = NULL;
    EXPECT_OK(error, parse_nodes(nodes, &graph, &error));
    return graph;
}

kc_graph_t *graph_of_file(const char *path)
{
    const char *folder = getenv("KC_SRCDIR");
    char full[1024];
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = NULL;
    snprintf(full, sizeof full, "%s/%s", folder == NULL ? "." : folder, path);
    EXPECT_OK(error, kci_graph_read(full, &graph, &error));
    return graph;
}

static void expect_status(const char *nodes, const char *words,
                          kc_status_t status)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = NULL;
    EXPECT_FAILURE(error, status, words, parse_nodes(nodes, &graph, &error));
    ck_assert_msg(strncmp(error.message, "g.json", 6) == 0, "%s",
                  error.message);
    ck_assert_ptr_null(graph);
}

void expect_refused(const char *nodes, const char *words)
{
    expect_status(nodes, words, KC_ERR_GRAPH);
}

void expect_format_error(const char *nodes, const char *words)
{
    expect_status(nodes, words, KC_ERR_FORMAT);
}
