/* SPDX-License-Identifier: Apache-2.0
 *
 * What was found, as text: a line a node, then where the profiles part, then
 * the verdict.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/diff.h"
#include "cli/message.h"

#define PART_SIZE 200
#define LINE_SIZE 800

/* Digits of an error. */
#define SHORT 3

/* As many digits as tell a value from its neighbours. */
static int digits_of(double value)
{
    return (double)(float)value == value ? 9 : 17;
}

/* "3 ulp, 2.4e-07" */
static void describe(const cli_diff_error_t *error, char out[PART_SIZE])
{
    char absolute[CLI_DIFF_NUMBER_SIZE];
    cli_diff_number(error->absolute, SHORT, absolute);
    if (error->different == 0) {
        snprintf(out, PART_SIZE, "equal");
    } else if (error->ulp == UINT64_MAX) {
        snprintf(out, PART_SIZE, "NaN on one side");
    } else {
        snprintf(out, PART_SIZE, "%llu ulp, %s", (unsigned long long)error->ulp,
                 absolute);
    }
}

/* " (allowed 8.1e-06)" */
static void describe_bound(const cli_diff_error_t *error, char out[PART_SIZE])
{
    char allowed[CLI_DIFF_NUMBER_SIZE];
    cli_diff_number(error->allowed, SHORT, allowed);
    if (error->different == 0) {
        out[0] = 0;
    } else if (error->rule == DIFF_EQUAL_BITS) {
        snprintf(out, PART_SIZE, " (equal bits expected)");
    } else if (error->rule == DIFF_BOUNDED && isfinite(error->allowed)) {
        snprintf(out, PART_SIZE, " (allowed %s)", allowed);
    } else {
        snprintf(out, PART_SIZE, " (no bound stated)");
    }
}

static void print_outside(const cli_diff_error_t *error)
{
    char a[CLI_DIFF_NUMBER_SIZE];
    char b[CLI_DIFF_NUMBER_SIZE];
    char allowed[CLI_DIFF_NUMBER_SIZE];
    char operand[PART_SIZE] = "";
    if (error->outside == 0) {
        return;
    }
    cli_diff_number(error->outside_a, digits_of(error->outside_a), a);
    cli_diff_number(error->outside_b, digits_of(error->outside_b), b);
    cli_diff_number(error->outside_allowed, SHORT, allowed);
    if (error->operand >= 0) {
        snprintf(operand, sizeof operand, " of operand %d", error->operand);
    }
    cli_print_line("    outside in %lld of %lld elements, first in %lld%s: "
                   "%s and %s, allowed %s",
                   (long long)error->outside, (long long)error->count,
                   (long long)error->outside_place, operand, a, b, allowed);
}

static int is_as_far(const cli_diff_error_t *a, const cli_diff_error_t *b)
{
    return a->rule != DIFF_NOT_COMPARED && a->different == b->different &&
           a->ulp == b->ulp && a->absolute == b->absolute;
}

/* Both parts of a line, the second only where it adds anything. */
static void print_line(const cli_diff_node_t *node, uint32_t index,
                       const char *owners, const cli_diff_error_t *alone,
                       const cli_diff_error_t *chain)
{
    char own[PART_SIZE] = "";
    char bound[PART_SIZE] = "";
    char whole[PART_SIZE] = "";
    if (alone->rule != DIFF_NOT_COMPARED) {
        describe(alone, own);
        describe_bound(alone, bound);
    }
    if (chain->different > 0 && !is_as_far(alone, chain)) {
        describe(chain, whole);
    }
    int has_both = own[0] != 0 && whole[0] != 0;
    cli_print_line("  %u %s%s%s%s%s%s%s%s%s%s", (unsigned)index,
                   node->type.kind, node->type.name[0] != 0 ? " " : "",
                   node->type.name, owners[0] != 0 ? "  " : "", owners,
                   own[0] != 0 ? "  " : "", own, bound,
                   has_both        ? "; in the chain "
                   : whole[0] != 0 ? "  in the chain "
                                   : "",
                   whole);
    print_outside(alone);
}

static const char *capsule_name(const cli_diff_node_t *node, int side)
{
    return node->capsules[side] != NULL ? node->capsules[side]->name : "?";
}

static void pair(const char *a, const char *b, char out[LINE_SIZE])
{
    if (strcmp(a, b) == 0) {
        snprintf(out, LINE_SIZE, "%s", a);
    } else {
        snprintf(out, LINE_SIZE, "%s | %s", a, b);
    }
}

/* The names, with their modules where these tell the capsules apart. */
static void pair_of_capsules(const cli_diff_node_t *node, char out[LINE_SIZE])
{
    const char *a = capsule_name(node, DIFF_A);
    const char *b = capsule_name(node, DIFF_B);
    const char *const *modules = node->modules;
    if (strcmp(a, b) == 0 && modules[DIFF_A] != NULL &&
        modules[DIFF_B] != NULL &&
        strcmp(modules[DIFF_A], modules[DIFF_B]) != 0) {
        snprintf(out, LINE_SIZE, "%s (%s) | %s (%s)", a, modules[DIFF_A], b,
                 modules[DIFF_B]);
    } else {
        pair(a, b, out);
    }
}

static void print_values(const cli_diff_t *diff)
{
    cli_print_line("values, each capsule on the operands of A:");
    for (uint32_t idx = 0; idx < diff->node_count; idx++) {
        const cli_diff_node_t *node = &diff->nodes[idx];
        cli_diff_error_t none = {.rule = DIFF_NOT_COMPARED};
        char owners[LINE_SIZE];
        if (node->type.op >= 0) {
            pair_of_capsules(node, owners);
            print_line(node, idx, owners, &node->alone,
                       diff->graph != NULL ? &node->chain : &none);
        }
    }
}

/* Nodes that have a rule or whose gradients differ. */
static void print_gradients(const cli_diff_t *diff)
{
    cli_print_line("gradients, each rule on the operands and the cotangent "
                   "of A:");
    for (uint32_t idx = diff->node_count; idx-- > 0;) {
        const cli_diff_node_t *node = &diff->nodes[idx];
        char owners[LINE_SIZE] = "";
        if (node->alone_gradient.rule == DIFF_NOT_COMPARED &&
            node->chain_gradient.different == 0) {
            continue;
        }
        if (node->alone_gradient.rule != DIFF_NOT_COMPARED &&
            node->capsules[DIFF_A] != NULL && node->capsules[DIFF_B] != NULL) {
            pair(kc_vjp_mode_label(node->capsules[DIFF_A]->vjp_mode),
                 kc_vjp_mode_label(node->capsules[DIFF_B]->vjp_mode), owners);
        }
        print_line(node, idx, owners, &node->alone_gradient,
                   &node->chain_gradient);
    }
}

static void print_first(const cli_diff_t *diff, const char *what,
                        uint32_t index)
{
    if (index == diff->node_count) {
        cli_print_line("%s: none", what);
    } else {
        cli_print_line("%s: node %u (%s)", what, (unsigned)index,
                       diff->nodes[index].type.kind);
    }
}

static void print_header(const cli_diff_t *diff)
{
    const cli_options_t *options = diff->options;
    cli_print_line("A: %s", kc_profile_name(diff->profiles[DIFF_A]));
    cli_print_line("B: %s", kc_profile_name(diff->profiles[DIFF_B]));
    cli_print_line("of: %s", diff->graph != NULL ? options->graph
                                                 : kc_op_label(diff->op));
    if (diff->random_count > 0) {
        cli_print_line("seed: %llu, of %zu tensors that no file gave",
                       (unsigned long long)diff->seed, diff->random_count);
    }
}

void cli_diff_print_text(const cli_diff_t *diff,
                         const cli_diff_verdict_t *verdict)
{
    print_header(diff);
    print_values(diff);
    print_first(diff, "first difference", verdict->first);
    if (diff->options->wants_gradients) {
        print_gradients(diff);
        if (diff->graph != NULL) {
            print_first(diff, "first different gradient, backwards",
                        verdict->first_gradient);
        }
    }
    if (verdict->without_bound > 0) {
        cli_print_line("no bound stated: %zu that differ",
                       verdict->without_bound);
    }
    if (verdict->outside > 0) {
        cli_print_line("outside of what the numerical policies allow: %zu",
                       verdict->outside);
    } else {
        cli_print_line("within what the numerical policies allow");
    }
}
