/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON in and out by jansson, with what a stranger's file needs: a bound on
 * nesting that is checked before the parser recurses, no duplicate keys, no
 * unknown keys, and errors with file, line and column.
 */
#ifndef KC_BASE_JSON_H
#define KC_BASE_JSON_H

#include <jansson.h>
#include <stddef.h>
#include <kcapsule/status.h>

#define KCI_JSON_DEPTH_MAX 128

/* `name` is what errors call the text. `*out_json` is owned by the caller
 * (json_decref). Trailing text other than white space is an error, a
 * byte-order mark in front is skipped. */
KC_MUST_USE kc_status_t kci_json_parse(const char *text, size_t length,
                                       const char *name, json_t **out_json,
                                       kc_error_t *error);
/* Fails on the first key of `object` that is not in the NULL-terminated
 * list. `what` names the object in the error. */
KC_MUST_USE kc_status_t kci_json_check_keys(const json_t *object,
                                            const char *const *known,
                                            const char *what,
                                            kc_error_t *error);
/* Two-space indentation, keys in insertion order, a line break at the end.
 * `*out_text` is owned by the caller (kci_free). */
KC_MUST_USE kc_status_t kci_json_format(const json_t *json, char **out_text,
                                        kc_error_t *error);
/* "a text", "an integer", "none" for NULL: after "found". */
const char *kci_json_kind(const json_t *value);
/* A double as the file formats want it: a number, or "inf", "-inf", "nan". */
json_t *kci_json_double(double value);

#endif
