/* SPDX-License-Identifier: Apache-2.0
 *
 * What the rules of all families share: operands by place, errors that name
 * the operation, and the checks that more than one family makes.
 *
 * A negative extent is a name (tensor/shape.h). Rules compare it with itself
 * only; one that needs its number asks kci_rule_known.
 */
#ifndef KC_OPS_RULE_H
#define KC_OPS_RULE_H

#include "base/error.h"
#include "ops/op_info.h"

/* Enough for 16 usual extents; a longer text is cut, so that two fit into
 * one message. */
#define KCI_RULE_SHAPE_SIZE 160

/* NULL for an optional operand that is absent. */
const kci_tensor_type_t *kci_rule_operand(const kci_op_request_t *request,
                                          size_t index);
/* The name of operand `index`, "input" past the list. */
const char *kci_rule_operand_name(int32_t op, size_t index);

/* "OPERATION: message", status KC_ERR_GRAPH. */
KC_MUST_USE kc_status_t kci_rule_fail(const kci_op_request_t *request,
                                      kc_error_t *error, const char *format,
                                      ...) KC_PRINTF(3, 4);
void kci_rule_format(const kci_op_request_t *request, const kci_shape_t *shape,
                     char out[KCI_RULE_SHAPE_SIZE]);

KC_MUST_USE kc_status_t kci_rule_equal_shapes(const kci_op_request_t *request,
                                              size_t first, size_t second,
                                              kc_error_t *error);
/* The operand, which may be absent, has exactly the expected shape. */
KC_MUST_USE kc_status_t kci_rule_shape_is(const kci_op_request_t *request,
                                          size_t index,
                                          const kci_shape_t *expected,
                                          kc_error_t *error);
KC_MUST_USE kc_status_t kci_rule_rank_at_least(const kci_op_request_t *request,
                                               size_t index, int32_t rank,
                                               kc_error_t *error);
/* 0 <= axis < rank of operand `index`; `name` is the attribute's. */
KC_MUST_USE kc_status_t kci_rule_axis(const kci_op_request_t *request,
                                      const char *name, int64_t axis,
                                      size_t index, kc_error_t *error);
/* Elements of `shape` without its name, overflow checked; `what` is put in
 * front of the error. */
KC_MUST_USE kc_status_t kci_rule_count(const kci_op_request_t *request,
                                       const kci_shape_t *shape,
                                       const char *what, int64_t *out_count,
                                       kc_error_t *error);
/* The extent of this axis is a number and not a name. */
KC_MUST_USE kc_status_t kci_rule_known(const kci_op_request_t *request,
                                       size_t index, int32_t axis,
                                       kc_error_t *error);
/* Finite and, rounded to float32, still not zero or infinite. */
KC_MUST_USE kc_status_t kci_rule_float32(const kci_op_request_t *request,
                                         const char *name, double value,
                                         kc_error_t *error);
/* kci_rule_float32 and above zero. */
KC_MUST_USE kc_status_t kci_rule_epsilon(const kci_op_request_t *request,
                                         double value, kc_error_t *error);

/* 0 <= value < count: records of an application are not believed either. */
KC_MUST_USE kc_status_t kci_rule_choice(const kci_op_request_t *request,
                                        const char *name, int64_t value,
                                        int64_t count, kc_error_t *error);
/* The target shape of an attribute record; its rank is checked. */
KC_MUST_USE kc_status_t kci_rule_target(const kci_op_request_t *request,
                                        int64_t rank, const int64_t *dims,
                                        kci_shape_t *out, kc_error_t *error);

kci_shape_t kci_rule_vector(int64_t extent);
void kci_rule_remove_axis(kci_shape_t *shape, int64_t axis);
/* A copy in which the named leading extent, if any, is 1. */
kci_shape_t kci_rule_without_name(const kci_shape_t *shape);

#endif
