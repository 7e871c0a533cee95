/* SPDX-License-Identifier: Apache-2.0
 *
 * Saved operands. Nobody has to say that he writes: the bytes are
 * fingerprinted when they are saved and again before a rule reads them. What
 * a rule could not read as it is becomes a private copy.
 */
#include "autograd/tape_state.h"

#include <inttypes.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"
#include "dispatch/guard.h"
#include "dispatch/operands.h"
#include "exec/graph_values.h"

static bool is_listed(uint32_t places, size_t place)
{
    return place < 32 && (places >> place & 1u) != 0;
}

/* The saved operands in their order: variables by place, and which one of the
 * operation each is. */
typedef struct saved_operand {
    size_t variable;
    int32_t index; /* of the input, or KCI_OUTPUT_OPERAND */
} saved_operand_t;

static size_t list_operands(const kc_tape_t *tape, const kci_tape_node_t *node,
                            saved_operand_t *out_operands)
{
    size_t count = 0;
    for (size_t i = 0; i < node->input_count; i++) {
        size_t variable = tape->inputs[node->first_input + i];
        if (is_listed(node->saved_inputs, i) && variable != KCI_NO_PLACE) {
            out_operands[count++] = (saved_operand_t){variable, (int32_t)i};
        }
    }
    if (is_listed(node->saved_outputs, 0)) {
        out_operands[count++] =
            (saved_operand_t){node->result, KCI_OUTPUT_OPERAND};
    }
    return count;
}

static uint64_t fingerprint(const DLTensor *dense)
{
    return XXH3_64bits(kc_tensor_data(dense),
                       (size_t)kc_tensor_element_count(dense) *
                           (dense->dtype.bits / 8u));
}

static bool is_readable(const DLTensor *view)
{
    return kci_tensor_is_dense(view) &&
           (view->dtype.code != KC_DLPACK_BOOL || kci_bool_is_canonical(view));
}

kc_status_t kci_tape_save(kc_tape_t *tape, kci_tape_node_t *node,
                          kc_error_t *error)
{
    saved_operand_t operands[KC_MAX_INPUTS + 1];
    void *memory = tape->saved;
    size_t count = list_operands(tape, node, operands);
    KC_RETURN_IF_ERROR(kci_grow_array(&memory, &tape->saved_capacity,
                                      tape->saved_count + count,
                                      sizeof *tape->saved, error));
    tape->saved = memory;
    for (size_t i = 0; i < count; i++) {
        kci_tape_saved_t saved = {.copy = NULL};
        const DLTensor *view =
            &tape->variables[operands[i].variable].tensor->view;
        if (is_readable(view)) {
            saved.fingerprint = fingerprint(view);
        } else {
            KC_RETURN_IF_ERROR(kci_copy_view(kci_tape_allocator(tape), view,
                                             &saved.copy, error));
        }
        tape->saved[tape->saved_count++] = saved;
    }
    return KC_OK;
}

static kc_status_t refuse_change(const kc_tape_t *tape,
                                 const kci_tape_node_t *node,
                                 const saved_operand_t *operand,
                                 kc_error_t *error)
{
    char name[KCI_OPERAND_NAME_SIZE];
    char owner[KCI_TAPE_NAME_SIZE];
    int32_t op = node->binding->entry->capsule->op;
    kci_operand_name(op, operand->index, name, sizeof name);
    kci_tape_describe(tape, operand->variable, owner, sizeof owner);
    return kci_fail(error, KC_ERR_TENSOR,
                    "operation %" PRIu64 " (%s): expected its saved operand "
                    "%s, %s, as it was, found its bytes changed since",
                    tape->variables[node->result].number,
                    kci_label(&kci_ops, op), name, owner);
}

kc_status_t kci_tape_take_saved(const kc_tape_t *tape,
                                const kci_tape_node_t *node,
                                kci_tape_operands_t *out_operands,
                                kc_error_t *error)
{
    saved_operand_t operands[KC_MAX_INPUTS + 1];
    size_t count = list_operands(tape, node, operands);
    *out_operands = (kci_tape_operands_t){.output = NULL};
    for (size_t i = 0; i < count; i++) {
        const kci_tape_saved_t *saved = &tape->saved[node->first_saved + i];
        const DLTensor *view =
            saved->copy != NULL
                ? &saved->copy->view
                : &tape->variables[operands[i].variable].tensor->view;
        if (saved->copy == NULL && fingerprint(view) != saved->fingerprint) {
            return refuse_change(tape, node, &operands[i], error);
        }
        if (operands[i].index == KCI_OUTPUT_OPERAND) {
            out_operands->output = view;
        } else {
            out_operands->inputs[operands[i].index] = view;
        }
    }
    return KC_OK;
}
