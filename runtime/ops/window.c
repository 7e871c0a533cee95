/* SPDX-License-Identifier: Apache-2.0
 *
 * Guards of sliding windows, before any arithmetic on them.
 */
#include "ops/window.h"

#include <inttypes.h>

#include "base/checked_size.h"
#include "base/error.h"
#include "ops/rule.h"

kc_status_t kci_window_range(const kci_op_request_t *request, const char *name,
                             const int64_t *values, int64_t count, int64_t low,
                             kc_error_t *error)
{
    for (int64_t i = 0; i < count; i++) {
        if (values[i] < low || values[i] > KCI_WINDOW_MAX) {
            return kci_rule_fail(request, error,
                                 "attribute %s: expected %" PRId64
                                 " to %" PRId64 ", found %" PRId64
                                 " on spatial axis %" PRId64,
                                 name, low, KCI_WINDOW_MAX, values[i], i);
        }
    }
    return KC_OK;
}

kc_status_t kci_window_places(const kci_op_request_t *request,
                              const kci_window_t *window, int64_t *out_places,
                              kc_error_t *error)
{
    int64_t room = 0;
    if (!kci_int64_add(window->padding, window->padding_after, &room) ||
        !kci_int64_add(room, window->extent, &room)) {
        return kci_rule_fail(request, error,
                             "attribute padding: %" PRId64 " beside an extent "
                             "of %" PRId64 " overflows",
                             window->padding, window->extent);
    }
    if (window->kernel > room) {
        return kci_rule_fail(request, error,
                             "the window does not fit on spatial axis %" PRId64
                             ": kernel "
                             "%" PRId64 ", found extent %" PRId64
                             " with padding %" PRId64 " and %" PRId64,
                             window->axis, window->kernel, window->extent,
                             window->padding, window->padding_after);
    }
    *out_places = (room - window->kernel) / window->stride + 1;
    return KC_OK;
}

kc_status_t kci_window_result(const kci_op_request_t *request,
                              const kci_shape_t *result, const char *attribute,
                              kc_error_t *error)
{
    int64_t count = 0;
    char text[KCI_RULE_SHAPE_SIZE];
    if (kci_rule_count(request, result, "result", &count, NULL) == KC_OK) {
        return KC_OK;
    }
    kci_rule_format(request, result, text);
    return kci_rule_fail(request, error,
                         "attribute %s: the result %s has too many elements",
                         attribute, text);
}
