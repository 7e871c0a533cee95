/* SPDX-License-Identifier: Apache-2.0
 *
 * The entries of the catalogue that the families define; only op_info.c
 * reads them.
 */
#ifndef KC_OPS_ENTRIES_H
#define KC_OPS_ENTRIES_H

#include "ops/op_info.h"

/* random.c */
extern const kci_op_info_t kci_op_rand_uniform;
extern const kci_op_info_t kci_op_bernoulli_mask;
/* pointwise.c */
extern const kci_op_info_t kci_op_add;
extern const kci_op_info_t kci_op_sub;
extern const kci_op_info_t kci_op_mul;
extern const kci_op_info_t kci_op_scale;
extern const kci_op_info_t kci_op_abs;
extern const kci_op_info_t kci_op_sqrt;
extern const kci_op_info_t kci_op_clamp;
extern const kci_op_info_t kci_op_max;
extern const kci_op_info_t kci_op_min;
extern const kci_op_info_t kci_op_relu;
extern const kci_op_info_t kci_op_gelu;
extern const kci_op_info_t kci_op_sigmoid;
extern const kci_op_info_t kci_op_tanh;
extern const kci_op_info_t kci_op_softplus;
extern const kci_op_info_t kci_op_exp;
extern const kci_op_info_t kci_op_log;
extern const kci_op_info_t kci_op_sin;
extern const kci_op_info_t kci_op_cos;
extern const kci_op_info_t kci_op_inv;
extern const kci_op_info_t kci_op_safe_log;
/* softmax.c */
extern const kci_op_info_t kci_op_log_softmax;
extern const kci_op_info_t kci_op_softmax;
extern const kci_op_info_t kci_op_hard_masked_softmax;
/* reduce.c */
extern const kci_op_info_t kci_op_reduce_sum;
extern const kci_op_info_t kci_op_reduce_mean;
/* layout.c */
extern const kci_op_info_t kci_op_reshape;
extern const kci_op_info_t kci_op_permute;
extern const kci_op_info_t kci_op_broadcast;
extern const kci_op_info_t kci_op_concat;
extern const kci_op_info_t kci_op_slice;
/* index.c */
extern const kci_op_info_t kci_op_gather;
extern const kci_op_info_t kci_op_scatter_add;
/* matmul.c */
extern const kci_op_info_t kci_op_matmul;
extern const kci_op_info_t kci_op_linear;
extern const kci_op_info_t kci_op_mse_loss;
/* norm.c */
extern const kci_op_info_t kci_op_layer_norm;
extern const kci_op_info_t kci_op_batch_norm;
/* conv.c */
extern const kci_op_info_t kci_op_conv;
extern const kci_op_info_t kci_op_conv_transpose;
/* pool.c */
extern const kci_op_info_t kci_op_max_pool;
extern const kci_op_info_t kci_op_smooth_max_pool;
extern const kci_op_info_t kci_op_avg_pool;
/* spectral.c */
extern const kci_op_info_t kci_op_fft_fno;
/* scan.c */
extern const kci_op_info_t kci_op_selective_scan;
/* attention.c */
extern const kci_op_info_t kci_op_scaled_dot_product_attention;

#endif
