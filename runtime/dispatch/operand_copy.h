/* SPDX-License-Identifier: Apache-2.0
 *
 * The operands as the handler sees them: as the caller gave them where the
 * capsule takes that, else dense or canonical copies from the host's
 * allocator that live for one call.
 */
#ifndef KC_DISPATCH_OPERAND_COPY_H
#define KC_DISPATCH_OPERAND_COPY_H

#include "base/host_allocator.h"
#include "dispatch/operands.h"

typedef struct kci_prepared_view {
    DLTensor view;
    int64_t strides[KC_MAX_RANK];
    void *memory; /* NULL: the view borrows the caller's */
    size_t size_bytes;
} kci_prepared_view_t;

/* Large, and only filled as far as used: made by kci_prepare_operands. */
typedef struct kci_prepared {
    kci_host_allocator_t *allocator;
    const DLTensor *inputs[KC_MAX_INPUTS]; /* padded by NULL to the most
                                            * inputs of the operation */
    DLTensor *output;
    bool is_output_copied;
    size_t view_count;
    kci_prepared_view_t views[KC_MAX_INPUTS + 1];
} kci_prepared_t;

/* On KC_OK the caller ends with kci_prepared_release; on failure nothing is
 * left. Operands have passed the guards. */
KC_MUST_USE kc_status_t kci_prepare_operands(const kci_operands_t *operands,
                                             kci_host_allocator_t *allocator,
                                             DLTensor *output,
                                             kci_prepared_t *out_prepared,
                                             kc_error_t *error);
/* Moves the result to where the caller wants it, if it is elsewhere. */
void kci_prepared_finish(const kci_prepared_t *prepared, DLTensor *output);
void kci_prepared_release(kci_prepared_t *prepared);

/* Whether input `index` has to be copied for this capsule. Of a dense input
 * only the contents decide. */
bool kci_input_needs_copy(const kci_operands_t *operands, size_t index);

#endif
