/* SPDX-License-Identifier: Apache-2.0
 *
 * Arithmetic on sizes and counts that no file is trusted to keep small.
 * Each function returns false on overflow and leaves the output alone.
 */
#ifndef KC_BASE_CHECKED_SIZE_H
#define KC_BASE_CHECKED_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool kci_size_multiply(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

static inline bool kci_size_add(size_t a, size_t b, size_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

static inline bool kci_int64_multiply(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

static inline bool kci_int64_add(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

#endif
