/* SPDX-License-Identifier: Apache-2.0
 *
 * Labels come from the public list; the words stand here only.
 */
#include "plan/reason.h"

#define LABEL(constant, label) [constant] = label,

static const char *const labels[KC_REASON_COUNT] = {KC_FOR_EACH_REASON(LABEL)};

static const char *const words[KC_REASON_COUNT] = {
    [KC_REASON_SELECTED] = "selected",
    [KC_REASON_DEVICE_UNAVAILABLE] = "device not available in the profile",
    [KC_REASON_PROVIDER_UNAVAILABLE] = "provider not available in the profile",
    [KC_REASON_NO_FORWARD] = "no forward implementation",
    [KC_REASON_MISALIGNED] = "misaligned contract",
    [KC_REASON_TRUST] = "trust level not accepted",
    [KC_REASON_PROVIDER] = "provider not accepted",
    [KC_REASON_DEVICE] = "another device",
    [KC_REASON_VJP] = "VJP mode not accepted",
    [KC_REASON_RULE_DEVICE] = "the tape's rule does not run on the device",
    [KC_REASON_RULE_SAVED] = "saves too little for the tape's rule",
    [KC_REASON_INNER] = "an inner operation has no capsule",
    [KC_REASON_LIMIT_DTYPE] = "dtype not supported",
    [KC_REASON_LIMIT_RANK] = "rank not supported",
    [KC_REASON_LIMIT_EXTENT] = "extent too large",
    [KC_REASON_LIMIT_ELEMENTS] = "too many elements",
    [KC_REASON_LIMIT_INPUTS] = "too many inputs",
    [KC_REASON_NONDETERMINISTIC] = "not deterministic",
    [KC_REASON_UNKNOWN_OPERATION] = "operation of a newer interface",
    [KC_REASON_NOT_PREFERRED] = "admissible, but another one comes first",
};

static const char *text_of(const char *const *texts, int32_t reason)
{
    return reason >= 0 && reason < KC_REASON_COUNT ? texts[reason] : "unknown";
}

const char *kci_reason_label(int32_t reason)
{
    return text_of(labels, reason);
}

const char *kci_reason_words(int32_t reason)
{
    return text_of(words, reason);
}
