/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides whether the fields of a capsule record are values of the interface.
 * Only an operation may be unknown, and only in a module of a newer minor
 * version; whether the claims fit their fields is another question
 * (alignment.c), which leaves the file accepted.
 */
#include "module/inspect_records.h"

#include <string.h>
#include "base/error.h"
#include "base/label.h"
#include "module/record_text.h"

/* Operations of later minor versions lie below. */
#define OPERATION_MAX 65535

typedef struct value_field {
    const char *name;
    size_t offset;
    int32_t count;
} value_field_t;

#define FIELD(field) #field, offsetof(kc_capsule_record_t, field)

static const value_field_t values[] = {
    {FIELD(device), KC_DEVICE_COUNT},
    {FIELD(trust), KC_TRUST_COUNT},
    {FIELD(vjp_mode), KC_VJP_MODE_COUNT},
    {FIELD(supports_forward), 2},
    {FIELD(numerics.reduction), KC_REDUCTION_COUNT},
    {FIELD(numerics.rounding), KC_ROUNDING_NEAREST_EVEN + 1},
    {FIELD(numerics.subnormals), KC_SUBNORMALS_FLUSHED + 1},
    {FIELD(numerics.contraction), KC_CONTRACTION_ALLOWED + 1},
    {FIELD(numerics.accumulation), KC_ACCUMULATION_WIDER + 1},
    {FIELD(numerics.reduced_precision), KC_REDUCED_PRECISION_TF32_ALLOWED + 1},
    {FIELD(limits.mask_polarity), KC_MASK_TRUE_IS_BLOCKED + 1},
    {FIELD(limits.input_count_max), KC_MAX_INPUTS + 1},
};

/* Sets of bits. A newer minor version may have more of them: the known ones
 * are then read and the others are nobody's. */
typedef struct set_field {
    const char *name;
    size_t offset;
    uint32_t known;
} set_field_t;

static const set_field_t sets[] = {
    {FIELD(flags), KC_CAPSULE_NO_HANDLER},
    {FIELD(saved_outputs), (1u << KC_MAX_OUTPUTS) - 1},
    {FIELD(numerics.invariance), (1u << KC_INVARIANCE_COUNT) - 1},
    {FIELD(limits.dtypes), (1u << KC_DTYPE_COUNT) - 1},
    {FIELD(limits.ranks), (1u << (KC_MAX_RANK + 1)) - 1},
    {FIELD(limits.layouts),
     KC_OPERAND_DENSE | KC_OPERAND_ROW_PADDED | KC_OPERAND_STRIDED},
};

typedef struct text_field {
    const char *name;
    size_t offset;
    size_t size;
} text_field_t;

#define TEXT(field)                                                            \
    {                                                                          \
        FIELD(field), sizeof(((kc_capsule_record_t *)0)->field)                \
    }

static const text_field_t texts[] = {
    TEXT(name),          TEXT(provider),      TEXT(numerics.order),
    TEXT(shape.summary), TEXT(shape.source),  TEXT(layout.summary),
    TEXT(layout.source), TEXT(value.summary), TEXT(value.source),
    TEXT(vjp.summary),   TEXT(vjp.source),    TEXT(limits.instruction_set),
};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static kc_status_t check_texts(kc_capsule_record_t *capsule, kc_error_t *error)
{
    for (size_t idx = 0; idx < COUNT_OF(texts); idx++) {
        KC_RETURN_IF_ERROR(
            kci_record_text_check((char *)capsule + texts[idx].offset,
                                  texts[idx].size, texts[idx].name, error));
    }
    if (!kci_is_capsule_name(capsule->name)) {
        return kci_fail(error, KC_ERR_MODULE,
                        "name: expected printable characters without blanks "
                        "and commas, found `%s`",
                        capsule->name);
    }
    if (!kci_is_provider_label(capsule->provider)) {
        return kci_fail(error, KC_ERR_MODULE,
                        "provider: expected [a-z][a-z0-9_.-]*, found `%s`",
                        capsule->provider);
    }
    return KC_OK;
}

static kc_status_t check_values(const kc_capsule_record_t *capsule,
                                kc_error_t *error)
{
    for (size_t idx = 0; idx < COUNT_OF(values); idx++) {
        int32_t value = 0;
        memcpy(&value, (const char *)capsule + values[idx].offset,
               sizeof value);
        if (value < 0 || value >= values[idx].count) {
            return kci_fail(error, KC_ERR_MODULE,
                            "%s: expected 0 to %d, found %d", values[idx].name,
                            values[idx].count - 1, value);
        }
    }
    uint32_t index_bits = capsule->limits.index_bits;
    if (index_bits != 0 && index_bits != 32 && index_bits != 64) {
        return kci_fail(error, KC_ERR_MODULE,
                        "limits.index_bits: expected 0, 32 or 64, found %u",
                        index_bits);
    }
    return KC_OK;
}

static kc_status_t check_sets(const kc_capsule_record_t *capsule,
                              kc_error_t *error)
{
    for (size_t idx = 0; idx < COUNT_OF(sets); idx++) {
        uint32_t set = 0;
        memcpy(&set, (const char *)capsule + sets[idx].offset, sizeof set);
        if ((set & ~sets[idx].known) != 0) {
            return kci_fail(error, KC_ERR_MODULE,
                            "%s: expected bits out of 0x%x, found 0x%x",
                            sets[idx].name, sets[idx].known, set);
        }
    }
    return KC_OK;
}

static kc_status_t check_operation(int32_t op, bool is_newer_minor,
                                   const char *field, kc_error_t *error)
{
    int32_t end = is_newer_minor ? OPERATION_MAX + 1 : KC_OP_COUNT;
    if (op >= 0 && op < end) {
        return KC_OK;
    }
    return kci_fail(error, KC_ERR_MODULE,
                    "%s: expected an operation of 0 to %d, found unknown "
                    "operation %d",
                    field, end - 1, op);
}

/* `mode` belongs to the kind of claim; claims without a mode have 0. */
static int32_t mode_count(int32_t claim)
{
    switch (claim) {
    case KC_CLAIM_LAYOUT_COMPATIBILITY:
        return KC_LAYOUT_COUNT;
    case KC_CLAIM_VJP_REFINEMENT:
        return KC_VJP_MODE_COUNT;
    default:
        return 1;
    }
}

static kc_status_t check_range(const char *field, int32_t value, int32_t count,
                               kc_error_t *error)
{
    if (value >= 0 && value < count) {
        return KC_OK;
    }
    return kci_fail(error, KC_ERR_MODULE, "%s: expected 0 to %d, found %d",
                    field, count - 1, value);
}

static kc_status_t check_descriptor(const kc_contract_descriptor_t *descriptor,
                                    bool is_newer_minor, kc_error_t *error)
{
    KC_RETURN_IF_ERROR(
        check_range("claim", descriptor->claim, KC_CLAIM_COUNT, error));
    KC_RETURN_IF_ERROR(check_range("mode", descriptor->mode,
                                   mode_count(descriptor->claim), error));
    KC_RETURN_IF_ERROR(check_range("evidence", descriptor->evidence,
                                   KC_EVIDENCE_COUNT, error));
    KC_RETURN_IF_ERROR(
        check_operation(descriptor->op, is_newer_minor, "op", error));
    if (descriptor->evidence != KC_EVIDENCE_NOT_APPLICABLE &&
        descriptor->source[0] == '\0') {
        return kci_fail(error, KC_ERR_MODULE,
                        "source: expected the name of the %s, found none",
                        kci_label(&kci_evidences, descriptor->evidence));
    }
    return KC_OK;
}

static kc_status_t check_descriptors(const kc_capsule_record_t *capsule,
                                     bool is_newer_minor, kc_error_t *error)
{
    const kc_contract_descriptor_t *const descriptors[KC_OBLIGATION_COUNT] = {
        &capsule->shape, &capsule->layout, &capsule->value, &capsule->vjp};
    for (int32_t idx = 0; idx < KC_OBLIGATION_COUNT; idx++) {
        kc_status_t status =
            check_descriptor(descriptors[idx], is_newer_minor, error);
        if (status != KC_OK) {
            kci_error_prepend(error, "%s", kci_label(&kci_obligations, idx));
            return status;
        }
    }
    return KC_OK;
}

static kc_status_t check_fields(kc_capsule_record_t *capsule,
                                bool is_newer_minor, kc_error_t *error)
{
    KC_RETURN_IF_ERROR(check_texts(capsule, error));
    KC_RETURN_IF_ERROR(
        check_operation(capsule->op, is_newer_minor, "op", error));
    KC_RETURN_IF_ERROR(check_values(capsule, error));
    if (!is_newer_minor) {
        KC_RETURN_IF_ERROR(check_sets(capsule, error));
    }
    return check_descriptors(capsule, is_newer_minor, error);
}

kc_status_t kci_capsule_check(kc_capsule_record_t *capsule, size_t index,
                              bool is_newer_minor, kc_error_t *error)
{
    kc_status_t status = check_fields(capsule, is_newer_minor, error);
    if (status == KC_OK) {
        return KC_OK;
    }
    bool has_name = memchr(capsule->name, 0, sizeof capsule->name) != NULL &&
                    kci_is_capsule_name(capsule->name);
    if (has_name) {
        kci_error_prepend(error, "capsule `%s`", capsule->name);
    } else {
        kci_error_prepend(error, "capsule record %zu", index);
    }
    return status;
}
