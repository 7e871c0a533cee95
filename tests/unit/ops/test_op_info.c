/* SPDX-License-Identifier: Apache-2.0
 *
 * The table as a whole: every operation has a complete entry.
 */
#include "ops/op_info.h"

#include <string.h>
#include "base/label.h"
#include "base/number.h"
#include "ops/vjp.h"
#include "unit/ops/suites.h"

START_TEST(every_entry_is_complete)
{
    const kci_op_info_t *info = kci_op_info(_i);
    ck_assert_int_eq(info->op, _i);
    ck_assert(info->infer != NULL);
    ck_assert(info->doc != NULL && info->doc[0] != '\0');
    ck_assert(strchr(info->doc, '\n') == NULL);
    ck_assert(info->input_min <= info->input_max);
    ck_assert(info->input_max <= KC_MAX_INPUTS);
    ck_assert(info->input_max == 0 || info->input_kinds != NULL);
    uint32_t names = info->has_repeated_input ? 1 : info->input_max;
    for (uint32_t i = 0; i < names; i++) {
        ck_assert(info->input_names[i] != NULL);
    }
}
END_TEST

START_TEST(only_random_sources_need_no_derivative)
{
    const kci_op_info_t *info = kci_op_info(_i);
    bool is_random = _i == KC_OP_RAND_UNIFORM || _i == KC_OP_BERNOULLI_MASK;
    ck_assert(info->requires_vjp == !is_random);
    ck_assert((kci_vjp_info(_i)->rule == KCI_VJP_RULE_NONE) == is_random);
}
END_TEST

static bool is_word(const kci_attribute_info_t *attribute)
{
    for (const char *const *word = attribute->words; *word != NULL; word++) {
        if (strcmp(*word, attribute->default_text) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_other_attribute(const kci_op_info_t *info,
                               const kci_attribute_info_t *attribute)
{
    for (const kci_attribute_info_t *other = info->attributes;
         other < attribute; other++) {
        if (strcmp(other->name, attribute->default_text) == 0) {
            return other->kind == attribute->kind;
        }
    }
    return false;
}

/* A default reads as its kind, or names an earlier attribute. */
static bool has_good_default(const kci_op_info_t *info,
                             const kci_attribute_info_t *attribute)
{
    int64_t integer = 0;
    uint64_t seed = 0;
    const char *text = attribute->default_text;
    switch (attribute->kind) {
    case KCI_ATTRIBUTE_NUMBER: /* a formula is a default, too */
        return text[0] != '\0';
    case KCI_ATTRIBUTE_SEED:
        return kci_parse_uint64(text, &seed);
    case KCI_ATTRIBUTE_BOOLEAN:
        return strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
    case KCI_ATTRIBUTE_WORD:
        return is_word(attribute);
    case KCI_ATTRIBUTE_SHAPE:
        return false;
    default:
        return kci_parse_int64(text, &integer) ||
               is_other_attribute(info, attribute);
    }
}

START_TEST(every_attribute_is_complete)
{
    const kci_op_info_t *info = kci_op_info(_i);
    for (size_t i = 0; i < info->attribute_count; i++) {
        const kci_attribute_info_t *attribute = &info->attributes[i];
        ck_assert(attribute->name[0] != '\0');
        ck_assert(attribute->doc[0] != '\0');
        ck_assert(attribute->offset >= offsetof(kc_attributes_t, u));
        ck_assert(attribute->offset < sizeof(kc_attributes_t));
        ck_assert((attribute->words != NULL) ==
                  (attribute->kind == KCI_ATTRIBUTE_WORD));
        ck_assert_msg(attribute->default_text == NULL ||
                          has_good_default(info, attribute),
                      "%s %s", kci_label(&kci_ops, _i), attribute->name);
    }
}
END_TEST

START_TEST(records_are_where_handlers_look)
{
    ck_assert(kci_op_has_attributes(KC_OP_CONV));
    ck_assert(kci_op_has_attributes(KC_OP_HARD_MASKED_SOFTMAX));
    ck_assert(!kci_op_has_attributes(KC_OP_RELU));
    ck_assert(!kci_op_has_attributes(KC_OP_MATMUL));
}
END_TEST

START_TEST(kinds_take_the_dtypes_that_they_name)
{
    for (int32_t kind = 0; kind <= KCI_OPERAND_ANY; kind++) {
        const char *text = kci_operand_kind_dtypes((kci_operand_kind_t)kind);
        for (int32_t dtype = 0; dtype < KC_DTYPE_COUNT; dtype++) {
            const char *label = kci_label(&kci_dtypes, dtype);
            ck_assert_msg(
                kci_operand_kind_takes((kci_operand_kind_t)kind, dtype) ==
                    (strstr(text, label) != NULL),
                "%s in %s", label, text);
        }
        ck_assert(!kci_operand_kind_takes((kci_operand_kind_t)kind, -1));
        ck_assert(
            !kci_operand_kind_takes((kci_operand_kind_t)kind, KC_DTYPE_COUNT));
    }
    ck_assert(kci_operand_kind_follows(KCI_OPERAND_FLOAT_SCALAR));
    ck_assert(kci_operand_kind_follows(KCI_OPERAND_ANY));
    ck_assert(!kci_operand_kind_follows(KCI_OPERAND_INDICES));
}
END_TEST

START_TEST(a_repeated_input_has_one_kind)
{
    const kci_op_info_t *concat = kci_op_info(KC_OP_CONCAT);
    const kci_op_info_t *gather = kci_op_info(KC_OP_GATHER);
    ck_assert_int_eq(kci_op_input_kind(concat, 40), concat->input_kinds[0]);
    ck_assert_int_eq(kci_op_input_kind(gather, 1), KCI_OPERAND_INDICES);
}
END_TEST

Suite *suite_ops_op_info(void)
{
    Suite *suite = suite_create("ops/op_info");
    TCase *tcase = tcase_create("table");
    tcase_add_loop_test(tcase, every_entry_is_complete, 0, KC_OP_COUNT);
    tcase_add_loop_test(tcase, only_random_sources_need_no_derivative, 0,
                        KC_OP_COUNT);
    tcase_add_loop_test(tcase, every_attribute_is_complete, 0, KC_OP_COUNT);
    tcase_add_test(tcase, records_are_where_handlers_look);
    tcase_add_test(tcase, kinds_take_the_dtypes_that_they_name);
    tcase_add_test(tcase, a_repeated_input_has_one_kind);
    suite_add_tcase(suite, tcase);
    return suite;
}
