/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Attention of eight heads of width 64 under fast_cpu on one thread, forward
 * and with its backward, beside LibTorch's two forms. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_context.h"
#include "bench/measure.h"
#include "bench/torch_attention.h"
#include "dispatch/call.h"
#include "registry/profile_load.h"
#include "tensor/tensor.h"

#define HEADS  8
#define WIDTH  64
#define ROUNDS 31

enum { Q, K, V, G, Y, DQ, DK, DV, TENSORS };

typedef struct contest {
    bench_context_t *bench;
    kci_binding_t binding;
    kci_call_context_t context;
    kc_attributes_t attributes;
    kc_tensor_t *tensors[TENSORS];
    torch_attention_t *torch;
} contest_t;

static int run_forward(void *opaque, int iterations)
{
    contest_t *c = opaque;
    const DLTensor *inputs[] = {&c->tensors[Q]->view, &c->tensors[K]->view,
                                &c->tensors[V]->view, NULL};
    kc_status_t status = KC_OK;
    for (int i = 0; i < iterations; i++) {
        status |= kci_call_compiled(&c->context, &c->attributes, inputs, 3,
                                    &c->tensors[Y]->view, &c->bench->error);
    }
    return status == KC_OK;
}

static int run_both(void *opaque, int iterations)
{
    contest_t *c = opaque;
    const DLTensor *inputs[] = {&c->tensors[Q]->view, &c->tensors[K]->view,
                                &c->tensors[V]->view, NULL};
    DLTensor *cotangents[] = {&c->tensors[DQ]->view, &c->tensors[DK]->view,
                              &c->tensors[DV]->view, NULL};
    const kci_vjp_call_t call = {.run = c->binding.handler->vjp,
                                 .workspace = c->binding.handler->vjp_workspace,
                                 .attributes = &c->attributes,
                                 .inputs = inputs,
                                 .input_count = 3,
                                 .cotangent = &c->tensors[G]->view,
                                 .cotangents_in = cotangents};
    kc_status_t status = KC_OK;
    for (int i = 0; i < iterations; i++) {
        if (!run_forward(c, 1)) {
            return 0;
        }
        status |= kci_call_vjp(&c->context, &call, &c->bench->error);
    }
    return status == KC_OK;
}

#define TORCH(name)                                                            \
    static int run_##name(void *opaque, int iterations)                        \
    {                                                                          \
        return torch_attention_##name(((contest_t *)opaque)->torch,            \
                                      iterations);                             \
    }
TORCH(products)
TORCH(whole)
TORCH(products_back)
TORCH(products_autograd)
TORCH(whole_autograd)

static void fill(float *values, size_t count, uint32_t seed)
{
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (float)(seed >> 8) * 0x1p-23f - 1;
    }
}

static int make_tensors(contest_t *c, int64_t n)
{
    const int64_t dims[] = {HEADS, n, WIDTH};
    for (int i = 0; i < TENSORS; i++) {
        if (kci_tensor_create(&c->bench->allocator, KC_DTYPE_F32, 3, dims,
                              &c->tensors[i], &c->bench->error) != KC_OK) {
            return 0;
        }
        fill(kc_tensor_data(&c->tensors[i]->view), (size_t)(HEADS * n * WIDTH),
             (uint32_t)i + 1);
    }
    return 1;
}

static void release(contest_t *c)
{
    torch_attention_destroy(c->torch);
    c->torch = NULL;
    for (int i = 0; i < TENSORS; i++) {
        kci_tensor_release(c->tensors[i]);
        c->tensors[i] = NULL;
    }
}

/* What a run has at a time beyond its operands. */
static size_t extra_bytes(contest_t *c, measure_fn run)
{
    kci_host_allocator_reset_peak(&c->bench->allocator);
    const size_t before = c->bench->allocator.live_bytes;
    if (!run(c, 1)) {
        return 0;
    }
    return c->bench->allocator.peak_bytes - before;
}

static void print_ratio(const measure_variant_t *variants, size_t count,
                        double bar)
{
    double best = INFINITY;
    double median = INFINITY;
    for (size_t i = 1; i < count; i++) {
        best = fmin(best, variants[i].best_ns);
        median = fmin(median, variants[i].median_ns);
    }
    if (count > 1) {
        printf("LibTorch's better form costs %.2f of it (best), %.2f (median); "
               "bar %.1f\n",
               best / variants[0].best_ns, median / variants[0].median_ns, bar);
    }
}

static void print_difference(const contest_t *c, int first, int count,
                             float *const found[3])
{
    double largest = 0;
    for (int i = 0; i < count; i++) {
        const DLTensor *view = &c->tensors[first + i]->view;
        const float *data = kc_tensor_data(view);
        for (int64_t k = 0; k < kc_tensor_element_count(view); k++) {
            largest =
                fmax(largest, fabs((double)data[k] - (double)found[i][k]));
        }
    }
    printf("largest difference to LibTorch: %.3g\n", largest);
}

static int compare_with_torch(contest_t *c, int first, int count)
{
    const size_t elements =
        (size_t)kc_tensor_element_count(&c->tensors[Y]->view);
    float *memory = calloc(3 * elements, sizeof *memory);
    float *found[3] = {memory, memory + elements, memory + 2 * elements};
    if (memory == NULL) {
        return 0;
    }
    torch_attention_results(c->torch, count == 1 ? found[0] : NULL,
                            count == 3 ? found : NULL);
    print_difference(c, first, count, found);
    free(memory);
    return 1;
}

static int measure_forward(contest_t *c, int64_t n, double bar, int iterations)
{
    measure_variant_t variants[] = {
        {"forward: streaming", run_forward, c, 0, 0},
        {"forward: LibTorch bmm, softmax, bmm", run_products, c, 0, 0},
        {"forward: LibTorch attention", run_whole, c, 0, 0}};
    const size_t count = c->torch != NULL ? 3 : 1;
    printf("-- forward, n = %d\n", (int)n);
    if (!measure_run(variants, count, ROUNDS, iterations)) {
        return 0;
    }
    measure_print(variants, count);
    print_ratio(variants, count, bar);
    printf("extra memory: %zu KiB\n", extra_bytes(c, run_forward) / 1024);
    return count == 1 || compare_with_torch(c, Y, 1);
}

static int measure_both(contest_t *c, int64_t n, double bar, int iterations)
{
    measure_variant_t variants[] = {
        {"both: streaming", run_both, c, 0, 0},
        {"both: LibTorch products, softmax backward", run_products_back, c, 0,
         0},
        {"both: LibTorch products, autograd", run_products_autograd, c, 0, 0},
        {"both: LibTorch attention, autograd", run_whole_autograd, c, 0, 0}};
    const size_t count = c->torch != NULL ? 4 : 1;
    printf("-- forward and backward, n = %d\n", (int)n);
    if (!measure_run(variants, count, ROUNDS, iterations)) {
        return 0;
    }
    measure_print(variants, count);
    print_ratio(variants, count, bar);
    printf("extra memory: %zu KiB\n", extra_bytes(c, run_both) / 1024);
    return count == 1 || compare_with_torch(c, DQ, 3);
}

static int measure_size(contest_t *c, int64_t n, double bar, int iterations)
{
    int is_done = make_tensors(c, n);
    if (is_done) {
        const float *const x[] = {kc_tensor_data(&c->tensors[Q]->view),
                                  kc_tensor_data(&c->tensors[K]->view),
                                  kc_tensor_data(&c->tensors[V]->view),
                                  kc_tensor_data(&c->tensors[G]->view)};
        c->torch = torch_attention_create(HEADS, n, WIDTH, x);
        is_done = measure_forward(c, n, bar, iterations);
    }
    if (is_done && n == 512) {
        is_done = measure_both(c, n, bar, iterations);
    }
    release(c);
    return is_done;
}

/* The capsule of fast_cpu, bound to the host of the benchmark. */
static int bind_streaming(contest_t *c, kc_profile_t **out_profile)
{
    bench_context_t *bench = c->bench;
    kci_profile_source_t source = {.modules = &bench->modules,
                                   .profile_path = &bench->path,
                                   .log = &bench->log};
    if (kci_profile_load(&source, "fast_cpu", out_profile, &bench->error) !=
        KC_OK) {
        return 0;
    }
    for (size_t i = 0; i < (*out_profile)->entry_count; i++) {
        const kci_entry_t *entry = &(*out_profile)->entries[i];
        if (strcmp(entry->capsule->name, "native_cpu.streaming_attention") ==
            0) {
            c->context = (kci_call_context_t){.host = bench->host,
                                              .binding = &c->binding};
            return kci_bind(entry, bench->host, &c->binding, &bench->error) ==
                   KC_OK;
        }
    }
    return 0;
}

int main(void)
{
    static bench_context_t bench;
    contest_t contest = {
        .bench = &bench,
        .attributes = {.struct_size = sizeof(kc_attributes_t),
                       .op = KC_OP_SCALED_DOT_PRODUCT_ATTENTION,
                       .u = {.attention = {.scale = 0.125}}}};
    kc_profile_t *profile = NULL;
    puts("== bench_attention");
    measure_print_machine();
    torch_attention_begin();
    int is_done = bench_begin(&bench, 1);
    is_done = is_done && bind_streaming(&contest, &profile) &&
              measure_size(&contest, 128, 1.2, 10) &&
              measure_size(&contest, 512, 1.5, 1) &&
              measure_size(&contest, 1024, 2.2, 1);
    if (!is_done) {
        fprintf(stderr, "%s\n", bench.error.message);
    }
    kci_profile_release(profile);
    bench_end(&bench);
    return is_done ? EXIT_SUCCESS : EXIT_FAILURE;
}
