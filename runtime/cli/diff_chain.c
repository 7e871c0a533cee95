/* SPDX-License-Identifier: Apache-2.0
 *
 * The values of all nodes under each profile: what one profile computed is
 * what its later nodes read, as in a run.
 */
#include "cli/diff.h"

#include <string.h>
#include <kcapsule/tensor.h>

#include "cli/diff_compare.h"
#include "cli/message.h"

static kc_status_t flatten(const cli_diff_t *diff, kc_tensor_t *tensor,
                           kc_tensor_t **out_flat, kc_error_t *error)
{
    const DLTensor *view = kc_tensor_view(tensor);
    int64_t count = kc_tensor_element_count(view);
    return kc_tensor_wrap(diff->runtime, kc_tensor_dtype(view), 1, &count, NULL,
                          kc_tensor_data(view), out_flat, error);
}

kc_status_t cli_diff_take_operands(const cli_diff_t *diff, uint32_t node,
                                   int side, cli_diff_operands_t *out_operands,
                                   kc_error_t *error)
{
    const kc_graph_node_t *type = &diff->nodes[node].type;
    memset(out_operands, 0, sizeof *out_operands);
    out_operands->count = type->parent_count;
    for (uint32_t idx = 0; idx < type->parent_count; idx++) {
        out_operands->tensors[idx] =
            diff->nodes[type->parents[idx]].values[side];
    }
    if (type->is_flat) {
        kc_status_t status =
            flatten(diff, out_operands->tensors[0], &out_operands->flat, error);
        if (status != KC_OK) {
            return status;
        }
        out_operands->tensors[0] = out_operands->flat;
    }
    for (uint32_t idx = 0; idx < type->parent_count; idx++) {
        out_operands->views[idx] = kc_tensor_view(out_operands->tensors[idx]);
    }
    return KC_OK;
}

void cli_diff_release_operands(cli_diff_operands_t *operands)
{
    kc_tensor_release(operands->flat);
    operands->flat = NULL;
}

static kc_status_t run_operation(cli_diff_t *diff, uint32_t index, int side,
                                 kc_error_t *error)
{
    cli_diff_node_t *node = &diff->nodes[index];
    cli_diff_operands_t operands;
    kc_status_t status =
        cli_diff_take_operands(diff, index, side, &operands, error);
    if (status == KC_OK) {
        status = kc_session_apply(diff->sessions[side], node->type.op,
                                  node->type.attributes, operands.views,
                                  operands.count, &node->values[side], error);
    }
    cli_diff_release_operands(&operands);
    return status;
}

/* A detach is its parent's value. */
static kc_status_t share_parent(cli_diff_t *diff, uint32_t index, int side,
                                kc_error_t *error)
{
    cli_diff_node_t *node = &diff->nodes[index];
    const DLTensor *view =
        kc_tensor_view(diff->nodes[node->type.parents[0]].values[side]);
    return kc_tensor_wrap(diff->runtime, kc_tensor_dtype(view), view->ndim,
                          view->shape, NULL, kc_tensor_data(view),
                          &node->values[side], error);
}

static int report_node(const cli_diff_t *diff, uint32_t index, int side,
                       kc_status_t status, const kc_error_t *error)
{
    if (status == KC_ERR_NO_CAPSULE || status == KC_ERR_DUPLICATE) {
        return cli_report_of_run(status, error);
    }
    cli_say("%s: node %u (%s): %s", kc_profile_name(diff->profiles[side]),
            (unsigned)index, diff->nodes[index].type.kind, error->message);
    return cli_exit_code_of_run(status);
}

static int run_side(cli_diff_t *diff, int side)
{
    for (uint32_t idx = 0; idx < diff->node_count; idx++) {
        kc_error_t error = KC_ERROR_INIT;
        const cli_diff_node_t *node = &diff->nodes[idx];
        kc_status_t status = KC_OK;
        if (node->type.op >= 0) {
            status = run_operation(diff, idx, side, &error);
        } else if (node->values[side] == NULL) {
            status = share_parent(diff, idx, side, &error);
        }
        if (status != KC_OK) {
            return report_node(diff, idx, side, status, &error);
        }
    }
    return CLI_DONE;
}

/* The one operation that ran says which capsule served. */
static int note_capsule(cli_diff_t *diff, int side)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_record_t *record = NULL;
    cli_diff_node_t *node = &diff->nodes[diff->node_count - 1];
    kc_status_t status =
        kc_session_record(diff->sessions[side], &record, &error);
    if (status != KC_OK) {
        return cli_report(status, &error);
    }
    for (size_t idx = 0; idx < kc_record_row_count(record); idx++) {
        kc_record_row_t row = {.struct_size = sizeof row};
        kc_record_row(record, idx, &row);
        if (row.kind == KC_CALL_FORWARD && row.op == diff->op) {
            cli_diff_note_capsule(diff, side, node, row.module_name,
                                  row.capsule);
        }
    }
    kc_record_release(record);
    return CLI_DONE;
}

int cli_diff_run_chains(cli_diff_t *diff)
{
    for (int side = 0; side < DIFF_SIDES; side++) {
        int code = run_side(diff, side);
        if (code == CLI_DONE && diff->graph == NULL) {
            code = note_capsule(diff, side);
        }
        if (code != CLI_DONE) {
            return code;
        }
    }
    for (uint32_t idx = 0; idx < diff->node_count; idx++) {
        cli_diff_node_t *node = &diff->nodes[idx];
        cli_diff_compare(kc_tensor_view(node->values[DIFF_A]),
                         kc_tensor_view(node->values[DIFF_B]), DIFF_NO_BOUND,
                         NULL, &node->chain);
    }
    return CLI_DONE;
}
