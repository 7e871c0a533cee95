/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes in a few words, the same in plans, groups and errors: the kind, then
 * what distinguishes this node, separated by blanks. Attributes that have
 * their default are left out.
 */
#include "graph/kinds.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "graph/kind_attributes.h"

typedef struct words {
    char *out;
    size_t size;
    size_t length;
} words_t;

static void add(words_t *words, const char *format, ...) KC_PRINTF(2, 3);

static void add(words_t *words, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(words->out + words->length,
                            words->size - words->length, format, arguments);
    va_end(arguments);
    if (written > 0) {
        words->length += (size_t)written;
    }
    if (words->length >= words->size) {
        words->length = words->size - 1;
    }
}

static void add_number(words_t *words, const char *label, double value)
{
    char text[32];
    kci_format_double(value, text);
    add(words, "%s %s", label, text);
}

static void add_shape(words_t *words, const kc_graph_t *graph, int64_t rank,
                      const int64_t *dims)
{
    char text[KCI_SHAPE_TEXT_SIZE];
    kci_shape_format((int32_t)rank, dims, (const char *const *)graph->dim_names,
                     text, sizeof text);
    add(words, " %s", text);
}

static bool is_filled_with(const int64_t *values, int64_t count, int64_t value)
{
    for (int64_t i = 0; i < count; i++) {
        if (values[i] != value) {
            return false;
        }
    }
    return true;
}

/* " stride [2, 2]", nothing when all entries are the default. */
static void add_unless(words_t *words, const char *label, const int64_t *values,
                       int64_t count, int64_t default_value)
{
    char text[KCI_SHAPE_TEXT_SIZE];
    if (is_filled_with(values, count, default_value)) {
        return;
    }
    kci_shape_format((int32_t)count, values, NULL, text, sizeof text);
    add(words, " %s %s", label, text);
}

/* The axes of a transpose are those of the file: equal ones, or ones in the
 * other order, cannot be told from the permutation. */
static void add_permutation(words_t *words, const kci_node_t *node,
                            const kc_permute_attributes_t *permute)
{
    if (kci_kind(node->kind)->read_attributes == kci_read_transpose) {
        add(words, " %d %d", node->axes[0], node->axes[1]);
        return;
    }
    for (int64_t i = 0; i < permute->rank; i++) {
        add(words, " %" PRId64, permute->perm[i]);
    }
}

static void add_conv(words_t *words, const kc_conv_attributes_t *conv)
{
    int64_t rank = conv->spatial_rank;
    add_unless(words, "stride", conv->stride, rank, 1);
    add_unless(words, "padding", conv->padding, rank, 0);
    if (memcmp(conv->padding, conv->padding_after,
               (size_t)rank * sizeof *conv->padding) != 0) {
        add_unless(words, "padding_after", conv->padding_after, rank, -1);
    }
    add_unless(words, "dilation", conv->dilation, rank, 1);
    if (conv->groups != 1) {
        add(words, " groups %" PRId64, conv->groups);
    }
}

static void add_pool(words_t *words, const kc_pool_attributes_t *pool,
                     bool has_beta)
{
    int64_t rank = pool->spatial_rank;
    add_unless(words, "kernel", pool->kernel, rank, -1);
    if (memcmp(pool->kernel, pool->stride,
               (size_t)rank * sizeof *pool->kernel) != 0) {
        add_unless(words, "stride", pool->stride, rank, -1);
    }
    add_unless(words, "padding", pool->padding, rank, 0);
    if (has_beta) {
        add_number(words, " beta", pool->beta);
    }
}

static void add_batch_norm(words_t *words,
                           const kc_batch_norm_attributes_t *norm)
{
    static const char *const modes[] = {" sample", " batch", ""};
    add(words, "%s %" PRId64, modes[norm->mode], norm->channel_axis);
    add_number(words, "", norm->eps);
}

static void add_fft(words_t *words, const kc_fft_attributes_t *fft)
{
    static const char *const transforms[] = {"rfft", "irfft",
                                             "spectral_conv1d"};
    add(words, " %s %" PRId64, transforms[fft->transform], fft->n);
    if (fft->transform == KC_FFT_SPECTRAL_CONV1D) {
        add(words, " modes %" PRId64, fft->modes);
    }
}

/* Kinds whose words are a number or two. */
static void add_simple(words_t *words, const kc_attributes_t *attributes)
{
    switch (attributes->op) {
    case KC_OP_SCALE:
        add_number(words, "", attributes->u.scale.factor);
        break;
    case KC_OP_CLAMP:
        add_number(words, "", attributes->u.clamp.lo);
        add_number(words, "", attributes->u.clamp.hi);
        break;
    case KC_OP_GELU:
        add(words, "%s",
            attributes->u.gelu.approximate == KC_GELU_ERF ? " none" : "");
        break;
    case KC_OP_SLICE:
        add(words, " %" PRId64 " %" PRId64 " %" PRId64,
            attributes->u.slice.axis, attributes->u.slice.start,
            attributes->u.slice.length);
        break;
    case KC_OP_LAYER_NORM:
        add(words, " %" PRId64, attributes->u.layer_norm.axis);
        add_number(words, "", attributes->u.layer_norm.eps);
        break;
    case KC_OP_SCALED_DOT_PRODUCT_ATTENTION:
        add_number(words, " scale", attributes->u.attention.scale);
        add(words, "%s", attributes->u.attention.causal ? " causal" : "");
        break;
    case KC_OP_RAND_UNIFORM:
    case KC_OP_BERNOULLI_MASK:
        add(words, " %" PRIu64, attributes->u.random.seed);
        break;
    default:
        add(words, " %" PRId64, attributes->u.axis.axis);
        break;
    }
}

static void add_attributes(words_t *words, const kc_graph_t *graph,
                           uint32_t node, const kc_attributes_t *attributes)
{
    kci_tensor_type_t from;
    switch (attributes->op) {
    case KC_OP_RESHAPE:
    case KC_OP_BROADCAST:
        kci_graph_operand_type(graph, node, 0, &from);
        add_shape(words, graph, from.shape.rank, from.shape.dims);
        add_shape(words, graph, attributes->u.shape.rank,
                  attributes->u.shape.shape);
        break;
    case KC_OP_PERMUTE:
        add_permutation(words, &graph->nodes[node], &attributes->u.permute);
        break;
    case KC_OP_CONV:
    case KC_OP_CONV_TRANSPOSE:
        add_conv(words, &attributes->u.conv);
        break;
    case KC_OP_MAX_POOL:
    case KC_OP_AVG_POOL:
    case KC_OP_SMOOTH_MAX_POOL:
        add_pool(words, &attributes->u.pool,
                 attributes->op == KC_OP_SMOOTH_MAX_POOL);
        break;
    case KC_OP_BATCH_NORM:
        add_batch_norm(words, &attributes->u.batch_norm);
        break;
    case KC_OP_FFT_FNO:
        add_fft(words, &attributes->u.fft);
        break;
    default:
        add_simple(words, attributes);
        break;
    }
}

void kci_graph_describe_node(const kc_graph_t *graph, uint32_t node, char *out,
                             size_t size)
{
    const kc_attributes_t *attributes = kci_graph_attributes(graph, node);
    const kci_kind_t *kind = kci_kind(graph->nodes[node].kind);
    words_t words = {out, size, 0};
    if (size == 0) {
        return;
    }
    add(&words, "%s", kind->label);
    if (attributes != NULL && kind->lowering == KCI_LOWERING_NONE &&
        attributes->op != KC_OP_HARD_MASKED_SOFTMAX) {
        add_attributes(&words, graph, node, attributes);
    }
}
