/* SPDX-License-Identifier: Apache-2.0
 *
 * One attribute from one JSON value, or from the text of its default.
 */
#include "ops/attribute_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/short_name.h"
#include "ops/rule.h"

enum { VALUE_TEXT_SIZE = KCI_SHORT_NAME_SIZE + 2 };

/* What was found, for an error; a list or object only by its size. */
static void format_found(const json_t *value, char out[VALUE_TEXT_SIZE])
{
    char number[32];
    if (json_is_string(value)) {
        snprintf(out, VALUE_TEXT_SIZE, "\"%s\"",
                 kci_short_name(json_string_value(value)).text);
    } else if (json_is_integer(value)) {
        snprintf(out, VALUE_TEXT_SIZE, "%" JSON_INTEGER_FORMAT,
                 json_integer_value(value));
    } else if (json_is_real(value)) {
        kci_format_double(json_real_value(value), number);
        snprintf(out, VALUE_TEXT_SIZE, "the real number %s", number);
    } else if (json_is_array(value)) {
        snprintf(out, VALUE_TEXT_SIZE, "a list of %zu", json_array_size(value));
    } else if (json_is_object(value)) {
        snprintf(out, VALUE_TEXT_SIZE, "an object");
    } else {
        snprintf(out, VALUE_TEXT_SIZE, "%s",
                 json_is_null(value)
                     ? "null"
                     : (json_is_true(value) ? "true" : "false"));
    }
}

static kc_status_t fail_value(const kci_attribute_slot_t *slot,
                              const char *expected, const json_t *found,
                              kc_error_t *error)
{
    char text[VALUE_TEXT_SIZE];
    format_found(found, text);
    return kci_rule_fail(slot->request, error,
                         "attribute %s: expected %s, found %s",
                         slot->info->name, expected, text);
}

static bool number_of(const json_t *value, double *out)
{
    static const char *const words[] = {"inf", "-inf", "nan"};
    static const double values[] = {INFINITY, -INFINITY, NAN};
    if (json_is_number(value)) {
        *out = json_number_value(value);
        return true;
    }
    for (size_t i = 0; json_is_string(value) && i < 3; i++) {
        if (strcmp(json_string_value(value), words[i]) == 0) {
            *out = values[i];
            return true;
        }
    }
    return false;
}

static bool has_number_default(const kci_attribute_info_t *info)
{
    double value = 0;
    return info->default_text == NULL ||
           kci_parse_double(info->default_text, &value);
}

static kc_status_t read_number(const kci_attribute_slot_t *slot,
                               const json_t *value, kc_error_t *error)
{
    double number = 0;
    if (!number_of(value, &number)) {
        return fail_value(slot, "a number, \"inf\", \"-inf\" or \"nan\"", value,
                          error);
    }
    if (isnan(number) && !has_number_default(slot->info)) {
        return fail_value(slot, "a number", value, error);
    }
    *(double *)slot->target = number;
    return KC_OK;
}

static kc_status_t read_integer(const kci_attribute_slot_t *slot,
                                const json_t *value, kc_error_t *error)
{
    if (!json_is_integer(value)) {
        return fail_value(slot, "an integer", value, error);
    }
    *(int64_t *)slot->target = json_integer_value(value);
    return KC_OK;
}

static kc_status_t read_seed(const kci_attribute_slot_t *slot,
                             const json_t *value, kc_error_t *error)
{
    static const char expected[] =
        "an integer from 0 to 2^64-1, as a number below 2^63 or as \"0x...\"";
    uint64_t *seed = slot->target;
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        *seed = (uint64_t)json_integer_value(value);
        return KC_OK;
    }
    if (json_is_string(value) &&
        strncmp(json_string_value(value), "0x", 2) == 0 &&
        kci_parse_uint64(json_string_value(value), seed)) {
        return KC_OK;
    }
    return fail_value(slot, expected, value, error);
}

static kc_status_t read_boolean(const kci_attribute_slot_t *slot,
                                const json_t *value, kc_error_t *error)
{
    if (!json_is_boolean(value)) {
        return fail_value(slot, "true or false", value, error);
    }
    *(int32_t *)slot->target = json_is_true(value) ? 1 : 0;
    return KC_OK;
}

static bool word_of(const kci_attribute_info_t *info, const char *text,
                    int32_t *out)
{
    for (int32_t i = 0; info->words[i] != NULL; i++) {
        if (strcmp(info->words[i], text) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

static kc_status_t read_word(const kci_attribute_slot_t *slot,
                             const json_t *value, kc_error_t *error)
{
    char expected[96] = "";
    size_t length = 0;
    if (json_is_string(value) &&
        word_of(slot->info, json_string_value(value), slot->target)) {
        return KC_OK;
    }
    for (int32_t i = 0; slot->info->words[i] != NULL; i++) {
        int written =
            snprintf(expected + length, sizeof expected - length, "%s\"%s\"",
                     i == 0 ? "" : " or ", slot->info->words[i]);
        if (written < 0 || (size_t)written >= sizeof expected - length) {
            break;
        }
        length += (size_t)written;
    }
    return fail_value(slot, expected, value, error);
}

static kc_status_t copy_list(const kci_attribute_slot_t *slot,
                             const json_t *list, int64_t *out,
                             kc_error_t *error)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        if (!json_is_integer(item)) {
            return fail_value(slot, "a list of integers", item, error);
        }
        out[i] = json_integer_value(item);
    }
    return KC_OK;
}

static void fill(int64_t *out, int64_t count, int64_t value)
{
    for (int64_t i = 0; i < count; i++) {
        out[i] = value;
    }
}

static kc_status_t read_integers(const kci_attribute_slot_t *slot,
                                 const json_t *value, kc_error_t *error)
{
    int64_t *count = slot->axis_count;
    char expected[64];
    if (json_is_integer(value) && *count >= 0) {
        fill(slot->target, *count, json_integer_value(value));
        return KC_OK;
    }
    if (*count < 0) {
        snprintf(expected, sizeof expected,
                 "a list of at most %d integers, one an axis", KC_MAX_RANK);
    } else {
        snprintf(expected, sizeof expected, "an integer or a list of %" PRId64,
                 *count);
    }
    if (!json_is_array(value) || json_array_size(value) > KC_MAX_RANK ||
        (*count >= 0 && (int64_t)json_array_size(value) != *count)) {
        return fail_value(slot, expected, value, error);
    }
    KC_RETURN_IF_ERROR(copy_list(slot, value, slot->target, error));
    *count = (int64_t)json_array_size(value);
    return KC_OK;
}

static kc_status_t read_shape(const kci_attribute_slot_t *slot,
                              const json_t *value, kc_error_t *error)
{
    kc_shape_attributes_t *shape = slot->target;
    kci_shape_t checked = {0};
    int64_t count = 0;
    if (!json_is_array(value) || json_array_size(value) > KC_MAX_RANK) {
        return fail_value(slot, "a list of at most 16 extents", value, error);
    }
    KC_RETURN_IF_ERROR(copy_list(slot, value, checked.dims, error));
    checked.rank = (int32_t)json_array_size(value);
    for (int32_t axis = 0; axis < checked.rank; axis++) {
        if (checked.dims[axis] < 0) {
            return fail_value(slot, "extents of 0 or more",
                              json_array_get(value, (size_t)axis), error);
        }
        shape->shape[axis] = checked.dims[axis];
    }
    shape->rank = checked.rank;
    return kci_rule_count(slot->request, &checked, "attribute shape", &count,
                          error);
}

kc_status_t kci_attribute_from_json(const kci_attribute_slot_t *slot,
                                    const json_t *value, kc_error_t *error)
{
    switch (slot->info->kind) {
    case KCI_ATTRIBUTE_NUMBER:
        return read_number(slot, value, error);
    case KCI_ATTRIBUTE_INTEGER:
        return read_integer(slot, value, error);
    case KCI_ATTRIBUTE_SEED:
        return read_seed(slot, value, error);
    case KCI_ATTRIBUTE_BOOLEAN:
        return read_boolean(slot, value, error);
    case KCI_ATTRIBUTE_WORD:
        return read_word(slot, value, error);
    case KCI_ATTRIBUTE_INTEGERS:
        return read_integers(slot, value, error);
    default:
        return read_shape(slot, value, error);
    }
}

void kci_attribute_set_default(const kci_attribute_slot_t *slot)
{
    const char *text = slot->info->default_text;
    int64_t integer = 0;
    double number = NAN;
    switch (slot->info->kind) {
    case KCI_ATTRIBUTE_NUMBER:
        *(double *)slot->target =
            kci_parse_double(text, &number) ? number : NAN;
        break;
    case KCI_ATTRIBUTE_INTEGER:
        (void)kci_parse_int64(text, slot->target);
        break;
    case KCI_ATTRIBUTE_SEED:
        (void)kci_parse_uint64(text, slot->target);
        break;
    case KCI_ATTRIBUTE_BOOLEAN:
        *(int32_t *)slot->target = strcmp(text, "true") == 0;
        break;
    case KCI_ATTRIBUTE_WORD:
        (void)word_of(slot->info, text, slot->target);
        break;
    case KCI_ATTRIBUTE_INTEGERS:
        (void)kci_parse_int64(text, &integer);
        fill(slot->target, *slot->axis_count, integer);
        break;
    default: /* a shape has no default */
        break;
    }
}
