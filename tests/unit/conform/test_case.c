/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases: the same from the same seed, in every layout, with the contents that
 * their operation needs.
 */
#include "conform/case.h"

#include <string.h>

#include "unit/conform/suites.h"
#include "unit/conform/worked.h"
#include "unit/expect.h"

static kci_case_t *make(int32_t op, int32_t dtype, uint64_t seed)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_case_t *trial = NULL;
    EXPECT_OK(error, kci_case_create(op, dtype, seed, &trial, &error));
    return trial;
}

START_TEST(same_seed_same_case)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        kci_case_t *a = make(KC_OP_CONV, KC_DTYPE_F32, seed);
        kci_case_t *b = make(KC_OP_CONV, KC_DTYPE_F32, seed);
        ck_assert_mem_eq(&a->attributes, &b->attributes, sizeof a->attributes);
        ck_assert_uint_eq(a->input_count, b->input_count);
        for (size_t i = 0; i < a->input_count; i++) {
            kci_guarded_t *memory = &a->operands[i].memory;
            ck_assert_uint_eq(memory->size, b->operands[i].memory.size);
            ck_assert_mem_eq(memory->block, b->operands[i].memory.block,
                             memory->size + 2 * KCI_GUARD_BYTES);
        }
        kci_case_release(a);
        kci_case_release(b);
    }
}
END_TEST

START_TEST(every_layout_is_met)
{
    int seen[KCI_CASE_LAYOUT_COUNT] = {0};
    for (uint64_t seed = 0; seed < 300; seed++) {
        kci_case_t *trial = make(KC_OP_ADD, KC_DTYPE_F64, seed);
        seen[trial->operands[0].layout]++;
        ck_assert_int_eq(kci_case_changed_input(trial), -1);
        kci_guarded_elements(&trial->operands[1].memory)[-1] ^= 1;
        ck_assert_int_eq(kci_case_changed_input(trial), 1);
        kci_case_release(trial);
    }
    for (int i = 0; i < KCI_CASE_LAYOUT_COUNT; i++) {
        ck_assert_msg(seen[i] > 5, "%s: %d",
                      kci_case_layout_label((kci_case_layout_t)i), seen[i]);
    }
}
END_TEST

START_TEST(indices_are_in_range_and_repeat)
{
    int repeats = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        kci_case_t *trial = make(KC_OP_GATHER, KC_DTYPE_F32, seed);
        kc_error_t error = KC_ERROR_INIT;
        kci_array_t indices;
        int64_t extent =
            trial->operands[0].shape[trial->attributes.u.axis.axis];
        EXPECT_OK(error, kci_array_read(trial->inputs[1], &indices, &error));
        for (int64_t i = 0; i < indices.count; i++) {
            ck_assert(indices.values[i] >= 0);
            ck_assert(indices.values[i] < (double)extent);
            repeats += i > 0 && indices.values[i] == indices.values[i - 1];
        }
        kci_array_release(&indices);
        kci_case_release(trial);
    }
    ck_assert_int_gt(repeats, 20);
}
END_TEST

START_TEST(masks_have_blocked_rows)
{
    int blocked = 0;
    int open = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        kci_case_t *trial = make(KC_OP_HARD_MASKED_SOFTMAX, KC_DTYPE_F32, seed);
        kc_error_t error = KC_ERROR_INIT;
        kci_array_t mask;
        EXPECT_OK(error, kci_array_read(trial->inputs[1], &mask, &error));
        int64_t row = mask.rank > 0 ? mask.shape[mask.rank - 1] : 1;
        for (int64_t i = 0; i < mask.count; i += row) {
            int64_t allowed = 0;
            for (int64_t j = 0; j < row; j++) {
                allowed += mask.values[i + j] != 0;
            }
            blocked += allowed == 0 && row > 3;
            open += allowed == row && row > 3;
        }
        kci_array_release(&mask);
        kci_case_release(trial);
    }
    ck_assert(blocked > 20 && open > 20);
}
END_TEST

/* Any operand without elements; of cases with one there are some. */
START_TEST(empty_operands)
{
    int empty = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        kci_case_t *trial = make(KC_OP_MATMUL, KC_DTYPE_F32, seed);
        bool is_empty = false;
        for (size_t i = 0; i < trial->input_count; i++) {
            is_empty =
                is_empty || kc_tensor_element_count(trial->inputs[i]) == 0;
        }
        ck_assert_int_eq(kci_case_is_empty(trial), is_empty);
        empty += is_empty;
        kci_case_release(trial);
    }
    ck_assert(empty > 5 && empty < 60);
    kci_case_t nothing = {.input_count = 0};
    kci_case_add_absent(&nothing);
    ck_assert(!kci_case_is_empty(&nothing));
}
END_TEST

CONFORM_SUITE(case, same_seed_same_case, every_layout_is_met,
              indices_are_in_range_and_repeat, masks_have_blocked_rows,
              empty_operands)
