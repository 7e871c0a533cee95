/* SPDX-License-Identifier: Apache-2.0
 *
 * The usual operations by name, so that a composition reads as the formula
 * it is. What would change nothing makes no step.
 */
#include "compose/composition.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"

#define ATTRIBUTES(operation)                                                  \
    {                                                                          \
        .struct_size = sizeof(kc_attributes_t), .op = (operation)              \
    }

static bool is_stopped(const kci_composition_t *composition)
{
    return composition->status != KC_OK;
}

/* Literals of a scalar that is there already. */
static kci_term_t find_number(const kci_composition_t *composition,
                              int32_t dtype, const void *bytes, size_t size)
{
    for (size_t i = 0; i < composition->literal_count; i++) {
        const kci_literal_t *literal = &composition->literals[i];
        const kci_tensor_type_t *type =
            kci_term_type(composition, literal->term);
        if (type->dtype == dtype && type->shape.rank == 0 &&
            memcmp(literal->bytes, bytes, size) == 0) {
            return literal->term;
        }
    }
    return KCI_NO_TERM;
}

kci_term_t kci_compose_number(kci_composition_t *composition, int32_t dtype,
                              double number)
{
    kci_tensor_type_t type = {.dtype = dtype, .shape = {.rank = 0}};
    float single = (float)number;
    bool is_single = dtype == KC_DTYPE_F32;
    const void *bytes = is_single ? (const void *)&single : &number;
    assert(is_single || dtype == KC_DTYPE_F64);
    if (is_stopped(composition)) {
        return KCI_NO_TERM;
    }
    kci_term_t known = find_number(composition, dtype, bytes,
                                   is_single ? sizeof single : sizeof number);
    return known != KCI_NO_TERM
               ? known
               : kci_compose_literal(composition, &type, bytes);
}

kci_term_t kci_compose_numbers(kci_composition_t *composition,
                               const kci_tensor_type_t *type,
                               const double *numbers)
{
    void *memory = NULL;
    size_t count = (size_t)kci_shape_element_count(&type->shape);
    if (is_stopped(composition) || type->dtype != KC_DTYPE_F32) {
        return kci_compose_literal(composition, type, numbers);
    }
    composition->status =
        kci_alloc_array(count, sizeof(float), &memory, &composition->error);
    if (is_stopped(composition)) {
        return KCI_NO_TERM;
    }
    for (size_t i = 0; i < count; i++) {
        ((float *)memory)[i] = (float)numbers[i];
    }
    kci_term_t term = kci_compose_literal(composition, type, memory);
    kci_free(memory);
    return term;
}

kci_term_t kci_compose_indices(kci_composition_t *composition,
                               const int64_t *indices, int64_t count)
{
    kci_tensor_type_t type = {.dtype = KC_DTYPE_I64,
                              .shape = {.rank = 1, .dims = {count}}};
    return kci_compose_literal(composition, &type, indices);
}

kci_term_t kci_compose_unary(kci_composition_t *composition, int32_t op,
                             kci_term_t x)
{
    return kci_compose_apply(composition, op, NULL, &x, 1);
}

kci_term_t kci_compose_binary(kci_composition_t *composition, int32_t op,
                              kci_term_t a, kci_term_t b)
{
    const kci_term_t operands[] = {a, b};
    return kci_compose_apply(composition, op, NULL, operands, 2);
}

kci_term_t kci_compose_scale(kci_composition_t *composition, kci_term_t x,
                             double factor)
{
    kc_attributes_t attributes = ATTRIBUTES(KC_OP_SCALE);
    attributes.u.scale.factor = factor;
    return kci_compose_apply(composition, KC_OP_SCALE, &attributes, &x, 1);
}

kci_term_t kci_compose_axis(kci_composition_t *composition, int32_t op,
                            kci_term_t x, int64_t axis)
{
    kc_attributes_t attributes = ATTRIBUTES(op);
    attributes.u.axis.axis = axis;
    return kci_compose_apply(composition, op, &attributes, &x, 1);
}

kci_term_t kci_compose_masked_softmax(kci_composition_t *composition,
                                      kci_term_t x, kci_term_t mask)
{
    const kci_term_t operands[] = {x, mask};
    return kci_compose_apply(composition, KC_OP_HARD_MASKED_SOFTMAX, NULL,
                             operands, 2);
}

static void set_shape(kc_attributes_t *attributes, const kci_shape_t *shape)
{
    attributes->u.shape.rank = shape->rank;
    memcpy(attributes->u.shape.shape, shape->dims,
           (size_t)shape->rank * sizeof *shape->dims);
}

static kci_term_t to_shape(kci_composition_t *composition, int32_t op,
                           kci_term_t x, const kci_shape_t *shape)
{
    kc_attributes_t attributes = ATTRIBUTES(op);
    if (is_stopped(composition) ||
        kci_shape_equal(&kci_term_type(composition, x)->shape, shape)) {
        return is_stopped(composition) ? KCI_NO_TERM : x;
    }
    set_shape(&attributes, shape);
    return kci_compose_apply(composition, op, &attributes, &x, 1);
}

kci_term_t kci_compose_reshape(kci_composition_t *composition, kci_term_t x,
                               const kci_shape_t *shape)
{
    return to_shape(composition, KC_OP_RESHAPE, x, shape);
}

kci_term_t kci_compose_broadcast(kci_composition_t *composition, kci_term_t x,
                                 const kci_shape_t *shape)
{
    return to_shape(composition, KC_OP_BROADCAST, x, shape);
}

kci_term_t kci_compose_permute(kci_composition_t *composition, kci_term_t x,
                               const int64_t *perm)
{
    kc_attributes_t attributes = ATTRIBUTES(KC_OP_PERMUTE);
    bool is_identity = true;
    if (is_stopped(composition)) {
        return KCI_NO_TERM;
    }
    int32_t rank = kci_term_type(composition, x)->shape.rank;
    attributes.u.permute.rank = rank;
    for (int32_t axis = 0; axis < rank; axis++) {
        attributes.u.permute.perm[axis] = perm[axis];
        is_identity = is_identity && perm[axis] == axis;
    }
    return is_identity ? x
                       : kci_compose_apply(composition, KC_OP_PERMUTE,
                                           &attributes, &x, 1);
}

kci_term_t kci_compose_transpose(kci_composition_t *composition, kci_term_t x)
{
    int64_t perm[KC_MAX_RANK];
    if (is_stopped(composition)) {
        return KCI_NO_TERM;
    }
    int32_t rank = kci_term_type(composition, x)->shape.rank;
    for (int32_t axis = 0; axis < rank; axis++) {
        perm[axis] = axis;
    }
    if (rank >= 2) {
        perm[rank - 1] = rank - 2;
        perm[rank - 2] = rank - 1;
    }
    return kci_compose_permute(composition, x, perm);
}

kci_term_t kci_compose_slice(kci_composition_t *composition, kci_term_t x,
                             int64_t axis, int64_t start, int64_t length)
{
    kc_attributes_t attributes = ATTRIBUTES(KC_OP_SLICE);
    if (is_stopped(composition)) {
        return KCI_NO_TERM;
    }
    const kci_shape_t *shape = &kci_term_type(composition, x)->shape;
    if (axis >= 0 && axis < shape->rank && start == 0 &&
        length == shape->dims[axis]) {
        return x;
    }
    attributes.u.slice = (kc_slice_attributes_t){axis, start, length};
    return kci_compose_apply(composition, KC_OP_SLICE, &attributes, &x, 1);
}

kci_term_t kci_compose_concat(kci_composition_t *composition,
                              const kci_term_t *terms, size_t count,
                              int64_t axis)
{
    kc_attributes_t attributes = ATTRIBUTES(KC_OP_CONCAT);
    if (count == 1) {
        return is_stopped(composition) ? KCI_NO_TERM : terms[0];
    }
    attributes.u.axis.axis = axis;
    return kci_compose_apply(composition, KC_OP_CONCAT, &attributes, terms,
                             count);
}

kci_term_t kci_compose_gather(kci_composition_t *composition, kci_term_t x,
                              kci_term_t indices, int64_t axis)
{
    kc_attributes_t attributes = ATTRIBUTES(KC_OP_GATHER);
    const kci_term_t operands[] = {x, indices};
    attributes.u.axis.axis = axis;
    return kci_compose_apply(composition, KC_OP_GATHER, &attributes, operands,
                             2);
}

kci_term_t kci_compose_scatter_add(kci_composition_t *composition,
                                   kci_term_t base, kci_term_t indices,
                                   kci_term_t source, int64_t axis)
{
    kc_attributes_t attributes = ATTRIBUTES(KC_OP_SCATTER_ADD);
    const kci_term_t operands[] = {base, indices, source};
    attributes.u.axis.axis = axis;
    return kci_compose_apply(composition, KC_OP_SCATTER_ADD, &attributes,
                             operands, 3);
}

kci_term_t kci_compose_fill(kci_composition_t *composition,
                            const kci_tensor_type_t *type, double number)
{
    /* `type` may be that of a term, which the number moves. */
    const kci_shape_t shape = type->shape;
    kci_term_t scalar = kci_compose_number(composition, type->dtype, number);
    return kci_compose_broadcast(composition, scalar, &shape);
}

kci_term_t kci_compose_sum_back(kci_composition_t *composition, kci_term_t x,
                                int64_t axis)
{
    if (is_stopped(composition)) {
        return KCI_NO_TERM;
    }
    kci_shape_t whole = kci_term_type(composition, x)->shape;
    kci_shape_t thin = whole;
    if (kci_shape_element_count(&whole) == 0) {
        return x; /* no place for a sum, and perhaps very many sums */
    }
    assert(axis >= 0 && axis < whole.rank);
    thin.dims[axis] = 1;
    kci_term_t sum = kci_compose_axis(composition, KC_OP_REDUCE_SUM, x, axis);
    return kci_compose_broadcast(
        composition, kci_compose_reshape(composition, sum, &thin), &whole);
}
