/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The step as an application of LibTorch would write it. No exception leaves
 * this file. */
#include "bench/torch_step.h"

#include <exception>
#include <torch/torch.h>

struct torch_step {
    torch::Tensor x;
    torch::Tensor target;
    torch::Tensor parameters[4];
};

static torch::Tensor copy_of(const float *from, at::IntArrayRef shape)
{
    return torch::from_blob(const_cast<float *>(from), shape).clone();
}

torch_step_t *torch_step_create(const torch_values_t *values)
{
    try {
        at::set_num_threads(1);
        torch_step_t *step = new torch_step_t{
            copy_of(values->x, {1, 4}),
            copy_of(values->target, {1, 1}),
            {copy_of(values->w1, {8, 4}), copy_of(values->b1, {8}),
             copy_of(values->w2, {1, 8}), copy_of(values->b2, {1})}};
        for (torch::Tensor &parameter : step->parameters) {
            parameter.requires_grad_(true);
        }
        return step;
    } catch (const std::exception &) {
        return nullptr;
    }
}

void torch_step_destroy(torch_step_t *step)
{
    delete step;
}

int torch_step_run(torch_step_t *step, int iterations)
{
    torch::Tensor *p = step->parameters;
    try {
        for (int i = 0; i < iterations; i++) {
            for (int k = 0; k < 4; k++) {
                p[k].mutable_grad().reset();
            }
            torch::Tensor hidden =
                torch::relu(torch::linear(step->x, p[0], p[1]));
            torch::Tensor y = torch::linear(hidden, p[2], p[3]);
            torch::mse_loss(y, step->target).backward();
        }
        return 1;
    } catch (const std::exception &) {
        return 0;
    }
}

void torch_step_gradients(const torch_step_t *step, float *out)
{
    for (const torch::Tensor &parameter : step->parameters) {
        torch::Tensor gradient = parameter.grad().contiguous();
        const float *from = gradient.data_ptr<float>();
        for (int64_t i = 0; i < gradient.numel(); i++) {
            *out++ = from[i];
        }
    }
}
