/* SPDX-License-Identifier: Apache-2.0
 *
 * Guards of windows that slide over spatial axes: what convolutions and
 * pools have in common. The spatial axes are the last ones of x.
 */
#ifndef KC_OPS_WINDOW_H
#define KC_OPS_WINDOW_H

#include "ops/op_info.h"

/* No attribute of a window is larger: sums of a few of them stay far from
 * overflow, and no kernel could use more. */
#define KCI_WINDOW_MAX (INT64_C(1) << 30)

/* Every entry of the attribute lies in [low, KCI_WINDOW_MAX]. */
KC_MUST_USE kc_status_t kci_window_range(const kci_op_request_t *request,
                                         const char *name,
                                         const int64_t *values, int64_t count,
                                         int64_t low, kc_error_t *error);

/* One axis; `kernel` is the effective extent of the window. */
typedef struct kci_window {
    int64_t axis; /* among the spatial ones */
    int64_t extent;
    int64_t kernel;
    int64_t stride;
    int64_t padding;
    int64_t padding_after;
} kci_window_t;

/* floor((extent + paddings - kernel) / stride) + 1, or the error that the
 * window does not fit. */
KC_MUST_USE kc_status_t kci_window_places(const kci_op_request_t *request,
                                          const kci_window_t *window,
                                          int64_t *out_places,
                                          kc_error_t *error);
/* The result may be as large as an element count allows; the error names
 * the attribute that makes it large. */
KC_MUST_USE kc_status_t kci_window_result(const kci_op_request_t *request,
                                          const kci_shape_t *result,
                                          const char *attribute,
                                          kc_error_t *error);

#endif
