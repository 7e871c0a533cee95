/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums of cotangents and the gradients that come of them. A sum is the
 * operation add, planned and recorded like any inner operation; gradients own
 * their memory alone.
 */
#include "autograd/tape_state.h"

#include <string.h>

#include "base/error.h"
#include "exec/graph_values.h"

static void type_of(const DLTensor *view, kci_tensor_type_t *out_type)
{
    out_type->dtype = kc_tensor_dtype(view);
    out_type->shape.rank = view->ndim;
    memcpy(out_type->shape.dims, view->shape,
           (size_t)view->ndim * sizeof *view->shape);
}

static kc_status_t run_add(kc_tape_t *tape, const kc_tensor_t *a,
                           const kc_tensor_t *b, kc_tensor_t **out_sum,
                           kc_error_t *error)
{
    kci_tensor_type_t type;
    kci_composition_t *composition = &tape->composition;
    const DLTensor *views[] = {&a->view, &b->view};
    type_of(&a->view, &type);
    kci_composition_clear(composition);
    kci_term_t left = kci_compose_argument(composition, &type);
    kci_term_t right = kci_compose_argument(composition, &type);
    kci_term_t sum = kci_compose_binary(composition, KC_OP_ADD, left, right);
    KC_RETURN_IF_ERROR(kci_composition_status(composition, error));
    return kci_session_run_composition(tape->session, composition, views,
                                       KCI_CALL_SUM, NULL, &sum, 1, out_sum,
                                       error);
}

/* `what` is summed up of the variable. */
static kc_status_t add_tensors(kc_tape_t *tape, size_t place, const char *what,
                               const kc_tensor_t *a, const kc_tensor_t *b,
                               kc_tensor_t **out_sum, kc_error_t *error)
{
    kc_status_t status = run_add(tape, a, b, out_sum, error);
    if (status != KC_OK) {
        char name[KCI_TAPE_NAME_SIZE];
        kci_tape_describe(tape, place, name, sizeof name);
        kci_error_prepend(error, "backward: the sum of the %s of %s", what,
                          name);
    }
    return status;
}

kc_status_t kci_tape_add_term(kc_tape_t *tape, size_t place,
                              kc_tensor_t **total, kc_tensor_t *term,
                              kc_error_t *error)
{
    kc_tensor_t *sum = NULL;
    if (*total == NULL) {
        *total = term;
        return KC_OK;
    }
    KC_RETURN_IF_ERROR(
        add_tensors(tape, place, "cotangents", *total, term, &sum, error));
    kci_tensor_release(*total);
    kci_tensor_release(term);
    *total = sum;
    return KC_OK;
}

static kc_status_t make_zeros(const kc_tape_t *tape, size_t place,
                              kc_tensor_t **out_tensor, kc_error_t *error)
{
    kci_tensor_type_t type;
    kci_tape_place_type(tape, place, &type);
    KC_RETURN_IF_ERROR(kci_tensor_create(kci_tape_allocator(tape), type.dtype,
                                         type.shape.rank, type.shape.dims,
                                         out_tensor, error));
    const DLTensor *view = &(*out_tensor)->view;
    memset(kc_tensor_data(view), 0,
           (size_t)kc_tensor_element_count(view) * (view->dtype.bits / 8u));
    return KC_OK;
}

/* A tensor whose memory nobody else has: it may become the gradient of one
 * variable and, seen elsewhere, the cotangent of another. */
static kc_status_t make_own(const kc_tape_t *tape, kc_tensor_t **tensor,
                            bool is_needed_again, kc_tensor_t **out_own,
                            kc_error_t *error)
{
    if (!is_needed_again &&
        atomic_load(&(*tensor)->storage->reference_count) == 1) {
        *out_own = *tensor;
        *tensor = NULL;
        return KC_OK;
    }
    return kci_copy_view(kci_tape_allocator(tape), &(*tensor)->view, out_own,
                         error);
}

static bool comes_again(const kci_tape_targets_t *targets, size_t index)
{
    for (size_t i = index + 1; i < targets->wanted_count; i++) {
        if (targets->wanted[i] == targets->wanted[index]) {
            return true;
        }
    }
    return false;
}

/* What a leaf has so far, and what came: the sum, or the one there is. */
static kc_status_t grow_gradient(kc_tape_t *tape, size_t place,
                                 kc_tensor_t **found, kc_tensor_t **out_tensor,
                                 kc_error_t *error)
{
    kc_tensor_t *old = tape->variables[place].gradient;
    if (*found == NULL && old == NULL) {
        return make_zeros(tape, place, out_tensor, error);
    }
    if (*found == NULL) {
        return kci_tensor_share(old, out_tensor, error);
    }
    if (old == NULL) {
        return make_own(tape, found, false, out_tensor, error);
    }
    return add_tensors(tape, place, "gradients", old, *found, out_tensor,
                       error);
}

kc_status_t kci_tape_make_gradients(kc_tape_t *tape,
                                    const kci_tape_targets_t *targets,
                                    bool is_added, kc_tensor_t **cotangents,
                                    kc_tensor_t **out_gradients,
                                    kc_error_t *error)
{
    kc_status_t status = KC_OK;
    size_t count = 0;
    while (count < targets->wanted_count && status == KC_OK) {
        size_t place = targets->wanted[count];
        kc_tensor_t **found = &cotangents[place];
        kc_tensor_t **out_tensor = &out_gradients[count];
        if (is_added) {
            status = grow_gradient(tape, place, found, out_tensor, error);
        } else if (*found == NULL) {
            status = make_zeros(tape, place, out_tensor, error);
        } else {
            status = make_own(tape, found, comes_again(targets, count),
                              out_tensor, error);
        }
        count += status == KC_OK;
    }
    for (size_t i = 0; status != KC_OK && i < count; i++) {
        kci_tensor_release(out_gradients[i]);
        out_gradients[i] = NULL;
    }
    return status;
}

kc_status_t kci_tape_gradient(const kc_tape_t *tape, kc_variable_t variable,
                              kc_tensor_t **out_tensor, kc_error_t *error)
{
    char name[KCI_TAPE_NAME_SIZE];
    size_t place = 0;
    KC_RETURN_IF_ERROR(kci_tape_find(tape, variable, false, &place, error));
    const kci_tape_variable_t *found = &tape->variables[place];
    if (!found->is_leaf || !found->needs_gradient) {
        kci_tape_describe_own(tape, place, name, sizeof name);
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "gradient: expected a leaf with KC_LEAF_GRADIENT, "
                        "found %s%s",
                        name, found->is_leaf ? " without it" : "");
    }
    if (found->gradient == NULL) {
        *out_tensor = NULL;
        return KC_OK;
    }
    return kci_tensor_share(found->gradient, out_tensor, error);
}

void kci_tape_clear_gradients(kc_tape_t *tape)
{
    for (size_t i = 0; i < tape->variable_count; i++) {
        kci_tensor_release(tape->variables[i].gradient);
        tape->variables[i].gradient = NULL;
    }
}
