/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Attention as applications of LibTorch write it. No exception leaves this
 * file. */
#include "bench/torch_attention.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <torch/torch.h>
#include <torch/version.h>

struct torch_attention {
    double scale;
    torch::Tensor x[4];         /* q, k, v, g */
    torch::Tensor variables[3]; /* the same memory, for autograd */
    torch::Tensor y;
    torch::Tensor gradients[3];
};

template <typename function_t> static function_t find(const char *name)
{
    return reinterpret_cast<function_t>(dlsym(RTLD_DEFAULT, name));
}

/* OpenBLAS was loaded with this program and read the environment before main:
 * its own function is the only way to its threads. ATen's does not reach it. */
void torch_attention_begin(void)
{
    const auto set = find<void (*)(int)>("openblas_set_num_threads");
    const auto count = find<int (*)(void)>("openblas_get_num_threads");
    const auto core = find<char *(*)(void)>("openblas_get_corename");
    try {
        at::set_num_threads(1);
    } catch (const std::exception &failure) {
        std::printf("LibTorch: %s\n", failure.what());
        return;
    }
    std::printf("LibTorch %s: threads %d", TORCH_VERSION,
                at::get_num_threads());
    if (set != nullptr && count != nullptr && core != nullptr) {
        set(1);
        std::printf("; OpenBLAS: threads %d, core %s", count(), core());
    }
    std::printf("\n");
}

torch_attention_t *torch_attention_create(int64_t heads, int64_t n,
                                          int64_t width,
                                          const float *const x[4])
{
    try {
        torch_attention_t *task = new torch_attention_t;
        task->scale = 1 / std::sqrt(static_cast<double>(width));
        for (int i = 0; i < 4; i++) {
            task->x[i] =
                torch::from_blob(const_cast<float *>(x[i]), {heads, n, width});
        }
        for (int i = 0; i < 3; i++) {
            task->variables[i] =
                torch::from_blob(const_cast<float *>(x[i]), {heads, n, width});
            task->variables[i].requires_grad_(true);
        }
        return task;
    } catch (const std::exception &) {
        return nullptr;
    }
}

void torch_attention_destroy(torch_attention_t *task)
{
    delete task;
}

static torch::Tensor weights(const torch::Tensor &q, const torch::Tensor &k,
                             double scale)
{
    return torch::softmax(torch::bmm(q, k.transpose(1, 2)).mul_(scale), -1);
}

static torch::Tensor whole(const torch::Tensor &q, const torch::Tensor &k,
                           const torch::Tensor &v)
{
#if TORCH_VERSION_MAJOR == 1
    return std::get<0>(at::_scaled_dot_product_attention(q, k, v, c10::nullopt,
                                                         0.0, false, false));
#else
    return at::scaled_dot_product_attention(q, k, v);
#endif
}

template <typename work_t> static int repeat(int iterations, work_t work)
{
    try {
        for (int i = 0; i < iterations; i++) {
            work();
        }
        return 1;
    } catch (const std::exception &) {
        return 0;
    }
}

int torch_attention_products(torch_attention_t *task, int iterations)
{
    return repeat(iterations, [&] {
        c10::InferenceMode guard;
        task->y = torch::bmm(weights(task->x[0], task->x[1], task->scale),
                             task->x[2]);
    });
}

int torch_attention_whole(torch_attention_t *task, int iterations)
{
    return repeat(iterations, [&] {
        c10::InferenceMode guard;
        task->y = whole(task->x[0], task->x[1], task->x[2]);
    });
}

int torch_attention_products_back(torch_attention_t *task, int iterations)
{
    const torch::Tensor *x = task->x;
    return repeat(iterations, [&] {
        c10::InferenceMode guard;
        torch::Tensor a = weights(x[0], x[1], task->scale);
        task->y = torch::bmm(a, x[2]);
        task->gradients[2] = torch::bmm(a.transpose(1, 2), x[3]);
        torch::Tensor da = torch::bmm(x[3], x[2].transpose(1, 2));
        torch::Tensor ds =
            at::_softmax_backward_data(da, a, -1, at::kFloat).mul_(task->scale);
        task->gradients[0] = torch::bmm(ds, x[1]);
        task->gradients[1] = torch::bmm(ds.transpose(1, 2), x[0]);
    });
}

static void differentiate(torch_attention_t *task, const torch::Tensor &y)
{
    for (torch::Tensor &variable : task->variables) {
        variable.mutable_grad().reset();
    }
    y.backward(task->x[3]);
    task->y = y.detach();
    for (int i = 0; i < 3; i++) {
        task->gradients[i] = task->variables[i].grad();
    }
}

int torch_attention_products_autograd(torch_attention_t *task, int iterations)
{
    const torch::Tensor *x = task->variables;
    return repeat(iterations, [&] {
        differentiate(task, torch::bmm(weights(x[0], x[1], task->scale), x[2]));
    });
}

int torch_attention_whole_autograd(torch_attention_t *task, int iterations)
{
    const torch::Tensor *x = task->variables;
    return repeat(iterations,
                  [&] { differentiate(task, whole(x[0], x[1], x[2])); });
}

static void copy_out(const torch::Tensor &from, float *to)
{
    torch::Tensor dense = from.contiguous();
    std::memcpy(to, dense.data_ptr<float>(),
                static_cast<size_t>(dense.numel()) * sizeof *to);
}

void torch_attention_results(const torch_attention_t *task, float *y,
                             float *const gradients[3])
{
    if (y != nullptr) {
        copy_out(task->y, y);
    }
    for (int i = 0; gradients != nullptr && i < 3; i++) {
        copy_out(task->gradients[i], gradients[i]);
    }
}
