/* SPDX-License-Identifier: Apache-2.0
 *
 * Words for the optional statements of a contract, and what the host grants
 * to an obligation.
 */
#include "report/contract_words.h"

#include <string.h>

#define WORD(words, value)                                                     \
    ((value) >= 0 && (size_t)(value) < sizeof(words) / sizeof((words)[0])      \
         ? (words)[value]                                                      \
         : "unknown")

const char *kci_rounding_word(int32_t value)
{
    static const char *const words[] = {"unstated", "nearest-even"};
    return WORD(words, value);
}

const char *kci_subnormals_word(int32_t value)
{
    static const char *const words[] = {"unstated", "kept", "flushed"};
    return WORD(words, value);
}

const char *kci_contraction_word(int32_t value)
{
    static const char *const words[] = {"unstated", "never", "allowed"};
    return WORD(words, value);
}

const char *kci_accumulation_word(int32_t value)
{
    static const char *const words[] = {"unstated", "element-type", "wider"};
    return WORD(words, value);
}

const char *kci_reduced_precision_word(int32_t value)
{
    static const char *const words[] = {"unstated", "never", "tf32-allowed"};
    return WORD(words, value);
}

const char *kci_mask_polarity_word(int32_t value)
{
    static const char *const words[] = {"unstated", "true may attend",
                                        "true is blocked"};
    return WORD(words, value);
}

const char *kci_grant_label(const kc_capsule_module_t *module,
                            const kc_capsule_record_t *capsule,
                            int32_t obligation)
{
    return kci_grant(module, capsule, obligation) == KCI_GRANT_GUARD ? "guard"
                                                                     : "none";
}

/* The other guards are those of the planner. */
static bool is_guard_of_calls(const kc_contract_descriptor_t *descriptor)
{
    static const char gate[] = "dispatch.";
    return strncmp(descriptor->source, gate, sizeof gate - 1) == 0;
}

const char *kci_grant_sentence(const kc_capsule_module_t *module,
                               const kc_capsule_record_t *capsule,
                               int32_t obligation)
{
    const kc_contract_descriptor_t *descriptor =
        kci_capsule_obligation(capsule, obligation);
    if (!kci_capsule_has_handler(module, capsule)) {
        return "nothing: no handler in this build";
    }
    if (kci_grant(module, capsule, obligation) == KCI_GRANT_GUARD) {
        return is_guard_of_calls(descriptor) ? "guard, checked at every call"
                                             : "guard, checked at planning";
    }
    switch (descriptor->evidence) {
    case KC_EVIDENCE_RUNTIME_GUARD:
        return "nothing: the host has no guard of that name";
    case KC_EVIDENCE_NOT_APPLICABLE:
        return "nothing to grant";
    default:
        return "nothing: not attested";
    }
}
