/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of shape rules as text.
 */
#include "unit/ops/cases.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/label.h"

static const char *const dim_names[] = {"N", "M", NULL};

static const char *parse_extent(const char *text, int64_t *out)
{
    if (*text == 'N' || *text == 'M') {
        *out = *text == 'N' ? -1 : -2;
        return text + 1;
    }
    char *end = NULL;
    *out = strtoll(text, &end, 10);
    ck_assert_msg(end != text, "no extent in `%s`", text);
    return end;
}

/* "f32[2,3]" */
static const char *parse_type(const char *text, kci_tensor_type_t *out)
{
    char dtype[8] = "";
    size_t length = strcspn(text, "[");
    ck_assert_msg(text[length] == '[' && length < sizeof dtype, "type `%s`",
                  text);
    memcpy(dtype, text, length);
    ck_assert(kci_label_parse(&kci_dtypes, dtype, &out->dtype));
    text += length + 1;
    while (*text != ']') {
        text = parse_extent(text, &out->shape.dims[out->shape.rank++]);
        text += *text == ',';
    }
    return text + 1;
}

void operand_list_parse(operand_list_t *list, int32_t op, const char *text)
{
    memset(list, 0, sizeof *list);
    size_t count = 0;
    for (; *text != '\0'; count++) {
        ck_assert(count < KC_MAX_INPUTS);
        if (*text == '-') {
            text++;
        } else {
            text = parse_type(text, &list->types[count]);
            list->pointers[count] = &list->types[count];
        }
        text += *text == ' ';
    }
    list->request = (kci_op_request_t){.op = op,
                                       .input_count = count,
                                       .inputs = list->pointers,
                                       .dim_names = dim_names};
}

kc_status_t infer_text(operand_list_t *list, const char *attributes,
                       kc_attributes_t *out_attributes,
                       kci_tensor_type_t *out_type, kc_error_t *error)
{
    json_t *json = attributes == NULL ? NULL : json_loads(attributes, 0, NULL);
    ck_assert_msg(attributes == NULL || json != NULL, "bad JSON %s",
                  attributes);
    kc_status_t status = kci_op_attributes_from_json(&list->request, json,
                                                     out_attributes, error);
    if (status == KC_OK) {
        status = kci_op_infer(&list->request, out_attributes, out_type, error);
    }
    json_decref(json);
    return status;
}

static void check_error(const op_case_t *op_case, const kc_error_t *error)
{
    const char *message = error->message;
    const char *label = kci_label(&kci_ops, op_case->op);
    ck_assert_int_eq(error->status, KC_ERR_GRAPH);
    ck_assert_msg(strncmp(message, label, strlen(label)) == 0,
                  "%s is not named first in: %s", label, message);
    ck_assert_msg(op_case->error != NULL &&
                      strstr(message, op_case->error) != NULL,
                  "%s %s %s: no `%s` in: %s", label, op_case->inputs,
                  op_case->attributes, op_case->error, message);
    ck_assert(strchr(message, '\n') == NULL);
}

void check_op_case(const op_case_t *op_case)
{
    operand_list_t list;
    kc_attributes_t attributes;
    kci_tensor_type_t type = {.dtype = -7};
    kc_error_t error = KC_ERROR_INIT;
    char shape[KCI_SHAPE_TEXT_SIZE];
    char text[KCI_SHAPE_TEXT_SIZE + 8];
    operand_list_parse(&list, op_case->op, op_case->inputs);
    kc_status_t status =
        infer_text(&list, op_case->attributes, &attributes, &type, &error);
    if (status != KC_OK) {
        ck_assert_int_eq(status, KC_ERR_GRAPH);
        ck_assert_int_eq(type.dtype, -7); /* written on success only */
        check_error(op_case, &error);
        return;
    }
    kci_shape_format(type.shape.rank, type.shape.dims, dim_names, shape,
                     sizeof shape);
    snprintf(text, sizeof text, "%s%s", kci_label(&kci_dtypes, type.dtype),
             shape);
    ck_assert_msg(op_case->result != NULL, "%s %s: expected `%s`, found %s",
                  op_case->inputs, op_case->attributes, op_case->error, text);
    ck_assert_str_eq(text, op_case->result);
}
