/* SPDX-License-Identifier: Apache-2.0
 *
 * plan_ops PROFILE OP...: which capsule serves each operation, and why each
 * of the others does not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <kcapsule/kcapsule.h>

#define OPS_MAX 64

static int explain(const kc_plan_t *plan, size_t row, kc_error_t *error)
{
    kc_candidate_t *candidates = NULL;
    size_t count = 0;
    if (kc_plan_explain(plan, row, &candidates, &count, error) != KC_OK) {
        return -1;
    }
    for (size_t idx = 0; idx < count; idx++) {
        const kc_candidate_t *candidate = &candidates[idx];
        printf("  %s: %s", candidate->capsule->name,
               kc_reason_label(candidate->reason));
        if (candidate->wanted[0] != 0) {
            printf(" (wanted %s, found %s)", candidate->wanted,
                   candidate->found);
        }
        printf("\n");
    }
    kc_candidates_release(candidates);
    return 0;
}

static int print_plan(const kc_plan_t *plan, kc_error_t *error)
{
    for (size_t idx = 0; idx < kc_plan_row_count(plan); idx++) {
        kc_plan_row_t row = {.struct_size = sizeof row};
        kc_plan_row(plan, idx, &row);
        printf("%s -> %s\n", kc_op_label(row.op),
               row.capsule != NULL ? row.capsule->name : "nothing");
        if (explain(plan, idx, error) != 0) {
            return -1;
        }
    }
    return 0;
}

static int parse(char **names, int32_t *ops, size_t count, kc_error_t *error)
{
    for (size_t idx = 0; idx < count; idx++) {
        if (kc_op_parse(names[idx], &ops[idx], error) != KC_OK) {
            return -1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_t *runtime = NULL;
    kc_profile_t *profile = NULL;
    kc_plan_t *plan = NULL;
    int32_t ops[OPS_MAX];
    if (argc < 3 || argc - 2 > OPS_MAX) {
        fprintf(stderr, "usage: plan_ops PROFILE OP...\n");
        return EXIT_FAILURE;
    }
    size_t count = (size_t)argc - 2;
    /* KC_OK is 0: the first call that fails ends the chain. */
    int has_failed = parse(argv + 2, ops, count, &error) ||
                     kc_runtime_create(NULL, &runtime, &error) ||
                     kc_profile_load(runtime, argv[1], &profile, &error) ||
                     kc_plan_ops(profile, ops, count, &plan, &error) ||
                     print_plan(plan, &error);
    if (has_failed) {
        fprintf(stderr, "plan_ops: %s\n", error.message);
    }
    kc_plan_release(plan);
    kc_profile_release(profile);
    kc_runtime_release(runtime);
    return has_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
