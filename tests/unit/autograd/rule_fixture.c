/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Compositions are evaluated here step by step, so that a rule is tested
 * without the tape. */
#include "unit/autograd/rule_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/dtype.h"
#include "unit/autograd/composed_rule.h"
#include "unit/autograd/draw.h"
#include "unit/built_modules.h"
#include "unit/expect.h"

void rule_fixture_begin(rule_fixture_t *fixture, uint32_t thread_count)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_log_t log = {0};
    kc_profile_t *profile = built_checked_cpu();
    kci_host_allocator_init(&fixture->allocator, NULL, NULL, NULL);
    EXPECT_OK(error, kci_host_create(&fixture->allocator, &log, thread_count,
                                     &fixture->host, &error));
    EXPECT_OK(error, kci_session_create(fixture->host, profile, false,
                                        &fixture->session, &error));
    kci_profile_release(profile);
}

void rule_fixture_end(rule_fixture_t *fixture)
{
    kci_session_destroy(fixture->session);
    kci_host_release(fixture->host);
}

void rule_set_element(kc_tensor_t *tensor, int64_t place, double value)
{
    void *data = kc_tensor_data(&tensor->view);
    switch (kc_tensor_dtype(&tensor->view)) {
    case KC_DTYPE_F32:
        ((float *)data)[place] = (float)value;
        break;
    case KC_DTYPE_F64:
        ((double *)data)[place] = value;
        break;
    case KC_DTYPE_I32:
        ((int32_t *)data)[place] = (int32_t)value;
        break;
    case KC_DTYPE_I64:
        ((int64_t *)data)[place] = (int64_t)value;
        break;
    default:
        ((unsigned char *)data)[place] = value != 0;
        break;
    }
}

double rule_element(const kc_tensor_t *tensor, int64_t place)
{
    const void *data = kc_tensor_data(&tensor->view);
    switch (kc_tensor_dtype(&tensor->view)) {
    case KC_DTYPE_F32:
        return ((const float *)data)[place];
    case KC_DTYPE_F64:
        return ((const double *)data)[place];
    case KC_DTYPE_I32:
        return ((const int32_t *)data)[place];
    case KC_DTYPE_I64:
        return (double)((const int64_t *)data)[place];
    default:
        return ((const unsigned char *)data)[place];
    }
}

kc_tensor_t *rule_tensor(rule_fixture_t *fixture, int32_t dtype, int32_t rank,
                         const int64_t *dims, const double *elements)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_tensor_t *tensor = NULL;
    EXPECT_OK(error, kci_tensor_create(&fixture->allocator, dtype, rank, dims,
                                       &tensor, &error));
    for (int64_t i = 0; i < kc_tensor_element_count(&tensor->view); i++) {
        rule_set_element(tensor, i, elements == NULL ? 0 : elements[i]);
    }
    return tensor;
}

kc_tensor_t *rule_random(rule_fixture_t *fixture, int32_t dtype, int32_t rank,
                         const int64_t *dims, uint64_t seed)
{
    kc_tensor_t *tensor = rule_tensor(fixture, dtype, rank, dims, NULL);
    uint64_t state = seed + UINT64_C(0x9e3779b97f4a7c15);
    (void)draw_number(&state);
    for (int64_t i = 0; i < kc_tensor_element_count(&tensor->view); i++) {
        rule_set_element(tensor, i, draw_number(&state));
    }
    return tensor;
}

void rule_operands_release(rule_operands_t *operands)
{
    for (size_t i = 0; i < operands->input_count; i++) {
        kci_tensor_release(operands->inputs[i]);
        operands->inputs[i] = NULL;
    }
}

kc_tensor_t *rule_forward(rule_fixture_t *fixture,
                          const rule_operands_t *operands)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_tensor_t *output = NULL;
    const DLTensor *views[RULE_INPUTS_MAX] = {NULL};
    for (size_t i = 0; i < operands->input_count; i++) {
        views[i] =
            operands->inputs[i] == NULL ? NULL : &operands->inputs[i]->view;
    }
    EXPECT_OK(error, kci_session_apply(fixture->session, operands->op,
                                       operands->attributes, views,
                                       operands->input_count, &output, &error));
    return output;
}

static kci_tensor_type_t type_of(const kc_tensor_t *tensor)
{
    kci_tensor_type_t type = {.dtype = kc_tensor_dtype(&tensor->view),
                              .shape = {.rank = tensor->view.ndim}};
    memcpy(type.shape.dims, tensor->view.shape,
           (size_t)tensor->view.ndim * sizeof(int64_t));
    return type;
}

/* The attributes as the catalogue's rule resolves them. */
static kc_attributes_t resolve(const rule_operands_t *operands)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                  .op = operands->op};
    kci_tensor_type_t types[RULE_INPUTS_MAX];
    kci_tensor_type_t result;
    const kci_tensor_type_t *pointers[RULE_INPUTS_MAX] = {NULL};
    if (operands->attributes != NULL) {
        attributes = *operands->attributes;
    }
    for (size_t i = 0; i < operands->input_count; i++) {
        if (operands->inputs[i] != NULL) {
            types[i] = type_of(operands->inputs[i]);
            pointers[i] = &types[i];
        }
    }
    kci_op_request_t request = {.op = operands->op,
                                .input_count = operands->input_count,
                                .inputs = pointers};
    EXPECT_OK(error, kci_op_infer(&request, &attributes, &result, &error));
    return attributes;
}

static kc_tensor_t *literal_tensor(rule_fixture_t *fixture,
                                   const kci_composition_t *composition,
                                   const kci_literal_t *literal)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_tensor_t *tensor = NULL;
    const kci_tensor_type_t *type = kci_term_type(composition, literal->term);
    EXPECT_OK(error, kci_tensor_create(&fixture->allocator, type->dtype,
                                       type->shape.rank, type->shape.dims,
                                       &tensor, &error));
    if (literal->size_bytes != 0) {
        memcpy(kc_tensor_data(&tensor->view), literal->bytes,
               literal->size_bytes);
    }
    return tensor;
}

/* A tensor for each term. */
static kc_tensor_t **evaluate(rule_fixture_t *fixture,
                              const kci_composition_t *composition,
                              kc_tensor_t *const *arguments)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_tensor_t **values =
        calloc(composition->term_count + 1, sizeof(kc_tensor_t *));
    ck_assert_ptr_nonnull(values);
    EXPECT_OK(error, kci_composition_status(composition, &error));
    for (size_t i = 0; i < composition->term_count; i++) {
        if (composition->terms[i].source == KCI_TERM_ARGUMENT) {
            EXPECT_OK(error,
                      kci_tensor_share(arguments[composition->terms[i].slot],
                                       &values[i], &error));
        }
    }
    for (size_t i = 0; i < composition->literal_count; i++) {
        const kci_literal_t *literal = &composition->literals[i];
        values[literal->term] = literal_tensor(fixture, composition, literal);
    }
    for (size_t i = 0; i < composition->step_count; i++) {
        const kci_composition_step_t *step = &composition->steps[i];
        const DLTensor *views[KC_MAX_INPUTS] = {NULL};
        for (uint32_t k = 0; k < step->operand_count; k++) {
            kci_term_t term = composition->operands[step->first_operand + k];
            views[k] = term == KCI_NO_TERM ? NULL : &values[term]->view;
        }
        EXPECT_OK(error,
                  kci_session_apply(
                      fixture->session, step->op,
                      kci_composition_attributes(composition, step), views,
                      step->operand_count, &values[step->result], &error));
    }
    return values;
}

typedef struct vjp_request {
    const rule_operands_t *operands;
    const kc_tensor_t *output;
    const kc_tensor_t *cotangent;
    const bool *wanted;
    kc_attributes_t attributes;
} vjp_request_t;

/* The tensors that the arguments of the composition stand for. */
static void gather_arguments(const composed_rule_t *rule,
                             const vjp_request_t *request,
                             kc_tensor_t **arguments)
{
    for (uint32_t slot = 0; slot < rule->composition.argument_count; slot++) {
        size_t place = rule->places[slot];
        const kc_tensor_t *tensor = place == COMPOSED_OUTPUT ? request->output
                                    : place == COMPOSED_COTANGENT
                                        ? request->cotangent
                                        : request->operands->inputs[place];
        arguments[slot] = (kc_tensor_t *)tensor;
    }
}

/* The cotangents among the values, zeros where the rule states them. */
static void take_results(rule_fixture_t *fixture, const composed_rule_t *rule,
                         const vjp_request_t *request,
                         kc_tensor_t *const *values, kc_tensor_t **out)
{
    kc_error_t error = KC_ERROR_INIT;
    for (size_t i = 0; i < request->operands->input_count; i++) {
        const kc_tensor_t *input = request->operands->inputs[i];
        kci_term_t result = rule->results[i];
        out[i] = NULL;
        if (!rule->wanted[i]) {
            continue;
        }
        if (result == KCI_NO_TERM) {
            out[i] = rule_tensor(fixture, kc_tensor_dtype(&input->view),
                                 input->view.ndim, input->view.shape, NULL);
            continue;
        }
        EXPECT_OK(error, kci_tensor_share(values[result], &out[i], &error));
    }
}

static void run_composed(rule_fixture_t *fixture, const vjp_request_t *request,
                         kc_tensor_t **out)
{
    const rule_operands_t *operands = request->operands;
    kci_tensor_type_t types[RULE_INPUTS_MAX];
    const kci_tensor_type_t *pointers[RULE_INPUTS_MAX] = {NULL};
    kc_tensor_t *arguments[RULE_INPUTS_MAX + 2] = {NULL};
    composed_rule_t rule;
    for (size_t i = 0; i < operands->input_count; i++) {
        if (operands->inputs[i] != NULL) {
            types[i] = type_of(operands->inputs[i]);
            pointers[i] = &types[i];
        }
    }
    composed_case_t from = {.op = operands->op,
                            .attributes = operands->attributes,
                            .types = pointers,
                            .input_count = operands->input_count,
                            .wanted = request->wanted};
    composed_rule_begin(&rule, &from);
    gather_arguments(&rule, request, arguments);
    kc_tensor_t **values = evaluate(fixture, &rule.composition, arguments);
    take_results(fixture, &rule, request, values, out);
    for (size_t i = 0; i < rule.composition.term_count; i++) {
        kci_tensor_release(values[i]);
    }
    free(values);
    composed_rule_end(&rule);
}

/* Views that a rule of the runtime is called with. */
typedef struct vjp_views {
    const DLTensor *inputs[KC_MAX_INPUTS];
    DLTensor *outputs[KC_MAX_OUTPUTS];
    const DLTensor *cotangents_out[KC_MAX_OUTPUTS];
    DLTensor *cotangents_in[KC_MAX_INPUTS];
} vjp_views_t;

/* A rule has to write every element. */
static void fill_with_rubbish(DLTensor *view)
{
    size_t count = (size_t)kc_tensor_element_count(view);
    if (count != 0) {
        memset(kc_tensor_data(view), 0xab, count * (view->dtype.bits / 8u));
    }
}

static void make_views(rule_fixture_t *fixture, const vjp_request_t *request,
                       vjp_views_t *views, kc_tensor_t **out)
{
    kc_error_t error = KC_ERROR_INIT;
    const rule_operands_t *operands = request->operands;
    const kci_vjp_info_t *info = kci_vjp_info(operands->op);
    for (size_t i = 0; i < operands->input_count; i++) {
        out[i] = NULL;
        if (operands->inputs[i] == NULL) {
            continue;
        }
        if ((info->saved_inputs >> i & 1u) != 0) {
            views->inputs[i] = &operands->inputs[i]->view;
        }
        if (request->wanted[i]) {
            kci_tensor_type_t type = type_of(operands->inputs[i]);
            EXPECT_OK(error, kci_tensor_create(&fixture->allocator, type.dtype,
                                               type.shape.rank, type.shape.dims,
                                               &out[i], &error));
            views->cotangents_in[i] = &out[i]->view;
            fill_with_rubbish(&out[i]->view);
        }
    }
    views->cotangents_out[0] = &request->cotangent->view;
    if (info->saved_outputs != 0) {
        views->outputs[0] = (DLTensor *)&request->output->view;
    }
}

static void run_runtime(rule_fixture_t *fixture, const vjp_request_t *request,
                        kc_tensor_t **out)
{
    kc_error_t error = KC_ERROR_INIT;
    const rule_operands_t *operands = request->operands;
    const kci_rule_t *rule = kci_rule(operands->op);
    vjp_views_t views = {.inputs = {NULL}};
    void *workspace = NULL;
    size_t size = 0;
    make_views(fixture, request, &views, out);
    kc_call_t call = {.struct_size = sizeof call,
                      .op = operands->op,
                      .input_count = (uint32_t)operands->input_count,
                      .output_count = 1,
                      .inputs = views.inputs,
                      .outputs = views.outputs,
                      .attributes = &request->attributes,
                      .host = &fixture->host->interface,
                      .error = &error,
                      .cotangents_out = views.cotangents_out,
                      .cotangents_in = views.cotangents_in};
    if (rule->workspace != NULL) {
        EXPECT_OK(error, rule->workspace(&call, &size));
        workspace = aligned_alloc(64, (size + 64) / 64 * 64);
        ck_assert_ptr_nonnull(workspace);
        memset(workspace, 0xcd, (size + 64) / 64 * 64);
    }
    call.workspace = workspace;
    call.workspace_size = size;
    EXPECT_OK(error, rule->run(&call));
    free(workspace);
}

void rule_vjp(rule_fixture_t *fixture, rule_kind_t kind,
              const rule_operands_t *operands, const kc_tensor_t *output,
              const kc_tensor_t *cotangent, const bool *wanted,
              kc_tensor_t **out_cotangents)
{
    vjp_request_t request = {.operands = operands,
                             .output = output,
                             .cotangent = cotangent,
                             .wanted = wanted,
                             .attributes = resolve(operands)};
    if (kind == RULE_COMPOSED) {
        run_composed(fixture, &request, out_cotangents);
    } else {
        run_runtime(fixture, &request, out_cotangents);
    }
}
