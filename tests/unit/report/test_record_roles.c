/* SPDX-License-Identifier: Apache-2.0
 *
 * Records of runs with compositions and a backward: every capsule that ran
 * below what it ran for, and a file only where its code ran.
 */
#include "report/report.h"

#include <string.h>
#include "base/alloc.h"
#include "unit/contract_fixture.h"
#include "unit/expect.h"
#include "unit/report/suites.h"

#define ATTENTION KC_OP_SCALED_DOT_PRODUCT_ATTENTION

enum { COMPOSITION, MATMUL, RELU, OWN, PERMUTE, ADD, CAPSULES };

static kc_profile_t *profile_of_files(void)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t capsules[CAPSULES] = {
        fixture_capsule("torchlean.x", ATTENTION, "torchlean", KC_DEVICE_CPU),
        fixture_capsule("acme.matmul", KC_OP_MATMUL, "acme", KC_DEVICE_CPU),
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU),
        fixture_capsule("acme.own", KC_OP_GELU, "acme", KC_DEVICE_CPU),
        fixture_capsule("acme.permute", KC_OP_PERMUTE, "acme", KC_DEVICE_CPU),
        fixture_capsule("acme.add", KC_OP_ADD, "acme", KC_DEVICE_CPU)};
    fixture_set_vjp(&capsules[OWN], KC_VJP_BACKEND);
    kci_module_file_t *file =
        fixture_file("/fixture/acme.so", "acme", capsules, CAPSULES, NULL);
    strcpy(file->sha256, "abc");
    kc_capsule_module_t *module = NULL;
    EXPECT_OK(error, kci_capsule_module_from_file(file, &module, &error));
    kci_module_file_release(file);
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    return fixture_profile(&policy, &module, 1);
}

/* `served` is a place, or -1. */
static void note(kci_run_record_t *run, kci_call_role_t role, int place,
                 int served, int calls)
{
    kc_error_t error = KC_ERROR_INIT;
    const kci_entry_t *entries = run->profile->entries;
    size_t index = 0;
    EXPECT_OK(error, kci_run_record_entry(run, role, &entries[place],
                                          served < 0 ? NULL : &entries[served],
                                          &index, &error));
    for (int call = 0; call < calls; call++) {
        kci_run_record_call(run, index, 1000);
    }
}

/* The same capsule as an operation, within a composition and within rules. */
static kc_record_t *record_of_all_roles(bool has_time)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_run_record_t run = {.profile = profile_of_files(),
                            .policy = fixture_policy(KC_DEVICE_CPU),
                            .thread_count = 1,
                            .has_time = has_time};
    note(&run, KCI_CALL_FORWARD, MATMUL, -1, 1);
    note(&run, KCI_CALL_INNER_FORWARD, MATMUL, COMPOSITION, 2);
    note(&run, KCI_CALL_FORWARD, RELU, -1, 1);
    note(&run, KCI_CALL_INNER_FORWARD, PERMUTE, COMPOSITION, 3);
    note(&run, KCI_CALL_VJP, RELU, -1, 4);
    note(&run, KCI_CALL_VJP, OWN, -1, 5);
    note(&run, KCI_CALL_VJP, MATMUL, -1, 6);
    note(&run, KCI_CALL_INNER_VJP, PERMUTE, MATMUL, 7);
    note(&run, KCI_CALL_VJP, COMPOSITION, -1, 8);
    note(&run, KCI_CALL_INNER_VJP, MATMUL, COMPOSITION, 9);
    note(&run, KCI_CALL_INNER_VJP, MATMUL, MATMUL, 10);
    note(&run, KCI_CALL_SUM, ADD, -1, 11);
    kc_record_t *record = NULL;
    EXPECT_OK(error, kci_record_create(&run, "eager", &record, &error));
    kci_run_record_release(&run);
    return record;
}

static char *text_of(const kc_record_t *record)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_string_buffer_t buffer = KCI_STRING_BUFFER_INIT;
    char *text = NULL;
    kci_report_record_text(record, &buffer);
    EXPECT_OK(error, kci_string_take(&buffer, &text, &error));
    return text;
}

#define CHECKED "provider acme, trust checked, reduction n/a, "

START_TEST(tables_for_people)
{
    kc_record_t *record = record_of_all_roles(false);
    char *text = text_of(record);
    ck_assert_str_eq(
        text,
        "ran under fixture: device cpu, provider auto, assurance checked, vjp "
        "torchlean-tape; mode eager, threads 1\n"
        "  acme.matmul  " CHECKED "calls 1\n"
        "  acme.relu    " CHECKED "calls 1\n"
        "inner operations\n"
        "  of torchlean.x\n"
        "    acme.matmul  " CHECKED "calls 2\n"
        "    acme.permute  " CHECKED "calls 3\n"
        "backward\n"
        "  of acme.relu  the tape's rule, a loop of the runtime, calls 4\n"
        "  of acme.own  the capsule's own kernel, calls 5\n"
        "  of acme.matmul  the tape's rule, composed, calls 6\n"
        "    acme.permute  " CHECKED "calls 7\n"
        "    acme.matmul  " CHECKED "calls 10\n"
        "  of torchlean.x  the tape's rule, composed, calls 8\n"
        "    acme.matmul  " CHECKED "calls 9\n"
        "sums of cotangents\n"
        "  acme.add  " CHECKED "calls 11\n"
        "  module acme: /fixture/acme.so\n"
        "    sha256 abc\n");
    kci_free(text);
    kci_record_release(record);
}
END_TEST

static json_t *json_of(const kc_record_t *record)
{
    kc_error_t error = KC_ERROR_INIT;
    json_t *json = NULL;
    EXPECT_OK(error, kci_report_record_json(record, &json, &error));
    return json;
}

static void expect_json(json_t *found, const char *expected)
{
    json_error_t place;
    json_t *wanted = json_loads(expected, 0, &place);
    ck_assert_msg(wanted != NULL, "%s", place.text);
    char *text = json_dumps(found, JSON_COMPACT);
    ck_assert_msg(json_equal(found, wanted), "found %s", text);
    kci_free(text);
    json_decref(wanted);
}

#define CALL(op, name, calls)                                                  \
    "'op': '" op "', 'capsule': '" name                                        \
    "', 'provider': 'acme', 'module': 'acme', 'file': '/fixture/acme.so', "    \
    "'sha256': 'abc', 'calls': " calls
#define RULE(op, name, owner, rule, calls)                                     \
    "'op': '" op "', 'capsule': '" name "', 'owner': '" owner                  \
    "', 'rule': '" rule "', 'calls': " calls
#define TAPE "torchlean-tape"

static void with_double_quotes(char *text)
{
    for (; *text != '\0'; text++) {
        *text = *text == '\'' ? '"' : *text;
    }
}

START_TEST(lists_for_programs)
{
    char inner[] = "[{" CALL("matmul", "acme.matmul",
                             "2") ", 'serves': 'torchlean.x'},"
                                  " {" CALL("permute", "acme.permute",
                                            "3") ", 'serves': 'torchlean.x'}]";
    char backward[] = "[{" RULE(
        "relu", "acme.relu", TAPE, "runtime",
        "4") ", 'inner': []},"
             " {" RULE(
                 "gelu", "acme.own", "backend-vjp", "backend",
                 "5") ", "
                      "'file': '/fixture/acme.so', 'sha256': 'abc', 'inner': "
                      "[]},"
                      " {" RULE(
                          "matmul", "acme.matmul", TAPE, "composed",
                          "6") ", 'inner': "
                               "[{" CALL(
                                   "permute", "acme.permute",
                                   "7") "}, "
                                        "{" CALL(
                                            "matmul", "acme.matmul",
                                            "10") "}]},"
                                                  " {" RULE(
                                                      "scaled_dot_product_"
                                                      "attention",
                                                      "torchlean.x", TAPE,
                                                      "composed",
                                                      "8") ", 'inner': "
                                                           "[{" CALL(
                                                               "matmul",
                                                               "acme.matmul",
                                                               "9") "}]}]";
    char sums[] = "[{" CALL("add", "acme.add", "11") "}]";
    with_double_quotes(inner);
    with_double_quotes(backward);
    with_double_quotes(sums);
    kc_record_t *record = record_of_all_roles(false);
    json_t *json = json_of(record);
    ck_assert_uint_eq(json_array_size(json_object_get(json, "operations")), 2);
    expect_json(json_object_get(json, "inner"), inner);
    expect_json(json_object_get(json, "backward"), backward);
    expect_json(json_object_get(json, "sums"), sums);
    ck_assert_ptr_null(json_object_get(json, "times"));
    json_decref(json);
    kci_record_release(record);
}
END_TEST

/* An operation's time is its own, not that of the same capsule in a rule. */
START_TEST(times_are_kept_apart)
{
    kc_record_t *record = record_of_all_roles(true);
    json_t *json = json_of(record);
    json_t *times = json_object_get(json, "times");
    expect_json(json_object_get(times, "capsules"),
                "{\"acme.matmul\": 1000, \"acme.relu\": 1000}");
    json_t *others = json_object_get(times, "others");
    ck_assert_uint_eq(json_array_size(others), 10);
    expect_json(json_array_get(others, 9),
                "{\"kind\": \"sum\", \"capsule\": \"acme.add\", "
                "\"time\": 11000}");
    expect_json(json_array_get(others, 0),
                "{\"kind\": \"inner_forward\", \"capsule\": \"acme.matmul\", "
                "\"time\": 2000, \"serves\": \"torchlean.x\"}");
    json_decref(json);
    kci_record_release(record);
}
END_TEST

START_TEST(a_run_without_gradients_says_nothing_of_them)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_run_record_t run = {.profile = profile_of_files(),
                            .policy = fixture_policy(KC_DEVICE_CPU),
                            .has_time = true};
    note(&run, KCI_CALL_FORWARD, MATMUL, -1, 1);
    kc_record_t *record = NULL;
    EXPECT_OK(error, kci_record_create(&run, "eager", &record, &error));
    kci_run_record_release(&run);
    json_t *json = json_of(record);
    static const char *const keys[] = {"inner", "backward", "sums"};
    for (size_t idx = 0; idx < 3; idx++) {
        ck_assert_ptr_null(json_object_get(json, keys[idx]));
    }
    ck_assert_ptr_null(
        json_object_get(json_object_get(json, "times"), "others"));
    json_decref(json);
    kci_record_release(record);
}
END_TEST

Suite *suite_report_record_roles(void)
{
    Suite *suite = suite_create("report/record_roles");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, tables_for_people);
    tcase_add_test(tcase, lists_for_programs);
    tcase_add_test(tcase, times_are_kept_apart);
    tcase_add_test(tcase, a_run_without_gradients_says_nothing_of_them);
    suite_add_tcase(suite, tcase);
    return suite;
}
