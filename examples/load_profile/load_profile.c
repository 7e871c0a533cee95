/* SPDX-License-Identifier: Apache-2.0
 *
 * load_profile PROFILE: loads a profile at run time, by name or from a file,
 * and says what it asks for and what it chooses for two operations.
 */
#include <stdio.h>
#include <stdlib.h>
#include <kcapsule/kcapsule.h>

static void print_profile(const kc_profile_t *profile)
{
    kc_policy_t policy = {.struct_size = sizeof policy};
    kc_profile_policy(profile, &policy);
    printf("profile %s: device %s, vjp %s, %s\n", kc_profile_name(profile),
           kc_device_label(policy.device), kc_vjp_mode_label(policy.vjp_mode),
           policy.allow_trusted_external ? "trusted boundaries accepted"
                                         : "no trusted boundary accepted");
    printf("modules, first choice first:");
    for (size_t idx = 0; idx < kc_profile_module_count(profile); idx++) {
        printf(" %s", kc_capsule_module_name(kc_profile_module(profile, idx)));
    }
    printf("\n");
}

static void print_choices(const kc_plan_t *plan)
{
    for (size_t idx = 0; idx < kc_plan_row_count(plan); idx++) {
        kc_plan_row_t row = {.struct_size = sizeof row};
        kc_plan_row(plan, idx, &row);
        printf("%s -> %s\n", kc_op_label(row.op),
               row.capsule != NULL ? row.capsule->name : "nothing");
    }
}

int main(int argc, char **argv)
{
    static const int32_t ops[] = {KC_OP_RELU, KC_OP_MATMUL};
    kc_error_t error = KC_ERROR_INIT;
    kc_runtime_t *runtime = NULL;
    kc_profile_t *profile = NULL;
    kc_plan_t *plan = NULL;
    if (argc != 2) {
        fprintf(stderr, "usage: load_profile PROFILE\n");
        return EXIT_FAILURE;
    }
    /* KC_OK is 0: the first call that fails ends the chain. */
    int has_failed = kc_runtime_create(NULL, &runtime, &error) ||
                     kc_profile_load(runtime, argv[1], &profile, &error) ||
                     kc_plan_ops(profile, ops, 2, &plan, &error);
    if (has_failed) {
        fprintf(stderr, "load_profile: %s\n", error.message);
    } else {
        print_profile(profile);
        print_choices(plan);
    }
    kc_plan_release(plan);
    kc_profile_release(profile);
    kc_runtime_release(runtime);
    return has_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
