/* SPDX-License-Identifier: Apache-2.0
 *
 * The generic compositions: what is composed is written once, over types;
 * here it becomes nodes of a graph or operations of a tape.
 */
#include <kcapsule/compose.h>

#include "api/argument.h"
#include "autograd/tape.h"
#include "base/error.h"
#include "compose/compositions.h"
#include "compose/graph_nodes.h"
#include "graph/draft.h"

#define OPERANDS_MAX 4

/* One of the four, over the operands in the order of the public functions;
 * `n` is of irfft. */
typedef kci_term_t (*compose_fn)(kci_composition_t *composition,
                                 const kci_term_t *operands, int64_t n);

typedef struct recipe {
    compose_fn compose;
    size_t operand_count;
    int64_t n;
} recipe_t;

static kci_term_t compose_scan(kci_composition_t *composition,
                               const kci_term_t *operands, int64_t n)
{
    (void)n;
    return kci_compose_scan(composition, operands[0], operands[1], operands[2],
                            operands[3]);
}

static kci_term_t compose_rfft(kci_composition_t *composition,
                               const kci_term_t *operands, int64_t n)
{
    (void)n;
    return kci_compose_rfft(composition, operands[0]);
}

static kci_term_t compose_irfft(kci_composition_t *composition,
                                const kci_term_t *operands, int64_t n)
{
    return kci_compose_irfft(composition, operands[0], n);
}

static kci_term_t compose_spectral_conv(kci_composition_t *composition,
                                        const kci_term_t *operands, int64_t n)
{
    (void)n;
    return kci_compose_spectral_conv(composition, operands[0], operands[1],
                                     operands[2]);
}

static kc_status_t into_graph(const recipe_t *recipe, const char *function,
                              kc_graph_builder_t *builder,
                              const uint32_t *nodes, uint32_t *out_node,
                              kc_error_t *error)
{
    kci_composition_t composition;
    kci_term_t operands[OPERANDS_MAX];
    char source[KCI_SOURCE_TEXT_SIZE];
    KC_REQUIRE_FOR(function, builder, error);
    KC_REQUIRE_FOR(function, out_node, error);
    kci_composition_init(&composition);
    for (size_t i = 0; i < recipe->operand_count; i++) {
        operands[i] = kci_compose_node(&composition, builder, nodes[i]);
    }
    kci_term_t result = recipe->compose(&composition, operands, recipe->n);
    kc_status_t status = kci_composition_status(&composition, error);
    if (status == KC_OK) {
        status = kci_composition_add_nodes(&composition, builder, nodes, result,
                                           out_node, error);
    } else {
        kci_format_source(kci_graph_builder_nodes(builder)->source, source);
        kci_error_prepend(error, "%s", source);
    }
    kci_composition_release(&composition);
    return status;
}

static kc_status_t take_variables(kci_composition_t *composition,
                                  const char *function, const kc_tape_t *tape,
                                  const kc_variable_t *variables, size_t count,
                                  kci_term_t *operands, kc_error_t *error)
{
    for (size_t i = 0; i < count; i++) {
        kci_tensor_type_t type;
        kc_status_t status = kci_tape_type(tape, variables[i], &type, error);
        if (status != KC_OK) {
            kci_error_prepend(error, "%s: operand %zu", function, i);
            return status;
        }
        operands[i] = kci_compose_argument(composition, &type);
    }
    return KC_OK;
}

static kc_status_t onto_tape(const recipe_t *recipe, const char *function,
                             kc_tape_t *tape, const kc_variable_t *variables,
                             kc_variable_t *out_variable, kc_error_t *error)
{
    kci_composition_t composition;
    kci_term_t operands[OPERANDS_MAX];
    KC_REQUIRE_FOR(function, tape, error);
    KC_REQUIRE_FOR(function, out_variable, error);
    kci_composition_init(&composition);
    kc_status_t status = take_variables(&composition, function, tape, variables,
                                        recipe->operand_count, operands, error);
    if (status == KC_OK) {
        kci_term_t result = recipe->compose(&composition, operands, recipe->n);
        status = kci_composition_status(&composition, error);
        if (status == KC_OK) {
            status = kci_tape_run_composition(tape, &composition, variables,
                                              &result, 1, out_variable, error);
        }
    }
    kci_composition_release(&composition);
    return status;
}

static const recipe_t scan = {compose_scan, 4, 0};
static const recipe_t rfft = {compose_rfft, 1, 0};
static const recipe_t spectral_conv = {compose_spectral_conv, 3, 0};

kc_status_t kc_compose_scan_graph(kc_graph_builder_t *builder, uint32_t a,
                                  uint32_t b, uint32_t x, uint32_t h0,
                                  uint32_t *out_node, kc_error_t *error)
{
    const uint32_t nodes[] = {a, b, x, h0};
    return into_graph(&scan, __func__, builder, nodes, out_node, error);
}

kc_status_t kc_compose_scan_tape(kc_tape_t *tape, kc_variable_t a,
                                 kc_variable_t b, kc_variable_t x,
                                 kc_variable_t h0, kc_variable_t *out_variable,
                                 kc_error_t *error)
{
    const kc_variable_t variables[] = {a, b, x, h0};
    return onto_tape(&scan, __func__, tape, variables, out_variable, error);
}

kc_status_t kc_compose_rfft_graph(kc_graph_builder_t *builder, uint32_t x,
                                  uint32_t *out_node, kc_error_t *error)
{
    return into_graph(&rfft, __func__, builder, &x, out_node, error);
}

kc_status_t kc_compose_rfft_tape(kc_tape_t *tape, kc_variable_t x,
                                 kc_variable_t *out_variable, kc_error_t *error)
{
    return onto_tape(&rfft, __func__, tape, &x, out_variable, error);
}

kc_status_t kc_compose_irfft_graph(kc_graph_builder_t *builder, uint32_t packed,
                                   int64_t n, uint32_t *out_node,
                                   kc_error_t *error)
{
    const recipe_t irfft = {compose_irfft, 1, n};
    return into_graph(&irfft, __func__, builder, &packed, out_node, error);
}

kc_status_t kc_compose_irfft_tape(kc_tape_t *tape, kc_variable_t packed,
                                  int64_t n, kc_variable_t *out_variable,
                                  kc_error_t *error)
{
    const recipe_t irfft = {compose_irfft, 1, n};
    return onto_tape(&irfft, __func__, tape, &packed, out_variable, error);
}

kc_status_t kc_compose_spectral_conv_graph(kc_graph_builder_t *builder,
                                           uint32_t x, uint32_t w_re,
                                           uint32_t w_im, uint32_t *out_node,
                                           kc_error_t *error)
{
    const uint32_t nodes[] = {x, w_re, w_im};
    return into_graph(&spectral_conv, __func__, builder, nodes, out_node,
                      error);
}

kc_status_t kc_compose_spectral_conv_tape(kc_tape_t *tape, kc_variable_t x,
                                          kc_variable_t w_re,
                                          kc_variable_t w_im,
                                          kc_variable_t *out_variable,
                                          kc_error_t *error)
{
    const kc_variable_t variables[] = {x, w_re, w_im};
    return onto_tape(&spectral_conv, __func__, tape, variables, out_variable,
                     error);
}
