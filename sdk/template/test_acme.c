/* SPDX-License-Identifier: Apache-2.0
 *
 * The suites acme.values and acme.backward: call the handlers the way a host
 * does and compare bit by bit. Add a row for every promise you make.
 */
#include <kcapsule/sdk.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define VALUES   "acme.values"
#define BACKWARD "acme.backward"
enum { RANK_MAX = 4, ELEMENTS_MAX = 64 };

/* A dense float32 operand; for the output, the expected elements. An input
 * with NULL data ends the inputs of a row. */
typedef struct operand {
    const float *data;
    int32_t rank;
    int64_t shape[RANK_MAX];
} operand_t;

/* One row of the values. `attributes` is NULL for an operation without any. */
typedef struct row {
    const char *name;
    int32_t op;
    operand_t inputs[KC_MAX_INPUTS];
    operand_t expected;
    const kc_attributes_t *attributes;
} row_t;

/* One row of the backward. NULL data: of `inputs` and `output`, the contract
 * does not save it; of `expected`, the cotangent of that input is not wanted. */
typedef struct backward_row {
    const char *name;
    int32_t op;
    uint32_t input_count;
    operand_t inputs[KC_MAX_INPUTS];
    operand_t output;
    operand_t cotangent;
    operand_t expected[KC_MAX_INPUTS];
    const kc_attributes_t *attributes;
} backward_row_t;

static const float a[4] = {-1, 2, -0.0f, NAN};
static const float b[4] = {1, 0.5f, 0.0f, 1};
static const float relu_of_a[4] = {0.0f, 2, 0.0f, NAN};
static const float a_plus_b[4] = {0.0f, 2.5f, 0.0f, NAN};
static const float dy[4] = {3, -0.5f, INFINITY, NAN};
static const float relu_dx[4] = {0.0f, -0.5f, 0.0f, 0.0f};

/* A row of an operation with attributes ends with all of them, as the host
 * fills in defaults: &(const kc_attributes_t){.op = KC_OP_SOFTMAX,
 * .struct_size = sizeof(kc_attributes_t), .u.axis.axis = 1}. */
static const row_t rows[] = {
    {"relu", KC_OP_RELU, {{a, 1, {4}}}, {relu_of_a, 1, {4}}, NULL},
    {"add", KC_OP_ADD, {{a, 1, {4}}, {b, 1, {4}}}, {a_plus_b, 1, {4}}, NULL},
};

/* relu: the output is saved, the input is not. */
static const backward_row_t backward_rows[] = {
    {.name = "backward of relu",
     .op = KC_OP_RELU,
     .input_count = 1,
     .output = {relu_of_a, 1, {4}},
     .cotangent = {dy, 1, {4}},
     .expected = {{relu_dx, 1, {4}}}},
    {.name = "backward of relu without elements",
     .op = KC_OP_RELU,
     .input_count = 1,
     .output = {relu_of_a, 1, {0}},
     .cotangent = {dy, 1, {0}},
     .expected = {{relu_dx, 1, {0}}}},
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

/* `run` and `workspace_of` are the handler's forward or its vjp; without one,
 * the row is in vain. */
static kc_status_t call_handler(kc_handler_fn run, kc_workspace_fn workspace_of,
                                kc_call_t *call)
{
    static _Alignas(64) unsigned char workspace[1 << 16];
    if (run == NULL) {
        return KC_ERR_NOT_FOUND;
    }
    if (workspace_of != NULL) {
        kc_status_t status = workspace_of(call, &call->workspace_size);
        if (status != KC_OK || call->workspace_size > sizeof workspace) {
            return status != KC_OK ? status : KC_ERR_MEMORY;
        }
        call->workspace = workspace;
    }
    return run(call);
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
    return handler == NULL ? KC_ERR_NOT_FOUND
                           : call_handler(handler->forward,
                                          handler->forward_workspace, &call);
}

typedef struct view {
    DLTensor tensor;
    int64_t strides[RANK_MAX];
} view_t;

/* NULL for what is not there. */
static DLTensor *view_of(const operand_t *operand, const void *data,
                         view_t *view)
{
    if (operand->data == NULL) {
        return NULL;
    }
    make_view(operand, (void *)data, view->strides, &view->tensor);
    return &view->tensor;
}

/* The same backward: what it gives for input i goes to `found[i]`. */
static kc_status_t run_backward(const backward_row_t *row,
                                float (*found)[ELEMENTS_MAX], kc_error_t *error)
{
    static view_t views[2 * KC_MAX_INPUTS + 2];
    view_t *next = views;
    const DLTensor *inputs[KC_MAX_INPUTS] = {NULL};
    DLTensor *cotangents_in[KC_MAX_INPUTS] = {NULL};
    DLTensor *outputs[KC_MAX_OUTPUTS] = {
        view_of(&row->output, row->output.data, next++)};
    const DLTensor *cotangents_out[KC_MAX_OUTPUTS] = {
        view_of(&row->cotangent, row->cotangent.data, next++)};
    for (uint32_t i = 0; i < row->input_count; i++) {
        inputs[i] = view_of(&row->inputs[i], row->inputs[i].data, next++);
        cotangents_in[i] = view_of(&row->expected[i], found[i], next++);
    }
    const kc_attributes_t none = {.struct_size = sizeof none, .op = row->op};
    kc_call_t call = {.struct_size = sizeof call,
                      .op = row->op,
                      .input_count = row->input_count,
                      .output_count = 1,
                      .inputs = inputs,
                      .outputs = outputs,
                      .attributes =
                          row->attributes != NULL ? row->attributes : &none,
                      .host = &host,
                      .error = error,
                      .cotangents_out = cotangents_out,
                      .cotangents_in = cotangents_in};
    const kc_handler_t *handler = find_handler(row->op);
    return handler == NULL
               ? KC_ERR_NOT_FOUND
               : call_handler(handler->vjp, handler->vjp_workspace, &call);
}

/* Any NaN equals any NaN. */
static int is_equal(float expected, float found)
{
    return isnan(expected) ? isnan(found)
                           : memcmp(&expected, &found, sizeof found) == 0;
}

static int64_t count_of(const operand_t *operand)
{
    int64_t count = 1;
    for (int32_t axis = 0; axis < operand->rank; axis++) {
        count *= operand->shape[axis];
    }
    return count;
}

/* Returns the number of wrong elements. */
static int compare(const char *name, const operand_t *expected,
                   const float *found)
{
    const int64_t count = count_of(expected);
    int wrong = 0;
    for (int64_t i = 0; i < count; i++) {
        wrong += !is_equal(expected->data[i], found[i]);
    }
    if (wrong > 0) {
        printf("%s: %d of %d wrong\n", name, wrong, (int)count);
    }
    return wrong;
}

/* Returns 1: a call that failed is wrong once. */
static int report(const char *name, kc_status_t status, const kc_error_t *error)
{
    printf("%s: status %d %s\n", name, (int)status, error->message);
    return 1;
}

static int check(const row_t *row)
{
    float found[ELEMENTS_MAX] = {0};
    kc_error_t error = KC_ERROR_INIT;
    kc_status_t status = count_of(&row->expected) > ELEMENTS_MAX
                             ? KC_ERR_ARGUMENT
                             : run_row(row, found, &error);
    return status != KC_OK ? report(row->name, status, &error)
                           : compare(row->name, &row->expected, found);
}

/* What is in a cotangent before is no number that a rule could rely on. */
static int check_backward(const backward_row_t *row)
{
    static float found[KC_MAX_INPUTS][ELEMENTS_MAX];
    kc_error_t error = KC_ERROR_INIT;
    int wrong = 0;
    memset(found, 0xaa, sizeof found);
    for (uint32_t i = 0; i < row->input_count; i++) {
        if (count_of(&row->expected[i]) > ELEMENTS_MAX) {
            return report(row->name, KC_ERR_ARGUMENT, &error);
        }
    }
    kc_status_t status = run_backward(row, found, &error);
    if (status != KC_OK) {
        return report(row->name, status, &error);
    }
    for (uint32_t i = 0; i < row->input_count; i++) {
        if (row->expected[i].data != NULL) {
            wrong += compare(row->name, &row->expected[i], found[i]);
        }
    }
    return wrong;
}

int main(void)
{
    int wrong = 0;
    int wrong_backward = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wrong += check(&rows[i]);
    }
    for (size_t i = 0; i < sizeof backward_rows / sizeof backward_rows[0];
         i++) {
        wrong_backward += check_backward(&backward_rows[i]);
    }
    printf(VALUES ": %d wrong\n", wrong);
    printf(BACKWARD ": %d wrong\n", wrong_backward);
    return wrong + wrong_backward != 0;
}
