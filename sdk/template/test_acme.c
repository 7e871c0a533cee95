/* SPDX-License-Identifier: Apache-2.0
 *
 * The suite acme.values: calls the handlers the way a host does and compares
 * bit by bit. Add a row for every promise you make.
 */
#include <kcapsule/sdk.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 4 };

static DLTensor vector_of(float *data)
{
    static int64_t shape[] = {COUNT};
    static int64_t strides[] = {1};
    DLTensor tensor = {.data = data,
                       .device = {kDLCPU, 0},
                       .ndim = 1,
                       .dtype = {kDLFloat, 32, 1},
                       .shape = shape,
                       .strides = strides};
    return tensor;
}

/* Returns the number of wrong elements. */
static int check(int32_t op, float *a, float *b, const float *expected)
{
    float found[COUNT];
    DLTensor tensors[] = {vector_of(a), vector_of(b), vector_of(found)};
    const DLTensor *inputs[] = {&tensors[0], &tensors[1]};
    DLTensor *outputs[] = {&tensors[2]};
    const kc_call_t call = {.struct_size = sizeof call,
                            .op = op,
                            .input_count = op == KC_OP_RELU ? 1 : 2,
                            .output_count = 1,
                            .inputs = inputs,
                            .outputs = outputs};
    const kc_module_t *module = kc_module_entry();
    int wrong = COUNT;
    for (uint32_t i = 0; i < module->handler_count; i++) {
        if (module->handlers[i]->op == op &&
            module->handlers[i]->forward(&call) == KC_OK) {
            wrong = 0;
        }
    }
    for (int i = 0; wrong < COUNT && i < COUNT; i++) {
        wrong += !(isnan(expected[i])
                       ? isnan(found[i])
                       : memcmp(&found[i], &expected[i], sizeof found[i]) == 0);
    }
    return wrong;
}

int main(void)
{
    float a[COUNT] = {-1, 2, -0.0f, NAN};
    float b[COUNT] = {1, 0.5f, 0.0f, 1};
    const float relu[COUNT] = {0.0f, 2, 0.0f, NAN};
    const float sum[COUNT] = {0.0f, 2.5f, 0.0f, NAN};
    int wrong = check(KC_OP_RELU, a, b, relu) + check(KC_OP_ADD, a, b, sum);
    printf("acme.values: %d wrong\n", wrong);
    return wrong != 0;
}
