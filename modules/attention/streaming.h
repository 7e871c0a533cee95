/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler of native_cpu.streaming_attention, and how its work is cut.
 */
#ifndef KC_ATTENTION_STREAMING_H
#define KC_ATTENTION_STREAMING_H

#include <kcapsule/handler.h>

#include "kernels.h"

extern const kc_handler_t kc_attention_streaming;

/* Bytes of workspace; 0 where there is nothing to do. */
size_t kc_attention_forward_size(const kc_attention_problem_t *problem,
                                 const kc_attention_kernels_t *kernels);
size_t kc_attention_backward_size(const kc_attention_problem_t *problem,
                                  const kc_attention_kernels_t *kernels);

/* `workspace` has the size above and is aligned to 64 bytes. */
kc_status_t kc_attention_forward(const kc_attention_problem_t *problem,
                                 const kc_attention_kernels_t *kernels,
                                 const kc_host_t *host, float *workspace);
kc_status_t kc_attention_backward(const kc_attention_problem_t *problem,
                                  const kc_attention_kernels_t *kernels,
                                  const kc_host_t *host, float *workspace);

#endif
