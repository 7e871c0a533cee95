/* SPDX-License-Identifier: Apache-2.0
 *
 * safetensors files: opening, names, loading. The header is judged whole when
 * the file is opened; data is read when an entry is asked for.
 */
#include "tensor/safetensors.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/short_name.h"
#include "tensor/byte_source.h"
#include "tensor/safetensors_header.h"

#define LENGTH_SIZE 8 /* bytes before the header */

struct kci_safetensors {
    char *name;               /* owned */
    kci_byte_source_t source; /* owned descriptor, or borrowed bytes */
    uint64_t data_offset;
    kci_safetensors_header_t header;
    const kci_safetensors_entry_t **by_name; /* owned, sorted */
    char sha256[KCI_SHA256_TEXT_SIZE];
};

static kc_status_t read_length(const kci_safetensors_t *file,
                               uint64_t *out_length, kc_error_t *error)
{
    unsigned char bytes[LENGTH_SIZE];
    uint64_t length = 0;
    KC_RETURN_IF_ERROR(kci_byte_source_read(&file->source, 0, bytes,
                                            sizeof bytes, file->name,
                                            "the header's length", error));
    for (int i = LENGTH_SIZE - 1; i >= 0; i--) {
        length = length << 8 | bytes[i];
    }
    if (length > file->source.size - LENGTH_SIZE) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "%s: byte 0: expected a header within %" PRIu64
                        " bytes, found a length of %" PRIu64,
                        file->name, file->source.size - LENGTH_SIZE, length);
    }
    *out_length = length;
    return KC_OK;
}

static kc_status_t read_header(kci_safetensors_t *file, kc_error_t *error)
{
    uint64_t length = 0;
    void *text = NULL;
    KC_RETURN_IF_ERROR(read_length(file, &length, error));
    file->data_offset = LENGTH_SIZE + length;
    KC_RETURN_IF_ERROR(kci_alloc_array((size_t)length, 1, &text, error));
    kc_status_t status =
        kci_byte_source_read(&file->source, LENGTH_SIZE, text, (size_t)length,
                             file->name, "header", error);
    if (status == KC_OK) {
        status = kci_safetensors_header_parse(
            text, (size_t)length, file->name,
            file->source.size - file->data_offset, &file->header, error);
    }
    kci_free(text);
    return status;
}

static int compare_names(const void *a, const void *b)
{
    const kci_safetensors_entry_t *left =
        *(const kci_safetensors_entry_t *const *)a;
    const kci_safetensors_entry_t *right =
        *(const kci_safetensors_entry_t *const *)b;
    return strcmp(left->name, right->name);
}

static kc_status_t sort_names(kci_safetensors_t *file, kc_error_t *error)
{
    void *memory = NULL;
    size_t count = file->header.count;
    KC_RETURN_IF_ERROR(kci_alloc_array(count, sizeof(kci_safetensors_entry_t *),
                                       &memory, error));
    file->by_name = memory;
    for (size_t i = 0; i < count; i++) {
        file->by_name[i] = &file->header.entries[i];
    }
    qsort(file->by_name, count, sizeof *file->by_name, compare_names);
    return KC_OK;
}

static kc_status_t fill(kci_safetensors_t *file, const char *name,
                        kc_error_t *error)
{
    KC_RETURN_IF_ERROR(kci_copy_string(name, &file->name, error));
    KC_RETURN_IF_ERROR(read_header(file, error));
    KC_RETURN_IF_ERROR(sort_names(file, error));
    return kci_byte_source_sha256(&file->source, file->sha256, name, error);
}

/* Takes the source over, also when it fails. */
static kc_status_t open_source(kci_byte_source_t source, const char *name,
                               kci_safetensors_t **out_file, kc_error_t *error)
{
    void *memory = NULL;
    kc_status_t status =
        kci_alloc_array(1, sizeof(kci_safetensors_t), &memory, error);
    if (status != KC_OK) {
        kci_byte_source_close(&source);
        return status;
    }
    kci_safetensors_t *file = memory;
    file->source = source;
    status = fill(file, name, error);
    if (status != KC_OK) {
        kci_safetensors_close(file);
        return status;
    }
    *out_file = file;
    return KC_OK;
}

kc_status_t kci_safetensors_parse(const unsigned char *bytes, size_t size,
                                  const char *name,
                                  kci_safetensors_t **out_file,
                                  kc_error_t *error)
{
    return open_source(kci_byte_source_from_memory(bytes, size), name, out_file,
                       error);
}

kc_status_t kci_safetensors_open(const char *path, kci_safetensors_t **out_file,
                                 kc_error_t *error)
{
    kci_byte_source_t source;
    KC_RETURN_IF_ERROR(kci_byte_source_open(path, &source, error));
    return open_source(source, path, out_file, error);
}

void kci_safetensors_close(kci_safetensors_t *file)
{
    if (file == NULL) {
        return;
    }
    kci_byte_source_close(&file->source);
    kci_safetensors_header_release(&file->header);
    kci_free(file->by_name);
    kci_free(file->name);
    kci_free(file);
}

size_t kci_safetensors_count(const kci_safetensors_t *file)
{
    return file->header.count;
}

const char *kci_safetensors_name(const kci_safetensors_t *file, size_t index)
{
    return file->header.entries[index].name;
}

const char *kci_safetensors_sha256(const kci_safetensors_t *file)
{
    return file->sha256;
}

static const kci_safetensors_entry_t *find_entry(const kci_safetensors_t *file,
                                                 const char *tensor_name)
{
    size_t low = 0;
    size_t high = file->header.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(tensor_name, file->by_name[middle]->name);
        if (order == 0) {
            return file->by_name[middle];
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

static kc_status_t read_entry(const kci_safetensors_t *file,
                              const kci_safetensors_entry_t *entry,
                              kc_tensor_t *tensor, kc_error_t *error)
{
    KC_RETURN_IF_ERROR(
        kci_byte_source_check_unchanged(&file->source, file->name, error));
    KC_RETURN_IF_ERROR(kci_byte_source_read(
        &file->source, file->data_offset + (uint64_t)entry->begin,
        tensor->view.data, tensor->storage->size_bytes, file->name, entry->name,
        error));
    kci_tensor_normalise_bool(&tensor->view);
    return KC_OK;
}

kc_status_t kci_safetensors_load(const kci_safetensors_t *file,
                                 const char *tensor_name,
                                 kci_host_allocator_t *allocator,
                                 kc_tensor_t **out_tensor, kc_error_t *error)
{
    kc_tensor_t *tensor = NULL;
    const kci_safetensors_entry_t *entry = find_entry(file, tensor_name);
    if (entry == NULL) {
        return kci_fail(error, KC_ERR_NOT_FOUND, "%s: no tensor `%s`",
                        file->name, kci_short_name(tensor_name).text);
    }
    if (entry->dtype < 0) {
        return kci_fail(error, KC_ERR_FORMAT,
                        "%s: tensor `%s`: expected type F32, F64, BOOL, "
                        "I32 or I64, found %s",
                        file->name, kci_short_name(tensor_name).text,
                        entry->type);
    }
    KC_RETURN_IF_ERROR(kci_tensor_create(allocator, entry->dtype,
                                         entry->shape.rank, entry->shape.dims,
                                         &tensor, error));
    kc_status_t status = read_entry(file, entry, tensor, error);
    if (status != KC_OK) {
        kci_tensor_release(tensor);
        return status;
    }
    *out_tensor = tensor;
    return KC_OK;
}
