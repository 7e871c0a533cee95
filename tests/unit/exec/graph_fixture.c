/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Graphs and handlers of the exec tests. */
#include "unit/exec/graph_fixture.h"

#include <string.h>

#include "audit/accept.h"
#include "base/json.h"
#include "unit/expect.h"

acme_log_t acme_log;

kc_graph_builder_t *graph_begin(void)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_builder_t *builder = NULL;
    EXPECT_OK(error, kci_graph_builder_create("test", &builder, &error));
    return builder;
}

uint32_t graph_node(kc_graph_builder_t *builder, const kci_node_spec_t *spec,
                    const char *attributes)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_node_spec_t node = *spec;
    json_t *json = NULL;
    uint32_t id = 0;
    if (attributes != NULL) {
        EXPECT_OK(error, kci_json_parse(attributes, strlen(attributes),
                                        "attributes", &json, &error));
        node.attributes = json;
    }
    EXPECT_OK(error, kci_graph_builder_add(builder, &node, &id, &error));
    json_decref(json);
    return id;
}

static uint32_t vector_node(kc_graph_builder_t *builder, const char *kind,
                            const char *name, const uint32_t *parents,
                            uint32_t parent_count)
{
    kci_node_spec_t spec = {.kind = kind,
                            .parents = parents,
                            .parent_count = parent_count,
                            .dtype = KC_DTYPE_F32,
                            .rank = 1,
                            .dims = DIMS(VECTOR),
                            .name = name};
    return graph_node(builder, &spec, NULL);
}

uint32_t graph_input(kc_graph_builder_t *builder, const char *name)
{
    return vector_node(builder, "input", name, NULL, 0);
}

uint32_t graph_const(kc_graph_builder_t *builder, const char *name)
{
    return vector_node(builder, "const", name, NULL, 0);
}

uint32_t graph_unary(kc_graph_builder_t *builder, const char *kind,
                     uint32_t parent)
{
    return vector_node(builder, kind, NULL, &parent, 1);
}

uint32_t graph_binary(kc_graph_builder_t *builder, const char *kind, uint32_t a,
                      uint32_t b)
{
    return vector_node(builder, kind, NULL, (const uint32_t[]){a, b}, 2);
}

void graph_output(kc_graph_builder_t *builder, const char *name, uint32_t node)
{
    kc_error_t error = KC_ERROR_INIT;
    EXPECT_OK(error, kci_graph_builder_output(builder, name, node, &error));
}

kc_graph_t *graph_end(kc_graph_builder_t *builder)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_graph_t *graph = NULL;
    EXPECT_OK(error, kci_graph_builder_finish(builder, &graph, &error));
    return graph;
}

int acme_call_count(void)
{
    return acme_log.relu_count + acme_log.add_count + acme_log.reshape_count;
}

static kc_status_t note_call(const kc_call_t *call)
{
    if (kc_tensor_data(call->outputs[0]) == kc_tensor_data(call->inputs[0])) {
        acme_log.in_place_count++;
    }
    if (acme_log.fail_at > 0 && acme_call_count() == acme_log.fail_at) {
        return kc_call_fail(call, KC_ERR_KERNEL, "asked to fail");
    }
    return KC_OK;
}

static kc_status_t acme_relu(const kc_call_t *call)
{
    const float *x = kc_tensor_data(call->inputs[0]);
    float *y = kc_tensor_data(call->outputs[0]);
    int64_t count = kc_tensor_element_count(call->outputs[0]);
    acme_log.relu_count++;
    acme_log.workspace_size = call->workspace_size;
    for (int64_t i = 0; i < count; i++) {
        y[i] = x[i] > 0 ? x[i] : 0;
    }
    if (call->workspace_size > 0) {
        memset(call->workspace, 0xee, call->workspace_size);
    }
    return note_call(call);
}

static kc_status_t acme_add(const kc_call_t *call)
{
    const float *a = kc_tensor_data(call->inputs[0]);
    const float *b = kc_tensor_data(call->inputs[1]);
    float *y = kc_tensor_data(call->outputs[0]);
    int64_t count = kc_tensor_element_count(call->outputs[0]);
    acme_log.add_count++;
    for (int64_t i = 0; i < count; i++) {
        y[i] = a[i] + b[i];
    }
    return note_call(call);
}

static kc_status_t acme_reshape(const kc_call_t *call)
{
    const void *x = kc_tensor_data(call->inputs[0]);
    void *y = kc_tensor_data(call->outputs[0]);
    acme_log.reshape_count++;
    if (x != y) {
        memcpy(y, x,
               sizeof(float) *
                   (size_t)kc_tensor_element_count(call->outputs[0]));
    }
    return note_call(call);
}

static size_t wanted_workspace;

static kc_status_t relu_workspace(const kc_call_t *call, size_t *out_size)
{
    (void)call;
    *out_size = wanted_workspace;
    return KC_OK;
}

kc_profile_t *acme_profile(const acme_options_t *options)
{
    kc_capsule_record_t capsules[] = {
        fixture_capsule("acme.relu", KC_OP_RELU, "acme", KC_DEVICE_CPU),
        fixture_capsule("acme.add", KC_OP_ADD, "acme", KC_DEVICE_CPU),
        fixture_capsule("acme.reshape", KC_OP_RESHAPE, "acme", KC_DEVICE_CPU)};
    kc_handler_t handlers[] = {
        handler_for(KC_OP_RELU, "acme", acme_relu),
        handler_for(KC_OP_ADD, "acme", acme_add),
        handler_for(KC_OP_RESHAPE, "acme", acme_reshape)};
    if (options != NULL) {
        capsules[0].limits.overwrites = options->relu_overwrites;
        capsules[1].limits.overwrites = options->add_overwrites;
        capsules[2].limits.overwrites = options->relu_overwrites;
        wanted_workspace = options->relu_workspace;
        if (wanted_workspace > 0) {
            handlers[0].forward_workspace = relu_workspace;
        }
    }
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    kc_capsule_module_t *module =
        handler_module("acme", capsules, 3, handlers, 3);
    acme_log = (acme_log_t){0};
    return fixture_profile(&policy, &module, 1);
}

kc_accepted_plan_t *accept_graph(kc_profile_t *profile, kc_graph_t *graph)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_plan_t *plan = NULL;
    kc_accepted_plan_t *accepted = NULL;
    EXPECT_OK(error, kci_plan_graph(profile, graph, &plan, &error));
    EXPECT_OK(error, kci_accept_plan(plan, &profile->policy, &accepted, NULL,
                                     NULL, &error));
    kci_plan_release(plan);
    return accepted;
}

kc_executor_t *compile_graph(kci_host_t *host, kc_profile_t *profile,
                             kc_graph_t *graph, bool no_reuse)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_executor_t *executor = NULL;
    kci_executor_options_t options = {.no_reuse = no_reuse};
    kc_accepted_plan_t *accepted = accept_graph(profile, graph);
    EXPECT_OK(error, kci_executor_create(host, accepted, NULL, 0, &options,
                                         &executor, &error));
    kci_accepted_plan_release(accepted);
    return executor;
}

kc_tensor_t *vector_tensor(kci_host_allocator_t *allocator, float factor,
                           float offset)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_tensor_t *tensor = NULL;
    EXPECT_OK(error, kci_tensor_create(allocator, KC_DTYPE_F32, 1, DIMS(VECTOR),
                                       &tensor, &error));
    for (int i = 0; i < VECTOR; i++) {
        tensor_f32(tensor)[i] = (float)i * factor + offset;
    }
    return tensor;
}

float *tensor_f32(kc_tensor_t *tensor)
{
    return kc_tensor_data(&tensor->view);
}
