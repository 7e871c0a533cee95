/* SPDX-License-Identifier: Apache-2.0
 *
 * The attributes of all operations, as a handler sees them: defaults filled
 * in, axes resolved and in range, arrays with one entry a spatial axis, a
 * random source with its 64-bit key. One record; which member of the union
 * is meant follows from the operation (see the comments). Operations that
 * are not named here have no attributes.
 *
 * Numbers are double because files carry double; a handler rounds them once
 * to its element type.
 */
#ifndef KCAPSULE_ATTRIBUTES_H
#define KCAPSULE_ATTRIBUTES_H

#include <kcapsule/vocabulary.h>

KC_BEGIN_DECLS

/* softmax, log_softmax, hard_masked_softmax (always the last axis),
 * reduce_sum, reduce_mean, concat, gather, scatter_add. */
typedef struct kc_axis_attributes {
    int64_t axis;
} kc_axis_attributes_t;

/* scale */
typedef struct kc_scale_attributes {
    double factor;
} kc_scale_attributes_t;

/* clamp */
typedef struct kc_clamp_attributes {
    double lo;
    double hi;
} kc_clamp_attributes_t;

enum { KC_GELU_TANH = 0, KC_GELU_ERF = 1 };

/* gelu; the file's words are "tanh" and "none" */
typedef struct kc_gelu_attributes {
    int32_t approximate;
} kc_gelu_attributes_t;

/* reshape, broadcast: the target shape. rand_uniform and bernoulli_mask
 * have it in kc_random_attributes_t. */
typedef struct kc_shape_attributes {
    int64_t rank;
    int64_t shape[KC_MAX_RANK];
} kc_shape_attributes_t;

/* permute: axis i of the result is axis perm[i] of the input. */
typedef struct kc_permute_attributes {
    int64_t rank;
    int64_t perm[KC_MAX_RANK];
} kc_permute_attributes_t;

/* slice */
typedef struct kc_slice_attributes {
    int64_t axis;
    int64_t start;
    int64_t length;
} kc_slice_attributes_t;

/* rand_uniform, bernoulli_mask. `key` is what a handler uses. */
typedef struct kc_random_attributes {
    uint64_t seed;
    uint64_t key;
    int64_t rank;
    int64_t shape[KC_MAX_RANK];
} kc_random_attributes_t;

/* layer_norm: normalises the axes from `axis` on. */
typedef struct kc_layer_norm_attributes {
    int64_t axis;
    double eps;
} kc_layer_norm_attributes_t;

enum {
    KC_BATCH_NORM_SAMPLE = 0, /* statistics of each sample and channel      */
    KC_BATCH_NORM_BATCH = 1,  /* statistics over the batch, axis 0          */
    KC_BATCH_NORM_EVAL = 2    /* stored mean and variance, inputs 3 and 4   */
};

/* batch_norm */
typedef struct kc_batch_norm_attributes {
    int32_t mode;
    int64_t channel_axis;
    double eps;
} kc_batch_norm_attributes_t;

/* conv, conv_transpose (dilation 1, groups 1 there) */
typedef struct kc_conv_attributes {
    int64_t spatial_rank;
    int64_t stride[KC_MAX_RANK];
    int64_t padding[KC_MAX_RANK];
    int64_t padding_after[KC_MAX_RANK];
    int64_t dilation[KC_MAX_RANK];
    int64_t groups;
} kc_conv_attributes_t;

/* max_pool, avg_pool, smooth_max_pool (`beta` only there) */
typedef struct kc_pool_attributes {
    int64_t spatial_rank;
    int64_t kernel[KC_MAX_RANK];
    int64_t stride[KC_MAX_RANK];
    int64_t padding[KC_MAX_RANK];
    double beta;
} kc_pool_attributes_t;

enum {
    KC_FFT_RFFT = 0,
    KC_FFT_IRFFT = 1,
    KC_FFT_SPECTRAL_CONV1D = 2
};

/* fft_fno: `n` is the signal length, `modes` only for the convolution. */
typedef struct kc_fft_attributes {
    int32_t transform;
    int64_t n;
    int64_t modes;
} kc_fft_attributes_t;

/* scaled_dot_product_attention. The scale is resolved: where the file gives
 * none it is float32(1 / sqrt(float32 d)), 1 if d = 0. `causal` allows key j
 * for query i when j <= i, combined with a mask by AND. */
typedef struct kc_attention_attributes {
    double scale;
    int32_t causal;
} kc_attention_attributes_t;

typedef struct kc_attributes {
    uint32_t struct_size;
    int32_t op;
    union {
        kc_axis_attributes_t axis;
        kc_scale_attributes_t scale;
        kc_clamp_attributes_t clamp;
        kc_gelu_attributes_t gelu;
        kc_shape_attributes_t shape;
        kc_permute_attributes_t permute;
        kc_slice_attributes_t slice;
        kc_random_attributes_t random;
        kc_layer_norm_attributes_t layer_norm;
        kc_batch_norm_attributes_t batch_norm;
        kc_conv_attributes_t conv;
        kc_pool_attributes_t pool;
        kc_fft_attributes_t fft;
        kc_attention_attributes_t attention;
    } u;
} kc_attributes_t;

KC_END_DECLS

#endif
