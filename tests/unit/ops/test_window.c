/* SPDX-License-Identifier: Apache-2.0
 *
 * Places of a sliding window, and its bounds.
 */
#include "ops/window.h"

#include "unit/expect.h"
#include "unit/ops/suites.h"

static const kci_op_request_t request = {.op = KC_OP_CONV};

static int64_t places(int64_t extent, int64_t kernel, int64_t stride,
                      int64_t padding)
{
    kci_window_t window = {0, extent, kernel, stride, padding, padding};
    kc_error_t error = KC_ERROR_INIT;
    int64_t count = -1;
    EXPECT_OK(error, kci_window_places(&request, &window, &count, &error));
    return count;
}

START_TEST(places_are_counted)
{
    ck_assert_int_eq(places(8, 3, 1, 0), 6);
    ck_assert_int_eq(places(8, 3, 2, 0), 3);
    ck_assert_int_eq(places(8, 3, 2, 1), 4);
    ck_assert_int_eq(places(3, 3, 7, 0), 1);
    ck_assert_int_eq(places(0, 2, 1, 1), 1);
    ck_assert_int_eq(places(INT64_MAX, 1, 1, 0), INT64_MAX);
}
END_TEST

START_TEST(what_does_not_fit_is_an_error)
{
    kc_error_t error = KC_ERROR_INIT;
    int64_t count = -1;
    kci_window_t small = {1, 2, 3, 1, 0, 0};
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "conv: the window does not fit on spatial axis 1: kernel "
                   "3, found extent 2 with padding 0 and 0",
                   kci_window_places(&request, &small, &count, &error));
    kci_window_t wide = {0, INT64_MAX, 3, 1, 1, 1};
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "attribute padding: 1 beside",
                   kci_window_places(&request, &wide, &count, &error));
    ck_assert_int_eq(count, -1);
}
END_TEST

START_TEST(ranges_have_ends)
{
    kc_error_t error = KC_ERROR_INIT;
    int64_t good[] = {0, KCI_WINDOW_MAX};
    int64_t bad[] = {1, KCI_WINDOW_MAX + 1};
    EXPECT_OK(error, kci_window_range(&request, "padding", good, 2, 0, &error));
    EXPECT_FAILURE(error, KC_ERR_GRAPH, "on spatial axis 0",
                   kci_window_range(&request, "stride", good, 2, 1, &error));
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "attribute stride: expected 1 to 1073741824, found "
                   "1073741825 on spatial axis 1",
                   kci_window_range(&request, "stride", bad, 2, 1, &error));
}
END_TEST

START_TEST(a_huge_result_names_the_attribute)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_shape_t good = {.rank = 2, .dims = {3, 4}};
    kci_shape_t huge = {.rank = 2, .dims = {INT64_MAX, 4}};
    EXPECT_OK(error, kci_window_result(&request, &good, "padding", &error));
    EXPECT_FAILURE(error, KC_ERR_GRAPH,
                   "attribute padding: the result [9223372036854775807, 4] "
                   "has too many elements",
                   kci_window_result(&request, &huge, "padding", &error));
}
END_TEST

Suite *suite_ops_window(void)
{
    Suite *suite = suite_create("ops/window");
    TCase *tcase = tcase_create("window");
    tcase_add_test(tcase, places_are_counted);
    tcase_add_test(tcase, what_does_not_fit_is_an_error);
    tcase_add_test(tcase, ranges_have_ends);
    tcase_add_test(tcase, a_huge_result_names_the_attribute);
    suite_add_tcase(suite, tcase);
    return suite;
}
