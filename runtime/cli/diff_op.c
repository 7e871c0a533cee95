/* SPDX-License-Identifier: Apache-2.0
 *
 * A single operation as nodes to compare: its operands, drawn from the seed so
 * that they suit it, and itself.
 */
#include <stdlib.h>
#include <string.h>
#include <kcapsule/tensor.h>

#include "cli/diff.h"
#include "cli/message.h"

/* Operands that are not any floating-point numbers. */
static const struct {
    int32_t op;
    uint32_t operand;
    int32_t dtype; /* -1: that of --dtype */
    cli_diff_draw_t draw;
} special[] = {
    {KC_OP_HARD_MASKED_SOFTMAX, 1, KC_DTYPE_BOOL, DIFF_DRAW_ANY},
    {KC_OP_SCALED_DOT_PRODUCT_ATTENTION, 3, KC_DTYPE_BOOL, DIFF_DRAW_ANY},
    {KC_OP_GATHER, 1, KC_DTYPE_I64, DIFF_DRAW_INDEX},
    {KC_OP_SCATTER_ADD, 1, KC_DTYPE_I64, DIFF_DRAW_INDEX},
    {KC_OP_SQRT, 0, -1, DIFF_DRAW_POSITIVE},
    {KC_OP_LOG, 0, -1, DIFF_DRAW_POSITIVE},
    {KC_OP_SAFE_LOG, 1, -1, DIFF_DRAW_POSITIVE},
    {KC_OP_BERNOULLI_MASK, 0, -1, DIFF_DRAW_POSITIVE},
    {KC_OP_BATCH_NORM, 4, -1, DIFF_DRAW_POSITIVE}};

/* "2,8,64,32", or "scalar" */
static int read_shape(const char *text, kc_graph_node_t *node)
{
    const char *at = text;
    if (strcmp(text, "scalar") == 0) {
        return CLI_DONE;
    }
    for (;;) {
        char *end = NULL;
        long long extent = strtoll(at, &end, 10);
        if (*at < '0' || *at > '9' || extent > INT32_MAX ||
            node->rank == KC_MAX_RANK) {
            break;
        }
        node->dims[node->rank++] = extent;
        if (*end == 0) {
            return CLI_DONE;
        }
        if (*end != ',') {
            break;
        }
        at = end + 1;
    }
    return cli_refuse("diff: --shape: expected up to %d extents as 2,3 or "
                      "`scalar`, found `%s`",
                      KC_MAX_RANK, text);
}

static int read_dtype(const cli_options_t *options, int32_t *out_dtype)
{
    const char *text = options->dtype != NULL ? options->dtype : "f32";
    int is_double = strcmp(text, "f64") == 0;
    if (!is_double && strcmp(text, "f32") != 0) {
        return cli_refuse("diff: unknown dtype `%s`; known: f32, f64", text);
    }
    *out_dtype = is_double ? KC_DTYPE_F64 : KC_DTYPE_F32;
    return CLI_DONE;
}

static cli_diff_draw_t choose_type(cli_diff_t *diff, uint32_t operand,
                                   int32_t dtype)
{
    kc_graph_node_t *type = &diff->nodes[operand].type;
    cli_diff_draw_t draw = DIFF_DRAW_ANY;
    type->dtype = dtype;
    for (size_t idx = 0; idx < sizeof special / sizeof special[0]; idx++) {
        if (special[idx].op == diff->op && special[idx].operand == operand) {
            draw = special[idx].draw;
            type->dtype = special[idx].dtype < 0 ? dtype : special[idx].dtype;
        }
    }
    return draw;
}

/* An index is below the extent of the first operand along the axis, which
 * only the attributes tell: 0 until they are read. */
static int draw_operand(cli_diff_t *diff, uint32_t operand,
                        cli_diff_draw_t draw, int64_t limit)
{
    kc_error_t error = KC_ERROR_INIT;
    cli_diff_node_t *node = &diff->nodes[operand];
    kc_tensor_release(node->values[DIFF_B]);
    kc_tensor_release(node->values[DIFF_A]);
    node->values[DIFF_A] = node->values[DIFF_B] = NULL;
    int code =
        cli_diff_draw(diff, operand, node->type.dtype, node->type.rank,
                      node->type.dims, draw, limit, &node->values[DIFF_A]);
    if (code != CLI_DONE) {
        return code;
    }
    kc_status_t status = kc_tensor_wrap(
        diff->runtime, node->type.dtype, node->type.rank, node->type.dims, NULL,
        kc_tensor_data(kc_tensor_view(node->values[DIFF_A])),
        &node->values[DIFF_B], &error);
    return status == KC_OK ? CLI_DONE : cli_report(status, &error);
}

static int read_operands(cli_diff_t *diff, uint32_t count)
{
    int32_t dtype = KC_DTYPE_F32;
    int code = read_dtype(diff->options, &dtype);
    for (uint32_t idx = 0; idx < count && code == CLI_DONE; idx++) {
        cli_diff_node_t *node = &diff->nodes[idx];
        node->type.op = -1;
        node->type.kind = "operand";
        node->type.name = "";
        diff->ids[idx] = idx;
        code = read_shape(diff->options->shapes.items[idx], &node->type);
        cli_diff_draw_t draw = choose_type(diff, idx, dtype);
        if (code == CLI_DONE) {
            code = draw_operand(diff, idx, draw, 0);
        }
    }
    return code;
}

static int read_attributes(cli_diff_t *diff, cli_diff_node_t *node)
{
    kc_error_t error = KC_ERROR_INIT;
    const DLTensor *views[KC_MAX_INPUTS];
    uint32_t count = diff->node_count - 1;
    for (uint32_t idx = 0; idx < count; idx++) {
        views[idx] = kc_tensor_view(diff->nodes[idx].values[DIFF_A]);
    }
    node->attributes.struct_size = sizeof node->attributes;
    kc_status_t status =
        kc_attributes_parse(diff->op, diff->options->attributes, views, count,
                            &node->attributes, &error);
    if (status != KC_OK) {
        cli_say("diff: %s", error.message);
        return cli_exit_code(status);
    }
    return CLI_DONE;
}

static int draw_indices(cli_diff_t *diff, const cli_diff_node_t *node)
{
    if (diff->op != KC_OP_GATHER && diff->op != KC_OP_SCATTER_ADD) {
        return CLI_DONE;
    }
    int64_t axis = node->attributes.u.axis.axis;
    int64_t limit = diff->nodes[0].type.dims[axis];
    diff->random_count--;
    return draw_operand(diff, 1, DIFF_DRAW_INDEX, limit);
}

static int check_operation(cli_diff_t *diff)
{
    kc_error_t error = KC_ERROR_INIT;
    const cli_options_t *options = diff->options;
    if (options->weights != NULL || options->inputs.count > 0 ||
        options->bindings.count > 0) {
        return cli_refuse("diff: --weights, --input and --bind need --graph");
    }
    if (options->shapes.count > KC_MAX_INPUTS) {
        return cli_refuse("diff: --shape: expected at most %d, found %zu",
                          KC_MAX_INPUTS, options->shapes.count);
    }
    kc_status_t status = kc_op_parse(options->operands[0], &diff->op, &error);
    return status == KC_OK ? CLI_DONE : cli_report(status, &error);
}

int cli_diff_read_op(cli_diff_t *diff)
{
    uint32_t count = (uint32_t)diff->options->shapes.count;
    int code = check_operation(diff);
    if (code == CLI_DONE) {
        code = cli_diff_allocate_nodes(diff, count + 1);
    }
    if (code == CLI_DONE) {
        code = read_operands(diff, count);
    }
    if (code != CLI_DONE) {
        return code;
    }
    cli_diff_node_t *node = &diff->nodes[count];
    node->type.op = diff->op;
    node->type.kind = kc_op_label(diff->op);
    node->type.name = "";
    node->type.attributes = &node->attributes;
    node->type.parents = diff->ids;
    node->type.parent_count = count;
    code = read_attributes(diff, node);
    return code == CLI_DONE ? draw_indices(diff, node) : code;
}
