/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON header of a safetensors file. The ranges of its entries tile the
 * data: nothing is read twice and nothing is hidden between tensors.
 */
#include "tensor/safetensors_header.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "base/short_name.h"
#include "tensor/safetensors_entry.h"

#define METADATA_KEY "__metadata__"

static kc_status_t check_metadata(json_t *metadata, const char *name,
                                  kc_error_t *error)
{
    const char *key = NULL;
    json_t *value = NULL;
    if (!json_is_object(metadata)) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "%s: %s: expected an object of strings", name,
                        METADATA_KEY);
    }
    json_object_foreach(metadata, key, value)
    {
        if (!json_is_string(value)) {
            return kci_fail(error, KC_ERR_FORMAT,
                            "%s: %s: expected a string for `%s`", name,
                            METADATA_KEY, kci_short_name(key).text);
        }
    }
    return KC_OK;
}

static kc_status_t parse_entries(json_t *json, const char *name,
                                 uint64_t data_size,
                                 kci_safetensors_header_t *header,
                                 kc_error_t *error)
{
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach(json, key, value)
    {
        if (strcmp(key, METADATA_KEY) == 0) {
            KC_RETURN_IF_ERROR(check_metadata(value, name, error));
            continue;
        }
        kci_safetensors_entry_t *entry = &header->entries[header->count];
        KC_RETURN_IF_ERROR(kci_copy_string(key, &entry->name, error));
        header->count++;
        kc_status_t status =
            kci_safetensors_entry_parse(value, data_size, entry, error);
        if (status != KC_OK) {
            kci_error_prepend(error, "%s: tensor `%s`", name,
                              kci_short_name(key).text);
            return status;
        }
    }
    return KC_OK;
}

/* By range, so that an empty tensor comes before what begins with it. */
static int compare_ranges(const void *a, const void *b)
{
    const kci_safetensors_entry_t *left =
        *(const kci_safetensors_entry_t *const *)a;
    const kci_safetensors_entry_t *right =
        *(const kci_safetensors_entry_t *const *)b;
    if (left->begin != right->begin) {
        return left->begin < right->begin ? -1 : 1;
    }
    return (left->end > right->end) - (left->end < right->end);
}

static kc_status_t check_sorted(const kci_safetensors_entry_t *const *sorted,
                                size_t count, const char *name,
                                uint64_t data_size, kc_error_t *error)
{
    int64_t expected = 0;
    for (size_t i = 0; i < count; i++) {
        if (sorted[i]->begin != expected) {
            return kci_fail(error, KC_ERR_FORMAT,
                            "%s: tensor `%s`: expected data from byte "
                            "%" PRId64 " without gap or overlap, found byte "
                            "%" PRId64,
                            name, kci_short_name(sorted[i]->name).text,
                            expected, sorted[i]->begin);
        }
        expected = sorted[i]->end;
    }
    if ((uint64_t)expected != data_size) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "%s: expected %" PRId64 " bytes of data, found "
                        "%" PRIu64,
                        name, expected, data_size);
    }
    return KC_OK;
}

static kc_status_t check_tiling(const kci_safetensors_header_t *header,
                                const char *name, uint64_t data_size,
                                kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(
        header->count, sizeof(kci_safetensors_entry_t *), &memory, error));
    const kci_safetensors_entry_t **sorted = memory;
    for (size_t i = 0; i < header->count; i++) {
        sorted[i] = &header->entries[i];
    }
    qsort(sorted, header->count, sizeof *sorted, compare_ranges);
    kc_status_t status =
        check_sorted(sorted, header->count, name, data_size, error);
    kci_free(memory);
    return status;
}

static kc_status_t make_header(json_t *json, const char *name,
                               uint64_t data_size,
                               kci_safetensors_header_t *header,
                               kc_error_t *error)
{
    void *entries = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(json_object_size(json),
                                       sizeof(kci_safetensors_entry_t),
                                       &entries, error));
    header->entries = entries;
    KC_RETURN_IF_ERROR(parse_entries(json, name, data_size, header, error));
    return check_tiling(header, name, data_size, error);
}

kc_status_t kci_safetensors_header_parse(const char *text, size_t length,
                                         const char *name, uint64_t data_size,
                                         kci_safetensors_header_t *out_header,
                                         kc_error_t *error)
{
    json_t *json = NULL;
    kci_safetensors_header_t header = {NULL, 0};
    if (length == 0 || text[0] != '{') {
        return kci_fail(error, KC_ERR_FORMAT,
                        "%s: byte 8: expected `{`, the header's first byte",
                        name);
    }
    kc_status_t status = kci_json_parse(text, length, name, &json, error);
    if (status == KC_OK) {
        status = make_header(json, name, data_size, &header, error);
    }
    json_decref(json);
    if (status != KC_OK) {
        kci_safetensors_header_release(&header);
        return status;
    }
    *out_header = header;
    return KC_OK;
}

void kci_safetensors_header_release(kci_safetensors_header_t *header)
{
    for (size_t i = 0; i < header->count; i++) {
        kci_free(header->entries[i].name);
    }
    kci_free(header->entries);
    *header = (kci_safetensors_header_t){NULL, 0};
}
