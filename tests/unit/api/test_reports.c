/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports say what was decided, to people and to programs alike.
 */
#include <string.h>
#include "unit/api/api_fixture.h"
#include "unit/api/suites.h"
#include "unit/expect.h"

static kc_runtime_t *runtime;
static kc_profile_t *profile;
static kc_plan_t *plan;
static kc_error_t error;

static void begin(const char *profile_name, int32_t op)
{
    error = (kc_error_t)KC_ERROR_INIT;
    runtime = fixture_runtime(NULL);
    profile = fixture_profile(runtime, profile_name);
    EXPECT_OK(error, kc_plan_ops(profile, &op, 1, &plan, &error));
}

static void end(void)
{
    kc_plan_release(plan);
    kc_profile_release(profile);
    kc_runtime_release(runtime);
}

static void expect_in(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "no `%s` in:\n%s", part, text);
}

static char *plan_report(kc_plan_view_t view, kc_format_t format)
{
    char *text = NULL;
    EXPECT_OK(error, kc_report_plan(plan, view, format, &text, &error));
    return text;
}

START_TEST(a_failure_in_json_lists_every_candidate)
{
    begin("checked_cpu", KC_OP_FFT_FNO);
    char *text = plan_report(KC_PLAN_VIEW_ROWS, KC_FORMAT_JSON);
    expect_in(text, "\"failure\": \"no admissible kernel capsule for op "
                    "fft_fno on device cpu\"");
    expect_in(text, "\"capsule\": \"native_cuda.fft_fno\"");
    expect_in(text, "\"reason\": \"device_unavailable\"");
    expect_in(text, "\"found\": \"device cuda\"");
    kc_text_release(text);
    end();
}
END_TEST

START_TEST(an_explanation_has_winner_and_losers)
{
    begin("libtorch_forward_strict", KC_OP_SCALED_DOT_PRODUCT_ATTENTION);
    char *text = plan_report(KC_PLAN_VIEW_EXPLAIN, KC_FORMAT_TEXT);
    expect_in(text, "native_cuda.direct_attention");
    expect_in(text, "selected");
    expect_in(text, "not_preferred");
    expect_in(text, "trust_not_accepted");
    kc_text_release(text);
    end();
}
END_TEST

START_TEST(nothing_is_granted_without_a_handler)
{
    begin("checked_cuda", KC_OP_MATMUL);
    char *text = plan_report(KC_PLAN_VIEW_FULL, KC_FORMAT_TEXT);
    expect_in(text, "no handler in this build");
    expect_in(text, "granted: nothing: no handler in this build");
    ck_assert_ptr_null(strstr(text, "granted: guard"));
    kc_text_release(text);
    end();
}
END_TEST

START_TEST(a_guard_is_granted_and_a_suite_is_not)
{
    begin("checked_cpu", KC_OP_MATMUL);
    char *text = plan_report(KC_PLAN_VIEW_FULL, KC_FORMAT_TEXT);
    expect_in(text, "claimed: guarded at runtime by dispatch.shape\n"
                    "    granted: guard");
    expect_in(text, "claimed: covered by test suite modules.reference.values\n"
                    "    granted: nothing: not attested");
    kc_text_release(text);
    end();
}
END_TEST

START_TEST(attested_without_receipts_names_the_file)
{
    begin("checked_cpu", KC_OP_MATMUL);
    char *text = NULL;
    int32_t is_accepted = 1;
    kc_policy_t policy = {.struct_size = sizeof policy};
    kc_profile_policy(profile, &policy);
    EXPECT_OK(error, kc_policy_set_assurance(&policy, "attested", &error));
    EXPECT_OK(error, kc_report_check(plan, &policy, KC_FORMAT_TEXT, &text,
                                     &is_accepted, &error));
    ck_assert_int_eq(is_accepted, 0);
    expect_in(text, "attested: rejected reference.matmul value\n"
                    "  no receipt for /");
    expect_in(text, "reference.so\n");
    kc_text_release(text);
    end();
}
END_TEST

START_TEST(an_unknown_name_is_not_inspected)
{
    begin("checked_cpu", KC_OP_MATMUL);
    char *text = NULL;
    EXPECT_FAILURE(
        error, KC_ERR_NOT_FOUND, "nonesuch",
        kc_report_inspect(runtime, "nonesuch", KC_FORMAT_TEXT, &text, &error));
    ck_assert_ptr_null(text);
    end();
}
END_TEST

Suite *suite_api_reports(void)
{
    Suite *suite = suite_create("api.reports");
    TCase *tests = tcase_create("texts");
    tcase_add_test(tests, a_failure_in_json_lists_every_candidate);
    tcase_add_test(tests, an_explanation_has_winner_and_losers);
    tcase_add_test(tests, nothing_is_granted_without_a_handler);
    tcase_add_test(tests, a_guard_is_granted_and_a_suite_is_not);
    tcase_add_test(tests, attested_without_receipts_names_the_file);
    tcase_add_test(tests, an_unknown_name_is_not_inspected);
    suite_add_tcase(suite, tests);
    return suite;
}
