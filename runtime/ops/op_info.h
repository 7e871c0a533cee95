/* SPDX-License-Identifier: Apache-2.0
 *
 * The operation catalogue: what each of the 47 operations takes, which
 * attributes it has with which defaults, what shape it gives and whether it
 * asks for a derivative rule. One file a family defines the entries;
 * op_info.c is the one table of all.
 */
#ifndef KC_OPS_OP_INFO_H
#define KC_OPS_OP_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <jansson.h>
#include <kcapsule/attributes.h>
#include <kcapsule/status.h>
#include "tensor/shape.h"

/* What is known of an operand before it exists. In graphs that are not bound
 * a leading extent may be a name (negative, see tensor/shape.h). */
typedef struct kci_tensor_type {
    int32_t dtype;
    kci_shape_t shape;
} kci_tensor_type_t;

/* An operation about to be checked. `inputs[i]` is NULL for an optional
 * input that is absent. `dim_names` serves error messages. */
typedef struct kci_op_request {
    int32_t op;
    size_t input_count;
    const kci_tensor_type_t *const *inputs;
    const char *const *dim_names;
} kci_op_request_t;

typedef enum kci_attribute_kind {
    KCI_ATTRIBUTE_NUMBER,   /* double; "inf", "-inf", "nan" allowed */
    KCI_ATTRIBUTE_INTEGER,  /* int64 */
    KCI_ATTRIBUTE_SEED,     /* uint64, number or "0x..." */
    KCI_ATTRIBUTE_BOOLEAN,  /* int32 0 or 1 */
    KCI_ATTRIBUTE_WORD,     /* int32, index into `words` */
    KCI_ATTRIBUTE_INTEGERS, /* int64 array; one entry a (spatial) axis */
    KCI_ATTRIBUTE_SHAPE     /* int64 array with its rank */
} kci_attribute_kind_t;

typedef struct kci_attribute_info {
    const char *name;
    kci_attribute_kind_t kind;
    size_t offset;            /* in kc_attributes_t */
    const char *default_text; /* as printed and parsed; NULL: required */
    const char *const *words; /* NULL-terminated, for WORD */
    const char *doc;          /* a few words */
} kci_attribute_info_t;

/* What an operand must be. The float operands of one operation have one
 * dtype, likewise the operands that may be anything. */
typedef enum kci_operand_kind {
    KCI_OPERAND_FLOAT,        /* f32 or f64 */
    KCI_OPERAND_FLOAT_SCALAR, /* f32 or f64 of rank 0 */
    KCI_OPERAND_MASK,         /* bool */
    KCI_OPERAND_INDICES,      /* i32 or i64 of rank 1 */
    KCI_OPERAND_ANY
} kci_operand_kind_t;

typedef struct kci_op_info {
    int32_t op;
    uint32_t input_min;
    uint32_t input_max;
    const char *const *input_names; /* input_max of them, or the repeated one */
    const kci_operand_kind_t *input_kinds; /* likewise */
    bool has_repeated_input;               /* names and kinds: one entry */
    const kci_attribute_info_t *attributes;
    size_t attribute_count;
    bool requires_vjp;
    const char *doc; /* one line: what it computes */
    /* Checks inputs and attributes, resolves the attributes that depend on
     * the inputs, writes the type of the output. */
    kc_status_t (*infer)(const kci_op_request_t *request,
                         kc_attributes_t *attributes,
                         kci_tensor_type_t *out_type, kc_error_t *error);
} kci_op_info_t;

/* Of a valid kc_op_t; never NULL. */
const kci_op_info_t *kci_op_info(int32_t op);
/* What the input of number `index` must be. */
static inline kci_operand_kind_t kci_op_input_kind(const kci_op_info_t *info,
                                                   size_t index)
{
    return info->input_kinds[info->has_repeated_input ? 0 : index];
}
/* `dtype` may be negative: none of ours. */
static inline bool kci_operand_kind_takes(kci_operand_kind_t kind,
                                          int32_t dtype)
{
    switch (kind) {
    case KCI_OPERAND_MASK:
        return dtype == KC_DTYPE_BOOL;
    case KCI_OPERAND_INDICES:
        return dtype == KC_DTYPE_I32 || dtype == KC_DTYPE_I64;
    case KCI_OPERAND_ANY:
        return dtype >= 0 && dtype < KC_DTYPE_COUNT;
    default:
        return dtype == KC_DTYPE_F32 || dtype == KC_DTYPE_F64;
    }
}
/* Whether its dtype must be that of the first operand. */
static inline bool kci_operand_kind_follows(kci_operand_kind_t kind)
{
    return kind != KCI_OPERAND_MASK && kind != KCI_OPERAND_INDICES;
}
/* "f32 or f64": the dtypes it takes, for a message. */
const char *kci_operand_kind_dtypes(kci_operand_kind_t kind);

/* Whether a handler finds something in the record: attributes of files, or
 * ones that the rule resolves. */
bool kci_op_has_attributes(int32_t op);

/* Checks arity, dtypes, attributes and shapes of one operation and gives the
 * type of its output; resolves `attributes` in place (e.g. attention's
 * default scale, given as NaN). The record may be NULL for an operation
 * without attributes; a negative extent is a name only where `dim_names` is
 * given. Every violation is one line that names the operation, what
 * was expected and what was found; status KC_ERR_GRAPH. */
KC_MUST_USE kc_status_t kci_op_infer(const kci_op_request_t *request,
                                     kc_attributes_t *attributes,
                                     kci_tensor_type_t *out_type,
                                     kc_error_t *error);

/* Attributes from a JSON object (NULL: none given) by the operation's table:
 * defaults filled in, unknown keys and wrong types refused. Array attributes
 * take a list or one number for all axes; their length comes from the input
 * types (spatial rank) where it is needed. */
KC_MUST_USE kc_status_t kci_op_attributes_from_json(
    const kci_op_request_t *request, const json_t *object,
    kc_attributes_t *out_attributes, kc_error_t *error);

/* Random streams: ops.md 7.1. */
uint64_t kci_random_key(uint64_t seed, uint64_t counter);

#endif
