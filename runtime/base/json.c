/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON in by jansson, with the bounds a stranger's file needs. jansson's
 * numbers follow the locale, hence the C locale around each call.
 */
#include "base/json.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/c_locale.h"
#include "base/error.h"
#include "base/json_depth.h"
#include "base/short_name.h"
#include "base/string_buffer.h"

static kc_status_t check_depth(const char *text, size_t length,
                               const char *name, kc_error_t *error)
{
    kci_text_position_t position = {0, 0};
    if (kci_json_depth_is_within(text, length, KCI_JSON_DEPTH_MAX, &position)) {
        return KC_OK;
    }
    return kci_fail(error, KC_ERR_FORMAT,
                    "%s:%zu:%zu: nested deeper than %d levels", name,
                    position.line, position.column, KCI_JSON_DEPTH_MAX);
}

/* Messages of jansson that speak of its flags, or of characters where a
 * reader thinks of values; what follows such a beginning is kept. */
static const struct {
    const char *foreign;
    const char *own;
} words[] = {
    {"\\u0000 is not allowed without JSON_ALLOW_NUL",
     "the escape \\u0000 is not allowed"},
    {"'[' or '{' expected", "an object or a list expected"},
    {"NUL byte in object key not supported",
     "the escape \\u0000 is not allowed in a key"},
};

static kc_status_t fail_for_json(const json_error_t *json_error,
                                 const char *name, kc_error_t *error)
{
    if (json_error_code(json_error) == json_error_out_of_memory) {
        return kci_fail(error, KC_ERR_MEMORY, "%s: out of memory", name);
    }
    const char *own = "";
    const char *rest = json_error->text;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].foreign);
        if (strncmp(rest, words[i].foreign, length) == 0) {
            own = words[i].own;
            rest += length;
            break;
        }
    }
    return kci_fail(error, KC_ERR_FORMAT, "%s:%d:%d: %s%s", name,
                    json_error->line, json_error->column, own, rest);
}

kc_status_t kci_json_parse(const char *text, size_t length, const char *name,
                           json_t **out_json, kc_error_t *error)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of the byte order */
    json_error_t json_error;
    if (length >= 3 && memcmp(text, mark, 3) == 0) {
        text += 3;
        length -= 3;
    }
    KC_RETURN_IF_ERROR(check_depth(text, length, name, error));
    kci_c_locale_t scope = kci_c_locale_begin();
    json_t *json =
        json_loadb(text, length, JSON_REJECT_DUPLICATES, &json_error);
    kci_c_locale_end(scope);
    if (json == NULL) {
        return fail_for_json(&json_error, name, error);
    }
    *out_json = json;
    return KC_OK;
}

static bool is_listed(const char *key, const char *const *list)
{
    for (; *list != NULL; list++) {
        if (strcmp(key, *list) == 0) {
            return true;
        }
    }
    return false;
}

static kc_status_t fail_for_key(const char *key, const char *const *known,
                                const char *what, kc_error_t *error)
{
    kci_string_buffer_t list = KCI_STRING_BUFFER_INIT;
    char *text = NULL;
    for (const char *const *name = known; *name != NULL; name++) {
        kci_string_append(&list, name == known ? "" : ", ");
        kci_string_append(&list, *name);
    }
    KC_RETURN_IF_ERROR(kci_string_take(&list, &text, error));
    kc_status_t status =
        kci_fail(error, KC_ERR_FORMAT, "%s: unknown key `%s` (known: %s)", what,
                 kci_short_name(key).text, text);
    kci_free(text);
    return status;
}

kc_status_t kci_json_check_keys(const json_t *object, const char *const *known,
                                const char *what, kc_error_t *error)
{
    const char *key = NULL;
    json_t *value = NULL;
    if (!json_is_object(object)) {
        return kci_fail(error, KC_ERR_FORMAT, "%s: expected an object", what);
    }
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        if (!is_listed(key, known)) {
            return fail_for_key(key, known, what, error);
        }
    }
    return KC_OK;
}

const char *kci_json_kind(const json_t *value)
{
    if (value == NULL) {
        return "none";
    }
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a text";
    case JSON_INTEGER:
        return "an integer";
    case JSON_REAL:
        return "a number that is no integer";
    case JSON_NULL:
        return "null";
    default:
        return json_is_true(value) ? "true" : "false";
    }
}

json_t *kci_json_double(double value)
{
    if (isnan(value)) {
        return json_string("nan");
    }
    if (isinf(value)) {
        return json_string(value < 0 ? "-inf" : "inf");
    }
    return json_real(value);
}
