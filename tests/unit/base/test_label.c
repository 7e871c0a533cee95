/* SPDX-License-Identifier: Apache-2.0
 *
 * Labels: every value of every vocabulary goes to its label and back.
 */
#include "base/label.h"

#include <string.h>
#include "unit/base/suites.h"

static const kci_vocabulary_t *const vocabularies[] = {
    &kci_ops,       &kci_devices,     &kci_trusts,      &kci_vjp_modes,
    &kci_layouts,   &kci_obligations, &kci_reductions,  &kci_claims,
    &kci_evidences, &kci_dtypes,      &kci_invariances,
};

START_TEST(every_label_goes_there_and_back)
{
    const kci_vocabulary_t *vocabulary = vocabularies[_i];
    ck_assert_int_gt(vocabulary->count, 1);
    for (int32_t value = 0; value < vocabulary->count; value++) {
        int32_t parsed = -1;
        const char *label = kci_label(vocabulary, value);
        ck_assert(kci_label_parse(vocabulary, label, &parsed));
        ck_assert_int_eq(parsed, value);
    }
}
END_TEST

START_TEST(known_labels)
{
    int32_t value = -1;
    ck_assert_int_eq(kci_ops.count, 47);
    ck_assert_str_eq(kci_label(&kci_ops, KC_OP_MATMUL), "matmul");
    ck_assert_str_eq(kci_label(&kci_dtypes, KC_DTYPE_BOOL), "bool");
    ck_assert(kci_label_parse(&kci_devices, "cuda", &value));
    ck_assert_int_eq(value, KC_DEVICE_CUDA);
}
END_TEST

START_TEST(what_is_not_in_the_list_is_unknown)
{
    int32_t value = 5;
    ck_assert_str_eq(kci_label(&kci_ops, -1), "unknown");
    ck_assert_str_eq(kci_label(&kci_ops, KC_OP_COUNT), "unknown");
    ck_assert(!kci_label_parse(&kci_ops, "Matmul", &value));
    ck_assert(!kci_label_parse(&kci_ops, "matmu", &value));
    ck_assert(!kci_label_parse(&kci_ops, "", &value));
    ck_assert_int_eq(value, 5);
}
END_TEST

START_TEST(lists_are_cut_to_size)
{
    char text[64];
    kci_label_list(&kci_dtypes, text, sizeof text);
    ck_assert_str_eq(text, "f32, f64, bool, i32, i64");
    kci_label_list(&kci_dtypes, text, 8);
    ck_assert_str_eq(text, "f32, f6");
    kci_label_list(&kci_dtypes, text, 1);
    ck_assert_str_eq(text, "");
    kci_label_list(&kci_dtypes, text, 0);
}
END_TEST

START_TEST(provider_labels_have_a_form)
{
    char long_label[65];
    memset(long_label, 'a', sizeof long_label);
    long_label[64] = '\0';
    ck_assert(!kci_is_provider_label(long_label));
    long_label[63] = '\0';
    ck_assert(kci_is_provider_label(long_label));
    ck_assert(kci_is_provider_label("native_cuda"));
    ck_assert(kci_is_provider_label("a-1.b"));
    ck_assert(!kci_is_provider_label(""));
    ck_assert(!kci_is_provider_label("1a"));
    ck_assert(!kci_is_provider_label("Acme"));
    ck_assert(!kci_is_provider_label("ac me"));
    ck_assert(!kci_is_provider_label(NULL));
}
END_TEST

Suite *suite_base_label(void)
{
    Suite *suite = suite_create("base/label");
    TCase *tests = tcase_create("label");
    tcase_add_loop_test(tests, every_label_goes_there_and_back, 0,
                        (int)(sizeof vocabularies / sizeof *vocabularies));
    tcase_add_test(tests, known_labels);
    tcase_add_test(tests, what_is_not_in_the_list_is_unknown);
    tcase_add_test(tests, lists_are_cut_to_size);
    tcase_add_test(tests, provider_labels_have_a_form);
    suite_add_tcase(suite, tests);
    return suite;
}
