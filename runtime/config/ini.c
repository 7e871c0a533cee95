/* SPDX-License-Identifier: Apache-2.0
 *
 * A small strict reader of INI text. The text is copied once and cut into
 * strings in place; lines are read in one pass, double keys found by sorting.
 */
#include "config/ini.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/one_line.h"
#include "base/short_name.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

typedef struct ini_section {
    const char *name;
    int line;
    bool is_known; /* somebody asked for a key of it */
} ini_section_t;

struct kci_ini {
    char *name; /* owned */
    char *text; /* owned; the strings below point into it */
    kci_ini_entry_t *entries;
    size_t entry_count;
    size_t entry_capacity;
    ini_section_t *sections;
    size_t section_count;
    size_t section_capacity;
};

static kc_status_t fail_at_line(const kci_ini_t *ini, int line,
                                const char *expected, const char *found,
                                kc_error_t *error)
{
    return kci_fail(error, KC_ERR_CONFIG, "%s:%d: expected %s, found `%s`",
                    ini->name, line, expected, kci_short_name(found).text);
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

/* Cuts blanks off both ends of a string, in place. */
static char *trim(char *text)
{
    while (is_blank(*text)) {
        text++;
    }
    size_t length = strlen(text);
    while (length > 0 && is_blank(text[length - 1])) {
        length--;
    }
    text[length] = '\0';
    return text;
}

static kc_status_t add_section(kci_ini_t *ini, char *text, int line,
                               kc_error_t *error)
{
    size_t length = strlen(text);
    void *sections = ini->sections;
    if (text[length - 1] != ']') {
        return fail_at_line(ini, line, "`[section]`", text, error);
    }
    text[length - 1] = '\0';
    char *name = trim(text + 1);
    if (*name == '\0' || strpbrk(name, "[]") != NULL) {
        return fail_at_line(ini, line, "a section name in brackets", name,
                            error);
    }
    KC_RETURN_IF_ERROR(kci_grow_array(&sections, &ini->section_capacity,
                                      ini->section_count + 1,
                                      sizeof *ini->sections, error));
    ini->sections = sections;
    ini->sections[ini->section_count++] = (ini_section_t){name, line, false};
    return KC_OK;
}

static kc_status_t add_entry(kci_ini_t *ini, char *text, int line,
                             kc_error_t *error)
{
    char *equals = strchr(text, '=');
    void *entries = ini->entries;
    if (equals == NULL) {
        return fail_at_line(ini, line, "`key = value`", text, error);
    }
    if (ini->section_count == 0) {
        return fail_at_line(ini, line, "a `[section]` first", text, error);
    }
    *equals = '\0';
    char *key = trim(text);
    if (*key == '\0') {
        return fail_at_line(ini, line, "a key before `=`", equals + 1, error);
    }
    KC_RETURN_IF_ERROR(kci_grow_array(&entries, &ini->entry_capacity,
                                      ini->entry_count + 1,
                                      sizeof *ini->entries, error));
    ini->entries = entries;
    ini->entries[ini->entry_count++] = (kci_ini_entry_t){
        .section = ini->sections[ini->section_count - 1].name,
        .key = key,
        .value = trim(equals + 1),
        .line = line,
    };
    return KC_OK;
}

/* Control bytes would hide what a line says; NUL would cut it. */
static kc_status_t check_bytes(const kci_ini_t *ini, const char *text,
                               size_t length, int line, kc_error_t *error)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if ((byte < 0x20 && byte != '\t') || byte == 0x7f) {
            return kci_fail(error, KC_ERR_CONFIG,
                            "%s:%d: expected text, found byte 0x%02x",
                            ini->name, line, byte);
        }
    }
    if (!kci_is_utf8(text, length)) {
        return kci_fail(error, KC_ERR_CONFIG,
                        "%s:%d: expected text in UTF-8, found other bytes",
                        ini->name, line);
    }
    return KC_OK;
}

static kc_status_t parse_line(kci_ini_t *ini, char *text, size_t length,
                              int line, kc_error_t *error)
{
    if (length > 0 && text[length - 1] == '\r') {
        length--;
    }
    KC_RETURN_IF_ERROR(check_bytes(ini, text, length, line, error));
    text[length] = '\0';
    text = trim(text);
    if (*text == '\0' || *text == '#' || *text == ';') {
        return KC_OK;
    }
    return *text == '[' ? add_section(ini, text, line, error)
                        : add_entry(ini, text, line, error);
}

static kc_status_t parse_lines(kci_ini_t *ini, size_t length, kc_error_t *error)
{
    char *text = ini->text;
    char *end = text + length;
    if (strncmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0) {
        text += strlen(BYTE_ORDER_MARK);
    }
    for (int line = 1; text < end; line++) {
        char *line_end = memchr(text, '\n', (size_t)(end - text));
        if (line_end == NULL) {
            line_end = end;
        }
        if (line == INT_MAX) {
            return kci_fail(error, KC_ERR_CONFIG, "%s: too many lines",
                            ini->name);
        }
        KC_RETURN_IF_ERROR(
            parse_line(ini, text, (size_t)(line_end - text), line, error));
        text = line_end + 1;
    }
    return KC_OK;
}

static int compare_keys(const kci_ini_entry_t *left,
                        const kci_ini_entry_t *right)
{
    int order = strcmp(left->section, right->section);
    return order != 0 ? order : strcmp(left->key, right->key);
}

static int compare_entries(const void *a, const void *b)
{
    const kci_ini_entry_t *left = *(const kci_ini_entry_t *const *)a;
    const kci_ini_entry_t *right = *(const kci_ini_entry_t *const *)b;
    int order = compare_keys(left, right);
    return order != 0 ? order
                      : (left->line > right->line) - (left->line < right->line);
}

/* The second one of the pair whose second one comes first in the file. */
static const kci_ini_entry_t *find_double(const kci_ini_entry_t *const *sorted,
                                          size_t count,
                                          const kci_ini_entry_t **out_first)
{
    const kci_ini_entry_t *second = NULL;
    for (size_t i = 1; i < count; i++) {
        if (compare_keys(sorted[i - 1], sorted[i]) == 0 &&
            (second == NULL || sorted[i]->line < second->line)) {
            *out_first = sorted[i - 1];
            second = sorted[i];
        }
    }
    return second;
}

static kc_status_t check_doubles(const kci_ini_t *ini, kc_error_t *error)
{
    void *memory = NULL;
    const kci_ini_entry_t *first = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(
        ini->entry_count, sizeof(kci_ini_entry_t *), &memory, error));
    const kci_ini_entry_t **sorted = memory;
    for (size_t i = 0; i < ini->entry_count; i++) {
        sorted[i] = &ini->entries[i];
    }
    qsort(sorted, ini->entry_count, sizeof *sorted, compare_entries);
    const kci_ini_entry_t *second =
        find_double(sorted, ini->entry_count, &first);
    kci_free(memory);
    if (second == NULL) {
        return KC_OK;
    }
    return kci_fail(error, KC_ERR_CONFIG,
                    "%s:%d: key `%s` of section [%s] was already set "
                    "on line %d",
                    ini->name, second->line, kci_short_name(second->key).text,
                    kci_short_name(second->section).text, first->line);
}

static kc_status_t fill(kci_ini_t *ini, const char *text, size_t length,
                        const char *name, kc_error_t *error)
{
    void *copy = NULL;
    size_t size = length + 1; /* a text in memory never has SIZE_MAX bytes */
    KC_RETURN_IF_ERROR(kci_copy_string(name, &ini->name, error));
    KC_RETURN_IF_ERROR(kci_alloc_array(size, 1, &copy, error));
    ini->text = copy;
    if (length > 0) {
        memcpy(ini->text, text, length);
    }
    KC_RETURN_IF_ERROR(parse_lines(ini, length, error));
    return check_doubles(ini, error);
}

kc_status_t kci_ini_parse(const char *text, size_t length, const char *name,
                          kci_ini_t **out_ini, kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(1, sizeof(kci_ini_t), &memory, error));
    kci_ini_t *ini = memory;
    kc_status_t status = fill(ini, text, length, name, error);
    if (status != KC_OK) {
        kci_ini_release(ini);
        return status;
    }
    *out_ini = ini;
    return KC_OK;
}

void kci_ini_release(kci_ini_t *ini)
{
    if (ini == NULL) {
        return;
    }
    kci_free(ini->entries);
    kci_free(ini->sections);
    kci_free(ini->text);
    kci_free(ini->name);
    kci_free(ini);
}

const char *kci_ini_name(const kci_ini_t *ini)
{
    return ini->name;
}

const kci_ini_entry_t *kci_ini_find(kci_ini_t *ini, const char *section,
                                    const char *key)
{
    for (size_t i = 0; i < ini->section_count; i++) {
        if (strcmp(ini->sections[i].name, section) == 0) {
            ini->sections[i].is_known = true;
        }
    }
    for (size_t i = 0; i < ini->entry_count; i++) {
        kci_ini_entry_t *entry = &ini->entries[i];
        if (strcmp(entry->section, section) == 0 &&
            strcmp(entry->key, key) == 0) {
            entry->is_used = true;
            return entry;
        }
    }
    return NULL;
}

bool kci_ini_has_section(const kci_ini_t *ini, const char *section)
{
    for (size_t i = 0; i < ini->section_count; i++) {
        if (strcmp(ini->sections[i].name, section) == 0) {
            return true;
        }
    }
    return false;
}

static const ini_section_t *first_unknown_section(const kci_ini_t *ini)
{
    for (size_t i = 0; i < ini->section_count; i++) {
        if (!ini->sections[i].is_known) {
            return &ini->sections[i];
        }
    }
    return NULL;
}

static const kci_ini_entry_t *first_unused_entry(const kci_ini_t *ini)
{
    for (size_t i = 0; i < ini->entry_count; i++) {
        if (!ini->entries[i].is_used) {
            return &ini->entries[i];
        }
    }
    return NULL;
}

kc_status_t kci_ini_check_all_used(const kci_ini_t *ini, kc_error_t *error)
{
    const ini_section_t *section = first_unknown_section(ini);
    const kci_ini_entry_t *entry = first_unused_entry(ini);
    if (section != NULL && (entry == NULL || section->line < entry->line)) {
        return kci_fail(error, KC_ERR_CONFIG, "%s:%d: unknown section [%s]",
                        ini->name, section->line,
                        kci_short_name(section->name).text);
    }
    if (entry != NULL) {
        return kci_fail(error, KC_ERR_CONFIG,
                        "%s:%d: unknown key `%s` in section [%s]", ini->name,
                        entry->line, kci_short_name(entry->key).text,
                        kci_short_name(entry->section).text);
    }
    return KC_OK;
}
