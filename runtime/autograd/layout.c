/* SPDX-License-Identifier: Apache-2.0
 *
 * Composed rules of operations that move elements: the cotangent moved back,
 * ops.md 7.5. What nothing came from gets zeros; where an element was
 * repeated its cotangents are summed axis by axis, the outermost first.
 */
#include "autograd/rules.h"

static bool is_empty(const kci_tensor_type_t *type)
{
    return kci_shape_element_count(&type->shape) == 0;
}

static void compose_reshape(kci_composition_t *into,
                            const kci_rule_terms_t *terms,
                            kci_term_t *cotangents)
{
    if (terms->wanted[0]) {
        cotangents[0] = kci_compose_reshape(into, terms->cotangent,
                                            &terms->input_types[0]->shape);
    }
}

static void compose_permute(kci_composition_t *into,
                            const kci_rule_terms_t *terms,
                            kci_term_t *cotangents)
{
    const kc_permute_attributes_t *permute = &terms->attributes->u.permute;
    int64_t inverse[KC_MAX_RANK] = {0};
    for (int64_t axis = 0; axis < permute->rank; axis++) {
        inverse[permute->perm[axis]] = axis;
    }
    if (terms->wanted[0]) {
        cotangents[0] = kci_compose_permute(into, terms->cotangent, inverse);
    }
}

/* The extent of the input that became axis `axis` of the output. */
static int64_t extent_before(const kci_shape_t *from, const kci_shape_t *to,
                             int32_t axis)
{
    int32_t place = axis - (to->rank - from->rank);
    return place < 0 ? 1 : from->dims[place];
}

/* An axis that kept its extent is no sum of one element: that would turn -0
 * into +0. A sum of nothing is +0, and no intermediate of another size. */
static void compose_broadcast(kci_composition_t *into,
                              const kci_rule_terms_t *terms,
                              kci_term_t *cotangents)
{
    const kci_shape_t *from = &terms->input_types[0]->shape;
    const kci_shape_t *to = &terms->output_type->shape;
    kci_term_t sum = terms->cotangent;
    int64_t removed = 0;
    if (!terms->wanted[0]) {
        return;
    }
    if (is_empty(terms->output_type)) {
        cotangents[0] = KCI_NO_TERM;
        return;
    }
    for (int32_t axis = 0; axis < to->rank; axis++) {
        if (extent_before(from, to, axis) != to->dims[axis]) {
            sum = kci_compose_axis(into, KC_OP_REDUCE_SUM, sum, axis - removed);
            removed++;
        }
    }
    cotangents[0] = kci_compose_reshape(into, sum, from);
}

static void compose_concat(kci_composition_t *into,
                           const kci_rule_terms_t *terms,
                           kci_term_t *cotangents)
{
    int64_t axis = terms->attributes->u.axis.axis;
    int64_t start = 0;
    for (size_t i = 0; i < terms->input_count; i++) {
        int64_t length = terms->input_types[i]->shape.dims[axis];
        if (terms->wanted[i]) {
            cotangents[i] =
                kci_compose_slice(into, terms->cotangent, axis, start, length);
        }
        start += length;
    }
}

/* Adds zeros of that extent to the pieces, unless there are none. */
static void add_zeros(kci_composition_t *into, const kci_rule_terms_t *terms,
                      int64_t extent, kci_term_t *pieces, size_t *count)
{
    kci_tensor_type_t type = *terms->input_types[0];
    type.shape.dims[terms->attributes->u.slice.axis] = extent;
    if (extent != 0) {
        pieces[(*count)++] = kci_compose_fill(into, &type, 0);
    }
}

static void compose_slice(kci_composition_t *into,
                          const kci_rule_terms_t *terms, kci_term_t *cotangents)
{
    const kc_slice_attributes_t *slice = &terms->attributes->u.slice;
    int64_t extent = terms->input_types[0]->shape.dims[slice->axis];
    kci_term_t pieces[3];
    size_t count = 0;
    if (!terms->wanted[0]) {
        return;
    }
    if (is_empty(terms->output_type)) {
        cotangents[0] = KCI_NO_TERM;
        return;
    }
    add_zeros(into, terms, slice->start, pieces, &count);
    pieces[count++] = terms->cotangent;
    add_zeros(into, terms, extent - slice->start - slice->length, pieces,
              &count);
    cotangents[0] = kci_compose_concat(into, pieces, count, slice->axis);
}

const kci_rule_t kci_rule_reshape = {compose_reshape, NULL, NULL};
const kci_rule_t kci_rule_permute = {compose_permute, NULL, NULL};
const kci_rule_t kci_rule_broadcast = {compose_broadcast, NULL, NULL};
const kci_rule_t kci_rule_concat = {compose_concat, NULL, NULL};
const kci_rule_t kci_rule_slice = {compose_slice, NULL, NULL};
