/* SPDX-License-Identifier: Apache-2.0
 *
 * Copying elements: against a plain loop over all positions, for every
 * element type and every kind of stride.
 */
#include "tensor/tensor.h"

#include <string.h>
#include "tensor/dtype.h"
#include "unit/tensor/suites.h"

#define BUFFER_COUNT 512

typedef struct layout {
    int32_t rank;
    int64_t dims[4];
    int64_t from[4];
    int64_t to[4];
} layout_t;

static const layout_t layouts[] = {
    {0, {0}, {0}, {0}},                              /* scalar      */
    {1, {7}, {1}, {1}},                              /* dense       */
    {1, {7}, {3}, {2}},                              /* stepped     */
    {1, {7}, {0}, {1}},                              /* one value   */
    {2, {3, 4}, {4, 1}, {4, 1}},                     /* dense       */
    {2, {3, 4}, {1, 3}, {4, 1}},                     /* transposed  */
    {2, {3, 4}, {4, 1}, {1, 3}},                     /* and back    */
    {2, {3, 4}, {10, 1}, {4, 1}},                    /* padded rows */
    {2, {3, 4}, {8, 2}, {8, 2}},                     /* one run     */
    {3, {2, 3, 4}, {12, 4, 1}, {20, 6, 1}},          /* padded      */
    {3, {2, 3, 4}, {1, 2, 6}, {12, 4, 1}},           /* reversed    */
    {3, {2, 1, 4}, {0, 99, 1}, {4, 4, 1}},           /* broadcast   */
    {4, {2, 3, 1, 2}, {6, 2, 2, 1}, {6, 2, 7, 1}},   /* odd ones    */
    {4, {3, 2, 2, 3}, {1, 36, 9, 3}, {12, 6, 3, 1}}, /* permuted    */
    {2, {0, 4}, {4, 1}, {4, 1}},                     /* empty       */
    {3, {2, 0, 4}, {1, 1, 1}, {1, 1, 1}},            /* empty       */
};

/* Writes `to` as the function under test must, one element at a time. */
static void copy_plainly(const layout_t *layout, size_t size,
                         const unsigned char *from, unsigned char *to)
{
    int64_t count = 1;
    for (int32_t axis = 0; axis < layout->rank; axis++) {
        count *= layout->dims[axis];
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i;
        int64_t from_offset = 0;
        int64_t to_offset = 0;
        for (int32_t axis = layout->rank - 1; axis >= 0; axis--) {
            from_offset += rest % layout->dims[axis] * layout->from[axis];
            to_offset += rest % layout->dims[axis] * layout->to[axis];
            rest /= layout->dims[axis];
        }
        memcpy(to + to_offset * (int64_t)size,
               from + from_offset * (int64_t)size, size);
    }
}

static DLTensor view_of(const layout_t *layout, const int64_t *strides,
                        int32_t dtype, void *data)
{
    return (DLTensor){
        .data = data,
        .device = {kDLCPU, 0},
        .ndim = layout->rank,
        .dtype = kci_dtype_to_dlpack(dtype),
        .shape = (int64_t *)(uintptr_t)layout->dims,
        .strides = (int64_t *)(uintptr_t)strides,
    };
}

START_TEST(copies_agree_with_a_plain_loop)
{
    static unsigned char from[BUFFER_COUNT * 8];
    static unsigned char expected[BUFFER_COUNT * 8];
    static unsigned char found[BUFFER_COUNT * 8];
    const layout_t *layout = &layouts[_i];
    for (int32_t dtype = 0; dtype < KC_DTYPE_COUNT; dtype++) {
        for (size_t i = 0; i < sizeof from; i++) {
            from[i] = dtype == KC_DTYPE_BOOL ? i % 3 % 2
                                             : (unsigned char)(i * 37 + i / 8);
        }
        memset(expected, 0xee, sizeof expected);
        memset(found, 0xee, sizeof found);
        copy_plainly(layout, kci_dtype_size(dtype), from, expected);
        DLTensor source = view_of(layout, layout->from, dtype, from);
        DLTensor target = view_of(layout, layout->to, dtype, found);
        kci_tensor_copy_elements(&source, &target);
        ck_assert_mem_eq(found, expected, sizeof found);
    }
}
END_TEST

START_TEST(offsets_and_missing_strides)
{
    float from[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    float to[8] = {0};
    const layout_t layout = {.rank = 2, .dims = {2, 3}};
    DLTensor source = view_of(&layout, NULL, KC_DTYPE_F32, from);
    DLTensor target = view_of(&layout, NULL, KC_DTYPE_F32, to);
    source.byte_offset = 4;
    target.byte_offset = 8;
    kci_tensor_copy_elements(&source, &target);
    for (int i = 0; i < 6; i++) {
        ck_assert_float_eq(to[2 + i], (float)(1 + i));
    }
    ck_assert_float_eq(to[1], 0);
}
END_TEST

START_TEST(bools_become_zero_or_one)
{
    unsigned char from[4] = {0, 1, 2, 255};
    unsigned char to[4] = {9, 9, 9, 9};
    const layout_t layout = {1, {4}, {1}, {1}};
    DLTensor source = view_of(&layout, layout.from, KC_DTYPE_BOOL, from);
    DLTensor target = view_of(&layout, layout.to, KC_DTYPE_BOOL, to);
    kci_tensor_copy_elements(&source, &target);
    ck_assert_mem_eq(to, "\0\1\1\1", 4);
    kci_tensor_normalise_bool(&source);
    ck_assert_mem_eq(from, "\0\1\1\1", 4);
    float number = 0.5f;
    DLTensor other = view_of(&layouts[0], NULL, KC_DTYPE_F32, &number);
    kci_tensor_normalise_bool(&other);
    ck_assert_float_eq(number, 0.5f);
}
END_TEST

START_TEST(dense_is_told_from_strided)
{
    static const bool are_dense[] = {true, true,  false, false, true,  false,
                                     true, false, false, true,  false, false,
                                     true, false, true,  true};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        DLTensor view =
            view_of(&layouts[i], layouts[i].from, KC_DTYPE_F32, NULL);
        ck_assert_msg(kci_tensor_is_dense(&view) == are_dense[i], "layout %zu",
                      i);
        view.strides = NULL;
        ck_assert(kci_tensor_is_dense(&view));
    }
}
END_TEST

Suite *suite_tensor_tensor_copy(void)
{
    Suite *suite = suite_create("tensor/tensor_copy");
    TCase *tests = tcase_create("tensor_copy");
    tcase_add_loop_test(tests, copies_agree_with_a_plain_loop, 0,
                        (int)(sizeof layouts / sizeof *layouts));
    tcase_add_test(tests, offsets_and_missing_strides);
    tcase_add_test(tests, bools_become_zero_or_one);
    tcase_add_test(tests, dense_is_told_from_strided);
    suite_add_tcase(suite, tests);
    return suite;
}
