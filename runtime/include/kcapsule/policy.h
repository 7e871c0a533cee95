/* SPDX-License-Identifier: Apache-2.0
 *
 * What is acceptable: the policy of a profile, the reasons for which a
 * candidate loses, and the kinds of acceptance failures. Plain values shared
 * by the library and its applications.
 */
#ifndef KCAPSULE_POLICY_H
#define KCAPSULE_POLICY_H

#include <kcapsule/capsule.h>

KC_BEGIN_DECLS

typedef enum kc_preference {
    KC_PREFERENCE_AUTO,   /* first admissible capsule in catalogue order    */
    KC_PREFERENCE_PREFER, /* of this provider if admissible, else as auto   */
    KC_PREFERENCE_ONLY    /* of this provider or none                       */
} kc_preference_t;

/* One device, one preference, what evidence may carry, who owns gradients.
 * A value: copied, compared and printed freely. */
typedef struct kc_policy {
    uint32_t struct_size;
    int32_t device;                  /* kc_device_kind_t */
    int32_t preference;              /* kc_preference_t */
    char provider[KC_PROVIDER_SIZE]; /* of prefer and only, else empty */
    int32_t allow_trusted_external;  /* 0 or 1 */
    int32_t require_receipts;        /* 0 or 1 */
    int32_t vjp_mode;                /* kc_vjp_mode_t */
} kc_policy_t;

/* Why a candidate was not selected, in the order in which filters apply;
 * the first filter that fails is the reason. `selected` is the winner. */
#define KC_FOR_EACH_REASON(X)                                                  \
    X(KC_REASON_SELECTED, "selected")                                          \
    X(KC_REASON_DEVICE_UNAVAILABLE, "device_unavailable")                      \
    X(KC_REASON_PROVIDER_UNAVAILABLE, "provider_unavailable")                  \
    X(KC_REASON_NO_FORWARD, "no_forward")                                      \
    X(KC_REASON_MISALIGNED, "misaligned_contract")                             \
    X(KC_REASON_TRUST, "trust_not_accepted")                                   \
    X(KC_REASON_PROVIDER, "provider_not_accepted")                             \
    X(KC_REASON_DEVICE, "device_mismatch")                                     \
    X(KC_REASON_VJP, "vjp_mismatch")                                           \
    X(KC_REASON_RULE_DEVICE, "vjp_rule_not_on_device")                         \
    X(KC_REASON_RULE_SAVED, "vjp_saves_too_little")                            \
    X(KC_REASON_INNER, "inner_operation_not_planned")                          \
    X(KC_REASON_LIMIT_DTYPE, "dtype_not_supported")                            \
    X(KC_REASON_LIMIT_RANK, "rank_not_supported")                              \
    X(KC_REASON_LIMIT_EXTENT, "extent_too_large")                              \
    X(KC_REASON_LIMIT_ELEMENTS, "too_many_elements")                           \
    X(KC_REASON_LIMIT_INPUTS, "too_many_inputs")                               \
    X(KC_REASON_NONDETERMINISTIC, "not_deterministic")                         \
    X(KC_REASON_UNKNOWN_OPERATION, "unknown_operation")                        \
    X(KC_REASON_NOT_PREFERRED, "not_preferred")

typedef enum kc_reason {
    KC_FOR_EACH_REASON(KC_ENUMERATOR_) KC_REASON_COUNT
} kc_reason_t;

/* Kinds of acceptance failures, in the order in which they are listed. */
#define KC_FOR_EACH_ACCEPTANCE_FAILURE(X)                                      \
    X(KC_FAILURE_OPERATION, "operation_mismatch")                              \
    X(KC_FAILURE_NO_FORWARD, "no_forward")                                     \
    X(KC_FAILURE_MISALIGNED, "misaligned_contract")                            \
    X(KC_FAILURE_TRUST, "trust_rejected")                                      \
    X(KC_FAILURE_PROVIDER, "provider_rejected")                                \
    X(KC_FAILURE_DEVICE, "device_mismatch")                                    \
    X(KC_FAILURE_VJP, "vjp_mismatch")                                          \
    X(KC_FAILURE_EVIDENCE, "evidence_rejected")

typedef enum kc_acceptance_failure_kind {
    KC_FOR_EACH_ACCEPTANCE_FAILURE(KC_ENUMERATOR_) KC_FAILURE_COUNT
} kc_acceptance_failure_kind_t;

KC_END_DECLS

#endif
