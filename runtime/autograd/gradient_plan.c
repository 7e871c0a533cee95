/* SPDX-License-Identifier: Apache-2.0
 *
 * From a graph and a request to a plan with a program: the forward is
 * planned as always, then the backward is appended and its inner operations
 * become sub-rows of the plan.
 */
#include "autograd/gradient_plan_parts.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/label.h"

static kc_status_t check_subject(const kc_profile_t *profile,
                                 const kc_graph_t *graph, kc_error_t *error)
{
    if (profile->policy.vjp_mode == KC_VJP_NONE) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "profile %s: expected a VJP mode that owns gradients, "
                        "found %s",
                        profile->name,
                        kci_label(&kci_vjp_modes, profile->policy.vjp_mode));
    }
    if (graph->dim_name_count > 0) {
        return kci_fail(error, KC_ERR_ARGUMENT,
                        "%s: expected every extent as a number, found the "
                        "name %s",
                        graph->source, graph->dim_names[0]);
    }
    return KC_OK;
}

static bool is_inner(const kci_program_step_t *step)
{
    return step->role == KCI_CALL_INNER_FORWARD ||
           step->role == KCI_CALL_INNER_VJP || step->role == KCI_CALL_SUM;
}

static kc_status_t take_sub_rows(kc_plan_t *plan, const kci_program_t *program,
                                 kc_error_t *error)
{
    size_t count = 0;
    void *memory = NULL;
    for (size_t i = 0; i < program->step_count; i++) {
        count += is_inner(&program->steps[i]);
    }
    KC_RETURN_IF_ERROR(
        kci_alloc_array(count, sizeof(kci_sub_row_t), &memory, error));
    plan->sub_rows = memory;
    for (size_t i = 0; i < program->step_count; i++) {
        const kci_program_step_t *step = &program->steps[i];
        if (is_inner(step)) {
            plan->sub_rows[plan->sub_row_count++] =
                (kci_sub_row_t){.node = step->node,
                                .op = step->op,
                                .entry = step->entry,
                                .role = step->role};
        }
    }
    return KC_OK;
}

static kc_status_t no_cotangents(kci_backward_t *backward, kc_error_t *error)
{
    void *memory = NULL;
    KC_RETURN_IF_ERROR(kci_alloc_array(backward->graph->node_count,
                                       sizeof(uint32_t), &memory, error));
    backward->cotangents = memory;
    for (uint32_t node = 0; node < backward->graph->node_count; node++) {
        backward->cotangents[node] = KCI_NO_VALUE;
    }
    return KC_OK;
}

static kc_status_t add_backward(const kc_plan_t *plan,
                                const kci_gradient_targets_t *targets,
                                kci_program_t *program, kc_error_t *error)
{
    kci_inner_plan_t inner;
    KC_RETURN_IF_ERROR(kci_inner_plan_create(
        plan->profile, &plan->profile->policy, &inner, error));
    kci_backward_t backward = {.profile = plan->profile,
                               .graph = plan->graph,
                               .targets = targets,
                               .inner = &inner,
                               .program = program};
    kci_composition_init(&backward.composition);
    kc_status_t status = no_cotangents(&backward, error);
    if (status == KC_OK) {
        status = kci_backward_walk(&backward, plan, error);
    }
    kci_composition_release(&backward.composition);
    kci_free(backward.cotangents);
    kci_inner_plan_release(&inner);
    return status;
}

/* Moves the program to the plan, also when it is not complete. */
static kc_status_t add_program(kc_plan_t *plan,
                               const kci_gradient_targets_t *targets,
                               kc_error_t *error)
{
    KC_RETURN_IF_ERROR(kci_program_create(plan, &plan->program, error));
    plan->release_program = kci_program_destroy;
    KC_RETURN_IF_ERROR(add_backward(plan, targets, plan->program, error));
    return take_sub_rows(plan, plan->program, error);
}

kc_status_t kci_gradient_plan_create(kc_profile_t *profile, kc_graph_t *graph,
                                     const kci_gradient_request_t *request,
                                     kc_plan_t **out_plan, kc_error_t *error)
{
    kc_plan_t *plan = NULL;
    kci_gradient_targets_t targets = {0};
    KC_RETURN_IF_ERROR(check_subject(profile, graph, error));
    KC_RETURN_IF_ERROR(
        kci_gradient_targets_create(graph, request, &targets, error));
    kc_status_t status = kci_plan_graph(profile, graph, &plan, error);
    /* With operations that nobody computes there is nothing to lower; the
     * plan tells which they are. */
    if (status == KC_OK && plan->failure_count == 0) {
        status = add_program(plan, &targets, error);
    }
    kci_gradient_targets_release(&targets);
    if (status != KC_OK) {
        kci_plan_release(plan);
        return status;
    }
    *out_plan = plan;
    return KC_OK;
}
