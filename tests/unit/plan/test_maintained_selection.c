/* SPDX-License-Identifier: Apache-2.0
 *
 * What the maintained profiles must select, from contracts restated in the
 * tests and, where the module files are built, from those files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/label.h"
#include "plan/inner.h"
#include "plan/plan.h"
#include "registry/profile_load.h"
#include "unit/contract_fixture.h"
#include "unit/expect.h"
#include "unit/plan/suites.h"

#define ATTENTION KC_OP_SCALED_DOT_PRODUCT_ATTENTION

static kci_module_set_t memory_set;
static kci_module_set_t file_set;
static kci_search_path_t module_path;
static kci_search_path_t no_path;

/* Where no module file is built, the files are the restated contracts. */
static void setup(void)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_log_t silent = {NULL, NULL};
    memory_set = fixture_maintained_set();
    EXPECT_OK(error,
              kci_module_search_path(NULL, 0, &silent, &module_path, &error));
    EXPECT_OK(error,
              kci_module_search(&module_path, &silent, &file_set, &error));
}

static void teardown(void)
{
    fixture_set_release(&memory_set);
    kci_module_set_release(&file_set);
    kci_search_path_release(&module_path);
}

static bool has_module(const kci_module_set_t *set, const char *name)
{
    return kci_module_set_find(set, name) != NULL;
}

/* Tests run twice: 0 in memory, 1 from files. False: nothing to test. */
static bool choose_set(int place, const char *profile,
                       const kci_module_set_t **out_set)
{
    *out_set = place == 0 ? &memory_set : &file_set;
    return place == 0 || (has_module(&file_set, "attention") &&
                          has_module(&file_set, "native_cuda") &&
                          has_module(&file_set, "reference") &&
                          (strncmp(profile, "libtorch", 8) != 0 ||
                           has_module(&file_set, "libtorch")));
}

static kc_profile_t *load(const kci_module_set_t *set, const char *name,
                          const char *preference)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_profile_source_t source = {.modules = set, .profile_path = &no_path};
    kc_profile_t *profile = NULL;
    EXPECT_OK(error, kci_profile_load(&source, name, &profile, &error));
    if (preference == NULL) {
        return profile;
    }
    kc_policy_t policy = profile->policy;
    kc_profile_t *changed = NULL;
    EXPECT_OK(error, kci_policy_parse_preference(preference, &policy, &error));
    EXPECT_OK(error,
              kci_profile_with_policy(profile, &policy, &changed, &error));
    kci_profile_release(profile);
    return changed;
}

/* The name of the selected capsule, or "". */
static const char *selected(kc_profile_t *profile, int32_t op)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_plan_t *plan = NULL;
    EXPECT_OK(error, kci_plan_ops(profile, &op, 1, &plan, &error));
    uint16_t entry = plan->rows[0].entry;
    kci_plan_release(plan);
    return entry == KCI_NO_ENTRY ? "" : profile->entries[entry].capsule->name;
}

static const struct {
    const char *profile;
    const char *preference;
    const char *capsule;
} attention[] = {
    {"checked_cpu", NULL, "reference.attention"},
    {"checked_cpu", "only:native_cpu", ""},
    {"fast_cpu", NULL, "native_cpu.streaming_attention"},
    {"fast_cpu", "auto", "native_cpu.streaming_attention"},
    {"fast_cpu", "prefer:reference", "reference.attention"},
    {"libtorch_cpu", NULL, "libtorch.sdpa_forward"},
    {"libtorch_cpu", "auto", "reference.attention"},
    {"checked_cuda", NULL, "torchlean.composed_attention"},
    {"checked_cuda", "auto", "native_cuda.direct_attention"},
    {"checked_cuda", "only:native_cuda", "native_cuda.direct_attention"},
    {"checked_cuda", "only:libtorch", ""},
    {"libtorch_forward_cuda", NULL, "libtorch.sdpa_forward"},
    {"libtorch_forward_cuda", "auto", "native_cuda.direct_attention"},
    {"libtorch_forward_strict", NULL, "native_cuda.direct_attention"},
    {"libtorch_forward_strict", "only:libtorch", ""},
    {"libtorch_forward_strict", "prefer:torchlean",
     "torchlean.composed_attention"},
};
#define ATTENTION_COUNT ((int)(sizeof attention / sizeof *attention))

START_TEST(attention_as_in_the_specification)
{
    const kci_module_set_t *set = NULL;
    int row = _i % ATTENTION_COUNT;
    if (!choose_set(_i / ATTENTION_COUNT, attention[row].profile, &set)) {
        return;
    }
    kc_profile_t *profile =
        load(set, attention[row].profile, attention[row].preference);
    ck_assert_str_eq(selected(profile, ATTENTION), attention[row].capsule);
    kci_profile_release(profile);
}
END_TEST

static bool is_not_portable(int32_t op)
{
    return op == KC_OP_FFT_FNO || op == KC_OP_SELECTIVE_SCAN;
}

static void check_all(kc_profile_t *profile, const char *provider, bool has_all)
{
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        char name[KC_CAPSULE_NAME_SIZE] = "";
        if (has_all || !is_not_portable(op)) {
            snprintf(name, sizeof name, "%s.%s", provider,
                     kci_label(&kci_ops, op));
        }
        if (op != ATTENTION) {
            ck_assert_str_eq(selected(profile, op), name);
        }
    }
}

START_TEST(every_other_operation)
{
    const kci_module_set_t *set = NULL;
    if (!choose_set(_i, "libtorch_forward_cuda", &set)) {
        return;
    }
    kc_profile_t *cpu = load(set, "checked_cpu", NULL);
    check_all(cpu, "reference", false);
    kci_profile_release(cpu);
    cpu = load(set, "fast_cpu", NULL);
    check_all(cpu, "reference", false);
    kci_profile_release(cpu);
    cpu = load(set, "libtorch_cpu", NULL);
    check_all(cpu, "libtorch", true);
    kci_profile_release(cpu);
    static const char *const cuda[] = {"checked_cuda", "libtorch_forward_cuda",
                                       "libtorch_forward_strict"};
    for (size_t idx = 0; idx < 3; idx++) {
        kc_profile_t *profile = load(set, cuda[idx], NULL);
        check_all(profile, "native_cuda", true);
        kci_profile_release(profile);
    }
}
END_TEST

/* One extra provider that offers relu only: the rest stays as it was. */
START_TEST(switching_a_provider_on_switches_nothing_off)
{
    static const char text[] = "[profile]\nname = p\nprovider = prefer:acme\n"
                               "[availability]\n"
                               "providers = acme, reference, torchlean\n"
                               "[modules]\nprepend = acme\n";
    kc_error_t error = KC_ERROR_INIT;
    kc_capsule_record_t relu =
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU);
    fixture_set_add(&memory_set,
                    fixture_file("/fixture/acme.so", "acme", &relu, 1, NULL));
    kci_profile_source_t source = {.modules = &memory_set,
                                   .profile_path = &no_path};
    kc_profile_t *profile = NULL;
    EXPECT_OK(error, kci_profile_parse(&source, text, sizeof text - 1, "p",
                                       &profile, &error));
    ck_assert_str_eq(selected(profile, KC_OP_RELU), "acme.relu");
    ck_assert_str_eq(selected(profile, KC_OP_MATMUL), "reference.matmul");
    kci_profile_release(profile);
    profile = load(&memory_set, "checked_cpu", NULL);
    ck_assert_str_eq(selected(profile, KC_OP_RELU), "reference.relu");
    kci_profile_release(profile);
}
END_TEST

#define TRAINED_COUNT 5

/* Whatever a maintained contract leaves to the tape, the tape can do: its
 * rule runs there, it saves what the rule reads and no more, and the profile
 * that asks for it serves the rule's operations. */
START_TEST(every_maintained_capsule_trains)
{
    static const char *const names[] = {"checked_cpu", "fast_cpu",
                                        "checked_cuda", "libtorch_forward_cuda",
                                        "libtorch_cpu"};
    const kci_module_set_t *set = NULL;
    const char *name = names[_i % TRAINED_COUNT];
    if (!choose_set(_i / TRAINED_COUNT, name, &set)) {
        return;
    }
    kc_profile_t *profile = load(set, name, NULL);
    kci_case_t request = {.policy = &profile->policy,
                          .numerics = profile->numerics,
                          .plannable_ops = kci_inner_plannable_ops(
                              profile, &profile->policy, false)};
    size_t count = 0;
    for (size_t idx = 0; idx < profile->entry_count; idx++) {
        const kc_capsule_record_t *capsule = profile->entries[idx].capsule;
        request.entry = &profile->entries[idx];
        if (capsule->device != profile->policy.device ||
            !request.entry->is_provider_available) {
            continue;
        }
        count++;
        ck_assert_msg(kci_case_judge(&request) == KC_REASON_SELECTED, "%s: %d",
                      capsule->name, kci_case_judge(&request));
        if (capsule->vjp_mode == KC_VJP_TORCHLEAN_TAPE) {
            const kci_vjp_info_t *rule = kci_vjp_info(capsule->op);
            ck_assert_uint_eq(capsule->saved_inputs, rule->saved_inputs);
            ck_assert_uint_eq(capsule->saved_outputs, rule->saved_outputs);
        }
    }
    ck_assert_uint_ge(count, 45);
    kci_profile_release(profile);
}
END_TEST

Suite *suite_plan_maintained_selection(void)
{
    Suite *suite = suite_create("plan/maintained_selection");
    TCase *tcase = tcase_create("all");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, attention_as_in_the_specification, 0,
                        2 * ATTENTION_COUNT);
    tcase_add_loop_test(tcase, every_other_operation, 0, 2);
    tcase_add_loop_test(tcase, every_maintained_capsule_trains, 0,
                        2 * TRAINED_COUNT);
    tcase_add_test(tcase, switching_a_provider_on_switches_nothing_off);
    suite_add_tcase(suite, tcase);
    return suite;
}
