/* SPDX-License-Identifier: Apache-2.0
 *
 * The operation catalogue and the kinds of graph files that lower to it.
 */
#include "report/report.h"

#include "base/label.h"
#include "graph/kinds.h"
#include "ops/vjp.h"
#include "plan/rule_text.h"

static const char *const vjp_rule_words[] = {
    [KCI_VJP_RULE_NONE] = "none is asked for",
    [KCI_VJP_RULE_COMPOSED] = "composed of catalogue operations",
    [KCI_VJP_RULE_RUNTIME] = "a rule of the runtime, on the cpu",
    [KCI_VJP_RULE_EITHER] = ("a rule of the runtime on the cpu, composed of "
                             "catalogue operations elsewhere")};

static const char *const attribute_kind_words[] = {
    [KCI_ATTRIBUTE_NUMBER] = "number",
    [KCI_ATTRIBUTE_INTEGER] = "integer",
    [KCI_ATTRIBUTE_SEED] = "64-bit integer",
    [KCI_ATTRIBUTE_BOOLEAN] = "boolean",
    [KCI_ATTRIBUTE_WORD] = "word",
    [KCI_ATTRIBUTE_INTEGERS] = "integer or list, one an axis",
    [KCI_ATTRIBUTE_SHAPE] = "list of integers"};

/* "2" or "1 to 3" or "2 or more" */
static void append_arity(const kci_op_info_t *info, kci_string_buffer_t *out)
{
    if (info->input_min == info->input_max) {
        kci_string_appendf(out, "%u", info->input_min);
    } else if (info->input_max >= KC_MAX_INPUTS) {
        kci_string_appendf(out, "%u or more", info->input_min);
    } else {
        kci_string_appendf(out, "%u to %u", info->input_min, info->input_max);
    }
}

void kci_report_ops_text(kci_string_buffer_t *out)
{
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        kci_string_appendf(out, "%-28s  %s\n", kci_label(&kci_ops, op),
                           kci_op_info(op)->doc);
    }
    kci_string_appendf(out,
                       "%d operations; `kcapsule ops OP` shows inputs, "
                       "attributes and kinds\n",
                       KC_OP_COUNT);
}

static size_t input_name_count(const kci_op_info_t *info)
{
    return info->input_max >= KC_MAX_INPUTS ? 1 : info->input_max;
}

static void append_inputs(const kci_op_info_t *info, kci_string_buffer_t *out)
{
    kci_string_append(out, "  inputs: ");
    append_arity(info, out);
    size_t count = input_name_count(info);
    for (size_t i = 0; i < count; i++) {
        bool is_optional = i >= info->input_min;
        kci_string_appendf(out, "%s%s%s%s", i == 0 ? ": " : ", ",
                           is_optional ? "[" : "", info->input_names[i],
                           is_optional ? "]" : "");
    }
    kci_string_append(out, "\n");
}

static void append_attribute(const kci_attribute_info_t *attribute,
                             kci_string_buffer_t *out)
{
    kci_string_appendf(out, "  attribute %s: %s", attribute->name,
                       attribute_kind_words[attribute->kind]);
    for (size_t i = 0; attribute->words != NULL && attribute->words[i] != NULL;
         i++) {
        kci_string_appendf(out, "%s%s", i == 0 ? " " : " | ",
                           attribute->words[i]);
    }
    if (attribute->default_text == NULL) {
        kci_string_append(out, ", required");
    } else {
        kci_string_appendf(out, ", default %s", attribute->default_text);
    }
    kci_string_appendf(out, "; %s\n", attribute->doc);
}

/* The names of the inputs whose bits are set; of a repeated input one. */
static void append_input_set(const kci_op_info_t *info, uint32_t inputs,
                             kci_string_buffer_t *out)
{
    const char *separator = "";
    for (size_t i = 0; i < input_name_count(info); i++) {
        if ((inputs >> i & 1u) != 0) {
            kci_string_appendf(out, "%s%s", separator, info->input_names[i]);
            separator = ", ";
        }
    }
}

static void append_ops(const char *head, uint64_t ops, kci_string_buffer_t *out)
{
    const char *separator = head;
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        if ((ops & KCI_OP_BIT(op)) != 0) {
            kci_string_appendf(out, "%s%s", separator, kci_label(&kci_ops, op));
            separator = ", ";
        }
    }
    kci_string_append(out, ops != 0 ? "\n" : "");
}

/* Whose rule, for which inputs, from which operands, made of what. */
static void append_rule(const kci_op_info_t *info, kci_string_buffer_t *out)
{
    const kci_vjp_info_t *rule = kci_vjp_info(info->op);
    kci_string_appendf(out, "  derivative rule of the tape: %s\n",
                       vjp_rule_words[rule->rule]);
    if (rule->rule != KCI_VJP_RULE_NONE) {
        char saved[256];
        kci_rule_format_operands(info->op, rule->saved_inputs,
                                 rule->saved_outputs, saved, sizeof saved);
        kci_string_append(out, "    gradients for ");
        append_input_set(info, rule->inputs, out);
        kci_string_appendf(out, "; saves %s\n", saved);
        append_ops("    may be composed of ", rule->inner_ops, out);
    }
    append_ops("  composition of provider " KCI_COMPOSITION_PROVIDER
               ": may be composed of ",
               kci_composition_inner_ops(info->op), out);
}

static void append_kinds(int32_t op, kci_string_buffer_t *out)
{
    const char *separator = "  kinds in graph files: ";
    for (int32_t i = 0; i < kci_kind_count(); i++) {
        if (kci_kind(i)->op == op) {
            kci_string_appendf(out, "%s%s", separator, kci_kind(i)->label);
            separator = ", ";
        }
    }
    kci_string_append(out, "\n");
}

void kci_report_op_text(int32_t op, kci_string_buffer_t *out)
{
    const kci_op_info_t *info = kci_op_info(op);
    kci_string_appendf(out, "%s: %s\n", kci_label(&kci_ops, op), info->doc);
    append_inputs(info, out);
    for (size_t i = 0; i < info->attribute_count; i++) {
        append_attribute(&info->attributes[i], out);
    }
    append_rule(info, out);
    append_kinds(op, out);
}

static json_t *attributes_json(const kci_op_info_t *info)
{
    json_t *list = json_array();
    for (size_t i = 0; i < info->attribute_count; i++) {
        const kci_attribute_info_t *attribute = &info->attributes[i];
        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:s?, s:s}", "name", attribute->name, "kind",
                      attribute_kind_words[attribute->kind], "default",
                      attribute->default_text, "doc", attribute->doc));
    }
    return list;
}

static json_t *ops_json(uint64_t ops)
{
    json_t *list = json_array();
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        if ((ops & KCI_OP_BIT(op)) != 0) {
            json_array_append_new(list, json_string(kci_label(&kci_ops, op)));
        }
    }
    return list;
}

static json_t *input_set_json(const kci_op_info_t *info, uint32_t inputs)
{
    json_t *list = json_array();
    for (size_t i = 0; i < input_name_count(info); i++) {
        if ((inputs >> i & 1u) != 0) {
            json_array_append_new(list, json_string(info->input_names[i]));
        }
    }
    return list;
}

static void add_rule(const kci_op_info_t *info, json_t *object)
{
    const kci_vjp_info_t *rule = kci_vjp_info(info->op);
    json_object_set_new(object, "vjp_inputs",
                        input_set_json(info, rule->inputs));
    json_object_set_new(object, "vjp_saved_inputs",
                        input_set_json(info, rule->saved_inputs));
    json_object_set_new(object, "vjp_saves_output",
                        json_boolean(rule->saved_outputs != 0));
    json_object_set_new(object, "vjp_inner_ops", ops_json(rule->inner_ops));
    json_object_set_new(object, "composition",
                        ops_json(kci_composition_inner_ops(info->op)));
}

json_t *kci_report_op_json(int32_t op)
{
    const kci_op_info_t *info = kci_op_info(op);
    json_t *names = json_array();
    for (size_t i = 0; i < input_name_count(info); i++) {
        json_array_append_new(names, json_string(info->input_names[i]));
    }
    json_t *kinds = json_array();
    for (int32_t i = 0; i < kci_kind_count(); i++) {
        if (kci_kind(i)->op == op) {
            json_array_append_new(kinds, json_string(kci_kind(i)->label));
        }
    }
    json_t *object = json_pack(
        "{s:s, s:s, s:I, s:I, s:o, s:o, s:b, s:s, s:o}", "op",
        kci_label(&kci_ops, op), "doc", info->doc, "input_min",
        (json_int_t)info->input_min, "input_max", (json_int_t)info->input_max,
        "inputs", names, "attributes", attributes_json(info), "requires_vjp",
        info->requires_vjp, "vjp_rule",
        vjp_rule_words[kci_vjp_info(info->op)->rule], "kinds", kinds);
    if (object != NULL) {
        add_rule(info, object);
    }
    return object;
}

json_t *kci_report_ops_json(void)
{
    json_t *list = json_array();
    for (int32_t op = 0; op < KC_OP_COUNT; op++) {
        json_array_append_new(list, kci_report_op_json(op));
    }
    return json_pack("{s:s, s:i, s:o}", "format", "kcapsule-ops", "version", 1,
                     "ops", list);
}
