/* SPDX-License-Identifier: Apache-2.0
 *
 * Feeds bytes to the JSON reader. What is accepted is written and read again,
 * and must be equal.
 */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "base/json.h"

const char kc_fuzz_name[] = "json";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *json = NULL;
    json_t *again = NULL;
    char *text = NULL;
    kc_error_t error = KC_ERROR_INIT;
    if (kci_json_parse((const char *)data, size, "fuzz.json", &json, &error) !=
        KC_OK) {
        return 0;
    }
    if (kci_json_format(json, &text, &error) != KC_OK ||
        kci_json_parse(text, strlen(text), "again", &again, &error) != KC_OK ||
        !json_equal(json, again)) {
        abort();
    }
    kci_free(text);
    json_decref(json);
    json_decref(again);
    return 0;
}
