/* SPDX-License-Identifier: Apache-2.0
 *
 * Labels of the closed vocabularies. The tables are made from the lists of
 * the SDK, so a label stands in one place only.
 */
#include "base/label.h"

#include <string.h>
#include <kcapsule/capsule.h>

#define LABEL(constant, label) label,
#define DEFINE_VOCABULARY(name, word, list, total)                             \
    static const char *const name##_labels[] = {list(LABEL)};                  \
    KC_STATIC_ASSERT(sizeof name##_labels / sizeof *name##_labels == (total),  \
                     "one label a value");                                     \
    const kci_vocabulary_t name = {(word), name##_labels, (total)}

DEFINE_VOCABULARY(kci_ops, "operation", KC_FOR_EACH_OP, KC_OP_COUNT);
DEFINE_VOCABULARY(kci_devices, "device", KC_FOR_EACH_DEVICE, KC_DEVICE_COUNT);
DEFINE_VOCABULARY(kci_trusts, "trust level", KC_FOR_EACH_TRUST, KC_TRUST_COUNT);
DEFINE_VOCABULARY(kci_vjp_modes, "VJP mode", KC_FOR_EACH_VJP_MODE,
                  KC_VJP_MODE_COUNT);
DEFINE_VOCABULARY(kci_layouts, "layout", KC_FOR_EACH_LAYOUT, KC_LAYOUT_COUNT);
DEFINE_VOCABULARY(kci_obligations, "obligation", KC_FOR_EACH_OBLIGATION,
                  KC_OBLIGATION_COUNT);
DEFINE_VOCABULARY(kci_reductions, "reduction", KC_FOR_EACH_REDUCTION,
                  KC_REDUCTION_COUNT);
DEFINE_VOCABULARY(kci_claims, "claim", KC_FOR_EACH_CLAIM, KC_CLAIM_COUNT);
DEFINE_VOCABULARY(kci_evidences, "evidence", KC_FOR_EACH_EVIDENCE,
                  KC_EVIDENCE_COUNT);
DEFINE_VOCABULARY(kci_dtypes, "dtype", KC_FOR_EACH_DTYPE, KC_DTYPE_COUNT);
DEFINE_VOCABULARY(kci_invariances, "invariance", KC_FOR_EACH_INVARIANCE,
                  KC_INVARIANCE_COUNT);

const char *kci_label(const kci_vocabulary_t *vocabulary, int32_t value)
{
    if (value < 0 || value >= vocabulary->count) {
        return "unknown";
    }
    return vocabulary->labels[value];
}

bool kci_label_parse(const kci_vocabulary_t *vocabulary, const char *text,
                     int32_t *out_value)
{
    for (int32_t value = 0; value < vocabulary->count; value++) {
        if (strcmp(vocabulary->labels[value], text) == 0) {
            *out_value = value;
            return true;
        }
    }
    return false;
}

/* Appends what fits and leaves the NUL; returns the new length. */
static size_t append_cut(char *out, size_t length, size_t size,
                         const char *text)
{
    while (*text != '\0' && length + 1 < size) {
        out[length++] = *text++;
    }
    out[length] = '\0';
    return length;
}

void kci_label_list(const kci_vocabulary_t *vocabulary, char *out, size_t size)
{
    if (size == 0) {
        return;
    }
    size_t length = append_cut(out, 0, size, "");
    for (int32_t value = 0; value < vocabulary->count; value++) {
        length = append_cut(out, length, size, value == 0 ? "" : ", ");
        length = append_cut(out, length, size, vocabulary->labels[value]);
    }
}

bool kci_is_provider_label(const char *text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_.-";
    if (text == NULL || text[0] < 'a' || text[0] > 'z') {
        return false;
    }
    size_t length = strspn(text, allowed);
    return text[length] == '\0' && length < KC_PROVIDER_SIZE;
}
