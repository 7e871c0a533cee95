/* SPDX-License-Identifier: Apache-2.0
 *
 * One capsule in full, as JSON: owner, policies, limits, and the four
 * obligations with what is claimed, the evidence behind it, and what the
 * host grants.
 */
#include "report/report.h"

#include "base/label.h"
#include "report/contract_words.h"

static json_t *bits_json(const kci_vocabulary_t *vocabulary, uint32_t bits)
{
    json_t *list = json_array();
    for (int32_t value = 0; value < vocabulary->count; value++) {
        if ((bits & (1u << value)) != 0) {
            json_array_append_new(list,
                                  json_string(kci_label(vocabulary, value)));
        }
    }
    return list;
}

/* Operands by their places. */
static json_t *places_json(uint32_t bits)
{
    json_t *list = json_array();
    for (int place = 0; place < 32; place++) {
        if ((bits >> place & 1u) != 0) {
            json_array_append_new(list, json_integer(place));
        }
    }
    return list;
}

static json_t *numerics_json(const kc_numerical_policy_t *numerics)
{
    return json_pack(
        "{s:s, s:s, s:o, s:s, s:s, s:s, s:s, s:s}", "reduction",
        kci_label(&kci_reductions, numerics->reduction), "order",
        numerics->order[0] != '\0' ? numerics->order : "unstated", "invariance",
        bits_json(&kci_invariances, numerics->invariance), "rounding",
        kci_rounding_word(numerics->rounding), "subnormals",
        kci_subnormals_word(numerics->subnormals), "contraction",
        kci_contraction_word(numerics->contraction), "accumulation",
        kci_accumulation_word(numerics->accumulation), "reduced_precision",
        kci_reduced_precision_word(numerics->reduced_precision));
}

static json_t *limits_json(const kc_limits_t *limits)
{
    json_t *ranks = json_array();
    for (int rank = 0; rank <= KC_MAX_RANK; rank++) {
        if ((limits->ranks & (1u << rank)) != 0) {
            json_array_append_new(ranks, json_integer(rank));
        }
    }
    uint32_t dtypes = limits->dtypes != 0 ? limits->dtypes : 1u << KC_DTYPE_F32;
    return json_pack("{s:o, s:o, s:I, s:I, s:I, s:s, s:s}", "dtypes",
                     bits_json(&kci_dtypes, dtypes), "ranks", ranks,
                     "extent_max", (json_int_t)limits->extent_max, "index_bits",
                     (json_int_t)limits->index_bits, "input_count_max",
                     (json_int_t)limits->input_count_max, "instruction_set",
                     limits->instruction_set, "mask_polarity",
                     kci_mask_polarity_word(limits->mask_polarity));
}

static json_t *obligations_json(const kc_capsule_module_t *module,
                                const kc_capsule_record_t *capsule)
{
    json_t *object = json_object();
    char sentence[256];
    for (int32_t kind = 0; kind < KC_OBLIGATION_COUNT; kind++) {
        const kc_contract_descriptor_t *descriptor =
            kci_capsule_obligation(capsule, kind);
        kci_evidence_sentence(descriptor, sentence, sizeof sentence);
        json_object_set_new(
            object, kci_label(&kci_obligations, kind),
            json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "claim",
                      kci_label(&kci_claims, descriptor->claim), "op",
                      kci_label(&kci_ops, descriptor->op), "summary",
                      descriptor->summary, "evidence",
                      kci_label(&kci_evidences, descriptor->evidence),
                      "claimed", sentence, "granted",
                      kci_grant_label(module, capsule, kind)));
    }
    return object;
}

json_t *kci_report_contract_json(const kc_capsule_module_t *module,
                                 const kc_capsule_record_t *capsule)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:b, s:b, s:b, "
                     "s:o, s:o, s:o}",
                     "name", capsule->name, "op",
                     kci_label(&kci_ops, capsule->op), "provider",
                     capsule->provider, "device",
                     kci_label(&kci_devices, capsule->device), "trust",
                     kci_label(&kci_trusts, capsule->trust), "vjp",
                     kci_label(&kci_vjp_modes, capsule->vjp_mode),
                     "saved_inputs", places_json(capsule->saved_inputs),
                     "saved_outputs", places_json(capsule->saved_outputs),
                     "forward", capsule->supports_forward != 0, "aligned",
                     kci_capsule_is_aligned(capsule, NULL), "handler",
                     kci_capsule_has_handler(module, capsule), "numerics",
                     numerics_json(&capsule->numerics), "limits",
                     limits_json(&capsule->limits), "obligations",
                     obligations_json(module, capsule));
}

json_t *kci_report_policy_json(const kc_profile_t *profile,
                               const kc_policy_t *policy)
{
    char preference[KC_PROVIDER_SIZE + 16];
    kci_policy_format_preference(policy, preference, sizeof preference);
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s}", "name", profile->name, "source",
        profile->source, "device", kci_label(&kci_devices, policy->device),
        "provider", preference, "assurance", kci_policy_assurance_label(policy),
        "vjp", kci_label(&kci_vjp_modes, policy->vjp_mode));
}
