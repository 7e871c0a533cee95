/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans with gradients are imitated: what is read of them here is that there
 * is a program, and the list of inner operations.
 */
#include "unit/audit/inner_fixture.h"

#include "base/alloc.h"
#include "unit/contract_fixture.h"
#include "unit/demand_fixture.h"
#include "unit/expect.h"

void inner_fixture_capsules(kc_capsule_record_t *out)
{
    static const struct {
        const char *name;
        int32_t op;
        const char *provider;
    } rows[INNER_CAPSULES] = {
        [INNER_SOFTPLUS] = {"acme.softplus", KC_OP_SOFTPLUS, "acme"},
        [INNER_RELU] = {"acme.relu", KC_OP_RELU, "acme"},
        [INNER_OTHER_SOFTPLUS] = {"other.softplus", KC_OP_SOFTPLUS, "other"},
        [INNER_SIGMOID] = {"acme.sigmoid", KC_OP_SIGMOID, "acme"},
        [INNER_MUL] = {"acme.mul", KC_OP_MUL, "acme"},
        [INNER_ADD] = {"acme.add", KC_OP_ADD, "acme"},
    };
    for (size_t idx = 0; idx < INNER_CAPSULES; idx++) {
        out[idx] = fixture_capsule(rows[idx].name, rows[idx].op,
                                   rows[idx].provider, KC_DEVICE_CPU);
        if (idx >= INNER_SIGMOID) {
            fixture_set_vjp(&out[idx], KC_VJP_NONE);
        }
    }
}

void inner_scene_begin(inner_scene_t *scene,
                       const kc_capsule_record_t *capsules, size_t count,
                       const int32_t *ops, size_t op_count)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_policy_t policy = fixture_policy(KC_DEVICE_CPU);
    ck_assert_uint_le(op_count, sizeof scene->demands / sizeof(kci_demand_t));
    for (size_t idx = 0; idx < op_count; idx++) {
        scene->demands[idx] = fixture_demand(ops[idx]);
    }
    scene->graph = fixture_graph(scene->demands, (uint32_t)op_count);
    scene->profile = fixture_profile_of(&policy, capsules, count);
    EXPECT_OK(error, kci_plan_graph(scene->profile, scene->graph, &scene->plan,
                                    &error));
}

static void release_nothing(struct kci_program *program)
{
    (void)program;
}

void inner_scene_set_sub_rows(inner_scene_t *scene, const kci_sub_row_t *rows,
                              size_t count)
{
    static char program;
    kc_error_t error = KC_ERROR_INIT;
    void *memory = NULL;
    EXPECT_OK(error, kci_alloc_array(count, sizeof *rows, &memory, &error));
    kci_free(scene->plan->sub_rows);
    scene->plan->sub_rows = memory;
    for (size_t idx = 0; idx < count; idx++) {
        scene->plan->sub_rows[idx] = rows[idx];
    }
    scene->plan->sub_row_count = count;
    scene->plan->program = (struct kci_program *)(void *)&program;
    scene->plan->release_program = release_nothing;
}

void inner_scene_end(inner_scene_t *scene)
{
    kci_plan_release(scene->plan);
    kci_profile_release(scene->profile);
    fixture_graph_release(scene->graph);
}
