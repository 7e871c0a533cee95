/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Operands whose values are all different. */
#include "unit/exec/attention_fixture.h"

#include <string.h>

#include "unit/built_modules.h"
#include "unit/expect.h"

kc_profile_t *attention_profile(void)
{
    kc_capsule_record_t capsules[] = {
        fixture_capsule("torchlean.composed_attention",
                        KC_OP_SCALED_DOT_PRODUCT_ATTENTION, "torchlean",
                        KC_DEVICE_CPU),
        fixture_capsule("torchlean.relu", KC_OP_RELU, "torchlean",
                        KC_DEVICE_CPU)};
    kc_capsule_module_t *modules[] = {fixture_module("memory", capsules, 2),
                                      built_module("reference")};
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    return fixture_profile(&policy, modules, 2);
}

static void fill(operand_t *operand, int64_t rows, float first, float step)
{
    operand_init(operand, KC_DTYPE_F32, 2, DIMS(rows, ATTENTION_WIDTH));
    for (int64_t i = 0; i < rows * ATTENTION_WIDTH; i++) {
        operand_f32(operand)[i] = first + step * (float)i;
    }
}

void attention_begin(attention_case_t *at)
{
    memset(at, 0, sizeof *at);
    host_fixture_begin(&at->host, 1);
    at->error = (kc_error_t)KC_ERROR_INIT;
    at->profile = attention_profile();
    EXPECT_OK(at->error, kci_session_create(at->host.host, at->profile, true,
                                            &at->session, &at->error));
    fill(&at->q, ATTENTION_QUERIES, -1, 0.75f);
    fill(&at->k, ATTENTION_KEYS, 0.5f, -0.25f);
    fill(&at->v, ATTENTION_KEYS, 2, 1.5f);
    fill(&at->y, ATTENTION_QUERIES, 0, 0);
    operand_init(&at->mask, KC_DTYPE_BOOL, 2,
                 DIMS(ATTENTION_QUERIES, ATTENTION_KEYS));
    memset(at->mask.bytes, 1, ATTENTION_QUERIES * ATTENTION_KEYS);
    at->inputs[0] = &at->q.view;
    at->inputs[1] = &at->k.view;
    at->inputs[2] = &at->v.view;
    at->inputs[3] = &at->mask.view;
    at->attributes = operand_attributes(KC_OP_SCALED_DOT_PRODUCT_ATTENTION);
    at->attributes.u.attention.scale = 0.5;
}

void attention_end(attention_case_t *at)
{
    kci_session_destroy(at->session);
    kci_profile_release(at->profile);
    host_fixture_end(&at->host);
}

kc_status_t attention_run(attention_case_t *at, size_t input_count)
{
    return kci_session_run(at->session, KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
                           &at->attributes, at->inputs, input_count,
                           &at->y.view, &at->error);
}

kc_graph_t *attention_graph(bool is_causal)
{
    static const char *const names[] = {"q", "k", "v", "mask"};
    static const int64_t rows[] = {ATTENTION_QUERIES, ATTENTION_KEYS,
                                   ATTENTION_KEYS, ATTENTION_QUERIES};
    kc_graph_builder_t *builder = graph_begin();
    uint32_t parents[4];
    for (int i = 0; i < 4; i++) {
        bool is_mask = i == 3;
        kci_node_spec_t input = {
            .kind = "input",
            .dtype = is_mask ? KC_DTYPE_BOOL : KC_DTYPE_F32,
            .rank = 2,
            .dims = DIMS(rows[i], is_mask ? ATTENTION_KEYS : ATTENTION_WIDTH),
            .name = names[i]};
        parents[i] = graph_node(builder, &input, NULL);
    }
    kci_node_spec_t attention = {.kind = "scaled_dot_product_attention",
                                 .parents = parents,
                                 .parent_count = 4,
                                 .dtype = KC_DTYPE_F32,
                                 .rank = 2,
                                 .dims =
                                     DIMS(ATTENTION_QUERIES, ATTENTION_WIDTH)};
    graph_output(builder, "y",
                 graph_node(builder, &attention,
                            is_causal ? "{\"scale\": 0.5, \"causal\": true}"
                                      : "{\"scale\": 0.5}"));
    return graph_end(builder);
}
