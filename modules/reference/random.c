/* SPDX-License-Identifier: Apache-2.0
 *
 * rand_uniform and bernoulli_mask: element i is a function of the key and of
 * i alone, so any cut into tiles gives the same values. Generator:
 * splitmix64, Steele, Lea, Flood 2014.
 */
#include "handlers.h"
#include "tile.h"

/* Work of one element, in multiply-adds. */
#define ELEMENT_WORK 4

static inline uint64_t splitmix64(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The low 32 bits over 2^32, which double holds exactly. */
static inline double uniform(uint64_t key, uint64_t idx)
{
    return (double)(uint32_t)splitmix64(key + idx) * 0x1p-32;
}

#include "float32.h"
#include "random_typed.h"
#include "float64.h"
#include "random_typed.h"

typedef void (*loop_fn)(uint64_t key, double keep, void *out, size_t start,
                        size_t count);

typedef struct context {
    loop_fn loop;
    uint64_t key;
    double keep;
    void *out;
} context_t;

static kc_status_t tile(void *opaque, size_t start, size_t count)
{
    const context_t *context = opaque;
    context->loop(context->key, context->keep, context->out, start, count);
    return KC_OK;
}

static kc_status_t run(const kc_call_t *call, loop_fn f32, loop_fn f64,
                       double keep)
{
    DLTensor *y = call->outputs[0];
    context_t context = {.loop = kc_reference_is_f64(y) ? f64 : f32,
                         .key = call->attributes->u.random.key,
                         .keep = keep,
                         .out = kc_tensor_data(y)};
    return kc_reference_for(call, tile, &context,
                            (size_t)kc_tensor_element_count(y), ELEMENT_WORK);
}

static kc_status_t rand_uniform_forward(const kc_call_t *call)
{
    return run(call, uniform_loop_f32, uniform_loop_f64, 0);
}
KC_REFERENCE_HANDLER(rand_uniform, KC_OP_RAND_UNIFORM, rand_uniform_forward,
                     NULL);

/* The probability is a scalar of the result's type. */
static kc_status_t bernoulli_mask_forward(const kc_call_t *call)
{
    const DLTensor *keep = call->inputs[0];
    const void *value = kc_tensor_data(keep);
    return run(call, bernoulli_loop_f32, bernoulli_loop_f64,
               kc_reference_is_f64(keep) ? *(const double *)value
                                         : (double)*(const float *)value);
}
KC_REFERENCE_HANDLER(bernoulli_mask, KC_OP_BERNOULLI_MASK,
                     bernoulli_mask_forward, NULL);
