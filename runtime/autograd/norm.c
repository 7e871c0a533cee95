/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules of layer_norm and batch_norm (ops.md 7.7). x is seen as [groups, n],
 * a row for all that shares its statistics; these are computed again from x
 * as the forward does, centred once, by the mean of squares.
 */
#include "autograd/rules.h"

#include <string.h>

/* How x becomes rows and comes back: [outer, channels, inner], the channels
 * first where a row has the whole batch, then flat. A vector of parameters,
 * seen as `parameter`, is broadcast over the same axes. */
typedef struct layout {
    kci_tensor_type_t type; /* of x */
    kci_shape_t split;      /* x with its axes put together */
    bool is_turned;         /* axes 0 and 1 of `split` change places */
    kci_shape_t turned;     /* `split`, after that */
    kci_shape_t parameter;
    kci_shape_t rows;
} layout_t;

static const int64_t turn[] = {1, 0, 2};

static int64_t product(const kci_shape_t *shape, int32_t first, int32_t end)
{
    int64_t count = 1;
    for (int32_t axis = first; axis < end; axis++) {
        count *= shape->dims[axis];
    }
    return count;
}

static kci_shape_t matrix(int64_t rows, int64_t columns)
{
    return (kci_shape_t){.rank = 2, .dims = {rows, columns}};
}

static layout_t layer_layout(const kci_rule_terms_t *terms)
{
    const kci_shape_t *x = &terms->input_types[0]->shape;
    int32_t axis = (int32_t)terms->attributes->u.layer_norm.axis;
    int64_t count = product(x, axis, x->rank);
    layout_t layout = {.type = *terms->input_types[0],
                       .rows = matrix(product(x, 0, axis), count),
                       .parameter = {.rank = 1, .dims = {count}}};
    layout.split = layout.rows;
    layout.turned = layout.rows;
    return layout;
}

/* Rows by outer place and channel, or by channel alone. */
static layout_t channel_layout(const kci_rule_terms_t *terms, bool is_turned)
{
    const kci_shape_t *x = &terms->input_types[0]->shape;
    int32_t axis = (int32_t)terms->attributes->u.batch_norm.channel_axis;
    int64_t outer = product(x, 0, axis);
    int64_t channels = x->dims[axis];
    int64_t inner = product(x, axis + 1, x->rank);
    layout_t layout = {.type = *terms->input_types[0],
                       .split = {.rank = 3, .dims = {outer, channels, inner}},
                       .is_turned = is_turned,
                       .parameter = {.rank = 2, .dims = {channels, 1}},
                       .rows = matrix(outer * channels, inner)};
    layout.turned = layout.split;
    if (is_turned) {
        layout.turned.dims[0] = channels;
        layout.turned.dims[1] = outer;
        layout.parameter = (kci_shape_t){.rank = 3, .dims = {channels, 1, 1}};
        layout.rows = matrix(channels, outer * inner);
    }
    return layout;
}

static kci_term_t to_rows(kci_composition_t *composition,
                          const layout_t *layout, kci_term_t x)
{
    x = kci_compose_reshape(composition, x, &layout->split);
    if (layout->is_turned) {
        x = kci_compose_permute(composition, x, turn);
    }
    return kci_compose_reshape(composition, x, &layout->rows);
}

static kci_term_t from_rows(kci_composition_t *composition,
                            const layout_t *layout, kci_term_t rows)
{
    rows = kci_compose_reshape(composition, rows, &layout->turned);
    if (layout->is_turned) {
        rows = kci_compose_permute(composition, rows, turn);
    }
    return kci_compose_reshape(composition, rows, &layout->type.shape);
}

/* One number a parameter, in every place it belongs to. */
static kci_term_t spread(kci_composition_t *composition, const layout_t *layout,
                         kci_term_t vector)
{
    vector = kci_compose_reshape(composition, vector, &layout->parameter);
    vector = kci_compose_broadcast(composition, vector, &layout->turned);
    return kci_compose_reshape(composition, vector, &layout->rows);
}

/* The mean of each row, in each of its places. */
static kci_term_t mean_back(kci_composition_t *composition,
                            const layout_t *layout, kci_term_t rows)
{
    kci_shape_t column = matrix(layout->rows.dims[0], 1);
    kci_term_t mean = kci_compose_axis(composition, KC_OP_REDUCE_MEAN, rows, 1);
    return kci_compose_broadcast(
        composition, kci_compose_reshape(composition, mean, &column),
        &layout->rows);
}

/* 1 / sqrt(variance + eps), all of one shape. */
static kci_term_t inverse_deviation(kci_composition_t *composition,
                                    kci_term_t variance,
                                    const kci_tensor_type_t *type, double eps)
{
    kci_term_t sum =
        kci_compose_binary(composition, KC_OP_ADD, variance,
                           kci_compose_fill(composition, type, eps));
    return kci_compose_unary(composition, KC_OP_INV,
                             kci_compose_unary(composition, KC_OP_SQRT, sum));
}

/* x - mean over its deviation s, and 1 / s, by rows. */
typedef struct standard {
    kci_term_t x;
    kci_term_t inverse;
} standard_t;

static standard_t standardise(kci_composition_t *composition,
                              const layout_t *layout, kci_term_t x, double eps)
{
    kci_shape_t column = matrix(layout->rows.dims[0], 1);
    kci_tensor_type_t column_type = {layout->type.dtype, column};
    kci_term_t rows = to_rows(composition, layout, x);
    kci_term_t d = kci_compose_binary(composition, KC_OP_SUB, rows,
                                      mean_back(composition, layout, rows));
    kci_term_t variance =
        kci_compose_axis(composition, KC_OP_REDUCE_MEAN,
                         kci_compose_binary(composition, KC_OP_MUL, d, d), 1);
    kci_term_t inverse = inverse_deviation(
        composition, kci_compose_reshape(composition, variance, &column),
        &column_type, eps);
    inverse = kci_compose_broadcast(composition, inverse, &layout->rows);
    return (standard_t){
        .x = kci_compose_binary(composition, KC_OP_MUL, d, inverse),
        .inverse = inverse};
}

/* inverse * (h - mean(h) - x mean(h x)) */
static kci_term_t through_statistics(kci_composition_t *composition,
                                     const layout_t *layout,
                                     const standard_t *standard, kci_term_t h)
{
    kci_term_t product_mean =
        mean_back(composition, layout,
                  kci_compose_binary(composition, KC_OP_MUL, h, standard->x));
    kci_term_t centred = kci_compose_binary(composition, KC_OP_SUB, h,
                                            mean_back(composition, layout, h));
    kci_term_t share =
        kci_compose_binary(composition, KC_OP_MUL, standard->x, product_mean);
    return kci_compose_binary(
        composition, KC_OP_MUL, standard->inverse,
        kci_compose_binary(composition, KC_OP_SUB, centred, share));
}

static bool is_wanted(const kci_rule_terms_t *terms, size_t input)
{
    return input < terms->input_count && terms->wanted[input];
}

/* The cotangent before gamma. */
static kci_term_t times_gamma(kci_composition_t *composition,
                              const layout_t *layout,
                              const kci_rule_terms_t *terms, kci_term_t g)
{
    if (terms->input_count < 2 || terms->input_types[1] == NULL) {
        return g;
    }
    return kci_compose_binary(composition, KC_OP_MUL, g,
                              spread(composition, layout, terms->inputs[1]));
}

static void compose_layer_norm(kci_composition_t *composition,
                               const kci_rule_terms_t *terms,
                               kci_term_t *cotangents)
{
    layout_t layout = layer_layout(terms);
    standard_t standard = {KCI_NO_TERM, KCI_NO_TERM};
    kci_term_t g = to_rows(composition, &layout, terms->cotangent);
    if (is_wanted(terms, 0) || is_wanted(terms, 1)) {
        standard = standardise(composition, &layout, terms->inputs[0],
                               terms->attributes->u.layer_norm.eps);
    }
    if (is_wanted(terms, 0)) {
        kci_term_t h = times_gamma(composition, &layout, terms, g);
        cotangents[0] =
            from_rows(composition, &layout,
                      through_statistics(composition, &layout, &standard, h));
    }
    if (is_wanted(terms, 1)) {
        kci_term_t sum = kci_compose_axis(
            composition, KC_OP_REDUCE_SUM,
            kci_compose_binary(composition, KC_OP_MUL, g, standard.x), 0);
        cotangents[1] = kci_compose_reshape(composition, sum,
                                            &terms->input_types[1]->shape);
    }
    if (is_wanted(terms, 2)) {
        kci_term_t sum = kci_compose_axis(composition, KC_OP_REDUCE_SUM, g, 0);
        cotangents[2] = kci_compose_reshape(composition, sum,
                                            &terms->input_types[2]->shape);
    }
}
const kci_rule_t kci_rule_layer_norm = {compose_layer_norm, NULL, NULL};

/* The sum over everything that is of one channel, in row-major order. */
static kci_term_t sum_by_channel(kci_composition_t *composition,
                                 const kci_rule_terms_t *terms,
                                 const layout_t *layout, kci_term_t rows)
{
    if (!layout->is_turned) {
        layout_t turned = channel_layout(terms, true);
        rows = kci_compose_reshape(composition, rows, &layout->split);
        rows = to_rows(composition, &turned, rows);
    }
    return kci_compose_axis(composition, KC_OP_REDUCE_SUM, rows, 1);
}

/* 1 / s of the stored variances, of which those below 0 count as 0. */
static kci_term_t stored_inverse(kci_composition_t *composition,
                                 const kci_rule_terms_t *terms,
                                 const layout_t *layout)
{
    kci_term_t variance =
        kci_compose_unary(composition, KC_OP_RELU, terms->inputs[4]);
    kci_term_t inverse =
        inverse_deviation(composition, variance, terms->input_types[4],
                          terms->attributes->u.batch_norm.eps);
    return spread(composition, layout, inverse);
}

/* Of eval: x is centred only where it is asked for. */
static standard_t stored_standard(kci_composition_t *composition,
                                  const kci_rule_terms_t *terms,
                                  const layout_t *layout)
{
    standard_t standard = {KCI_NO_TERM,
                           stored_inverse(composition, terms, layout)};
    if (is_wanted(terms, 1)) {
        kci_term_t d =
            kci_compose_binary(composition, KC_OP_SUB,
                               to_rows(composition, layout, terms->inputs[0]),
                               spread(composition, layout, terms->inputs[3]));
        standard.x =
            kci_compose_binary(composition, KC_OP_MUL, d, standard.inverse);
    }
    return standard;
}

static kci_term_t cotangent_of_x(kci_composition_t *composition,
                                 const kci_rule_terms_t *terms,
                                 const layout_t *layout,
                                 const standard_t *standard, kci_term_t g)
{
    kci_term_t h = times_gamma(composition, layout, terms, g);
    bool is_eval = terms->attributes->u.batch_norm.mode == KC_BATCH_NORM_EVAL;
    kci_term_t rows =
        is_eval
            ? kci_compose_binary(composition, KC_OP_MUL, h, standard->inverse)
            : through_statistics(composition, layout, standard, h);
    return from_rows(composition, layout, rows);
}

static void compose_batch_norm(kci_composition_t *composition,
                               const kci_rule_terms_t *terms,
                               kci_term_t *cotangents)
{
    const kc_batch_norm_attributes_t *norm = &terms->attributes->u.batch_norm;
    layout_t layout = channel_layout(terms, norm->mode == KC_BATCH_NORM_BATCH);
    standard_t standard = {KCI_NO_TERM, KCI_NO_TERM};
    kci_term_t g = to_rows(composition, &layout, terms->cotangent);
    if (is_wanted(terms, 0) || is_wanted(terms, 1)) {
        standard = norm->mode == KC_BATCH_NORM_EVAL
                       ? stored_standard(composition, terms, &layout)
                       : standardise(composition, &layout, terms->inputs[0],
                                     norm->eps);
    }
    if (is_wanted(terms, 0)) {
        cotangents[0] =
            cotangent_of_x(composition, terms, &layout, &standard, g);
    }
    if (is_wanted(terms, 1)) {
        cotangents[1] = sum_by_channel(
            composition, terms, &layout,
            kci_compose_binary(composition, KC_OP_MUL, g, standard.x));
    }
    if (is_wanted(terms, 2)) {
        cotangents[2] = sum_by_channel(composition, terms, &layout, g);
    }
}
const kci_rule_t kci_rule_batch_norm = {compose_batch_norm, NULL, NULL};
