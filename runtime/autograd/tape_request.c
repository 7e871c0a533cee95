/* SPDX-License-Identifier: Apache-2.0
 *
 * What a backward is asked for: outputs that a gradient can come from, and
 * where gradients are wanted. Everything a caller can get wrong is settled
 * here and with the seeds, before anything runs.
 */
#include "autograd/tape_state.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"

static kc_status_t check_request(const kc_backward_request_t *request,
                                 kc_error_t *error)
{
    if ((request->flags & ~(uint32_t)KC_BACKWARD_KEEP) != 0) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "backward: expected flags within 0x%x, found 0x%x",
                        (unsigned)KC_BACKWARD_KEEP, (unsigned)request->flags);
    }
    if (request->order > 1) {
        return kci_fail(error, KC_ERR_NOT_IN_BUILD,
                        "backward: expected order 1, found %u: gradients of "
                        "gradients are not in this build",
                        (unsigned)request->order);
    }
    if (request->output_count == 0 || request->outputs == NULL) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "backward: expected outputs, found none");
    }
    if ((request->wanted == NULL) != (request->wanted_count == 0) ||
        (request->wanted == NULL) != (request->out_gradients == NULL)) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "backward: expected wanted variables, their count and "
                        "a place for their gradients together");
    }
    return KC_OK;
}

/* A place whose variable needs a gradient, or the reason why it has none. */
static kc_status_t find_with_gradient(const kc_tape_t *tape,
                                      kc_variable_t variable, const char *role,
                                      size_t index, size_t *out_place,
                                      kc_error_t *error)
{
    char name[KCI_TAPE_NAME_SIZE];
    size_t place = 0;
    kc_status_t status = kci_tape_find(tape, variable, false, &place, error);
    if (status != KC_OK) {
        kci_error_prepend(error, "backward: %s %zu", role, index);
        return status;
    }
    if (tape->variables[place].needs_gradient) {
        *out_place = place;
        return KC_OK;
    }
    kci_tape_describe_own(tape, place, name, sizeof name);
    if (!kci_tape_is_floating(tape, place)) {
        return kci_fail(
            error, KC_ERR_ARGUMENT,
            "backward: %s %zu (%s): expected floating-point elements, found %s",
            role, index, name,
            kci_label(&kci_dtypes,
                      kc_tensor_dtype(&tape->variables[place].tensor->view)));
    }
    return kci_fail(error, KC_ERR_ARGUMENT,
                    "backward: %s %zu (%s): expected a value that depends on a "
                    "leaf with KC_LEAF_GRADIENT, found one without gradient",
                    role, index, name);
}

static kc_status_t find_outputs(const kc_tape_t *tape,
                                const kc_backward_request_t *request,
                                kci_tape_targets_t *targets, kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(
        request->output_count, sizeof *targets->outputs, &memory, error));
    targets->outputs = memory;
    for (size_t i = 0; i < request->output_count; i++) {
        KC_RETURN_IF_ERROR(find_with_gradient(tape, request->outputs[i],
                                              "output", i, &targets->outputs[i],
                                              error));
    }
    return KC_OK;
}

static bool is_gradient_leaf(const kci_tape_variable_t *variable)
{
    return variable->is_leaf && variable->needs_gradient;
}

/* All leaves that keep a gradient, in their order. */
static kc_status_t find_leaves(const kc_tape_t *tape,
                               kci_tape_targets_t *targets, kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(
        tape->variable_count, sizeof *targets->wanted, &memory, error));
    targets->wanted = memory;
    for (size_t i = 0; i < tape->variable_count; i++) {
        if (is_gradient_leaf(&tape->variables[i])) {
            targets->wanted[targets->wanted_count++] = i;
        }
    }
    return KC_OK;
}

static kc_status_t find_wanted(const kc_tape_t *tape,
                               const kc_backward_request_t *request,
                               kci_tape_targets_t *targets, kc_error_t *error)
{
    void *memory = NULL;
    if (request->wanted == NULL) {
        return find_leaves(tape, targets, error);
    }
    KC_RETURN_IF_ERROR(kci_alloc_array(
        request->wanted_count, sizeof *targets->wanted, &memory, error));
    targets->wanted = memory;
    targets->wanted_count = request->wanted_count;
    for (size_t i = 0; i < request->wanted_count; i++) {
        KC_RETURN_IF_ERROR(find_with_gradient(
            tape, request->wanted[i], "wanted", i, &targets->wanted[i], error));
    }
    return KC_OK;
}

void kci_tape_targets_release(kci_tape_targets_t *targets)
{
    for (size_t i = 0; i < targets->output_count; i++) {
        kci_tensor_release(targets->seeds[i]);
    }
    kci_free(targets->outputs);
    kci_free(targets->seeds);
    kci_free(targets->wanted);
    *targets = (kci_tape_targets_t){.outputs = NULL};
}

kc_status_t kci_tape_targets_create(const kc_tape_t *tape,
                                    const kc_backward_request_t *request,
                                    kci_tape_targets_t *out_targets,
                                    kc_error_t *error)
{
    kci_tape_targets_t targets = {.outputs = NULL};
    KC_RETURN_IF_ERROR(check_request(request, error));
    kc_status_t status = find_outputs(tape, request, &targets, error);
    if (status == KC_OK) {
        status = find_wanted(tape, request, &targets, error);
    }
    if (status == KC_OK) {
        status = kci_tape_make_seeds(tape, request, &targets, error);
    }
    if (status != KC_OK) {
        kci_tape_targets_release(&targets);
        return status;
    }
    *out_targets = targets;
    return KC_OK;
}
