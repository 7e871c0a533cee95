/* SPDX-License-Identifier: Apache-2.0
 *
 * Implementations to put to the test: an honest one, whose results are those
 * of the oracle in the element type, and ones with one fault each.
 */
#ifndef KC_TESTS_UNIT_CONFORM_IMPOSTORS_H
#define KC_TESTS_UNIT_CONFORM_IMPOSTORS_H

#include "conform/conform.h"

typedef enum impostor_fault {
    IMPOSTOR_HONEST,
    IMPOSTOR_DOES_NOTHING,
    IMPOSTOR_SKIPS_LAST, /* element */
    IMPOSTOR_WRITES_NAN,
    IMPOSTOR_WRITES_ZEROS,
    IMPOSTOR_OVERRUNS,  /* by one element behind */
    IMPOSTOR_UNDERRUNS, /* by one byte in front */
    IMPOSTOR_SWAPS_TWO,
    IMPOSTOR_WRITES_INPUT,
    IMPOSTOR_WRITES_GAPS,   /* of a padded input, with what was there + 1 */
    IMPOSTOR_SHIFTS_BY_ULP, /* every result, to the next number */
    IMPOSTOR_FLUSHES,       /* subnormal results to 0 */
    IMPOSTOR_FAILS,
    IMPOSTOR_FAILS_WRITING /* right results and a failure status */
} impostor_fault_t;

typedef struct impostor {
    impostor_fault_t fault;
    uint64_t call_count;
} impostor_t;

/* For kci_conform_subject_t.run; `context` is an impostor_t. */
kc_status_t impostor_run(void *context, int32_t op,
                         const kc_attributes_t *attributes,
                         const DLTensor *const *inputs, size_t input_count,
                         DLTensor *output, kc_error_t *error);

/* float32 matmul and reduce_sum of their own, dense copies of the operands:
 * with a fused multiply-add; without the last term. */
kc_status_t impostor_fused_matmul(void *context, int32_t op,
                                  const kc_attributes_t *attributes,
                                  const DLTensor *const *inputs,
                                  size_t input_count, DLTensor *output,
                                  kc_error_t *error);
kc_status_t impostor_short_sum(void *context, int32_t op,
                               const kc_attributes_t *attributes,
                               const DLTensor *const *inputs,
                               size_t input_count, DLTensor *output,
                               kc_error_t *error);

#endif
