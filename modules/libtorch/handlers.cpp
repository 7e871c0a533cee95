/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of handlers, made of the lists of families.h.
 */
#include "handlers.h"

#include "entry.h"

namespace kc_libtorch {

#define DECLARE(name, operation)                                               \
    void name##_forward(call &operands);                                       \
    void name##_vjp(call &operands);
#define DECLARE_FORWARD(name, operation) void name##_forward(call &operands);

KC_LIBTORCH_UNARY(DECLARE)
KC_LIBTORCH_BINARY(DECLARE)
KC_LIBTORCH_LAYOUT(DECLARE)
KC_LIBTORCH_RANDOM(DECLARE_FORWARD)
KC_LIBTORCH_SCAN(DECLARE)
KC_LIBTORCH_SOFTMAX(DECLARE)
KC_LIBTORCH_REDUCE(DECLARE)
KC_LIBTORCH_INDEX(DECLARE)
KC_LIBTORCH_MATMUL(DECLARE)
KC_LIBTORCH_LOSS(DECLARE)
KC_LIBTORCH_NORM(DECLARE)
KC_LIBTORCH_CONV(DECLARE)
KC_LIBTORCH_POOL(DECLARE)
KC_LIBTORCH_FFT(DECLARE)
KC_LIBTORCH_ATTENTION(DECLARE_FORWARD)

/* Capsules of the cpu are named `libtorch.<operation>`, one an operation, so
 * that a handler serves all that it could. */
#define HANDLER(name, operation)                                               \
    static const kc_handler_t name##_handler = {sizeof(kc_handler_t),          \
                                                operation,                     \
                                                KC_DEVICE_CPU,                 \
                                                0,                             \
                                                "libtorch",                    \
                                                nullptr,                       \
                                                forward_entry<name##_forward>, \
                                                nullptr,                       \
                                                vjp_entry<name##_vjp>,         \
                                                nullptr};
#define HANDLER_FORWARD(name, operation)                                       \
    static const kc_handler_t name##_handler = {sizeof(kc_handler_t),          \
                                                operation,                     \
                                                KC_DEVICE_CPU,                 \
                                                0,                             \
                                                "libtorch",                    \
                                                nullptr,                       \
                                                forward_entry<name##_forward>, \
                                                nullptr,                       \
                                                nullptr,                       \
                                                nullptr};
#define ADDRESS(name, operation) &name##_handler,

#if KC_LIBTORCH_HAS_UNARY
KC_LIBTORCH_UNARY(HANDLER)
#define UNARY KC_LIBTORCH_UNARY(ADDRESS)
#else
#define UNARY
#endif
#if KC_LIBTORCH_HAS_BINARY
KC_LIBTORCH_BINARY(HANDLER)
#define BINARY KC_LIBTORCH_BINARY(ADDRESS)
#else
#define BINARY
#endif
#if KC_LIBTORCH_HAS_LAYOUT
KC_LIBTORCH_LAYOUT(HANDLER)
#define LAYOUT KC_LIBTORCH_LAYOUT(ADDRESS)
#else
#define LAYOUT
#endif
#if KC_LIBTORCH_HAS_RANDOM
KC_LIBTORCH_RANDOM(HANDLER_FORWARD)
#define RANDOM KC_LIBTORCH_RANDOM(ADDRESS)
#else
#define RANDOM
#endif
#if KC_LIBTORCH_HAS_SCAN
KC_LIBTORCH_SCAN(HANDLER)
#define SCAN KC_LIBTORCH_SCAN(ADDRESS)
#else
#define SCAN
#endif
#if KC_LIBTORCH_HAS_SOFTMAX
KC_LIBTORCH_SOFTMAX(HANDLER)
#define SOFTMAX KC_LIBTORCH_SOFTMAX(ADDRESS)
#else
#define SOFTMAX
#endif
#if KC_LIBTORCH_HAS_REDUCE
KC_LIBTORCH_REDUCE(HANDLER)
#define REDUCE KC_LIBTORCH_REDUCE(ADDRESS)
#else
#define REDUCE
#endif
#if KC_LIBTORCH_HAS_INDEX
KC_LIBTORCH_INDEX(HANDLER)
#define INDEX KC_LIBTORCH_INDEX(ADDRESS)
#else
#define INDEX
#endif
#if KC_LIBTORCH_HAS_MATMUL
KC_LIBTORCH_MATMUL(HANDLER)
#define MATMUL KC_LIBTORCH_MATMUL(ADDRESS)
#else
#define MATMUL
#endif
#if KC_LIBTORCH_HAS_LOSS
KC_LIBTORCH_LOSS(HANDLER)
#define LOSS KC_LIBTORCH_LOSS(ADDRESS)
#else
#define LOSS
#endif
#if KC_LIBTORCH_HAS_NORM
KC_LIBTORCH_NORM(HANDLER)
#define NORM KC_LIBTORCH_NORM(ADDRESS)
#else
#define NORM
#endif
#if KC_LIBTORCH_HAS_CONV
KC_LIBTORCH_CONV(HANDLER)
#define CONV KC_LIBTORCH_CONV(ADDRESS)
#else
#define CONV
#endif
#if KC_LIBTORCH_HAS_POOL
KC_LIBTORCH_POOL(HANDLER)
#define POOL KC_LIBTORCH_POOL(ADDRESS)
#else
#define POOL
#endif
#if KC_LIBTORCH_HAS_FFT
KC_LIBTORCH_FFT(HANDLER)
#define FFT KC_LIBTORCH_FFT(ADDRESS)
#else
#define FFT
#endif
#if KC_LIBTORCH_HAS_ATTENTION
KC_LIBTORCH_ATTENTION(HANDLER_FORWARD)
#define ATTENTION KC_LIBTORCH_ATTENTION(ADDRESS)
#else
#define ATTENTION
#endif

} // namespace kc_libtorch

using namespace kc_libtorch;

extern "C" const kc_handler_t *const kc_libtorch_handlers[] = {
    UNARY BINARY LAYOUT RANDOM SCAN SOFTMAX REDUCE INDEX MATMUL LOSS NORM CONV
        POOL FFT ATTENTION nullptr};
