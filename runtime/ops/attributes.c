/* SPDX-License-Identifier: Apache-2.0
 *
 * The attributes of an operation from a JSON object: every known key is read
 * or defaulted, every other key is refused.
 */
#include "ops/attribute_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/short_name.h"
#include "ops/rule.h"

static const kci_attribute_info_t *find_info(const kci_attribute_info_t *table,
                                             size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(table[i].name, name) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

static void list_names(const kci_attribute_info_t *table, size_t count,
                       char *out, size_t size)
{
    size_t length = 0;
    out[0] = '\0';
    for (size_t i = 0; i < count && length < size; i++) {
        int written = snprintf(out + length, size - length, "%s%s",
                               i == 0 ? "" : ", ", table[i].name);
        if (written < 0) {
            return;
        }
        length += (size_t)written;
    }
}

static kc_status_t check_keys(const kci_op_request_t *request,
                              const kci_attribute_info_t *table, size_t count,
                              const json_t *object, kc_error_t *error)
{
    const char *key = NULL;
    json_t *value = NULL;
    char names[128];
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        if (find_info(table, count, key) != NULL) {
            continue;
        }
        list_names(table, count, names, sizeof names);
        return kci_rule_fail(
            request, error, "unknown attribute `%s` (known: %s)",
            kci_short_name(key).text, count == 0 ? "none" : names);
    }
    return KC_OK;
}

/* Where the record counts the entries of its arrays; NULL: it has none. */
static int64_t *axis_count_field(kc_attributes_t *attributes)
{
    switch (attributes->op) {
    case KC_OP_PERMUTE:
        return &attributes->u.permute.rank;
    case KC_OP_CONV:
    case KC_OP_CONV_TRANSPOSE:
        return &attributes->u.conv.spatial_rank;
    case KC_OP_MAX_POOL:
    case KC_OP_SMOOTH_MAX_POOL:
    case KC_OP_AVG_POOL:
        return &attributes->u.pool.spatial_rank;
    default:
        return NULL;
    }
}

/* The entries of arrays where the operands fix them, else -1: the first list
 * fixes them. */
static kc_status_t find_axis_count(const kci_op_request_t *request,
                                   int64_t *out_count, kc_error_t *error)
{
    *out_count = -1;
    if (request->op != KC_OP_CONV && request->op != KC_OP_CONV_TRANSPOSE) {
        return KC_OK;
    }
    if (kci_rule_operand(request, 1) == NULL) {
        return kci_rule_fail(request, error, "weight is missing");
    }
    KC_RETURN_IF_ERROR(kci_rule_rank_at_least(request, 1, 3, error));
    *out_count = kci_rule_operand(request, 1)->shape.rank - 2;
    return KC_OK;
}

static size_t array_size(const kci_attribute_info_t *info)
{
    return info->kind == KCI_ATTRIBUTE_INTEGERS ? KC_MAX_RANK * sizeof(int64_t)
                                                : sizeof(int64_t);
}

static kc_status_t set_default(const kci_attribute_slot_t *slot,
                               const kci_attribute_info_t *table, size_t count,
                               kc_attributes_t *attributes, kc_error_t *error)
{
    const char *text = slot->info->default_text;
    if (text == NULL) {
        return kci_rule_fail(slot->request, error,
                             "attribute %s is missing (%s)", slot->info->name,
                             slot->info->doc);
    }
    const kci_attribute_info_t *other = find_info(table, count, text);
    if (other != NULL) {
        memcpy(slot->target, (const char *)attributes + other->offset,
               array_size(other));
        return KC_OK;
    }
    kci_attribute_set_default(slot);
    return KC_OK;
}

kc_status_t kci_attributes_read(const kci_op_request_t *request,
                                const kci_attribute_info_t *table, size_t count,
                                const json_t *object,
                                kc_attributes_t *out_attributes,
                                kc_error_t *error)
{
    kc_attributes_t attributes;
    int64_t axis_count = -1;
    memset(&attributes, 0, sizeof attributes);
    attributes.struct_size = sizeof attributes;
    attributes.op = request->op;
    if (object != NULL && !json_is_object(object)) {
        return kci_rule_fail(request, error,
                             "attributes: expected an object, found %s",
                             kci_json_kind(object));
    }
    KC_RETURN_IF_ERROR(check_keys(request, table, count, object, error));
    KC_RETURN_IF_ERROR(find_axis_count(request, &axis_count, error));
    for (size_t i = 0; i < count; i++) {
        kci_attribute_slot_t slot = {request, &table[i],
                                     (char *)&attributes + table[i].offset,
                                     &axis_count};
        const json_t *value = json_object_get(object, table[i].name);
        KC_RETURN_IF_ERROR(
            value != NULL
                ? kci_attribute_from_json(&slot, value, error)
                : set_default(&slot, table, count, &attributes, error));
    }
    if (axis_count_field(&attributes) != NULL) {
        *axis_count_field(&attributes) = axis_count;
    }
    *out_attributes = attributes;
    return KC_OK;
}

kc_status_t kci_op_attributes_from_json(const kci_op_request_t *request,
                                        const json_t *object,
                                        kc_attributes_t *out_attributes,
                                        kc_error_t *error)
{
    const kci_op_info_t *info = kci_op_info(request->op);
    KC_RETURN_IF_ERROR(kci_attributes_read(request, info->attributes,
                                           info->attribute_count, object,
                                           out_attributes, error));
    if (request->op == KC_OP_RAND_UNIFORM ||
        request->op == KC_OP_BERNOULLI_MASK) {
        kc_random_attributes_t *random = &out_attributes->u.random;
        random->key = kci_random_key(random->seed, 0);
    }
    return KC_OK;
}
