/* SPDX-License-Identifier: Apache-2.0
 *
 * Words for cases. Attributes are written by operation, since which member
 * of the record is meant follows from it.
 */
#include "conform/describe.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <kcapsule/vocabulary.h>

#define LABEL(constant, label) label,
static const char *const op_labels[] = {KC_FOR_EACH_OP(LABEL)};
static const char *const dtype_labels[] = {KC_FOR_EACH_DTYPE(LABEL)};

void kci_line_add(kci_line_t *line, const char *format, ...)
{
    va_list arguments;
    size_t room = sizeof line->text - line->length;
    va_start(arguments, format);
    int wanted = vsnprintf(line->text + line->length, room, format, arguments);
    va_end(arguments);
    if (wanted > 0) {
        line->length += (size_t)wanted < room ? (size_t)wanted : room - 1;
    }
}

/* The fewest digits of two that give the number back; the point is a point
 * in every locale. */
void kci_line_add_number(kci_line_t *line, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.9g", value);
    if (strtod(text, NULL) != value) {
        snprintf(text, sizeof text, "%.17g", value);
    }
    for (char *c = text; *c != '\0'; c++) {
        *c = *c == ',' ? '.' : *c;
    }
    kci_line_add(line, "%s", text);
}

static void add_named(kci_line_t *line, const char *name, double value)
{
    kci_line_add(line, "%s ", name);
    kci_line_add_number(line, value);
}

static void add_list(kci_line_t *line, int64_t count, const int64_t *numbers)
{
    kci_line_add(line, "[");
    for (int64_t i = 0; i < count; i++) {
        kci_line_add(line, "%s%" PRId64, i == 0 ? "" : ", ", numbers[i]);
    }
    kci_line_add(line, "]");
}

void kci_line_add_index(kci_line_t *line, int32_t rank, const int64_t *shape,
                        int64_t place)
{
    int64_t index[KC_MAX_RANK] = {0};
    for (int32_t axis = rank - 1; axis >= 0; axis--) {
        index[axis] = place % shape[axis];
        place /= shape[axis];
    }
    add_list(line, rank, index);
}

static void add_conv(kci_line_t *line, const kc_conv_attributes_t *conv)
{
    kci_line_add(line, "stride ");
    add_list(line, conv->spatial_rank, conv->stride);
    kci_line_add(line, " padding ");
    add_list(line, conv->spatial_rank, conv->padding);
    kci_line_add(line, " padding_after ");
    add_list(line, conv->spatial_rank, conv->padding_after);
    kci_line_add(line, " dilation ");
    add_list(line, conv->spatial_rank, conv->dilation);
    kci_line_add(line, " groups %" PRId64, conv->groups);
}

static void add_pool(kci_line_t *line, const kc_pool_attributes_t *pool)
{
    kci_line_add(line, "kernel ");
    add_list(line, pool->spatial_rank, pool->kernel);
    kci_line_add(line, " stride ");
    add_list(line, pool->spatial_rank, pool->stride);
    kci_line_add(line, " padding ");
    add_list(line, pool->spatial_rank, pool->padding);
    add_named(line, " beta", pool->beta);
}

static void add_norm(kci_line_t *line, const kc_attributes_t *attributes)
{
    const kc_batch_norm_attributes_t *batch = &attributes->u.batch_norm;
    if (attributes->op == KC_OP_LAYER_NORM) {
        kci_line_add(line, "axis %" PRId64, attributes->u.layer_norm.axis);
        add_named(line, " eps", attributes->u.layer_norm.eps);
        return;
    }
    kci_line_add(line, "mode %" PRId32 " channel_axis %" PRId64, batch->mode,
                 batch->channel_axis);
    add_named(line, " eps", batch->eps);
}

/* Operations of few numbers. */
static void add_numbers(kci_line_t *line, const kc_attributes_t *attributes)
{
    const kc_slice_attributes_t *slice = &attributes->u.slice;
    const kc_fft_attributes_t *fft = &attributes->u.fft;
    switch (attributes->op) {
    case KC_OP_SCALE:
        add_named(line, "factor", attributes->u.scale.factor);
        break;
    case KC_OP_CLAMP:
        add_named(line, "lo", attributes->u.clamp.lo);
        add_named(line, " hi", attributes->u.clamp.hi);
        break;
    case KC_OP_GELU:
        kci_line_add(line, "approximate %" PRId32,
                     attributes->u.gelu.approximate);
        break;
    case KC_OP_SLICE:
        kci_line_add(line, "axis %" PRId64 " start %" PRId64 " length %" PRId64,
                     slice->axis, slice->start, slice->length);
        break;
    case KC_OP_FFT_FNO:
        kci_line_add(line, "transform %" PRId32 " n %" PRId64 " modes %" PRId64,
                     fft->transform, fft->n, fft->modes);
        break;
    case KC_OP_SCALED_DOT_PRODUCT_ATTENTION:
        add_named(line, "scale", attributes->u.attention.scale);
        kci_line_add(line, " causal %" PRId32, attributes->u.attention.causal);
        break;
    default:
        break;
    }
}

static void add_attributes(kci_line_t *line, const kc_attributes_t *attributes)
{
    switch (attributes->op) {
    case KC_OP_SOFTMAX:
    case KC_OP_LOG_SOFTMAX:
    case KC_OP_REDUCE_SUM:
    case KC_OP_REDUCE_MEAN:
    case KC_OP_CONCAT:
    case KC_OP_GATHER:
    case KC_OP_SCATTER_ADD:
        kci_line_add(line, "axis %" PRId64, attributes->u.axis.axis);
        break;
    case KC_OP_RESHAPE:
    case KC_OP_BROADCAST:
        kci_line_add(line, "shape ");
        add_list(line, attributes->u.shape.rank, attributes->u.shape.shape);
        break;
    case KC_OP_PERMUTE:
        kci_line_add(line, "perm ");
        add_list(line, attributes->u.permute.rank, attributes->u.permute.perm);
        break;
    case KC_OP_RAND_UNIFORM:
    case KC_OP_BERNOULLI_MASK:
        kci_line_add(line, "key 0x%016" PRIx64 " shape ",
                     attributes->u.random.key);
        add_list(line, attributes->u.random.rank, attributes->u.random.shape);
        break;
    case KC_OP_CONV:
    case KC_OP_CONV_TRANSPOSE:
        add_conv(line, &attributes->u.conv);
        break;
    case KC_OP_MAX_POOL:
    case KC_OP_AVG_POOL:
    case KC_OP_SMOOTH_MAX_POOL:
        add_pool(line, &attributes->u.pool);
        break;
    case KC_OP_LAYER_NORM:
    case KC_OP_BATCH_NORM:
        add_norm(line, attributes);
        break;
    default:
        add_numbers(line, attributes);
        break;
    }
}

/* One element at a time, most operations have none. */
static bool has_attributes(int32_t op)
{
    switch (op) {
    case KC_OP_HARD_MASKED_SOFTMAX:
    case KC_OP_MATMUL:
    case KC_OP_LINEAR:
    case KC_OP_MSE_LOSS:
    case KC_OP_SELECTIVE_SCAN:
        return false;
    case KC_OP_SCALE:
    case KC_OP_CLAMP:
    case KC_OP_GELU:
        return true;
    default:
        return op < KC_OP_ADD || op > KC_OP_SAFE_LOG;
    }
}

void kci_line_add_case(kci_line_t *line, const kci_case_t *trial)
{
    kci_line_add(line, "%s %s seed %" PRIu64 ":", op_labels[trial->op],
                 dtype_labels[trial->dtype], trial->seed);
    for (size_t i = 0; i < trial->input_count; i++) {
        const kci_operand_t *operand = &trial->operands[i];
        kci_line_add(line, i == 0 ? " " : ", ");
        if (!operand->is_present) {
            kci_line_add(line, "absent");
            continue;
        }
        add_list(line, operand->rank, operand->shape);
        kci_line_add(line, " %s", kci_case_layout_label(operand->layout));
    }
    if (has_attributes(trial->op)) {
        kci_line_add(line, "; ");
        add_attributes(line, &trial->attributes);
    }
}
