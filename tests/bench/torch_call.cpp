/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The calls that the libtorch module makes, without the module. No exception
 * leaves this file. */
#include "bench/torch_call.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include <exception>

struct torch_call {
    at::Tensor a;
    at::Tensor b;
    at::Tensor y;
    bool is_matmul;
};

torch_call_t *torch_call_create(float *a, float *b, float *y, int is_matmul)
{
    try {
        c10::InferenceMode guard;
        at::set_num_threads(1);
        const int64_t extents[] = {4, 4};
        at::IntArrayRef shape(extents, is_matmul ? 2 : 1);
        return new torch_call_t{at::from_blob(a, shape, at::kFloat),
                                at::from_blob(b, shape, at::kFloat),
                                at::from_blob(y, shape, at::kFloat),
                                is_matmul != 0};
    } catch (const std::exception &) {
        return nullptr;
    }
}

void torch_call_destroy(torch_call_t *call)
{
    delete call;
}

int torch_call_run(torch_call_t *call, int iterations)
{
    try {
        c10::InferenceMode guard;
        for (int i = 0; i < iterations; i++) {
            if (call->is_matmul) {
                at::mm_out(call->y, call->a, call->b);
            } else {
                at::add_out(call->y, call->a, call->b);
            }
        }
        return 1;
    } catch (const std::exception &) {
        return 0;
    }
}
