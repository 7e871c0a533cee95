/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of a policy as text. A part that cannot be read leaves the policy
 * as it was: half a policy never counts.
 */
#include "registry/policy.h"

#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/label.h"

static const char prefer_prefix[] = "prefer:";
static const char only_prefix[] = "only:";

void kci_policy_format_preference(const kc_policy_t *policy, char *out,
                                  size_t size)
{
    switch (policy->preference) {
    case KC_PREFERENCE_PREFER:
        snprintf(out, size, "%s%s", prefer_prefix, policy->provider);
        return;
    case KC_PREFERENCE_ONLY:
        snprintf(out, size, "%s%s", only_prefix, policy->provider);
        return;
    default:
        snprintf(out, size, "auto");
    }
}

const char *kci_policy_assurance_label(const kc_policy_t *policy)
{
    if (policy->allow_trusted_external) {
        return "external";
    }
    return policy->require_receipts ? "attested" : "checked";
}

static bool skip_prefix(const char *text, const char *prefix,
                        const char **out_rest)
{
    size_t length = strlen(prefix);
    if (strncmp(text, prefix, length) != 0) {
        return false;
    }
    *out_rest = text + length;
    return true;
}

kc_status_t kci_policy_parse_preference(const char *text, kc_policy_t *policy,
                                        kc_error_t *error)
{
    const char *label = "";
    int32_t preference = KC_PREFERENCE_AUTO;
    if (skip_prefix(text, prefer_prefix, &label)) {
        preference = KC_PREFERENCE_PREFER;
    } else if (skip_prefix(text, only_prefix, &label)) {
        preference = KC_PREFERENCE_ONLY;
    } else if (strcmp(text, "auto") != 0) {
        return kci_fail(error, KC_ERR_CONFIG,
                        "provider preference `%s`: expected auto, "
                        "prefer:PROVIDER or only:PROVIDER",
                        text);
    }
    if (preference != KC_PREFERENCE_AUTO && !kci_is_provider_label(label)) {
        return kci_fail(error, KC_ERR_CONFIG,
                        "provider label `%s`: expected [a-z][a-z0-9_.-]* of "
                        "at most %d bytes",
                        label, KC_PROVIDER_SIZE - 1);
    }
    policy->preference = preference;
    memset(policy->provider, 0, sizeof policy->provider);
    memcpy(policy->provider, label, strlen(label));
    return KC_OK;
}

kc_status_t kci_policy_parse_assurance(const char *text, kc_policy_t *policy,
                                       kc_error_t *error)
{
    static const struct {
        const char *label;
        int32_t allow_trusted_external;
        int32_t require_receipts;
    } known[] = {{"checked", 0, 0}, {"external", 1, 0}, {"attested", 0, 1}};
    for (size_t idx = 0; idx < sizeof known / sizeof *known; idx++) {
        if (strcmp(known[idx].label, text) == 0) {
            policy->allow_trusted_external = known[idx].allow_trusted_external;
            policy->require_receipts = known[idx].require_receipts;
            return KC_OK;
        }
    }
    return kci_fail(error, KC_ERR_CONFIG,
                    "assurance `%s`: expected checked, external or attested",
                    text);
}

void kci_policy_init(kc_policy_t *out_policy)
{
    *out_policy = (kc_policy_t){.struct_size = sizeof *out_policy,
                                .device = KC_DEVICE_CPU,
                                .preference = KC_PREFERENCE_AUTO,
                                .vjp_mode = KC_VJP_TORCHLEAN_TAPE};
}

static bool is_within(int32_t value, int32_t count)
{
    return value >= 0 && value < count;
}

kc_status_t kci_policy_check(const kc_policy_t *policy, kc_error_t *error)
{
    if (policy->struct_size < sizeof *policy) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "policy: expected struct_size of at least %zu, found "
                        "%u",
                        sizeof *policy, policy->struct_size);
    }
    if (!is_within(policy->device, KC_DEVICE_COUNT) ||
        !is_within(policy->vjp_mode, KC_VJP_MODE_COUNT) ||
        !is_within(policy->preference, KC_PREFERENCE_ONLY + 1) ||
        !is_within(policy->allow_trusted_external, 2) ||
        !is_within(policy->require_receipts, 2)) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "policy: a value outside of its vocabulary (device %d, "
                        "preference %d, VJP mode %d, external %d, receipts "
                        "%d)",
                        policy->device, policy->preference, policy->vjp_mode,
                        policy->allow_trusted_external,
                        policy->require_receipts);
    }
    bool has_end = memchr(policy->provider, '\0', KC_PROVIDER_SIZE) != NULL;
    if (policy->preference != KC_PREFERENCE_AUTO &&
        !(has_end && kci_is_provider_label(policy->provider))) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "policy: the provider of a preference must be a label "
                        "[a-z][a-z0-9_.-]*");
    }
    return KC_OK;
}
