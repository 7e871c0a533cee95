/* SPDX-License-Identifier: Apache-2.0
 *
 * One capsule in full, as text: owner, policies, limits, and the four
 * obligations with what is claimed, the evidence behind it, and what the
 * host grants.
 */
#include "report/report.h"

#include "base/label.h"
#include "plan/rule_text.h"
#include "report/contract_words.h"

static void append_bits(const kci_vocabulary_t *vocabulary, uint32_t bits,
                        const char *if_none, kci_string_buffer_t *out)
{
    const char *separator = "";
    for (int32_t value = 0; value < vocabulary->count; value++) {
        if ((bits & (1u << value)) != 0) {
            kci_string_appendf(out, "%s%s", separator,
                               kci_label(vocabulary, value));
            separator = " ";
        }
    }
    if (separator[0] == '\0') {
        kci_string_append(out, if_none);
    }
}

static void append_numerics(const kc_numerical_policy_t *numerics,
                            kci_string_buffer_t *out)
{
    kci_string_appendf(out, "  reduction %s, order %s\n",
                       kci_label(&kci_reductions, numerics->reduction),
                       numerics->order[0] != '\0' ? numerics->order
                                                  : "unstated");
    kci_string_append(out, "  same bits for every: ");
    append_bits(&kci_invariances, numerics->invariance, "unstated", out);
    kci_string_appendf(
        out,
        "\n  rounding %s, subnormals %s, contraction %s, accumulation %s, "
        "reduced precision %s\n",
        kci_rounding_word(numerics->rounding),
        kci_subnormals_word(numerics->subnormals),
        kci_contraction_word(numerics->contraction),
        kci_accumulation_word(numerics->accumulation),
        kci_reduced_precision_word(numerics->reduced_precision));
}

static void append_ranks(uint32_t ranks, kci_string_buffer_t *out)
{
    if (ranks == 0) {
        kci_string_append(out, "any");
        return;
    }
    const char *separator = "";
    for (int rank = 0; rank <= KC_MAX_RANK; rank++) {
        if ((ranks & (1u << rank)) != 0) {
            kci_string_appendf(out, "%s%d", separator, rank);
            separator = " ";
        }
    }
}

static void append_limits(const kc_capsule_record_t *capsule,
                          kci_string_buffer_t *out)
{
    const kc_limits_t *limits = &capsule->limits;
    kci_string_append(out, "  limits: dtypes ");
    append_bits(&kci_dtypes, limits->dtypes, "f32", out);
    kci_string_append(out, "; ranks ");
    append_ranks(limits->ranks, out);
    kci_string_append(out, "; operands ");
    kci_string_append(out, (limits->layouts & KC_OPERAND_STRIDED) != 0
                               ? "strided"
                               : ((limits->layouts & KC_OPERAND_ROW_PADDED) != 0
                                      ? "row-padded"
                                      : "dense"));
    if (limits->extent_max != 0) {
        kci_string_appendf(out, "; extents to %u", limits->extent_max);
    }
    if (limits->index_bits != 0) {
        kci_string_appendf(out, "; %u-bit indices", limits->index_bits);
    }
    if (limits->input_count_max != 0) {
        kci_string_appendf(out, "; at most %u inputs", limits->input_count_max);
    }
    if (limits->instruction_set[0] != '\0') {
        kci_string_appendf(out, "; needs %s", limits->instruction_set);
    }
    if (capsule->op == KC_OP_SCALED_DOT_PRODUCT_ATTENTION) {
        kci_string_appendf(out, "; mask polarity: %s",
                           kci_mask_polarity_word(limits->mask_polarity));
    }
    kci_string_append(out, "\n");
}

/* A later version of the interface may have operations that nobody here can
 * name the operands of. */
static void append_saved(const kc_capsule_record_t *capsule,
                         kci_string_buffer_t *out)
{
    char operands[256];
    if (capsule->vjp_mode == KC_VJP_NONE || capsule->op < 0 ||
        capsule->op >= KC_OP_COUNT) {
        return;
    }
    kci_rule_format_operands(capsule->op, capsule->saved_inputs,
                             capsule->saved_outputs, operands, sizeof operands);
    kci_string_appendf(out, "  saved for the backward: %s\n", operands);
}

void kci_report_contract_text(const kc_capsule_module_t *module,
                              const kc_capsule_record_t *capsule,
                              kci_string_buffer_t *out)
{
    char sentence[256];
    kci_string_appendf(out, "  provider %s, device %s, trust %s, vjp %s\n",
                       capsule->provider,
                       kci_label(&kci_devices, capsule->device),
                       kci_label(&kci_trusts, capsule->trust),
                       kci_label(&kci_vjp_modes, capsule->vjp_mode));
    append_numerics(&capsule->numerics, out);
    append_limits(capsule, out);
    append_saved(capsule, out);
    if (!kci_capsule_has_handler(module, capsule)) {
        kci_string_append(out, "  no handler in this build\n");
    }
    for (int32_t kind = 0; kind < KC_OBLIGATION_COUNT; kind++) {
        const kc_contract_descriptor_t *descriptor =
            kci_capsule_obligation(capsule, kind);
        kci_claim_sentence(descriptor, sentence, sizeof sentence);
        kci_string_appendf(out, "  %s: %s\n", kci_label(&kci_obligations, kind),
                           sentence);
        kci_evidence_sentence(descriptor, sentence, sizeof sentence);
        kci_string_appendf(out, "    claimed: %s\n    granted: %s\n", sentence,
                           kci_grant_sentence(module, capsule, kind));
    }
}
