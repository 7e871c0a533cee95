/* SPDX-License-Identifier: Apache-2.0
 *
 * Takes records out of notes. A record states its size: no byte beyond it is
 * read, a tail that this host does not know is passed over, and a size smaller
 * than the first version's or larger than the note is refused.
 */
#include "module/inspect_records.h"

#include <string.h>
#include "base/alloc.h"
#include "base/error.h"
#include "module/record_text.h"

/* How records of one kind are taken. */
typedef struct record_kind {
    const char *name;
    size_t size_known;
    size_t size_min;
    size_t count_max;
} record_kind_t;

static const record_kind_t module_kind = {"module", sizeof(kc_module_record_t),
                                          KC_MODULE_RECORD_SIZE_MIN, 1};
static const record_kind_t capsule_kind = {
    "capsule", sizeof(kc_capsule_record_t), KC_CAPSULE_RECORD_SIZE_MIN,
    KCI_CAPSULES_MAX};
static const record_kind_t provenance_kind = {
    "provenance", sizeof(kc_provenance_record_t), KC_PROVENANCE_RECORD_SIZE_MIN,
    KCI_PROVENANCE_MAX};

/* The stated size of the record at `offset`, which has been checked. */
static kc_status_t record_size(const kci_note_t *note, size_t offset,
                               const record_kind_t *kind, size_t index,
                               uint32_t *out_size, kc_error_t *error)
{
    uint32_t size = 0;
    size_t left = note->size - offset;
    if (left >= sizeof size) {
        memcpy(&size, note->bytes + offset, sizeof size);
    }
    if (left < sizeof size || size < kind->size_min || size > left) {
        return kci_fail(error, KC_ERR_MODULE,
                        "%s record %zu: struct_size: expected at least %zu and "
                        "at most the %zu bytes left in the note, found %u",
                        kind->name, index, kind->size_min, left, size);
    }
    *out_size = size;
    return KC_OK;
}

/* Walks the sizes once, so that one block of memory holds all records. */
static kc_status_t count_records(const kci_note_t *note,
                                 const record_kind_t *kind, size_t *out_count,
                                 kc_error_t *error)
{
    size_t count = 0;
    for (size_t offset = 0; offset < note->size; count++) {
        uint32_t size = 0;
        if (count == kind->count_max) {
            return kci_fail(error, KC_ERR_MODULE,
                            "expected at most %zu %s records, found more",
                            kind->count_max, kind->name);
        }
        KC_RETURN_IF_ERROR(
            record_size(note, offset, kind, count, &size, error));
        offset += size;
    }
    if (count == 0) {
        return kci_fail(error, KC_ERR_MODULE,
                        "expected at least one %s record, found none",
                        kind->name);
    }
    *out_count = count;
    return KC_OK;
}

/* `*offset` moves to the next record. The copy states the size that this host
 * knows: what the file does not have is zero there. */
static void copy_record(const kci_note_t *note, size_t *offset,
                        const record_kind_t *kind, unsigned char *to)
{
    uint32_t size = 0;
    uint32_t size_known = (uint32_t)kind->size_known;
    memcpy(&size, note->bytes + *offset, sizeof size);
    memcpy(to, note->bytes + *offset, size < size_known ? size : size_known);
    memcpy(to, &size_known, sizeof size_known);
    *offset += size;
}

static kc_status_t copy_table(const kci_note_t *note, const record_kind_t *kind,
                              void **out_table, size_t *out_count,
                              kc_error_t *error)
{
    size_t count = 0;
    KC_RETURN_IF_ERROR(count_records(note, kind, &count, error));
    KC_RETURN_IF_ERROR(
        kci_alloc_array(count, kind->size_known, out_table, error));
    size_t offset = 0;
    for (size_t idx = 0; idx < count; idx++) {
        copy_record(note, &offset, kind,
                    (unsigned char *)*out_table + idx * kind->size_known);
    }
    *out_count = count;
    return KC_OK;
}

/* Before the size, which another major version may count differently. */
static kc_status_t check_abi(const kci_note_t *note, kc_error_t *error)
{
    uint32_t head[3] = {0, 0, 0}; /* struct_size, abi_major, abi_minor */
    if (note->size < sizeof head) {
        return kci_fail(error, KC_ERR_MODULE,
                        "expected a module record of at least %d bytes, "
                        "found %zu",
                        KC_MODULE_RECORD_SIZE_MIN, note->size);
    }
    memcpy(head, note->bytes, sizeof head);
    if (head[1] != KC_ABI_MAJOR) {
        return kci_fail(error, KC_ERR_MODULE,
                        "expected interface version %d.x (this host has "
                        "%d.%d), found %u.%u",
                        KC_ABI_MAJOR, KC_ABI_MAJOR, KC_ABI_MINOR, head[1],
                        head[2]);
    }
    return KC_OK;
}

typedef struct text_field {
    const char *name;
    size_t offset;
    size_t size;
} text_field_t;

#define TEXT(type, field)                                                      \
    {                                                                          \
#field, offsetof(type, field), sizeof(((type *)0)->field)              \
    }

static const text_field_t module_texts[] = {
    TEXT(kc_module_record_t, name),        TEXT(kc_module_record_t, version),
    TEXT(kc_module_record_t, author),      TEXT(kc_module_record_t, licence),
    TEXT(kc_module_record_t, description), TEXT(kc_module_record_t, companions),
};
static const text_field_t provenance_texts[] = {
    TEXT(kc_provenance_record_t, capsule),
    TEXT(kc_provenance_record_t, path),
    TEXT(kc_provenance_record_t, symbol),
    TEXT(kc_provenance_record_t, build_target),
};

static kc_status_t check_texts(void *record, const text_field_t *fields,
                               size_t count, kc_error_t *error)
{
    for (size_t idx = 0; idx < count; idx++) {
        KC_RETURN_IF_ERROR(
            kci_record_text_check((char *)record + fields[idx].offset,
                                  fields[idx].size, fields[idx].name, error));
    }
    return KC_OK;
}

kc_status_t kci_records_read_module(const kci_note_t *note,
                                    kc_module_record_t *out_record,
                                    kc_error_t *error)
{
    const uint32_t known_flags =
        KC_MODULE_STARTS_THREADS | KC_MODULE_CONTRACTS_ONLY;
    kc_module_record_t record = {0};
    size_t count = 0;
    size_t offset = 0;
    KC_RETURN_IF_ERROR(check_abi(note, error));
    KC_RETURN_IF_ERROR(count_records(note, &module_kind, &count, error));
    copy_record(note, &offset, &module_kind, (unsigned char *)&record);
    KC_RETURN_IF_ERROR(check_texts(&record, module_texts,
                                   sizeof module_texts / sizeof *module_texts,
                                   error));
    if (!kci_is_module_name(record.name)) {
        return kci_fail(error, KC_ERR_MODULE,
                        "expected a module name [a-z][a-z0-9_]*, found `%s`",
                        record.name);
    }
    if (record.abi_minor <= KC_ABI_MINOR &&
        (record.flags & ~known_flags) != 0) {
        return kci_fail(error, KC_ERR_MODULE,
                        "expected module flags out of 0x%x, found 0x%x",
                        known_flags, record.flags);
    }
    *out_record = record;
    return KC_OK;
}

static bool is_same_identity(const kc_capsule_record_t *a,
                             const kc_capsule_record_t *b)
{
    return a->op == b->op && a->device == b->device &&
           strcmp(a->name, b->name) == 0 &&
           strcmp(a->provider, b->provider) == 0;
}

static kc_status_t check_identity(const kc_capsule_record_t *capsules,
                                  size_t index, kc_error_t *error)
{
    for (size_t idx = 0; idx < index; idx++) {
        if (is_same_identity(&capsules[idx], &capsules[index])) {
            return kci_fail(error, KC_ERR_MODULE,
                            "capsule `%s`: expected one of that name, "
                            "operation, provider and device, found records "
                            "%zu and %zu",
                            capsules[index].name, idx, index);
        }
    }
    return KC_OK;
}

static kc_status_t check_capsules(kc_capsule_record_t *capsules, size_t count,
                                  bool is_newer_minor, kc_error_t *error)
{
    for (size_t idx = 0; idx < count; idx++) {
        KC_RETURN_IF_ERROR(
            kci_capsule_check(&capsules[idx], idx, is_newer_minor, error));
        KC_RETURN_IF_ERROR(check_identity(capsules, idx, error));
    }
    return KC_OK;
}

kc_status_t kci_records_read_capsules(const kci_note_t *note,
                                      const kc_module_record_t *module,
                                      kc_capsule_record_t **out_capsules,
                                      size_t *out_count, kc_error_t *error)
{
    void *table = NULL;
    size_t count = 0;
    KC_RETURN_IF_ERROR(copy_table(note, &capsule_kind, &table, &count, error));
    kc_status_t status =
        check_capsules(table, count, module->abi_minor > KC_ABI_MINOR, error);
    if (status != KC_OK) {
        kci_free(table);
        return status;
    }
    *out_capsules = table;
    *out_count = count;
    return KC_OK;
}

static bool has_capsule(const kc_capsule_record_t *capsules, size_t count,
                        const char *name)
{
    for (size_t idx = 0; idx < count; idx++) {
        if (strcmp(capsules[idx].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static kc_status_t check_provenance(kc_provenance_record_t *record,
                                    const kc_capsule_record_t *capsules,
                                    size_t capsule_count, kc_error_t *error)
{
    KC_RETURN_IF_ERROR(
        check_texts(record, provenance_texts,
                    sizeof provenance_texts / sizeof *provenance_texts, error));
    if (record->kind != KC_PROVENANCE_SOURCE_PATH &&
        record->kind != KC_PROVENANCE_NATIVE_SYMBOL) {
        return kci_fail(error, KC_ERR_MODULE, "expected kind 0 or 1, found %d",
                        record->kind);
    }
    if (record->obligation < 0 || record->obligation >= KC_OBLIGATION_COUNT) {
        return kci_fail(error, KC_ERR_MODULE,
                        "expected an obligation of 0 to %d, found %d",
                        KC_OBLIGATION_COUNT - 1, record->obligation);
    }
    if (!has_capsule(capsules, capsule_count, record->capsule)) {
        return kci_fail(error, KC_ERR_MODULE,
                        "expected a capsule of the module, found `%s`",
                        record->capsule);
    }
    return KC_OK;
}

kc_status_t kci_records_read_provenance(const kci_note_t *note,
                                        const kc_capsule_record_t *capsules,
                                        size_t capsule_count,
                                        kc_provenance_record_t **out_provenance,
                                        size_t *out_count, kc_error_t *error)
{
    void *table = NULL;
    size_t count = 0;
    KC_RETURN_IF_ERROR(
        copy_table(note, &provenance_kind, &table, &count, error));
    kc_provenance_record_t *records = table;
    for (size_t idx = 0; idx < count; idx++) {
        kc_status_t status =
            check_provenance(&records[idx], capsules, capsule_count, error);
        if (status != KC_OK) {
            kci_error_prepend(error, "provenance record %zu", idx);
            kci_free(table);
            return status;
        }
    }
    *out_provenance = records;
    *out_count = count;
    return KC_OK;
}
