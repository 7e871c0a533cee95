/* SPDX-License-Identifier: Apache-2.0
 *
 * The derivative rule of one node by itself: both profiles differentiate the
 * operation at the operands of A with the cotangent that A's backward had
 * there, each in a session of its own, whose record says what served.
 */
#include <stdlib.h>
#include <string.h>
#include <kcapsule/tape.h>
#include <kcapsule/tensor.h>

#include "cli/diff_alone.h"
#include "cli/diff_compare.h"

/* Gradients for every floating-point operand; NULL where there is none. */
typedef struct answer {
    kc_tensor_t *gradients[KC_MAX_INPUTS];
    kc_record_t *record;
} answer_t;

static void release(answer_t *answer, size_t count)
{
    for (size_t idx = 0; idx < count; idx++) {
        kc_tensor_release(answer->gradients[idx]);
    }
    kc_record_release(answer->record);
    memset(answer, 0, sizeof *answer);
}

/* Operands without a cotangent whatever their type. */
static int has_gradient(const cli_diff_node_t *node,
                        const cli_diff_operands_t *operands, size_t place)
{
    int32_t op = node->type.op;
    if (operands->views[place] == NULL || op == KC_OP_RAND_UNIFORM ||
        op == KC_OP_BERNOULLI_MASK || (op == KC_OP_SAFE_LOG && place == 1) ||
        (op == KC_OP_BATCH_NORM && place > 2)) {
        return 0;
    }
    int32_t dtype = kc_tensor_dtype(operands->views[place]);
    return dtype == KC_DTYPE_F32 || dtype == KC_DTYPE_F64;
}

static kc_status_t apply(kc_tape_t *tape, const cli_diff_node_t *node,
                         const cli_diff_operands_t *operands,
                         kc_variable_t *leaves, kc_variable_t *out_result,
                         kc_error_t *error)
{
    for (size_t idx = 0; idx < operands->count; idx++) {
        uint32_t flags =
            has_gradient(node, operands, idx) ? KC_LEAF_GRADIENT : 0;
        memset(&leaves[idx], 0, sizeof leaves[idx]);
        if (operands->tensors[idx] == NULL) {
            continue;
        }
        kc_status_t status = kc_tape_leaf(tape, operands->tensors[idx], NULL,
                                          flags, &leaves[idx], error);
        if (status != KC_OK) {
            return status;
        }
    }
    return kc_tape_apply(tape, node->type.op, node->type.attributes, leaves,
                         operands->count, out_result, error);
}

static kc_status_t backward(kc_tape_t *tape, const cli_diff_node_t *node,
                            const cli_diff_operands_t *operands,
                            const DLTensor *cotangent, answer_t *answer,
                            kc_error_t *error)
{
    kc_variable_t leaves[KC_MAX_INPUTS];
    kc_variable_t wanted[KC_MAX_INPUTS];
    kc_tensor_t *found[KC_MAX_INPUTS];
    kc_variable_t result;
    size_t count = 0;
    kc_status_t status = apply(tape, node, operands, leaves, &result, error);
    for (size_t idx = 0; idx < operands->count; idx++) {
        if (has_gradient(node, operands, idx)) {
            wanted[count++] = leaves[idx];
        }
    }
    if (status != KC_OK || count == 0) {
        return status;
    }
    kc_backward_request_t request = {.struct_size = sizeof request,
                                     .outputs = &result,
                                     .seeds = &cotangent,
                                     .output_count = 1,
                                     .wanted = wanted,
                                     .out_gradients = found,
                                     .wanted_count = count};
    status = kc_tape_backward(tape, &request, error);
    count = 0;
    for (size_t idx = 0; status == KC_OK && idx < operands->count; idx++) {
        if (has_gradient(node, operands, idx)) {
            answer->gradients[idx] = found[count++];
        }
    }
    return status;
}

static kc_status_t ask(cli_diff_t *diff, uint32_t index, int side,
                       const cli_diff_operands_t *operands,
                       const DLTensor *cotangent, answer_t *out_answer,
                       kc_error_t *error)
{
    kc_session_t *session = NULL;
    kc_tape_t *tape = NULL;
    memset(out_answer, 0, sizeof *out_answer);
    kc_status_t status =
        kc_session_create(diff->runtime, diff->profiles[side],
                          KC_SESSION_GRADIENTS, &session, error);
    if (status == KC_OK) {
        status = kc_tape_create(session, &tape, error);
    }
    if (status == KC_OK) {
        status = backward(tape, &diff->nodes[index], operands, cotangent,
                          out_answer, error);
    }
    if (status == KC_OK) {
        status = kc_session_record(session, &out_answer->record, error);
    }
    kc_tape_release(tape);
    kc_session_release(session);
    return status;
}

static int is_same_record(const kc_record_t *a, const kc_record_t *b)
{
    size_t count = kc_record_row_count(a);
    if (kc_record_row_count(b) != count) {
        return 0;
    }
    for (size_t idx = 0; idx < count; idx++) {
        kc_record_row_t first = {.struct_size = sizeof first};
        kc_record_row_t second = {.struct_size = sizeof second};
        kc_record_row(a, idx, &first);
        kc_record_row(b, idx, &second);
        if (first.kind != second.kind ||
            strcmp(first.capsule, second.capsule) != 0 ||
            strcmp(first.module_name, second.module_name) != 0) {
            return 0;
        }
    }
    return 1;
}

/* What the operand's gradient adds up, under both profiles. */
static kc_status_t sum_terms(cli_diff_t *diff, uint32_t index, size_t place,
                             cli_diff_terms_t terms, double **out_terms,
                             kc_error_t *error)
{
    kc_tensor_t *owned[KC_MAX_INPUTS] = {NULL};
    kc_tensor_t *cotangent = NULL;
    kc_tensor_t *gradients[DIFF_SIDES] = {NULL, NULL};
    answer_t answers[DIFF_SIDES] = {{.record = NULL}, {.record = NULL}};
    cli_diff_operands_t operands;
    const DLTensor *seed = kc_tensor_view(diff->nodes[index].gradients[DIFF_A]);
    kc_status_t status =
        cli_diff_take_operands(diff, index, DIFF_A, &operands, error);
    if (status == KC_OK) {
        status = cli_diff_absolute(diff, seed, &cotangent, error);
    }
    if (status == KC_OK) {
        status =
            cli_diff_absolute_operands(diff, terms, &operands, owned, error);
    }
    for (int side = 0; side < DIFF_SIDES && status == KC_OK; side++) {
        status = ask(diff, index, side, &operands, kc_tensor_view(cotangent),
                     &answers[side], error);
        gradients[side] = answers[side].gradients[place];
    }
    if (status == KC_OK) {
        *out_terms = cli_diff_smaller(gradients);
        status = *out_terms != NULL ? KC_OK : KC_ERR_MEMORY;
    }
    for (size_t idx = 0; idx < operands.count; idx++) {
        kc_tensor_release(owned[idx]);
    }
    kc_tensor_release(cotangent);
    release(&answers[DIFF_A], operands.count);
    release(&answers[DIFF_B], operands.count);
    cli_diff_release_operands(&operands);
    return status;
}

static kc_status_t compare_bounded(cli_diff_t *diff, uint32_t index,
                                   const cli_diff_operands_t *operands,
                                   size_t place, const answer_t *answers,
                                   cli_diff_error_t *out_found,
                                   kc_error_t *error)
{
    cli_diff_node_t *node = &diff->nodes[index];
    const cli_diff_bound_t *bound = cli_diff_bound(node->type.op, 1);
    const DLTensor *gradient = kc_tensor_view(answers[DIFF_A].gradients[place]);
    cli_diff_allowed_t allowed;
    kc_status_t status = KC_OK;
    int is_complete =
        cli_diff_allowed_begin(diff, index, operands, gradient, &allowed);
    allowed.cotangent =
        cli_diff_doubles(kc_tensor_view(node->gradients[DIFF_A]));
    if (!is_complete || allowed.cotangent == NULL) {
        status = KC_ERR_MEMORY;
    }
    allowed.question.operand = (int32_t)place;
    allowed.question.cotangent = allowed.cotangent;
    if (status == KC_OK && bound->terms != DIFF_TERMS_NONE) {
        status =
            sum_terms(diff, index, place, bound->terms, &allowed.terms, error);
        allowed.question.terms = allowed.terms;
    }
    if (status == KC_OK) {
        bound->fill(&allowed.question, allowed.allowed);
        cli_diff_compare(gradient,
                         kc_tensor_view(answers[DIFF_B].gradients[place]),
                         DIFF_BOUNDED, allowed.allowed, out_found);
    }
    cli_diff_allowed_end(&allowed);
    return status;
}

static kc_status_t compare(cli_diff_t *diff, uint32_t index,
                           const cli_diff_operands_t *operands,
                           const answer_t *answers, kc_error_t *error)
{
    cli_diff_node_t *node = &diff->nodes[index];
    const cli_diff_bound_t *bound = cli_diff_bound(node->type.op, 1);
    kc_status_t status = KC_OK;
    cli_diff_rule_t rule = node->is_rule_shared  ? DIFF_EQUAL_BITS
                           : bound->fill != NULL ? DIFF_BOUNDED
                                                 : DIFF_NO_BOUND;
    for (size_t idx = 0; idx < operands->count && status == KC_OK; idx++) {
        cli_diff_error_t found = {.rule = DIFF_NOT_COMPARED};
        if (answers[DIFF_A].gradients[idx] == NULL) {
            continue;
        }
        if (rule == DIFF_BOUNDED) {
            status = compare_bounded(diff, index, operands, idx, answers,
                                     &found, error);
        } else {
            cli_diff_compare(kc_tensor_view(answers[DIFF_A].gradients[idx]),
                             kc_tensor_view(answers[DIFF_B].gradients[idx]),
                             rule, NULL, &found);
        }
        found.operand = (int32_t)idx;
        if (status == KC_OK) {
            cli_diff_merge(&node->alone_gradient, &found);
        }
    }
    return status;
}

kc_status_t cli_diff_run_rule(cli_diff_t *diff, uint32_t index,
                              kc_error_t *error)
{
    cli_diff_node_t *node = &diff->nodes[index];
    answer_t answers[DIFF_SIDES] = {{.record = NULL}, {.record = NULL}};
    cli_diff_operands_t operands;
    const DLTensor *cotangent = kc_tensor_view(node->gradients[DIFF_A]);
    kc_status_t status =
        cli_diff_take_operands(diff, index, DIFF_A, &operands, error);
    for (int side = 0; side < DIFF_SIDES && status == KC_OK; side++) {
        status =
            ask(diff, index, side, &operands, cotangent, &answers[side], error);
    }
    if (status == KC_OK) {
        node->is_rule_shared =
            is_same_record(answers[DIFF_A].record, answers[DIFF_B].record);
        status = compare(diff, index, &operands, answers, error);
    }
    release(&answers[DIFF_A], operands.count);
    release(&answers[DIFF_B], operands.count);
    cli_diff_release_operands(&operands);
    return status;
}
