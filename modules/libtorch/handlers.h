/* SPDX-License-Identifier: Apache-2.0
 *
 * What the C side of the module takes from the C++ side: the handlers, and the
 * functions that open and close it.
 */
#ifndef KC_LIBTORCH_HANDLERS_H
#define KC_LIBTORCH_HANDLERS_H

#include <kcapsule/handler.h>

#include "families.h"

KC_BEGIN_DECLS

#define KC_LIBTORCH_ONE_(name, operation) +1
#define KC_LIBTORCH_COUNT_(family)                                             \
    (KC_LIBTORCH_HAS_##family * (0 KC_LIBTORCH_##family(KC_LIBTORCH_ONE_)))

#define KC_LIBTORCH_HANDLER_COUNT                                              \
    (KC_LIBTORCH_COUNT_(UNARY) + KC_LIBTORCH_COUNT_(BINARY) +                  \
     KC_LIBTORCH_COUNT_(LAYOUT) + KC_LIBTORCH_COUNT_(RANDOM) +                 \
     KC_LIBTORCH_COUNT_(SCAN) + KC_LIBTORCH_COUNT_(SOFTMAX) +                  \
     KC_LIBTORCH_COUNT_(REDUCE) + KC_LIBTORCH_COUNT_(INDEX) +                  \
     KC_LIBTORCH_COUNT_(MATMUL) + KC_LIBTORCH_COUNT_(LOSS) +                   \
     KC_LIBTORCH_COUNT_(NORM) + KC_LIBTORCH_COUNT_(CONV) +                     \
     KC_LIBTORCH_COUNT_(POOL) + KC_LIBTORCH_COUNT_(FFT) +                      \
     KC_LIBTORCH_COUNT_(ATTENTION))

/* KC_LIBTORCH_HANDLER_COUNT of them. */
extern const kc_handler_t *const kc_libtorch_handlers[];

kc_status_t kc_libtorch_open(const kc_host_t *host, void **out_state,
                             kc_error_t *error);
void kc_libtorch_close(void *state);

KC_END_DECLS

#endif
