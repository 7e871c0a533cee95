/* SPDX-License-Identifier: Apache-2.0
 *
 * The contracts of the four maintained modules, restated from the
 * specification: names, order, providers, devices, trust and VJP modes.
 */
#include "unit/contract_fixture.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/alloc.h"
#include "base/label.h"

const char *const fixture_maintained_names[FIXTURE_MAINTAINED_COUNT] = {
    "attention", "native_cuda", "reference", "libtorch"};

#define ATTENTION KC_OP_SCALED_DOT_PRODUCT_ATTENTION

/* Reference order; native_cuda differs in the place of log only, has no
 * attention, and two more at the end. */
static const int32_t reference_ops[] = {
    KC_OP_MATMUL,
    KC_OP_LINEAR,
    KC_OP_MSE_LOSS,
    KC_OP_RELU,
    KC_OP_GELU,
    KC_OP_ADD,
    KC_OP_SUB,
    KC_OP_MUL,
    KC_OP_SCALE,
    KC_OP_ABS,
    KC_OP_SQRT,
    KC_OP_CLAMP,
    KC_OP_MAX,
    KC_OP_MIN,
    KC_OP_SIGMOID,
    KC_OP_TANH,
    KC_OP_SOFTPLUS,
    KC_OP_EXP,
    KC_OP_LOG,
    KC_OP_SIN,
    KC_OP_COS,
    KC_OP_INV,
    KC_OP_SAFE_LOG,
    KC_OP_LOG_SOFTMAX,
    KC_OP_SOFTMAX,
    KC_OP_HARD_MASKED_SOFTMAX,
    KC_OP_REDUCE_SUM,
    KC_OP_REDUCE_MEAN,
    KC_OP_RESHAPE,
    KC_OP_PERMUTE,
    KC_OP_BROADCAST,
    KC_OP_CONCAT,
    KC_OP_SLICE,
    KC_OP_GATHER,
    KC_OP_SCATTER_ADD,
    KC_OP_RAND_UNIFORM,
    KC_OP_BERNOULLI_MASK,
    KC_OP_LAYER_NORM,
    KC_OP_BATCH_NORM,
    KC_OP_CONV,
    KC_OP_CONV_TRANSPOSE,
    KC_OP_MAX_POOL,
    KC_OP_SMOOTH_MAX_POOL,
    KC_OP_AVG_POOL,
};
#define COMMON_COUNT (sizeof reference_ops / sizeof *reference_ops)

static kc_capsule_record_t of_op(const char *provider, int32_t op,
                                 int32_t device)
{
    char name[KC_CAPSULE_NAME_SIZE];
    snprintf(name, sizeof name, "%s.%s", provider, kci_label(&kci_ops, op));
    kc_capsule_record_t capsule = fixture_capsule(name, op, provider, device);
    if (device == KC_DEVICE_CUDA && capsule.vjp_mode != KC_VJP_NONE) {
        fixture_set_vjp(&capsule, KC_VJP_BACKEND);
    }
    return capsule;
}

static size_t make_attention(kc_capsule_record_t *out)
{
    out[0] = fixture_capsule("native_cuda.direct_attention", ATTENTION,
                             "native_cuda", KC_DEVICE_CUDA);
    fixture_set_vjp(&out[0], KC_VJP_BACKEND);
    out[1] = fixture_capsule("torchlean.composed_attention", ATTENTION,
                             "torchlean", KC_DEVICE_CUDA);
    out[2] = fixture_capsule("native_cpu.streaming_attention", ATTENTION,
                             "native_cpu", KC_DEVICE_CPU);
    fixture_set_vjp(&out[2], KC_VJP_BACKEND);
    return 3;
}

static size_t make_native_cuda(kc_capsule_record_t *out)
{
    size_t count = 0;
    for (size_t idx = 0; idx < COMMON_COUNT; idx++) {
        out[count++] = of_op("native_cuda", reference_ops[idx], KC_DEVICE_CUDA);
    }
    out[count++] = of_op("native_cuda", KC_OP_FFT_FNO, KC_DEVICE_CUDA);
    out[count++] = of_op("native_cuda", KC_OP_SELECTIVE_SCAN, KC_DEVICE_CUDA);
    return count;
}

static size_t make_reference(kc_capsule_record_t *out)
{
    size_t count = 0;
    for (size_t idx = 0; idx < COMMON_COUNT; idx++) {
        out[count++] = of_op("reference", reference_ops[idx], KC_DEVICE_CPU);
    }
    out[count++] = fixture_capsule("reference.attention", ATTENTION,
                                   "reference", KC_DEVICE_CPU);
    return count;
}

static size_t make_libtorch(kc_capsule_record_t *out)
{
    size_t count = 0;
    out[count] = fixture_capsule("libtorch.sdpa_forward", ATTENTION, "libtorch",
                                 KC_DEVICE_CUDA);
    out[count].vjp.evidence = KC_EVIDENCE_RUNTIME_GUARD;
    snprintf(out[count].vjp.source, sizeof out[count].vjp.source,
             "planner.vjp_mode");
    out[count + 1] = out[count];
    out[++count].device = KC_DEVICE_CPU;
    count++;
    for (size_t idx = 0; idx < COMMON_COUNT + 2; idx++, count++) {
        const int32_t more[] = {KC_OP_FFT_FNO, KC_OP_SELECTIVE_SCAN};
        int32_t op =
            idx < COMMON_COUNT ? reference_ops[idx] : more[idx - COMMON_COUNT];
        out[count] = of_op("libtorch", op, KC_DEVICE_CPU);
        if (out[count].vjp_mode != KC_VJP_NONE) {
            fixture_set_vjp(&out[count], KC_VJP_BACKEND);
        }
    }
    for (size_t idx = 0; idx < count; idx++) {
        out[idx].trust = KC_TRUST_TRUSTED_EXTERNAL;
        fixture_trust_value(&out[idx]);
    }
    return count;
}

size_t fixture_maintained_capsules(size_t module, kc_capsule_record_t *out)
{
    static size_t (*const makers[])(kc_capsule_record_t *) = {
        make_attention, make_native_cuda, make_reference, make_libtorch};
    return makers[module](out);
}

static const kci_search_directory_t directory = {(char *)"/fixture", "test"};

kci_module_set_t fixture_maintained_set(void)
{
    kci_module_set_t set = {.files = NULL};
    set.directories = calloc(1, sizeof *set.directories);
    ck_assert_ptr_nonnull(set.directories);
    set.directories[0].directory = &directory;
    set.directory_count = 1;
    kc_capsule_record_t *capsules =
        calloc(FIXTURE_CAPSULES_MAX, sizeof *capsules);
    ck_assert_ptr_nonnull(capsules);
    for (size_t idx = 0; idx < FIXTURE_MAINTAINED_COUNT; idx++) {
        char path[128];
        const char *name = fixture_maintained_names[idx];
        snprintf(path, sizeof path, "/fixture/%s.so", name);
        size_t count = fixture_maintained_capsules(idx, capsules);
        fixture_set_add(&set, fixture_file(path, name, capsules, count, NULL));
    }
    free(capsules);
    return set;
}

void fixture_set_add(kci_module_set_t *set, kci_module_file_t *file)
{
    set->files =
        realloc(set->files, (set->file_count + 1) * sizeof *set->files);
    ck_assert_ptr_nonnull(set->files);
    set->files[set->file_count++] = file;
}

void fixture_set_release(kci_module_set_t *set)
{
    for (size_t idx = 0; idx < set->file_count; idx++) {
        kci_module_file_release(set->files[idx]);
    }
    free(set->files);
    free(set->directories);
}
