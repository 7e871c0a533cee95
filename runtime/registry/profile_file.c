/* SPDX-License-Identifier: Apache-2.0
 *
 * The one table of the keys of profile files. A key that is not here, or a
 * value that is not understood, refuses the file: a broken trust line must
 * never mean more trust.
 */
#include "registry/profile_file.h"

#include <string.h>
#include <kcapsule/call.h>
#include "base/error.h"
#include "base/label.h"
#include "base/number.h"
#include "registry/maintained.h"
#include "registry/word_list.h"

#define THREAD_COUNT_MAX 1024

typedef kc_status_t (*apply_fn)(const kci_ini_entry_t *entry,
                                kci_origin_t origin, kci_profile_draft_t *draft,
                                kc_error_t *error);

static kc_status_t parse_label(const kci_vocabulary_t *vocabulary,
                               const char *text, int32_t *out_value,
                               kc_error_t *error)
{
    if (kci_label_parse(vocabulary, text, out_value)) {
        return KC_OK;
    }
    char known[256];
    kci_label_list(vocabulary, known, sizeof known);
    return kci_fail(error, KC_ERR_CONFIG, "%s `%s`: expected one of %s",
                    vocabulary->what, text, known);
}

static kc_status_t parse_boolean(const kci_ini_entry_t *entry, bool *out_value,
                                 kc_error_t *error)
{
    *out_value = strcmp(entry->value, "true") == 0;
    if (*out_value || strcmp(entry->value, "false") == 0) {
        return KC_OK;
    }
    return kci_fail(error, KC_ERR_CONFIG, "%s `%s`: expected true or false",
                    entry->key, entry->value);
}

static void set_numerics(kci_profile_draft_t *draft, uint32_t bit, bool is_set)
{
    draft->numerics = is_set ? draft->numerics | bit : draft->numerics & ~bit;
}

static kc_status_t apply_name(const kci_ini_entry_t *entry, kci_origin_t origin,
                              kci_profile_draft_t *draft, kc_error_t *error)
{
    (void)origin;
    if (!kci_is_profile_name(entry->value)) {
        return kci_fail(error, KC_ERR_CONFIG,
                        "profile name `%s`: expected [a-z][a-z0-9_.-]* of at "
                        "most %d bytes",
                        entry->value, KCI_PROFILE_NAME_SIZE - 1);
    }
    if (kci_maintained_profile_find(entry->value) != NULL) {
        return kci_fail(error, KC_ERR_CONFIG,
                        "profile name `%s`: expected another than that of a "
                        "maintained profile",
                        entry->value);
    }
    memcpy(draft->name, entry->value, strlen(entry->value) + 1);
    return KC_OK;
}

/* Was followed before; here only so that it is known. */
static kc_status_t apply_extends(const kci_ini_entry_t *entry,
                                 kci_origin_t origin,
                                 kci_profile_draft_t *draft, kc_error_t *error)
{
    (void)entry;
    (void)origin;
    (void)draft;
    (void)error;
    return KC_OK;
}

static kc_status_t apply_device(const kci_ini_entry_t *entry,
                                kci_origin_t origin, kci_profile_draft_t *draft,
                                kc_error_t *error)
{
    (void)origin;
    return parse_label(&kci_devices, entry->value, &draft->policy.device,
                       error);
}

static kc_status_t apply_preference(const kci_ini_entry_t *entry,
                                    kci_origin_t origin,
                                    kci_profile_draft_t *draft,
                                    kc_error_t *error)
{
    draft->preference_origin = origin;
    return kci_policy_parse_preference(entry->value, &draft->policy, error);
}

static kc_status_t apply_assurance(const kci_ini_entry_t *entry,
                                   kci_origin_t origin,
                                   kci_profile_draft_t *draft,
                                   kc_error_t *error)
{
    (void)origin;
    return kci_policy_parse_assurance(entry->value, &draft->policy, error);
}

static kc_status_t apply_vjp(const kci_ini_entry_t *entry, kci_origin_t origin,
                             kci_profile_draft_t *draft, kc_error_t *error)
{
    (void)origin;
    return parse_label(&kci_vjp_modes, entry->value, &draft->policy.vjp_mode,
                       error);
}

static kc_status_t collect_devices(const kci_word_list_t *list,
                                   uint32_t *out_bits, kc_error_t *error)
{
    uint32_t bits = 0;
    for (size_t idx = 0; idx < list->count; idx++) {
        int32_t device = 0;
        KC_RETURN_IF_ERROR(
            parse_label(&kci_devices, list->words[idx], &device, error));
        uint32_t bit = 1u << (uint32_t)device;
        if ((bits & bit) != 0) {
            return kci_fail(error, KC_ERR_CONFIG, "device `%s` is given twice",
                            list->words[idx]);
        }
        bits |= bit;
    }
    *out_bits = bits;
    return KC_OK;
}

static kc_status_t apply_devices(const kci_ini_entry_t *entry,
                                 kci_origin_t origin,
                                 kci_profile_draft_t *draft, kc_error_t *error)
{
    (void)origin;
    kci_word_list_t list;
    KC_RETURN_IF_ERROR(kci_word_list_parse(entry->value, &list, error));
    kc_status_t status = collect_devices(&list, &draft->device_bits, error);
    kci_word_list_release(&list);
    return status;
}

static kc_status_t apply_providers(const kci_ini_entry_t *entry,
                                   kci_origin_t origin,
                                   kci_profile_draft_t *draft,
                                   kc_error_t *error)
{
    kci_word_list_t list;
    KC_RETURN_IF_ERROR(kci_word_list_parse(entry->value, &list, error));
    kc_status_t status = kci_profile_draft_set_providers(
        draft, (const char *const *)list.words, list.count, error);
    draft->providers_origin = origin;
    kci_word_list_release(&list);
    return status;
}

static kc_status_t apply_prepend(const kci_ini_entry_t *entry,
                                 kci_origin_t origin,
                                 kci_profile_draft_t *draft, kc_error_t *error)
{
    kci_word_list_t list;
    KC_RETURN_IF_ERROR(kci_word_list_parse(entry->value, &list, error));
    kc_status_t status = kci_profile_draft_prepend(
        draft, (const char *const *)list.words, list.count, origin, error);
    kci_word_list_release(&list);
    return status;
}

static kc_status_t apply_domain(const kci_ini_entry_t *entry,
                                kci_origin_t origin, kci_profile_draft_t *draft,
                                kc_error_t *error)
{
    (void)origin;
    bool is_strict = strcmp(entry->value, "strict") == 0;
    if (!is_strict && strcmp(entry->value, "ieee") != 0) {
        return kci_fail(error, KC_ERR_CONFIG,
                        "domain `%s`: expected ieee or strict", entry->value);
    }
    set_numerics(draft, KC_NUMERICS_STRICT_DOMAIN, is_strict);
    return KC_OK;
}

static kc_status_t apply_deterministic(const kci_ini_entry_t *entry,
                                       kci_origin_t origin,
                                       kci_profile_draft_t *draft,
                                       kc_error_t *error)
{
    (void)origin;
    bool is_set = false;
    KC_RETURN_IF_ERROR(parse_boolean(entry, &is_set, error));
    set_numerics(draft, KC_NUMERICS_DETERMINISTIC, is_set);
    return KC_OK;
}

static kc_status_t apply_tf32(const kci_ini_entry_t *entry, kci_origin_t origin,
                              kci_profile_draft_t *draft, kc_error_t *error)
{
    (void)origin;
    bool is_set = false;
    KC_RETURN_IF_ERROR(parse_boolean(entry, &is_set, error));
    if (is_set) {
        return kci_fail(error, KC_ERR_NOT_IN_BUILD,
                        "tf32 = true: not in this build");
    }
    set_numerics(draft, KC_NUMERICS_TF32_ALLOWED, false);
    return KC_OK;
}

static kc_status_t apply_threads(const kci_ini_entry_t *entry,
                                 kci_origin_t origin,
                                 kci_profile_draft_t *draft, kc_error_t *error)
{
    (void)origin;
    int64_t count = 0;
    if (!kci_parse_int64(entry->value, &count) || count < 1 ||
        count > THREAD_COUNT_MAX) {
        return kci_fail(error, KC_ERR_CONFIG,
                        "threads `%s`: expected a number from 1 to %d",
                        entry->value, THREAD_COUNT_MAX);
    }
    draft->thread_count = (uint32_t)count;
    return KC_OK;
}

static const struct {
    const char *section;
    const char *key;
    apply_fn apply;
} keys[] = {
    {"profile", "name", apply_name},
    {"profile", "extends", apply_extends},
    {"profile", "device", apply_device},
    {"profile", "provider", apply_preference},
    {"profile", "assurance", apply_assurance},
    {"profile", "vjp", apply_vjp},
    {"availability", "devices", apply_devices},
    {"availability", "providers", apply_providers},
    {"modules", "prepend", apply_prepend},
    {"numerics", "domain", apply_domain},
    {"numerics", "deterministic", apply_deterministic},
    {"numerics", "tf32", apply_tf32},
    {"execution", "threads", apply_threads},
};

/* A file that was cut must not mean the policy of what it would extend. */
static kc_status_t need_section(const kci_ini_t *ini, kc_error_t *error)
{
    return kci_ini_has_section(ini, "profile")
               ? KC_OK
               : kci_fail(error, KC_ERR_CONFIG,
                          "%s: expected a [profile] section, found none",
                          kci_ini_name(ini));
}

kc_status_t kci_profile_file_apply(kci_ini_t *ini, kci_profile_draft_t *draft,
                                   kc_error_t *error)
{
    for (size_t idx = 0; idx < sizeof keys / sizeof *keys; idx++) {
        const kci_ini_entry_t *entry =
            kci_ini_find(ini, keys[idx].section, keys[idx].key);
        if (entry == NULL) {
            continue;
        }
        kci_origin_t origin = {kci_ini_name(ini), entry->line};
        kc_status_t status = keys[idx].apply(entry, origin, draft, error);
        if (status != KC_OK) {
            kci_error_prepend(error, "%s:%d", origin.file, origin.line);
            return status;
        }
    }
    KC_RETURN_IF_ERROR(kci_ini_check_all_used(ini, error));
    return need_section(ini, error);
}
