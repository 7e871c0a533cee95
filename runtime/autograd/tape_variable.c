/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables: which references a tape takes, what one is called in messages,
 * and how leaves, detached values and their types come about.
 */
#include "autograd/tape_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"

static int compare_numbers(const void *key, const void *item)
{
    uint64_t number = *(const uint64_t *)key;
    uint64_t other = ((const kci_tape_variable_t *)item)->number;
    return number < other ? -1 : number > other;
}

static size_t place_of_number(const kc_tape_t *tape, uint64_t number)
{
    if (number >= tape->base_number) {
        uint64_t place = number - tape->base_number;
        return place < tape->variable_count - tape->kept_count
                   ? tape->kept_count + (size_t)place
                   : KCI_NO_PLACE;
    }
    const kci_tape_variable_t *found =
        tape->kept_count == 0
            ? NULL
            : bsearch(&number, tape->variables, tape->kept_count,
                      sizeof *tape->variables, compare_numbers);
    return found == NULL ? KCI_NO_PLACE : (size_t)(found - tape->variables);
}

static bool is_absent(kc_variable_t variable)
{
    return variable.tape == 0 && variable.generation == 0 &&
           variable.index == 0;
}

static kc_status_t refuse(const kc_tape_t *tape, kc_variable_t variable,
                          kc_error_t *error)
{
    if (variable.tape != tape->number) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "variable %" PRIu64 " belongs to another tape",
                        variable.index);
    }
    if (variable.generation < tape->reset_generation) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "variable %" PRIu64
                        " is stale: the tape was reset since",
                        variable.index);
    }
    if (variable.generation < tape->generation) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "variable %" PRIu64
                        " is stale: a backward without KC_BACKWARD_KEEP used "
                        "the tape up",
                        variable.index);
    }
    return kci_fail(error, KC_ERR_ARGUMENT,
                    "variable %" PRIu64 ": the tape has made none of that "
                    "number",
                    variable.index);
}

kc_status_t kci_tape_find(const kc_tape_t *tape, kc_variable_t variable,
                          bool is_optional, size_t *out_place,
                          kc_error_t *error)
{
    if (is_absent(variable)) {
        if (!is_optional) {
            return kci_fail(error, KC_ERR_ARGUMENT,
                            "expected a variable, found none");
        }
        *out_place = KCI_NO_PLACE;
        return KC_OK;
    }
    size_t place = variable.tape == tape->number
                       ? place_of_number(tape, variable.index)
                       : KCI_NO_PLACE;
    if (place == KCI_NO_PLACE ||
        tape->variables[place].generation != variable.generation) {
        return refuse(tape, variable, error);
    }
    *out_place = place;
    return KC_OK;
}

kc_variable_t kci_tape_reference(const kc_tape_t *tape, size_t place)
{
    return (kc_variable_t){.tape = tape->number,
                           .generation = tape->variables[place].generation,
                           .index = tape->variables[place].number};
}

void kci_tape_describe(const kc_tape_t *tape, size_t place, char *out,
                       size_t size)
{
    const kci_tape_variable_t *root =
        &tape->variables[tape->variables[place].root];
    if (root->name != NULL) {
        snprintf(out, size, "leaf %s", root->name);
    } else if (root->op >= 0) {
        snprintf(out, size, "the result of operation %" PRIu64 " (%s)",
                 root->number, kci_label(&kci_ops, root->op));
    } else {
        snprintf(out, size, "%s %" PRIu64, root->is_leaf ? "leaf" : "constant",
                 root->number);
    }
}

void kci_tape_describe_own(const kc_tape_t *tape, size_t place, char *out,
                           size_t size)
{
    char whole[KCI_TAPE_NAME_SIZE];
    kci_tape_describe(tape, place, whole, sizeof whole);
    bool is_itself = tape->variables[place].root == place;
    snprintf(out, size, "%s%s", is_itself ? "" : "a detached value of ", whole);
}

void kci_tape_place_type(const kc_tape_t *tape, size_t place,
                         kci_tensor_type_t *out_type)
{
    const DLTensor *view = &tape->variables[place].tensor->view;
    out_type->dtype = kc_tensor_dtype(view);
    out_type->shape.rank = view->ndim;
    memcpy(out_type->shape.dims, view->shape,
           (size_t)view->ndim * sizeof *view->shape);
}

bool kci_tape_is_floating(const kc_tape_t *tape, size_t place)
{
    return tape->variables[place].tensor->view.dtype.code == kDLFloat;
}

kc_status_t kci_tape_add_variable(kc_tape_t *tape,
                                  const kci_tape_variable_t *model,
                                  kc_tensor_t *tensor, size_t *out_place,
                                  kc_error_t *error)
{
    void *variables = tape->variables;
    size_t place = tape->variable_count;
    KC_RETURN_IF_ERROR(kci_grow_array(&variables, &tape->variable_capacity,
                                      place + 1, sizeof *tape->variables,
                                      error));
    tape->variables = variables;
    kci_tape_variable_t *variable = &tape->variables[place];
    *variable = *model;
    variable->number = tape->next_number;
    variable->generation = tape->generation;
    variable->tensor = tensor;
    variable->gradient = NULL;
    variable->root = model->root == KCI_NO_PLACE ? place : model->root;
    tape->next_number++;
    tape->variable_count++;
    *out_place = place;
    return KC_OK;
}

static kc_status_t check_leaf(const kc_tensor_t *tensor, const char *name,
                              uint32_t flags, kc_error_t *error)
{
    const char *shown = name != NULL ? name : "without a name";
    if ((flags & ~(uint32_t)KC_LEAF_GRADIENT) != 0) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "leaf %.64s: expected flags within 0x%x, found 0x%x",
                        shown, (unsigned)KC_LEAF_GRADIENT, (unsigned)flags);
    }
    if (flags != 0 && tensor->view.dtype.code != kDLFloat) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "leaf %.64s: expected floating-point elements for a "
                        "gradient, found %s",
                        shown,
                        kci_label(&kci_dtypes, kc_tensor_dtype(&tensor->view)));
    }
    return KC_OK;
}

kc_status_t kci_tape_leaf(kc_tape_t *tape, kc_tensor_t *tensor,
                          const char *name, uint32_t flags,
                          kc_variable_t *out_variable, kc_error_t *error)
{
    size_t place = 0;
    kc_tensor_t *shared = NULL;
    kci_tape_variable_t leaf = {.root = KCI_NO_PLACE,
                                .op = -1,
                                .is_leaf = true,
                                .needs_gradient = flags != 0};
    KC_RETURN_IF_ERROR(check_leaf(tensor, name, flags, error));
    kc_status_t status = kci_tensor_share(tensor, &shared, error);
    if (status == KC_OK && name != NULL) {
        status = kci_copy_string(name, &leaf.name, error);
    }
    if (status == KC_OK) {
        status = kci_tape_add_variable(tape, &leaf, shared, &place, error);
    }
    if (status != KC_OK) {
        kci_tensor_release(shared);
        kci_free(leaf.name);
        return status;
    }
    *out_variable = kci_tape_reference(tape, place);
    return KC_OK;
}

kc_status_t kci_tape_detach_place(kc_tape_t *tape, size_t source,
                                  size_t *out_place, kc_error_t *error)
{
    kc_tensor_t *shared = NULL;
    kci_tape_variable_t detached = {.root = tape->variables[source].root,
                                    .op = -1};
    KC_RETURN_IF_ERROR(
        kci_tensor_share(tape->variables[source].tensor, &shared, error));
    kc_status_t status =
        kci_tape_add_variable(tape, &detached, shared, out_place, error);
    if (status != KC_OK) {
        kci_tensor_release(shared);
    }
    return status;
}

kc_status_t kci_tape_detach(kc_tape_t *tape, kc_variable_t variable,
                            kc_variable_t *out_variable, kc_error_t *error)
{
    size_t source = 0;
    size_t place = 0;
    KC_RETURN_IF_ERROR(kci_tape_find(tape, variable, false, &source, error));
    KC_RETURN_IF_ERROR(kci_tape_detach_place(tape, source, &place, error));
    *out_variable = kci_tape_reference(tape, place);
    return KC_OK;
}

kc_status_t kci_tape_value(const kc_tape_t *tape, kc_variable_t variable,
                           kc_tensor_t **out_tensor, kc_error_t *error)
{
    size_t place = 0;
    KC_RETURN_IF_ERROR(kci_tape_find(tape, variable, false, &place, error));
    return kci_tensor_share(tape->variables[place].tensor, out_tensor, error);
}

kc_status_t kci_tape_type(const kc_tape_t *tape, kc_variable_t variable,
                          kci_tensor_type_t *out_type, kc_error_t *error)
{
    size_t place = 0;
    KC_RETURN_IF_ERROR(kci_tape_find(tape, variable, false, &place, error));
    kci_tape_place_type(tape, place, out_type);
    return KC_OK;
}
