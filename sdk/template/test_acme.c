/* SPDX-License-Identifier: Apache-2.0
 *
 * The suite acme.values: calls the handlers the way a host does and compares
 * bit by bit. Add a row for every promise you make.
 */
#include <kcapsule/sdk.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SUITE "acme.values"
enum { RANK_MAX = 4, ELEMENTS_MAX = 64 };

/* A dense float32 operand; for the output, the expected elements. An input
 * with NULL data ends the inputs of a row. */
typedef struct operand {
    const float *data;
    int32_t rank;
    int64_t shape[RANK_MAX];
} operand_t;

/* One row of the suite. `attributes` is NULL for an operation without any. */
typedef struct row {
    const char *name;
    int32_t op;
    operand_t inputs[KC_MAX_INPUTS];
    operand_t expected;
    const kc_attributes_t *attributes;
} row_t;

static const float a[4] = {-1, 2, -0.0f, NAN};
static const float b[4] = {1, 0.5f, 0.0f, 1};
static const float relu_of_a[4] = {0.0f, 2, 0.0f, NAN};
static const float a_plus_b[4] = {0.0f, 2.5f, 0.0f, NAN};

/* A row of an operation with attributes ends with all of them, as the host
 * fills in defaults: &(const kc_attributes_t){.op = KC_OP_SOFTMAX,
 * .struct_size = sizeof(kc_attributes_t), .u.axis.axis = 1}. */
static const row_t rows[] = {
    {"relu", KC_OP_RELU, {{a, 1, {4}}}, {relu_of_a, 1, {4}}, NULL},
    {"add", KC_OP_ADD, {{a, 1, {4}}, {b, 1, {4}}}, {a_plus_b, 1, {4}}, NULL},
};

/* The host's threads, without threads: tile after tile. */
static kc_status_t run_tiles(const kc_host_t *host, kc_tile_fn tile,
                             void *context, size_t range, size_t tile_size)
{
    (void)host;
    for (size_t start = 0; start < range; start += tile_size) {
        size_t left = range - start;
        kc_status_t status =
            tile(context, start, left < tile_size ? left : tile_size);
        if (status != KC_OK) {
            return status;
        }
    }
    return KC_OK;
}

static const kc_host_t host = {.struct_size = sizeof(kc_host_t),
                               .abi_major = KC_ABI_MAJOR,
                               .abi_minor = KC_ABI_MINOR,
                               .parallel_for = run_tiles};

static void make_view(const operand_t *operand, void *data, int64_t *strides,
                      DLTensor *out_view)
{
    *out_view = (DLTensor){.data = data,
                           .device = {kDLCPU, 0},
                           .ndim = operand->rank,
                           .dtype = {kDLFloat, 32, 1},
                           .shape = (int64_t *)operand->shape,
                           .strides = strides};
    int64_t stride = 1;
    for (int32_t axis = operand->rank - 1; axis >= 0; axis--) {
        strides[axis] = stride;
        stride *= operand->shape[axis];
    }
}

static const kc_handler_t *find_handler(int32_t op)
{
    const kc_module_t *module = kc_module_entry();
    for (uint32_t i = 0; i < module->handler_count; i++) {
        if (module->handlers[i]->op == op) {
            return module->handlers[i];
        }
    }
    return NULL;
}

static kc_status_t call_handler(const kc_handler_t *handler, kc_call_t *call)
{
    static _Alignas(64) unsigned char workspace[1 << 16];
    if (handler->forward_workspace != NULL) {
        kc_status_t status =
            handler->forward_workspace(call, &call->workspace_size);
        if (status != KC_OK || call->workspace_size > sizeof workspace) {
            return status != KC_OK ? status : KC_ERR_MEMORY;
        }
        call->workspace = workspace;
    }
    return handler->forward(call);
}

/* Calls the handler of the row; what it gives goes to `found`. */
static kc_status_t run_row(const row_t *row, float *found, kc_error_t *error)
{
    DLTensor views[KC_MAX_INPUTS];
    DLTensor output;
    int64_t strides[KC_MAX_INPUTS + 1][RANK_MAX];
    const DLTensor *inputs[KC_MAX_INPUTS] = {NULL};
    DLTensor *outputs[] = {&output};
    uint32_t count = 0;
    while (count < KC_MAX_INPUTS && row->inputs[count].data != NULL) {
        make_view(&row->inputs[count], (void *)row->inputs[count].data,
                  strides[count], &views[count]);
        inputs[count] = &views[count];
        count++;
    }
    make_view(&row->expected, found, strides[KC_MAX_INPUTS], &output);
    const kc_attributes_t none = {.struct_size = sizeof none, .op = row->op};
    kc_call_t call = {.struct_size = sizeof call,
                      .op = row->op,
                      .input_count = count,
                      .output_count = 1,
                      .inputs = inputs,
                      .outputs = outputs,
                      .attributes =
                          row->attributes != NULL ? row->attributes : &none,
                      .host = &host,
                      .error = error};
    const kc_handler_t *handler = find_handler(row->op);
    return handler == NULL ? KC_ERR_NOT_FOUND : call_handler(handler, &call);
}

/* Any NaN equals any NaN. */
static int is_equal(float expected, float found)
{
    return isnan(expected) ? isnan(found)
                           : memcmp(&expected, &found, sizeof found) == 0;
}

/* Returns the number of wrong elements, at least 1 for a call that failed. */
static int check(const row_t *row)
{
    float found[ELEMENTS_MAX] = {0};
    kc_error_t error = KC_ERROR_INIT;
    int64_t count = 1;
    int wrong = 0;
    for (int32_t axis = 0; axis < row->expected.rank; axis++) {
        count *= row->expected.shape[axis];
    }
    kc_status_t status =
        count > ELEMENTS_MAX ? KC_ERR_ARGUMENT : run_row(row, found, &error);
    if (status != KC_OK) {
        printf("%s: status %d %s\n", row->name, (int)status, error.message);
        return 1;
    }
    for (int64_t i = 0; i < count; i++) {
        wrong += !is_equal(row->expected.data[i], found[i]);
    }
    if (wrong > 0) {
        printf("%s: %d of %d wrong\n", row->name, wrong, (int)count);
    }
    return wrong;
}

int main(void)
{
    int wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wrong += check(&rows[i]);
    }
    printf(SUITE ": %d wrong\n", wrong);
    return wrong != 0;
}
