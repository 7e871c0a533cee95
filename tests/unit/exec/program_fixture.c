/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Backward steps appended by hand. */
#include "unit/exec/program_fixture.h"

#include <string.h>

#include "audit/accept.h"
#include "base/alloc.h"
#include "unit/expect.h"

rule_log_t rule_log;

static kc_status_t relu(const kc_call_t *call)
{
    const float *x = kc_tensor_data(call->inputs[0]);
    float *y = kc_tensor_data(call->outputs[0]);
    int64_t count = kc_tensor_element_count(call->outputs[0]);
    for (int64_t i = 0; i < count; i++) {
        y[i] = x[i] > 0 ? x[i] : 0;
    }
    return KC_OK;
}

static kc_status_t add(const kc_call_t *call)
{
    const float *a = kc_tensor_data(call->inputs[0]);
    const float *b = kc_tensor_data(call->inputs[1]);
    float *y = kc_tensor_data(call->outputs[0]);
    int64_t count = kc_tensor_element_count(call->outputs[0]);
    for (int64_t i = 0; i < count; i++) {
        y[i] = a[i] + b[i];
    }
    return KC_OK;
}

/* Where the output is positive, which is saved as the input is. */
static kc_status_t relu_rule(const kc_call_t *call)
{
    const float *x = kc_tensor_data(call->inputs[0]);
    const float *y = kc_tensor_data(call->outputs[0]);
    const float *g = kc_tensor_data(call->cotangents_out[0]);
    float *gx = kc_tensor_data(call->cotangents_in[0]);
    int64_t count = kc_tensor_element_count(call->cotangents_in[0]);
    rule_log.relu_count++;
    rule_log.in_place_count += gx == x || gx == y || gx == g;
    rule_log.workspace_size = call->workspace_size;
    memset(call->workspace, 0xee, call->workspace_size);
    for (int64_t i = 0; i < count; i++) {
        gx[i] = x[i] > 0 && y[i] == x[i] ? g[i] : 0;
    }
    if (rule_log.relu_count == rule_log.fail_at) {
        return kc_call_fail(call, KC_ERR_KERNEL, "asked to fail");
    }
    return KC_OK;
}

static kc_status_t relu_rule_workspace(const kc_call_t *call, size_t *out_size)
{
    (void)call;
    *out_size = RELU_RULE_WORKSPACE;
    return KC_OK;
}

static kc_status_t add_rule(const kc_call_t *call)
{
    const float *g = kc_tensor_data(call->cotangents_out[0]);
    rule_log.add_count++;
    rule_log.input_count = call->input_count;
    for (int k = 0; k < 2; k++) {
        DLTensor *view = call->cotangents_in[k];
        rule_log.has_wanted[k] = view != NULL;
        if (view == NULL) {
            continue;
        }
        float *gx = kc_tensor_data(view);
        rule_log.cotangents[k] = gx;
        for (int64_t i = 0; i < kc_tensor_element_count(view); i++) {
            gx[i] = (float)(k + 1) * g[i];
        }
    }
    return KC_OK;
}

static kc_profile_t *make_profile(void)
{
    kc_capsule_record_t capsules[] = {
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU),
        fixture_capsule("acme.add", KC_OP_ADD, "acme", KC_DEVICE_CPU)};
    kc_handler_t handlers[] = {handler_for(KC_OP_RELU, "acme", relu),
                               handler_for(KC_OP_ADD, "acme", add)};
    fixture_set_vjp(&capsules[0], KC_VJP_BACKEND);
    capsules[0].saved_inputs = 1;
    capsules[0].saved_outputs = 1;
    capsules[0].limits.overwrites = 7; /* about the forward only */
    capsules[1].limits.overwrites = 3;
    handlers[0].vjp = relu_rule;
    handlers[0].vjp_workspace = relu_rule_workspace;
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_capsule_module_t *module =
        handler_module("acme", capsules, 2, handlers, 2);
    rule_log = (rule_log_t){0};
    return fixture_profile(&policy, &module, 1);
}

void program_begin(program_case_t *at, kc_graph_t *graph)
{
    memset(at, 0, sizeof *at);
    host_fixture_begin(&at->host, 1);
    at->error = (kc_error_t)KC_ERROR_INIT;
    at->profile = make_profile();
    at->relu = 0;
    at->add = 1;
    at->graph = graph;
    EXPECT_OK(at->error,
              kci_plan_graph(at->profile, graph, &at->plan, &at->error));
    EXPECT_OK(at->error,
              kci_program_create(at->plan, &at->program, &at->error));
    at->plan->program = at->program;
    at->plan->release_program = kci_program_destroy;
}

void program_end(program_case_t *at)
{
    kci_executor_destroy(at->executor);
    kci_plan_release(at->plan);
    kci_graph_release(at->graph);
    kci_profile_release(at->profile);
    host_fixture_end(&at->host);
}

uint32_t program_value(program_case_t *at, uint32_t like,
                       kci_value_source_t source, uint32_t slot)
{
    kci_tensor_type_t type;
    uint32_t value = KCI_NO_VALUE;
    kci_program_value_type(at->program, like, &type);
    EXPECT_OK(at->error, kci_program_add_value(at->program, &type, source, slot,
                                               &value, &at->error));
    return value;
}

uint32_t program_seed(program_case_t *at, uint32_t node, uint32_t slot)
{
    return program_value(at, node, KCI_VALUE_SEED, slot);
}

uint32_t program_relu_rule(program_case_t *at, uint32_t node,
                           uint32_t cotangent)
{
    uint32_t parent = kci_graph_parents(at->graph, node)[0];
    uint32_t result = program_value(at, parent, KCI_VALUE_STEP, KCI_NO_VALUE);
    const uint32_t operands[] = {parent, node, cotangent};
    kci_step_spec_t spec = {.step = {.node = node,
                                     .op = KC_OP_RELU,
                                     .entry = at->relu,
                                     .served = KCI_NO_ENTRY,
                                     .role = KCI_CALL_VJP,
                                     .is_backend = true},
                            .operands = operands,
                            .operand_count = 3,
                            .results = &result,
                            .result_count = 1};
    EXPECT_OK(at->error, kci_program_add_step(at->program, &spec, &at->error));
    return result;
}

void program_add_rule(program_case_t *at, uint32_t node, uint32_t cotangent,
                      uint32_t wanted, uint32_t *out_cotangents)
{
    const uint32_t operands[] = {KCI_NO_VALUE, KCI_NO_VALUE, cotangent};
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t parent = kci_graph_parents(at->graph, node)[k];
        out_cotangents[k] =
            (wanted >> k & 1u) != 0
                ? program_value(at, parent, KCI_VALUE_STEP, KCI_NO_VALUE)
                : KCI_NO_VALUE;
    }
    kci_step_spec_t spec = {.step = {.node = node,
                                     .op = KC_OP_ADD,
                                     .entry = at->add,
                                     .served = KCI_NO_ENTRY,
                                     .role = KCI_CALL_VJP},
                            .run = add_rule,
                            .operands = operands,
                            .operand_count = 3,
                            .results = out_cotangents,
                            .result_count = 2};
    EXPECT_OK(at->error, kci_program_add_step(at->program, &spec, &at->error));
}

uint32_t program_sum(program_case_t *at, uint32_t node, uint32_t a, uint32_t b)
{
    uint32_t result = program_value(at, a, KCI_VALUE_STEP, KCI_NO_VALUE);
    const uint32_t operands[] = {a, b};
    kci_step_spec_t spec = {.step = {.node = node,
                                     .op = KC_OP_ADD,
                                     .entry = at->add,
                                     .served = KCI_NO_ENTRY,
                                     .role = KCI_CALL_SUM},
                            .operands = operands,
                            .operand_count = 2,
                            .results = &result,
                            .result_count = 1};
    EXPECT_OK(at->error, kci_program_add_step(at->program, &spec, &at->error));
    return result;
}

void program_note_rule(program_case_t *at, uint32_t node)
{
    kci_program_rule_t rule = {
        .node = node, .op = KC_OP_ADD, .entry = at->add, .is_composed = true};
    EXPECT_OK(at->error,
              kci_program_add_rule(at->program, &rule, NULL, 0, &at->error));
}

static kci_program_port_t *
copy_ports(program_case_t *at, const kci_program_port_t *ports, size_t count)
{
    void *copy = NULL;
    EXPECT_OK(at->error,
              kci_alloc_array(count, sizeof *ports, &copy, &at->error));
    if (count > 0) {
        memcpy(copy, ports, count * sizeof *ports);
    }
    return copy;
}

void program_ports(program_case_t *at, const kci_program_port_t *seeds,
                   size_t seed_count, const kci_program_port_t *gradients,
                   size_t gradient_count)
{
    at->program->seeds = copy_ports(at, seeds, seed_count);
    at->program->seed_count = seed_count;
    at->program->gradients = copy_ports(at, gradients, gradient_count);
    at->program->gradient_count = gradient_count;
}

void program_compile(program_case_t *at, const kci_named_tensor_t *consts,
                     size_t const_count)
{
    kc_accepted_plan_t *accepted = NULL;
    EXPECT_OK(at->error, kci_accept_plan(at->plan, &at->profile->policy,
                                         &accepted, NULL, NULL, &at->error));
    EXPECT_OK(at->error,
              kci_executor_create(at->host.host, accepted, consts, const_count,
                                  NULL, &at->executor, &at->error));
    kci_accepted_plan_release(accepted);
}
