/* SPDX-License-Identifier: Apache-2.0
 *
 * What was found, as JSON: the same facts as the text, with more digits.
 */
#include <math.h>
#include <stdio.h>

#include "cli/diff.h"
#include "cli/json_text.h"

/* JSON has no infinities and no NaN: null. */
static void print_number(double value)
{
    char text[CLI_DIFF_NUMBER_SIZE] = "null";
    if (isfinite(value)) {
        cli_diff_number(value, 17, text);
    }
    fputs(text, stdout);
}

static const char *rule_label(cli_diff_rule_t rule)
{
    return rule == DIFF_EQUAL_BITS ? "equal-bits"
           : rule == DIFF_BOUNDED  ? "bounded"
                                   : "none";
}

static void print_outside(const cli_diff_error_t *error)
{
    printf(", \"outside\": %lld", (long long)error->outside);
    if (error->outside == 0) {
        return;
    }
    printf(", \"first_outside\": {\"element\": %lld, \"a\": ",
           (long long)error->outside_place);
    print_number(error->outside_a);
    fputs(", \"b\": ", stdout);
    print_number(error->outside_b);
    fputs(", \"allowed\": ", stdout);
    print_number(error->outside_allowed);
    if (error->operand >= 0) {
        printf(", \"operand\": %d", error->operand);
    }
    putchar('}');
}

/* ULP of null: a NaN on one side. */
static void print_error(const char *name, const cli_diff_error_t *error,
                        int is_judged)
{
    if (error->rule == DIFF_NOT_COMPARED) {
        return;
    }
    printf(",\n     \"%s\": {\"elements\": %lld, \"different\": %lld, ", name,
           (long long)error->count, (long long)error->different);
    if (error->ulp == UINT64_MAX) {
        fputs("\"ulp\": null", stdout);
    } else {
        printf("\"ulp\": %llu", (unsigned long long)error->ulp);
    }
    fputs(", \"absolute\": ", stdout);
    print_number(error->absolute);
    if (is_judged) {
        printf(", \"rule\": \"%s\", \"allowed\": ", rule_label(error->rule));
        if (error->different > 0) {
            print_number(error->allowed);
        } else {
            fputs("null", stdout);
        }
        printf(", \"without_bound\": %lld", (long long)error->open);
        print_outside(error);
    }
    putchar('}');
}

static void print_capsule(const cli_diff_node_t *node, int side)
{
    if (node->capsules[side] == NULL) {
        fputs("null", stdout);
        return;
    }
    fputs("{\"capsule\": ", stdout);
    cli_json_string(node->capsules[side]->name);
    fputs(", \"module\": ", stdout);
    cli_json_string(node->modules[side]);
    fputs(", \"vjp\": ", stdout);
    cli_json_string(kc_vjp_mode_label(node->capsules[side]->vjp_mode));
    putchar('}');
}

static void print_node(const cli_diff_node_t *node, uint32_t index)
{
    printf("\n    {\"node\": %u, \"kind\": ", (unsigned)index);
    cli_json_string(node->type.kind);
    if (node->type.op >= 0) {
        fputs(",\n     \"a\": ", stdout);
        print_capsule(node, DIFF_A);
        fputs(",\n     \"b\": ", stdout);
        print_capsule(node, DIFF_B);
    }
    print_error("value", &node->alone, 1);
    print_error("value_in_chain", &node->chain, 0);
    print_error("gradient", &node->alone_gradient, 1);
    print_error("gradient_in_chain", &node->chain_gradient, 0);
    putchar('}');
}

static void print_place(const char *name, const cli_diff_t *diff,
                        uint32_t index)
{
    printf(",\n  \"%s\": ", name);
    if (index < diff->node_count) {
        printf("%u", (unsigned)index);
    } else {
        fputs("null", stdout);
    }
}

void cli_diff_print_json(const cli_diff_t *diff,
                         const cli_diff_verdict_t *verdict)
{
    fputs("{\n  \"format\": \"kcapsule-diff\",\n  \"version\": 1,\n"
          "  \"a\": ",
          stdout);
    cli_json_string(kc_profile_name(diff->profiles[DIFF_A]));
    fputs(",\n  \"b\": ", stdout);
    cli_json_string(kc_profile_name(diff->profiles[DIFF_B]));
    fputs(",\n  \"of\": ", stdout);
    cli_json_string(diff->graph != NULL ? diff->options->graph
                                        : kc_op_label(diff->op));
    printf(",\n  \"seed\": %llu,\n  \"drawn\": %zu,\n  \"nodes\": [",
           (unsigned long long)diff->seed, diff->random_count);
    for (uint32_t idx = 0; idx < diff->node_count; idx++) {
        fputs(idx > 0 ? "," : "", stdout);
        print_node(&diff->nodes[idx], idx);
    }
    fputs("\n  ]", stdout);
    print_place("first_difference", diff, verdict->first);
    print_place("first_different_gradient", diff, verdict->first_gradient);
    printf(",\n  \"without_bound\": %zu,\n  \"outside\": %zu,\n"
           "  \"within\": %s\n}\n",
           verdict->without_bound, verdict->outside,
           verdict->outside == 0 ? "true" : "false");
}
