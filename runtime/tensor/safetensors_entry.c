/* SPDX-License-Identifier: Apache-2.0
 *
 * One entry of a safetensors header. The sizes of types that are not loaded
 * are known too, so that a wrong range is found whoever asks.
 */
#include "tensor/safetensors_entry.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <kcapsule/vocabulary.h>

#include "base/checked_size.h"
#include "base/error.h"
#include "base/json.h"

typedef struct type_row {
    const char *label;
    int32_t dtype;
    int64_t bits;
} type_row_t;

static const type_row_t type_rows[] = {
    {"F32", KC_DTYPE_F32, 32},
    {"F64", KC_DTYPE_F64, 64},
    {"BOOL", KC_DTYPE_BOOL, 8},
    {"I32", KC_DTYPE_I32, 32},
    {"I64", KC_DTYPE_I64, 64},
    {"F16", -1, 16},
    {"BF16", -1, 16},
    {"I16", -1, 16},
    {"U16", -1, 16},
    {"I8", -1, 8},
    {"U8", -1, 8},
    {"U32", -1, 32},
    {"U64", -1, 64},
    {"F8_E4M3", -1, 8},
    {"F8_E5M2", -1, 8},
    {"C64", -1, 64},
};

static const type_row_t *find_type(const char *label)
{
    for (size_t i = 0; i < sizeof type_rows / sizeof *type_rows; i++) {
        if (strcmp(type_rows[i].label, label) == 0) {
            return &type_rows[i];
        }
    }
    return NULL;
}

static kc_status_t parse_type(const json_t *json,
                              kci_safetensors_entry_t *entry,
                              const type_row_t **out_row, kc_error_t *error)
{
    const char *label = json_string_value(json_object_get(json, "dtype"));
    if (label == NULL) {
        return kci_fail(error, KC_ERR_FORMAT, "expected dtype, a string");
    }
    const type_row_t *row = find_type(label);
    snprintf(entry->type, sizeof entry->type, "%s", label);
    entry->dtype = row == NULL ? -1 : row->dtype;
    *out_row = row;
    return KC_OK;
}

static kc_status_t parse_shape(const json_t *json, kci_shape_t *shape,
                               int64_t *out_count, kc_error_t *error)
{
    json_t *array = json_object_get(json, "shape");
    if (!json_is_array(array)) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "expected shape, an array of integers");
    }
    size_t rank = json_array_size(array);
    if (rank > KC_MAX_RANK) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "shape: expected a rank of 0 to %d, found %zu",
                        KC_MAX_RANK, rank);
    }
    for (size_t axis = 0; axis < rank; axis++) {
        json_t *extent = json_array_get(array, axis);
        if (!json_is_integer(extent)) {
            return kci_fail(error, KC_ERR_FORMAT,
                            "shape: expected an integer on axis %zu", axis);
        }
        shape->dims[axis] = json_integer_value(extent);
    }
    shape->rank = (int32_t)rank;
    return kci_shape_check(shape->rank, shape->dims, "shape", out_count, error);
}

static kc_status_t parse_range(const json_t *json, uint64_t data_size,
                               kci_safetensors_entry_t *entry,
                               kc_error_t *error)
{
    json_t *array = json_object_get(json, "data_offsets");
    json_t *begin = json_array_get(array, 0);
    json_t *end = json_array_get(array, 1);
    if (json_array_size(array) != 2 || !json_is_integer(begin) ||
        !json_is_integer(end)) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "expected data_offsets, an array of two integers");
    }
    entry->begin = json_integer_value(begin);
    entry->end = json_integer_value(end);
    if (entry->begin < 0 || entry->end < entry->begin ||
        (uint64_t)entry->end > data_size) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "data_offsets: expected a range within %" PRIu64
                        " bytes of data, found [%" PRId64 ", %" PRId64 "]",
                        data_size, entry->begin, entry->end);
    }
    return KC_OK;
}

static kc_status_t check_size(const kci_safetensors_entry_t *entry,
                              int64_t bits, int64_t count, kc_error_t *error)
{
    char shape[KCI_SHAPE_TEXT_SIZE];
    int64_t needed = 0;
    int64_t found = entry->end - entry->begin;
    if (kci_int64_multiply(count, bits / 8, &needed) && needed == found) {
        return KC_OK;
    }
    kci_shape_format(entry->shape.rank, entry->shape.dims, NULL, shape,
                     sizeof shape);
    return kci_fail(error, KC_ERR_FORMAT,
                    "data_offsets: expected the bytes of shape %s of %s, "
                    "found [%" PRId64 ", %" PRId64 "], %" PRId64 " bytes",
                    shape, entry->type, entry->begin, entry->end, found);
}

kc_status_t kci_safetensors_entry_parse(const json_t *json, uint64_t data_size,
                                        kci_safetensors_entry_t *entry,
                                        kc_error_t *error)
{
    static const char *const keys[] = {"dtype", "shape", "data_offsets", NULL};
    const type_row_t *row = NULL;
    int64_t count = 0;
    KC_RETURN_IF_ERROR(kci_json_check_keys(json, keys, "entry", error));
    KC_RETURN_IF_ERROR(parse_type(json, entry, &row, error));
    KC_RETURN_IF_ERROR(parse_shape(json, &entry->shape, &count, error));
    KC_RETURN_IF_ERROR(parse_range(json, data_size, entry, error));
    return row == NULL ? KC_OK : check_size(entry, row->bits, count, error);
}
