/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The small backward of the exec tests. */
#include "unit/exec/backward_fixture.h"

#include "unit/expect.h"

kc_graph_t *backward_graph(void)
{
    kc_graph_builder_t *builder = graph_begin();
    uint32_t x = graph_input(builder, "x");
    uint32_t w = graph_const(builder, "w");
    uint32_t a = graph_binary(builder, "add", x, w);
    uint32_t b = graph_unary(builder, "relu", a);
    graph_output(builder, "y", graph_binary(builder, "add", b, x));
    return graph_end(builder);
}

/* Gradients of x, w, a and c; that of w and a is one value. */
static void append_backward(program_case_t *at)
{
    uint32_t of_c[2];
    uint32_t of_a[2];
    uint32_t seed = program_seed(at, C, 0);
    program_note_rule(at, A);
    program_add_rule(at, C, seed, 3, of_c);
    uint32_t relu = program_relu_rule(at, B, of_c[0]);
    program_add_rule(at, A, relu, 1, of_a);
    uint32_t x = program_sum(at, X, of_c[1], of_a[0]);
    program_ports(
        at, &(kci_program_port_t){0, seed}, 1,
        (const kci_program_port_t[]){{X, x}, {W, relu}, {A, relu}, {C, seed}},
        4);
}

void backward_tensors(backward_case_t *at)
{
    operand_init(&at->x, KC_DTYPE_F32, 1, DIMS(VECTOR));
    operand_init(&at->seed, KC_DTYPE_F32, 1, DIMS(VECTOR));
    operand_init(&at->y, KC_DTYPE_F32, 1, DIMS(VECTOR));
    for (int i = 0; i < VECTOR; i++) {
        operand_f32(&at->x)[i] = (float)(i - 8);
        operand_f32(&at->seed)[i] = (float)(i + 1);
    }
    for (int i = 0; i < 4; i++) {
        operand_init(&at->gradients[i], KC_DTYPE_F32, 1, DIMS(VECTOR));
        at->given[i] = &at->gradients[i].view;
    }
    at->inputs[0] = &at->x.view;
    at->seeds[0] = &at->seed.view;
    at->outputs[0] = &at->y.view;
}

void backward_begin(backward_case_t *at)
{
    program_begin(&at->base, backward_graph());
    append_backward(&at->base);
    at->w = vector_tensor(&at->base.host.allocator, 0, 0.5f);
    program_compile(&at->base, &(kci_named_tensor_t){"w", at->w}, 1);
    backward_tensors(at);
}

void backward_end(backward_case_t *at)
{
    kci_tensor_release(at->w);
    program_end(&at->base);
}

kc_status_t backward_run(backward_case_t *at, size_t output_count)
{
    return kci_executor_run_gradients(
        at->base.executor, at->inputs, 1, at->seeds, 1,
        output_count == 0 ? NULL : at->outputs, output_count, at->given, 4,
        &at->base.error);
}

/* By hand: of_c = (g, 2g), relu lets g through where x + 0.5 > 0, of_a =
 * that; x gets 2g + that. */
void backward_expect(backward_case_t *at)
{
    for (int i = 0; i < VECTOR; i++) {
        float g = (float)(i + 1);
        float through = i >= 8 ? g : 0;
        ck_assert_float_eq(operand_f32(&at->gradients[0])[i], 2 * g + through);
        ck_assert_float_eq(operand_f32(&at->gradients[1])[i], through);
        ck_assert_float_eq(operand_f32(&at->gradients[2])[i], through);
        ck_assert_float_eq(operand_f32(&at->gradients[3])[i], g);
    }
}
