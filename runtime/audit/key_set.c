/* SPDX-License-Identifier: Apache-2.0
 *
 * An open hash table that is at most half full.
 */
#include "audit/key_set.h"

#include "base/alloc.h"
#include "base/error.h"

/* The finisher of splitmix64: every bit of the key reaches the low ones. */
static size_t hash(uint64_t key)
{
    key = (key ^ key >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    key = (key ^ key >> 27) * UINT64_C(0x94d049bb133111eb);
    return (size_t)(key ^ key >> 31);
}

/* `stored` is the key plus one. */
static uint64_t *find_slot(const kci_key_set_t *set, uint64_t stored)
{
    size_t mask = set->slot_count - 1;
    size_t place = hash(stored) & mask;
    while (set->slots[place] != 0 && set->slots[place] != stored) {
        place = (place + 1) & mask;
    }
    return &set->slots[place];
}

static kc_status_t grow(kci_key_set_t *set, kc_error_t *error)
{
    kci_key_set_t grown = {.slot_count =
                               set->slot_count == 0 ? 64 : set->slot_count * 2,
                           .used_count = set->used_count};
    void *memory = NULL;
    KC_RETURN_IF_ERROR(
        kci_alloc_array(grown.slot_count, sizeof(uint64_t), &memory, error));
    grown.slots = memory;
    for (size_t idx = 0; idx < set->slot_count; idx++) {
        if (set->slots[idx] != 0) {
            *find_slot(&grown, set->slots[idx]) = set->slots[idx];
        }
    }
    kci_free(set->slots);
    *set = grown;
    return KC_OK;
}

kc_status_t kci_key_set_add(kci_key_set_t *set, uint64_t key, bool *out_is_new,
                            kc_error_t *error)
{
    if (set->used_count * 2 >= set->slot_count) {
        KC_RETURN_IF_ERROR(grow(set, error));
    }
    uint64_t *slot = find_slot(set, key + 1);
    *out_is_new = *slot == 0;
    if (*slot == 0) {
        *slot = key + 1;
        set->used_count++;
    }
    return KC_OK;
}

void kci_key_set_release(kci_key_set_t *set)
{
    kci_free(set->slots);
    *set = (kci_key_set_t){NULL, 0, 0};
}
