/* SPDX-License-Identifier: Apache-2.0
 *
 * Words for cases. Attributes are written by operation, since which member
 * of the record is meant follows from it.
 */
#include "conform/describe.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
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
    kci_line_add(line, " beta %.17g", pool->beta);
}

/* Operations of few numbers. */
static void add_numbers(kci_line_t *line, const kc_attributes_t *attributes)
{
    switch (attributes->op) {
    case KC_OP_SCALE:
        kci_line_add(line, "factor %.17g", attributes->u.scale.factor);
        break;
    case KC_OP_CLAMP:
        kci_line_add(line, "lo %.17g hi %.17g", attributes->u.clamp.lo,
                     attributes->u.clamp.hi);
        break;
    case KC_OP_GELU:
        kci_line_add(line, "approximate %" PRId32,
                     attributes->u.gelu.approximate);
        break;
    case KC_OP_SLICE:
        kci_line_add(line, "axis %" PRId64 " start %" PRId64 " length %" PRId64,
                     attributes->u.slice.axis, attributes->u.slice.start,
                     attributes->u.slice.length);
        break;
    case KC_OP_LAYER_NORM:
        kci_line_add(line, "axis %" PRId64 " eps %.17g",
                     attributes->u.layer_norm.axis,
                     attributes->u.layer_norm.eps);
        break;
    case KC_OP_BATCH_NORM:
        kci_line_add(line,
                     "mode %" PRId32 " channel_axis %" PRId64 " eps %.17g",
                     attributes->u.batch_norm.mode,
                     attributes->u.batch_norm.channel_axis,
                     attributes->u.batch_norm.eps);
        break;
    case KC_OP_FFT_FNO:
        kci_line_add(line, "transform %" PRId32 " n %" PRId64 " modes %" PRId64,
                     attributes->u.fft.transform, attributes->u.fft.n,
                     attributes->u.fft.modes);
        break;
    case KC_OP_SCALED_DOT_PRODUCT_ATTENTION:
        kci_line_add(line, "scale %.17g causal %" PRId32,
                     attributes->u.attention.scale,
                     attributes->u.attention.causal);
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
    default:
        add_numbers(line, attributes);
        break;
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
    kci_line_add(line, "; ");
    add_attributes(line, &trial->attributes);
}
