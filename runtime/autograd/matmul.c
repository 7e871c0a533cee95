/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules of products and of the mean squared error (ops.md 7.6). A product's
 * cotangents are products again, whose order of summation is the one asked
 * for: by columns for the left operand, by rows for the right one.
 */
#include "autograd/rules.h"

static void compose_matmul(kci_composition_t *composition,
                           const kci_rule_terms_t *terms,
                           kci_term_t *cotangents)
{
    kci_term_t g = terms->cotangent;
    if (terms->wanted[0]) {
        cotangents[0] = kci_compose_binary(
            composition, KC_OP_MATMUL, g,
            kci_compose_transpose(composition, terms->inputs[1]));
    }
    if (terms->wanted[1]) {
        cotangents[1] = kci_compose_binary(
            composition, KC_OP_MATMUL,
            kci_compose_transpose(composition, terms->inputs[0]), g);
    }
}
const kci_rule_t kci_rule_matmul = {compose_matmul, NULL, NULL};

/* All leading axes as one. */
static kci_shape_t flat_rows(const kci_shape_t *shape)
{
    kci_shape_t rows = {.rank = 2, .dims = {1, shape->dims[shape->rank - 1]}};
    for (int32_t axis = 0; axis + 1 < shape->rank; axis++) {
        rows.dims[0] *= shape->dims[axis];
    }
    return rows;
}

static bool is_wanted(const kci_rule_terms_t *terms, size_t input)
{
    return input < terms->input_count && terms->wanted[input];
}

static void compose_linear(kci_composition_t *composition,
                           const kci_rule_terms_t *terms,
                           kci_term_t *cotangents)
{
    const kci_shape_t *x_shape = &terms->input_types[0]->shape;
    kci_shape_t x_rows = flat_rows(x_shape);
    kci_shape_t g_rows = flat_rows(&terms->output_type->shape);
    kci_term_t g = kci_compose_reshape(composition, terms->cotangent, &g_rows);
    if (terms->wanted[0]) {
        kci_term_t rows =
            kci_compose_binary(composition, KC_OP_MATMUL, g, terms->inputs[1]);
        cotangents[0] = kci_compose_reshape(composition, rows, x_shape);
    }
    if (terms->wanted[1]) {
        kci_term_t x =
            kci_compose_reshape(composition, terms->inputs[0], &x_rows);
        cotangents[1] =
            kci_compose_binary(composition, KC_OP_MATMUL,
                               kci_compose_transpose(composition, g), x);
    }
    if (is_wanted(terms, 2)) {
        cotangents[2] = kci_compose_axis(composition, KC_OP_REDUCE_SUM, g, 0);
    }
}
const kci_rule_t kci_rule_linear = {compose_linear, NULL, NULL};

/* 2 / N with N as a number of the operands' type. */
static double mean_slope(const kci_tensor_type_t *type)
{
    int64_t count = kci_shape_element_count(&type->shape);
    double divisor =
        type->dtype == KC_DTYPE_F32 ? (double)(float)count : (double)count;
    return count == 0 ? 2.0 : 2.0 / divisor;
}

static void compose_mse_loss(kci_composition_t *composition,
                             const kci_rule_terms_t *terms,
                             kci_term_t *cotangents)
{
    const kci_tensor_type_t *type = terms->input_types[0];
    kci_term_t d = kci_compose_binary(composition, KC_OP_SUB, terms->inputs[0],
                                      terms->inputs[1]);
    kci_term_t slope = kci_compose_scale(composition, d, mean_slope(type));
    kci_term_t g =
        kci_compose_broadcast(composition, terms->cotangent, &type->shape);
    kci_term_t of_estimate =
        kci_compose_binary(composition, KC_OP_MUL, slope, g);
    if (terms->wanted[0]) {
        cotangents[0] = of_estimate;
    }
    if (terms->wanted[1]) {
        cotangents[1] = kci_compose_scale(composition, of_estimate, -1.0);
    }
}
const kci_rule_t kci_rule_mse_loss = {compose_mse_loss, NULL, NULL};
