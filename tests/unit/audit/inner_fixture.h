/* SPDX-License-Identifier: Apache-2.0
 *
 * Capsules whose gradients bring operations along, and plans of them, with
 * gradients and without.
 */
#ifndef KC_TESTS_UNIT_AUDIT_INNER_FIXTURE_H
#define KC_TESTS_UNIT_AUDIT_INNER_FIXTURE_H

#include "plan/inner.h"

/* The catalogue, by place: softplus (its rule: sigmoid, mul), relu (a rule of
 * the runtime), softplus of another provider, and the forward-only sigmoid,
 * mul and add. */
enum {
    INNER_SOFTPLUS,
    INNER_RELU,
    INNER_OTHER_SOFTPLUS,
    INNER_SIGMOID,
    INNER_MUL,
    INNER_ADD,
    INNER_CAPSULES
};
void inner_fixture_capsules(kc_capsule_record_t *out);

/* The plan of a graph of these operations under a tape policy on the cpu. */
typedef struct inner_scene {
    kci_demand_t demands[8];
    kc_graph_t *graph;
    kc_profile_t *profile;
    kc_plan_t *plan;
} inner_scene_t;
void inner_scene_begin(inner_scene_t *scene,
                       const kc_capsule_record_t *capsules, size_t count,
                       const int32_t *ops, size_t op_count);
/* Gives the plan these inner operations, as planning of gradients does. */
void inner_scene_set_sub_rows(inner_scene_t *scene, const kci_sub_row_t *rows,
                              size_t count);
void inner_scene_end(inner_scene_t *scene);

#endif
