/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a call: folds leading axes into heads and aligns the mask's axes with
 * them from the right.
 */
#include "problem.h"

/* What operands without elements point at; nobody reads it. */
static const float nothing[1];

void *kc_attention_data(const DLTensor *tensor)
{
    void *data = kc_tensor_data(tensor);
    return data != NULL ? data : (void *)nothing;
}

const uint8_t *kc_attention_mask_row(const kc_attention_problem_t *problem,
                                     size_t head, size_t row)
{
    const uint8_t *byte = problem->mask;
    if (byte == NULL) {
        return NULL;
    }
    for (int32_t axis = problem->lead; axis-- > 0;) {
        size_t extent = (size_t)problem->lead_extent[axis];
        byte += head % extent * problem->mask_lead_stride[axis];
        head /= extent;
    }
    return byte + row * problem->mask_query_stride;
}

/* The mask is dense; its axes are those of [lead..., queries, keys] from the
 * right. */
static void set_mask(kc_attention_problem_t *problem, const DLTensor *mask)
{
    size_t stride = 1;
    problem->mask = kc_attention_data(mask);
    for (int32_t back = 0; back < mask->ndim; back++) {
        size_t extent = (size_t)mask->shape[mask->ndim - 1 - back];
        size_t used = extent == 1 ? 0 : stride;
        if (back == 0) {
            problem->mask_key_stride = used;
        } else if (back == 1) {
            problem->mask_query_stride = used;
        } else {
            problem->mask_lead_stride[problem->lead + 1 - back] = used;
        }
        stride *= extent;
    }
}

kc_attention_problem_t kc_attention_problem_of(const kc_call_t *call)
{
    const DLTensor *q = call->inputs[0];
    const DLTensor *k = call->inputs[1];
    const DLTensor *v = call->inputs[2];
    const int32_t lead = q->ndim - 2;
    kc_attention_problem_t problem = {
        .heads = 1,
        .queries = (size_t)q->shape[lead],
        .keys = (size_t)k->shape[lead],
        .width = (size_t)q->shape[lead + 1],
        .value_width = (size_t)v->shape[lead + 1],
        .block_queries = KC_ATTENTION_BLOCK_QUERIES,
        .block_keys = KC_ATTENTION_BLOCK_KEYS,
        .scale = (float)call->attributes->u.attention.scale,
        .is_causal = call->attributes->u.attention.causal != 0,
        .q = kc_attention_data(q),
        .k = kc_attention_data(k),
        .v = kc_attention_data(v),
        .lead = lead,
        .lead_extent = q->shape};
    for (int32_t axis = 0; axis < lead; axis++) {
        problem.heads *= (size_t)q->shape[axis];
    }
    if (call->input_count > 3 && call->inputs[3] != NULL) {
        set_mask(&problem, call->inputs[3]);
    }
    return problem;
}
