/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans of lists and of graphs. An operation that cannot be planned becomes
 * a row without an entry, so that one plan reports all of them.
 */
#include "plan/choose.h"

#include <stdio.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"

static kc_status_t create_plan(kc_profile_t *profile, kc_graph_t *graph,
                               size_t row_count_max, kc_plan_t **out_plan,
                               kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(1, sizeof(kc_plan_t), &memory, error));
    kc_plan_t *plan = memory;
    kc_status_t status =
        kci_alloc_array(row_count_max, sizeof(kci_plan_row_t), &memory, error);
    if (status != KC_OK) {
        kci_free(plan);
        return status;
    }
    atomic_init(&plan->reference_count, 1);
    plan->rows = memory;
    plan->profile = kci_profile_retain(profile);
    plan->graph = graph != NULL ? kci_graph_retain(graph) : NULL;
    *out_plan = plan;
    return KC_OK;
}

static void add_row(kc_plan_t *plan, uint32_t node, int32_t op, uint16_t entry)
{
    plan->rows[plan->row_count++] =
        (kci_plan_row_t){.node = node, .op = (uint16_t)op, .entry = entry};
    plan->failure_count += entry == KCI_NO_ENTRY;
}

static kc_status_t check_ops(const int32_t *ops, size_t count,
                             kc_error_t *error)
{
    for (size_t idx = 0; idx < count; idx++) {
        if (ops[idx] < 0 || ops[idx] >= KC_OP_COUNT) {
            return kci_fail(error, KC_ERR_ARGUMENT,
                            "operation %d in place %zu: expected 0 to %d",
                            ops[idx], idx, KC_OP_COUNT - 1);
        }
    }
    if (count > UINT32_MAX) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "%zu operations: expected fewer than 2^32", count);
    }
    return KC_OK;
}

kc_status_t kci_plan_ops(kc_profile_t *profile, const int32_t *ops,
                         size_t count, kc_plan_t **out_plan, kc_error_t *error)
{
    KC_RETURN_IF_ERROR(kci_profile_validate(profile, error));
    KC_RETURN_IF_ERROR(check_ops(ops, count, error));
    kci_shortlist_t list;
    KC_RETURN_IF_ERROR(
        kci_shortlist_create(profile, &profile->policy, &list, error));
    kc_plan_t *plan = NULL;
    kc_status_t status = create_plan(profile, NULL, count, &plan, error);
    if (status == KC_OK) {
        for (size_t idx = 0; idx < count; idx++) {
            add_row(plan, (uint32_t)idx, ops[idx],
                    kci_shortlist_find(&list, ops[idx], NULL));
        }
        *out_plan = plan;
    }
    kci_shortlist_release(&list);
    return status;
}

kc_status_t kci_plan_graph(kc_profile_t *profile, kc_graph_t *graph,
                           kc_plan_t **out_plan, kc_error_t *error)
{
    KC_RETURN_IF_ERROR(kci_profile_validate(profile, error));
    kci_shortlist_t list;
    KC_RETURN_IF_ERROR(
        kci_shortlist_create(profile, &profile->policy, &list, error));
    kc_plan_t *plan = NULL;
    kc_status_t status =
        create_plan(profile, graph, graph->node_count, &plan, error);
    if (status == KC_OK) {
        for (uint32_t node = 0; node < graph->node_count; node++) {
            const kci_demand_t *demand = &graph->demands[node];
            if (demand->op >= 0) {
                add_row(plan, node, demand->op,
                        kci_shortlist_find(&list, demand->op, demand));
            }
        }
        *out_plan = plan;
    }
    kci_shortlist_release(&list);
    return status;
}

kc_plan_t *kci_plan_retain(kc_plan_t *plan)
{
    atomic_fetch_add_explicit(&plan->reference_count, 1, memory_order_relaxed);
    return plan;
}

void kci_plan_release(kc_plan_t *plan)
{
    if (plan == NULL || atomic_fetch_sub_explicit(&plan->reference_count, 1,
                                                  memory_order_acq_rel) != 1) {
        return;
    }
    if (plan->release_program != NULL) {
        plan->release_program(plan->program);
    }
    kci_free(plan->sub_rows);
    kci_profile_release(plan->profile);
    kci_graph_release(plan->graph);
    kci_free(plan->rows);
    kci_free(plan);
}

void kci_plan_failure_line(const kc_plan_t *plan, const kci_plan_row_t *row,
                           char *out, size_t size)
{
    snprintf(out, size, "no admissible kernel capsule for op %s on device %s",
             kci_label(&kci_ops, row->op),
             kci_label(&kci_devices, plan->profile->policy.device));
}
