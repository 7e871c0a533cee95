/* SPDX-License-Identifier: Apache-2.0
 *
 * Guard bytes and the pattern of elements that nobody wrote.
 */
#include "conform/guarded.h"

#include <stdlib.h>
#include <string.h>
#include <kcapsule/vocabulary.h>

#define GUARD_PATTERN 0x5c

static const uint32_t untouched_f32 = UINT32_C(0x7fa5c3e1);
static const uint64_t untouched_f64 = UINT64_C(0x7ff5a5c3e1a5c3e1);
static const uint32_t untouched_i32 = UINT32_C(0xa5c3e1a5);
static const uint64_t untouched_i64 = UINT64_C(0xa5c3e1a5a5c3e1a5);
static const unsigned char untouched_bool = 0xa5;

bool kci_guarded_create(size_t size, kci_guarded_t *out_guarded)
{
    size_t all = size + 2 * KCI_GUARD_BYTES;
    unsigned char *block = NULL;
    unsigned char *before = malloc(all);
    /* Aligned as the vectors of a kernel may hope for, no more is promised. */
    if (before == NULL || posix_memalign((void **)&block, 64, all) != 0) {
        free(before);
        return false;
    }
    memset(block, GUARD_PATTERN, all);
    memcpy(before, block, all);
    *out_guarded =
        (kci_guarded_t){.block = block, .before = before, .size = size};
    return true;
}

void kci_guarded_release(kci_guarded_t *guarded)
{
    free(guarded->block);
    free(guarded->before);
    *guarded = (kci_guarded_t){0};
}

unsigned char *kci_guarded_elements(const kci_guarded_t *guarded)
{
    return guarded->block + KCI_GUARD_BYTES;
}

void kci_guarded_seal(kci_guarded_t *guarded)
{
    memcpy(guarded->before, guarded->block,
           guarded->size + 2 * KCI_GUARD_BYTES);
}

bool kci_guarded_is_unchanged(const kci_guarded_t *guarded)
{
    return memcmp(guarded->before, guarded->block,
                  guarded->size + 2 * KCI_GUARD_BYTES) == 0;
}

bool kci_guarded_has_guards(const kci_guarded_t *guarded)
{
    size_t behind = KCI_GUARD_BYTES + guarded->size;
    return memcmp(guarded->before, guarded->block, KCI_GUARD_BYTES) == 0 &&
           memcmp(guarded->before + behind, guarded->block + behind,
                  KCI_GUARD_BYTES) == 0;
}

static const void *untouched(int32_t dtype, size_t *out_size)
{
    switch (dtype) {
    case KC_DTYPE_F32:
        *out_size = sizeof untouched_f32;
        return &untouched_f32;
    case KC_DTYPE_F64:
        *out_size = sizeof untouched_f64;
        return &untouched_f64;
    case KC_DTYPE_I32:
        *out_size = sizeof untouched_i32;
        return &untouched_i32;
    case KC_DTYPE_I64:
        *out_size = sizeof untouched_i64;
        return &untouched_i64;
    default:
        *out_size = sizeof untouched_bool;
        return &untouched_bool;
    }
}

void kci_guarded_fill_untouched(int32_t dtype, int64_t count,
                                unsigned char *elements)
{
    size_t size = 0;
    const void *pattern = untouched(dtype, &size);
    for (int64_t i = 0; i < count; i++) {
        memcpy(elements + (size_t)i * size, pattern, size);
    }
}

bool kci_guarded_is_untouched(int32_t dtype, const unsigned char *element)
{
    size_t size = 0;
    const void *pattern = untouched(dtype, &size);
    return memcmp(element, pattern, size) == 0;
}
