/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Operands and cotangents are drawn anew for each fixture from the same
 * seeds: tensors do not outlive the allocator of their fixture. */
#include "unit/autograd/rule_spec.h"

#include <stdlib.h>
#include <string.h>

#include "unit/expect.h"

rule_spec_t rule_spec_along(int32_t op, int32_t rank, const int64_t *dims,
                            int64_t axis)
{
    rule_spec_t spec = {.op = op,
                        .kind = RULE_COMPOSED,
                        .attributes = {.struct_size = sizeof spec.attributes,
                                       .op = op,
                                       .u.axis.axis = axis},
                        .input_count = 1,
                        .inputs = {{.rank = rank}}};
    memcpy(spec.inputs[0].dims, dims, (size_t)rank * sizeof *dims);
    return spec;
}

static const kc_attributes_t *attributes_of(const rule_spec_t *spec)
{
    return spec->attributes.struct_size == 0 ? NULL : &spec->attributes;
}

/* Into the interval that the input asks for. */
static void shift(kc_tensor_t *tensor, const rule_input_t *input)
{
    bool has_range = input->lo != 0 || input->hi != 0;
    for (int64_t i = 0; i < kc_tensor_element_count(&tensor->view); i++) {
        double x = rule_element(tensor, i);
        if (has_range) {
            x = input->lo + (x + 1) / 2 * (input->hi - input->lo);
        }
        if (input->gap != 0) {
            x += x < 0 ? -input->gap : input->gap;
        }
        rule_set_element(tensor, i, x);
    }
}

static kc_tensor_t *make_input(rule_fixture_t *fixture,
                               const rule_input_t *input, int32_t dtype,
                               uint64_t seed)
{
    bool is_float = input->dtype == KC_DTYPE_F32;
    if (input->elements != NULL) {
        return rule_tensor(fixture, is_float ? dtype : input->dtype,
                           input->rank, input->dims, input->elements);
    }
    ck_assert(is_float || input->dims[0] == 0);
    if (!is_float) {
        return rule_tensor(fixture, input->dtype, input->rank, input->dims,
                           NULL);
    }
    kc_tensor_t *tensor =
        rule_random(fixture, dtype, input->rank, input->dims, seed);
    shift(tensor, input);
    return tensor;
}

void rule_spec_make(rule_fixture_t *fixture, const rule_spec_t *spec,
                    int32_t dtype, uint64_t seed, rule_operands_t *out)
{
    *out = (rule_operands_t){.op = spec->op,
                             .attributes = attributes_of(spec),
                             .input_count = spec->input_count};
    for (size_t i = 0; i < spec->input_count; i++) {
        out->inputs[i] =
            make_input(fixture, &spec->inputs[i], dtype, seed * 16 + i);
    }
}

void rule_spec_differences(rule_fixture_t *fixture, const rule_spec_t *spec,
                           uint64_t seed, double tolerance)
{
    rule_operands_t operands;
    rule_spec_make(fixture, spec, KC_DTYPE_F64, seed, &operands);
    rule_check_differences(fixture, spec->kind, &operands, seed + 1, tolerance);
    rule_operands_release(&operands);
}

static void want_all(const rule_operands_t *operands, bool *wanted)
{
    for (size_t i = 0; i < operands->input_count; i++) {
        wanted[i] = (kci_vjp_info(operands->op)->inputs >> i & 1u) != 0;
    }
}

static void check_values(rule_fixture_t *fixture, const rule_spec_t *spec,
                         int32_t dtype, const double *cotangent,
                         const double *const *expected)
{
    rule_operands_t operands;
    bool wanted[RULE_INPUTS_MAX] = {false};
    kc_tensor_t *found[RULE_INPUTS_MAX] = {NULL};
    rule_spec_make(fixture, spec, dtype, 1, &operands);
    want_all(&operands, wanted);
    kc_tensor_t *output = rule_forward(fixture, &operands);
    kc_tensor_t *g = rule_tensor(fixture, dtype, output->view.ndim,
                                 output->view.shape, cotangent);
    rule_vjp(fixture, spec->kind, &operands, output, g, wanted, found);
    for (size_t i = 0; i < operands.input_count; i++) {
        if (wanted[i] && expected[i] != NULL) {
            const DLTensor *view = &operands.inputs[i]->view;
            kc_tensor_t *tensor = rule_tensor(fixture, dtype, view->ndim,
                                              view->shape, expected[i]);
            rule_check_bits(found[i], tensor);
            kci_tensor_release(tensor);
        }
        kci_tensor_release(found[i]);
    }
    kci_tensor_release(g);
    kci_tensor_release(output);
    rule_operands_release(&operands);
}

void rule_spec_values(rule_fixture_t *fixture, const rule_spec_t *spec,
                      const double *cotangent, const double *const *expected)
{
    check_values(fixture, spec, KC_DTYPE_F32, cotangent, expected);
    check_values(fixture, spec, KC_DTYPE_F64, cotangent, expected);
}

/* The elements of all cotangents, in memory that outlives the fixture. */
static void run_once(const rule_spec_t *spec, uint32_t thread_count,
                     int32_t dtype, uint64_t seed, double **out)
{
    rule_fixture_t fixture;
    rule_operands_t operands;
    bool wanted[RULE_INPUTS_MAX] = {false};
    kc_tensor_t *found[RULE_INPUTS_MAX] = {NULL};
    rule_fixture_begin(&fixture, thread_count);
    rule_spec_make(&fixture, spec, dtype, seed, &operands);
    want_all(&operands, wanted);
    kc_tensor_t *output = rule_forward(&fixture, &operands);
    kc_tensor_t *g = rule_random(&fixture, dtype, output->view.ndim,
                                 output->view.shape, seed + 1);
    rule_vjp(&fixture, spec->kind, &operands, output, g, wanted, found);
    for (size_t i = 0; i < operands.input_count; i++) {
        size_t count =
            wanted[i] ? (size_t)kc_tensor_element_count(&found[i]->view) : 0;
        out[i] = calloc(count + 1, sizeof(double));
        ck_assert_ptr_nonnull(out[i]);
        for (size_t k = 0; k < count; k++) {
            out[i][k + 1] = rule_element(found[i], (int64_t)k);
            out[i][0] += out[i][k + 1] != 0;
        }
        ck_assert(!wanted[i] || out[i][0] > 0);
        out[i][0] = (double)count;
        kci_tensor_release(found[i]);
    }
    kci_tensor_release(g);
    kci_tensor_release(output);
    rule_operands_release(&operands);
    rule_fixture_end(&fixture);
}

static void check_threads(const rule_spec_t *spec, int32_t dtype, uint64_t seed)
{
    static const uint32_t thread_counts[] = {2, 7};
    double *expected[RULE_INPUTS_MAX] = {NULL};
    run_once(spec, 1, dtype, seed, expected);
    for (size_t t = 0; t < 2; t++) {
        double *found[RULE_INPUTS_MAX] = {NULL};
        run_once(spec, thread_counts[t], dtype, seed, found);
        for (size_t i = 0; i < spec->input_count; i++) {
            size_t size = ((size_t)expected[i][0] + 1) * sizeof(double);
            ck_assert_msg(memcmp(found[i], expected[i], size) == 0,
                          "op %d input %zu: other bits with %u threads",
                          spec->op, i, thread_counts[t]);
            free(found[i]);
        }
    }
    for (size_t i = 0; i < spec->input_count; i++) {
        free(expected[i]);
    }
}

void rule_spec_threads(const rule_spec_t *spec, uint64_t seed)
{
    check_threads(spec, KC_DTYPE_F32, seed);
    check_threads(spec, KC_DTYPE_F64, seed);
}
