/* SPDX-License-Identifier: Apache-2.0
 *
 * Each node by itself: the capsule of B on the operands that A had. This is
 * what a numerical policy can be held to, since an error of an earlier node
 * cannot be blamed on a later one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <kcapsule/tensor.h>

#include "cli/diff_alone.h"
#include "cli/diff_compare.h"
#include "cli/message.h"

/* A composition has no code: each profile chooses what it is made of. */
static int is_composed(const kc_capsule_record_t *capsule)
{
    return strcmp(capsule->provider, "torchlean") == 0;
}

static int has_code_on_both_sides(const cli_diff_node_t *node)
{
    return node->capsules[DIFF_A] != NULL && node->capsules[DIFF_B] != NULL &&
           !is_composed(node->capsules[DIFF_A]) &&
           !is_composed(node->capsules[DIFF_B]);
}

/* The same file made both results: nothing could tell them apart. */
static int is_same_capsule(const cli_diff_node_t *node)
{
    return strcmp(node->capsules[DIFF_A]->name, node->capsules[DIFF_B]->name) ==
               0 &&
           strcmp(node->modules[DIFF_A], node->modules[DIFF_B]) == 0;
}

/* Whether policies of both sides fix every bit: no sum at all, or sums in one
 * stated order. */
static int have_same_order(const cli_diff_node_t *node)
{
    const kc_numerical_policy_t *a = &node->capsules[DIFF_A]->numerics;
    const kc_numerical_policy_t *b = &node->capsules[DIFF_B]->numerics;
    if (a->reduction != b->reduction) {
        return 0;
    }
    return a->reduction == KC_REDUCTION_NOT_APPLICABLE ||
           (a->reduction == KC_REDUCTION_FIXED_LEFT && a->order[0] != 0 &&
            strcmp(a->order, b->order) == 0);
}

static cli_diff_rule_t rule_of_value(const cli_diff_node_t *node)
{
    const cli_diff_bound_t *bound = cli_diff_bound(node->type.op, 0);
    if (has_code_on_both_sides(node) &&
        (is_same_capsule(node) ||
         (have_same_order(node) && !bound->is_transcendental))) {
        return DIFF_EQUAL_BITS;
    }
    return bound->fill != NULL ? DIFF_BOUNDED : DIFF_NO_BOUND;
}

static int is_float(const DLTensor *view)
{
    int32_t dtype = kc_tensor_dtype(view);
    return dtype == KC_DTYPE_F32 || dtype == KC_DTYPE_F64;
}

kc_status_t cli_diff_absolute(const cli_diff_t *diff, const DLTensor *view,
                              kc_tensor_t **out_tensor, kc_error_t *error)
{
    int32_t dtype = kc_tensor_dtype(view);
    int64_t count = kc_tensor_element_count(view);
    kc_status_t status = kc_tensor_create(diff->runtime, dtype, view->ndim,
                                          view->shape, out_tensor, error);
    if (status != KC_OK) {
        return status;
    }
    void *to = kc_tensor_data(kc_tensor_view(*out_tensor));
    const void *from = kc_tensor_data(view);
    for (int64_t idx = 0; idx < count; idx++) {
        if (dtype == KC_DTYPE_F32) {
            ((float *)to)[idx] = fabsf(((const float *)from)[idx]);
        } else {
            ((double *)to)[idx] = fabs(((const double *)from)[idx]);
        }
    }
    return KC_OK;
}

kc_status_t cli_diff_absolute_operands(const cli_diff_t *diff,
                                       cli_diff_terms_t terms,
                                       cli_diff_operands_t *operands,
                                       kc_tensor_t **owned, kc_error_t *error)
{
    kc_status_t status = KC_OK;
    for (size_t idx = 0; idx < operands->count && status == KC_OK; idx++) {
        int is_wanted =
            terms == DIFF_TERMS_ALL || (terms == DIFF_TERMS_VALUES && idx == 2);
        if (!is_wanted || operands->views[idx] == NULL ||
            !is_float(operands->views[idx])) {
            continue;
        }
        status =
            cli_diff_absolute(diff, operands->views[idx], &owned[idx], error);
        if (status == KC_OK) {
            operands->tensors[idx] = owned[idx];
            operands->views[idx] = kc_tensor_view(owned[idx]);
        }
    }
    return status;
}

/* Of two sums of absolute values the smaller: a side that is wrong cannot
 * widen what it is held to. */
double *cli_diff_smaller(kc_tensor_t *const tensors[DIFF_SIDES])
{
    double *first = cli_diff_doubles(kc_tensor_view(tensors[DIFF_A]));
    double *second = cli_diff_doubles(kc_tensor_view(tensors[DIFF_B]));
    int64_t count = kc_tensor_element_count(kc_tensor_view(tensors[DIFF_A]));
    for (int64_t idx = 0; first != NULL && second != NULL && idx < count;
         idx++) {
        first[idx] = fmin(fabs(first[idx]), fabs(second[idx]));
    }
    free(second);
    return first;
}

static kc_status_t sum_terms(cli_diff_t *diff, uint32_t index,
                             cli_diff_terms_t terms, double **out_terms,
                             kc_error_t *error)
{
    const cli_diff_node_t *node = &diff->nodes[index];
    kc_tensor_t *owned[KC_MAX_INPUTS] = {NULL};
    kc_tensor_t *results[DIFF_SIDES] = {NULL, NULL};
    cli_diff_operands_t operands;
    kc_status_t status =
        cli_diff_take_operands(diff, index, DIFF_A, &operands, error);
    if (status == KC_OK) {
        status =
            cli_diff_absolute_operands(diff, terms, &operands, owned, error);
    }
    for (int side = 0; side < DIFF_SIDES && status == KC_OK; side++) {
        status = kc_session_apply(diff->sessions[side], node->type.op,
                                  node->type.attributes, operands.views,
                                  operands.count, &results[side], error);
    }
    if (status == KC_OK) {
        *out_terms = cli_diff_smaller(results);
        status = *out_terms != NULL ? KC_OK : KC_ERR_MEMORY;
    }
    for (size_t idx = 0; idx < operands.count; idx++) {
        kc_tensor_release(owned[idx]);
    }
    kc_tensor_release(results[DIFF_A]);
    kc_tensor_release(results[DIFF_B]);
    cli_diff_release_operands(&operands);
    return status;
}

int cli_diff_allowed_begin(const cli_diff_t *diff, uint32_t index,
                           const cli_diff_operands_t *operands,
                           const DLTensor *result,
                           cli_diff_allowed_t *out_allowed)
{
    const cli_diff_node_t *node = &diff->nodes[index];
    int is_double = kc_tensor_dtype(result) == KC_DTYPE_F64;
    cli_diff_allowed_t *at = out_allowed;
    memset(at, 0, sizeof *at);
    int is_complete = 1;
    for (size_t idx = 0; idx < operands->count; idx++) {
        if (operands->views[idx] != NULL) {
            at->x[idx] = cli_diff_doubles(operands->views[idx]);
            is_complete = is_complete && at->x[idx] != NULL;
        }
    }
    at->operand_count = operands->count;
    at->forward = cli_diff_doubles(kc_tensor_view(node->values[DIFF_A]));
    at->value = cli_diff_doubles(result);
    at->allowed =
        calloc((size_t)kc_tensor_element_count(result) + 1, sizeof(double));
    at->question =
        (cli_diff_question_t){.op = node->type.op,
                              .operand = -1,
                              .unit = is_double ? 0x1p-53 : 0x1p-24,
                              .tiny = is_double ? 0x1p-1022 : 0x1p-126,
                              .attributes = node->type.attributes,
                              .operands = operands->views,
                              .x = at->x,
                              .operand_count = operands->count,
                              .output = kc_tensor_view(node->values[DIFF_A]),
                              .forward = at->forward,
                              .result = result,
                              .value = at->value};
    return is_complete && at->forward != NULL && at->value != NULL &&
           at->allowed != NULL;
}

void cli_diff_allowed_end(cli_diff_allowed_t *allowed)
{
    for (size_t idx = 0; idx < allowed->operand_count; idx++) {
        free(allowed->x[idx]);
    }
    free(allowed->forward);
    free(allowed->value);
    free(allowed->cotangent);
    free(allowed->terms);
    free(allowed->allowed);
    memset(allowed, 0, sizeof *allowed);
}

static kc_status_t compare_bounded(cli_diff_t *diff, uint32_t index,
                                   const cli_diff_operands_t *operands,
                                   kc_tensor_t *other, kc_error_t *error)
{
    cli_diff_node_t *node = &diff->nodes[index];
    const cli_diff_bound_t *bound = cli_diff_bound(node->type.op, 0);
    const DLTensor *value = kc_tensor_view(node->values[DIFF_A]);
    cli_diff_allowed_t allowed;
    kc_status_t status = KC_OK;
    if (!cli_diff_allowed_begin(diff, index, operands, value, &allowed)) {
        status = KC_ERR_MEMORY;
    }
    if (status == KC_OK && bound->terms != DIFF_TERMS_NONE) {
        status = sum_terms(diff, index, bound->terms, &allowed.terms, error);
        allowed.question.terms = allowed.terms;
    }
    if (status == KC_OK) {
        bound->fill(&allowed.question, allowed.allowed);
        cli_diff_compare(value, kc_tensor_view(other), DIFF_BOUNDED,
                         allowed.allowed, &node->alone);
    }
    cli_diff_allowed_end(&allowed);
    return status;
}

static kc_status_t run_node(cli_diff_t *diff, uint32_t index, kc_error_t *error)
{
    cli_diff_node_t *node = &diff->nodes[index];
    cli_diff_rule_t rule = rule_of_value(node);
    cli_diff_operands_t operands;
    kc_tensor_t *other = NULL;
    kc_status_t status =
        cli_diff_take_operands(diff, index, DIFF_A, &operands, error);
    if (status == KC_OK) {
        status = kc_session_apply(diff->sessions[DIFF_B], node->type.op,
                                  node->type.attributes, operands.views,
                                  operands.count, &other, error);
    }
    if (status == KC_OK && rule == DIFF_BOUNDED &&
        is_float(kc_tensor_view(other))) {
        status = compare_bounded(diff, index, &operands, other, error);
    } else if (status == KC_OK) {
        cli_diff_compare(
            kc_tensor_view(node->values[DIFF_A]), kc_tensor_view(other),
            rule == DIFF_BOUNDED ? DIFF_EQUAL_BITS : rule, NULL, &node->alone);
    }
    kc_tensor_release(other);
    cli_diff_release_operands(&operands);
    return status;
}

int cli_diff_run_alone(cli_diff_t *diff)
{
    for (uint32_t idx = 0; idx < diff->node_count; idx++) {
        kc_error_t error = KC_ERROR_INIT;
        if (diff->nodes[idx].type.op < 0) {
            continue;
        }
        kc_status_t status = run_node(diff, idx, &error);
        if (status == KC_OK && diff->nodes[idx].gradients[DIFF_A] != NULL) {
            status = cli_diff_run_rule(diff, idx, &error);
        }
        if (status != KC_OK) {
            cli_say("node %u (%s) by itself: %s", (unsigned)idx,
                    diff->nodes[idx].type.kind, error.message);
            return cli_exit_code_of_run(status);
        }
    }
    return CLI_DONE;
}
