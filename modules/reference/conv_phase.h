/* SPDX-License-Identifier: Apache-2.0
 *
 * conv_transpose by phases: places of the result that lie a whole stride apart
 * see the same taps, so those of one phase are a convolution of stride 1 with
 * part of the weight, its taps in the same order.
 */
#ifndef KC_REFERENCE_CONV_PHASE_H
#define KC_REFERENCE_CONV_PHASE_H

#include "conv.h"

/* Whether the geometry suits; the weights must be finite as well. */
int kc_reference_phases_suit(const kc_call_t *call);

/* Bytes of workspace, for a geometry that suits. */
KC_MUST_USE kc_status_t kc_reference_phase_workspace(const kc_call_t *call,
                                                     size_t *out_size);
KC_MUST_USE kc_status_t kc_reference_conv_by_phases(const kc_call_t *call);

#endif
