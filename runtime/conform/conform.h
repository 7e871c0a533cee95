/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs seeded cases of one operation through one capsule and reports what
 * came of it. The cases go the way of every call: through the session, its
 * guards and its copies.
 */
#ifndef KC_CONFORM_CONFORM_H
#define KC_CONFORM_CONFORM_H

#include <kcapsule/session.h>
#include "conform/describe.h"

/* Calls the implementation: as kc_session_run. */
typedef kc_status_t (*kci_conform_run_fn)(void *context, int32_t op,
                                          const kc_attributes_t *attributes,
                                          const DLTensor *const *inputs,
                                          size_t input_count, DLTensor *output,
                                          kc_error_t *error);

/* What is put to the test. All borrowed. */
typedef struct kci_conform_subject {
    const kc_capsule_record_t *capsule; /* dtypes and promises */
    kci_conform_run_fn run;
    void *context;
} kci_conform_subject_t;

typedef struct kci_conform_options {
    int32_t dtype; /* kc_dtype_t of the cases */
    uint64_t case_count;
    uint64_t seed;        /* case i has seed + i: one is run again alone */
    double function_ulps; /* what a provider states; 0: correctly rounded */
} kci_conform_options_t;

typedef struct kci_conform_report {
    uint64_t run_count;
    uint64_t failed_count;
    uint64_t called_count;             /* cases whose call succeeded */
    uint64_t checked_count;            /* elements compared */
    uint64_t empty_count;              /* cases with an empty operand */
    uint64_t asked_count;              /* of gradients: calls in all, for each
                                        * input alone and again included */
    uint64_t open_count;               /* elements that may be anything */
    char first_failure[KCI_LINE_SIZE]; /* one line, "" when there is none */
} kci_conform_report_t;

/* Nothing failed, and something was run and compared. */
bool kci_conform_is_passed(const kci_conform_report_t *report);

/* A failing case is a matter of the report; the status says whether the
 * cases could be made. */
KC_MUST_USE kc_status_t kci_conform_op(const kci_conform_subject_t *subject,
                                       int32_t op,
                                       const kci_conform_options_t *options,
                                       kci_conform_report_t *out_report,
                                       kc_error_t *error);
/* The same through a session; the session's record must say afterwards that
 * this capsule was called as often as there were cases. */
KC_MUST_USE kc_status_t
kci_conform_session(kc_session_t *session, const kc_capsule_record_t *capsule,
                    const kci_conform_options_t *options,
                    kci_conform_report_t *out_report, kc_error_t *error);

#endif
