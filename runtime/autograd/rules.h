/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules that the families define; only rule.c reads them. One file a
 * family, the same names as in runtime/ops.
 */
#ifndef KC_AUTOGRAD_RULES_H
#define KC_AUTOGRAD_RULES_H

#include "autograd/rule.h"

#define KCI_DECLARE_RULE(name) extern const kci_rule_t kci_rule_##name;

/* pointwise.c: composed; pointwise_select.c: the runtime's */
KCI_DECLARE_RULE(add)
KCI_DECLARE_RULE(sub)
KCI_DECLARE_RULE(mul)
KCI_DECLARE_RULE(scale)
KCI_DECLARE_RULE(sqrt)
KCI_DECLARE_RULE(sigmoid)
KCI_DECLARE_RULE(tanh)
KCI_DECLARE_RULE(softplus)
KCI_DECLARE_RULE(exp)
KCI_DECLARE_RULE(log)
KCI_DECLARE_RULE(sin)
KCI_DECLARE_RULE(cos)
KCI_DECLARE_RULE(inv)
KCI_DECLARE_RULE(safe_log)
KCI_DECLARE_RULE(abs)
KCI_DECLARE_RULE(clamp)
KCI_DECLARE_RULE(max)
KCI_DECLARE_RULE(min)
KCI_DECLARE_RULE(relu)
KCI_DECLARE_RULE(gelu)
/* softmax.c */
KCI_DECLARE_RULE(log_softmax)
KCI_DECLARE_RULE(softmax)
KCI_DECLARE_RULE(hard_masked_softmax)
/* reduce.c */
KCI_DECLARE_RULE(reduce_sum)
KCI_DECLARE_RULE(reduce_mean)
/* layout.c */
KCI_DECLARE_RULE(reshape)
KCI_DECLARE_RULE(permute)
KCI_DECLARE_RULE(broadcast)
KCI_DECLARE_RULE(concat)
KCI_DECLARE_RULE(slice)
/* index.c */
KCI_DECLARE_RULE(gather)
KCI_DECLARE_RULE(scatter_add)
/* matmul.c */
KCI_DECLARE_RULE(matmul)
KCI_DECLARE_RULE(linear)
KCI_DECLARE_RULE(mse_loss)
/* norm.c */
KCI_DECLARE_RULE(layer_norm)
KCI_DECLARE_RULE(batch_norm)
/* conv.c */
KCI_DECLARE_RULE(conv)
KCI_DECLARE_RULE(conv_transpose)
/* pool.c */
KCI_DECLARE_RULE(max_pool)
KCI_DECLARE_RULE(smooth_max_pool)
KCI_DECLARE_RULE(avg_pool)
/* spectral.c */
KCI_DECLARE_RULE(fft_fno)
/* scan.c */
KCI_DECLARE_RULE(selective_scan)
/* attention.c: composed; attention_rows.c: the runtime's */
KCI_DECLARE_RULE(attention)

#endif
