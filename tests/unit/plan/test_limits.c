/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits: what absent ones mean, and each bound from both sides.
 */
#include "plan/limits.h"

#include "unit/demand_fixture.h"
#include "unit/plan/suites.h"

static kc_reason_t judge(const kc_limits_t *limits, const kci_demand_t *demand)
{
    kci_flat_limits_t flat = kci_limits_flatten(limits);
    return kci_limits_judge(&flat, demand);
}

START_TEST(no_limits_take_any_float32)
{
    kc_limits_t limits = {0};
    kci_demand_t demand = fixture_demand(KC_OP_CONCAT);
    demand.extent_max = INT64_MAX;
    demand.element_max = INT64_MAX;
    demand.input_count = 64;
    for (int8_t rank = 0; rank <= KC_MAX_RANK; rank++) {
        demand.rank = rank;
        ck_assert_int_eq(judge(&limits, &demand), KC_REASON_SELECTED);
    }
    for (int8_t dtype = 1; dtype < KC_DTYPE_COUNT; dtype++) {
        demand.dtype = dtype;
        ck_assert_int_eq(judge(&limits, &demand), KC_REASON_LIMIT_DTYPE);
    }
}
END_TEST

START_TEST(dtypes_and_ranks_are_sets)
{
    kc_limits_t limits = {.dtypes = 1u << KC_DTYPE_F64 | 1u << KC_DTYPE_I32,
                          .ranks = 1u << 3 | 1u << 16};
    kci_demand_t demand = fixture_demand(KC_OP_RELU);
    for (int8_t dtype = 0; dtype < KC_DTYPE_COUNT; dtype++) {
        for (int8_t rank = 0; rank <= KC_MAX_RANK; rank++) {
            demand.dtype = dtype;
            demand.rank = rank;
            bool has_dtype = dtype == KC_DTYPE_F64 || dtype == KC_DTYPE_I32;
            kc_reason_t expected = rank == 3 || rank == 16
                                       ? KC_REASON_SELECTED
                                       : KC_REASON_LIMIT_RANK;
            ck_assert_int_eq(judge(&limits, &demand),
                             has_dtype ? expected : KC_REASON_LIMIT_DTYPE);
        }
    }
}
END_TEST

static const struct {
    kc_limits_t limits;
    int64_t extent;
    int64_t elements;
    uint8_t inputs;
    kc_reason_t reason;
} bounds[] = {
    {{.extent_max = 64}, 64, 4096, 1, KC_REASON_SELECTED},
    {{.extent_max = 64}, 65, 65, 1, KC_REASON_LIMIT_EXTENT},
    {{.extent_max = UINT32_MAX},
     INT64_C(1) << 32,
     0,
     1,
     KC_REASON_LIMIT_EXTENT},
    {{.index_bits = 32}, 1, INT32_MAX, 1, KC_REASON_SELECTED},
    {{.index_bits = 32}, 1, INT64_C(1) << 31, 1, KC_REASON_LIMIT_ELEMENTS},
    {{.index_bits = 64}, 1, INT64_MAX, 1, KC_REASON_SELECTED},
    {{.index_bits = 0}, 1, INT64_MAX, 1, KC_REASON_SELECTED},
    {{.input_count_max = 3}, 1, 1, 3, KC_REASON_SELECTED},
    {{.input_count_max = 3}, 1, 1, 4, KC_REASON_LIMIT_INPUTS},
    /* The first one in the order of the reasons. */
    {{.extent_max = 2, .index_bits = 32, .input_count_max = 1},
     3,
     INT64_C(1) << 40,
     2,
     KC_REASON_LIMIT_EXTENT},
    {{.index_bits = 32, .input_count_max = 1},
     3,
     INT64_C(1) << 40,
     2,
     KC_REASON_LIMIT_ELEMENTS},
};

START_TEST(bounds_from_both_sides)
{
    kci_demand_t demand = fixture_demand(KC_OP_RELU);
    demand.extent_max = bounds[_i].extent;
    demand.element_max = bounds[_i].elements;
    demand.input_count = bounds[_i].inputs;
    ck_assert_int_eq(judge(&bounds[_i].limits, &demand), bounds[_i].reason);
}
END_TEST

START_TEST(a_named_extent_is_judged_as_far_as_known)
{
    kc_limits_t limits = {.extent_max = 64};
    kci_demand_t demand = fixture_demand(KC_OP_RELU);
    demand.is_bound = 0;
    ck_assert_int_eq(judge(&limits, &demand), KC_REASON_SELECTED);
    demand.extent_max = 65;
    ck_assert_int_eq(judge(&limits, &demand), KC_REASON_LIMIT_EXTENT);
}
END_TEST

Suite *suite_plan_limits(void)
{
    Suite *suite = suite_create("plan/limits");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, no_limits_take_any_float32);
    tcase_add_test(tcase, dtypes_and_ranks_are_sets);
    tcase_add_loop_test(tcase, bounds_from_both_sides, 0,
                        sizeof bounds / sizeof *bounds);
    tcase_add_test(tcase, a_named_extent_is_judged_as_far_as_known);
    suite_add_tcase(suite, tcase);
    return suite;
}
