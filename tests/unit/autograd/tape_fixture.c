/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The tape of a test: made, asked, and held to giving everything back. */
#include "unit/autograd/tape_fixture.h"

#include <string.h>

#include "unit/autograd/draw.h"
#include "unit/built_modules.h"

void tape_begin_with(tape_fixture_t *at, kc_profile_t *profile,
                     uint32_t thread_count)
{
    kci_log_t log = {0};
    at->error = (kc_error_t)KC_ERROR_INIT;
    kci_host_allocator_init(&at->allocator, NULL, NULL, NULL);
    EXPECT_OK(at->error, kci_host_create(&at->allocator, &log, thread_count,
                                         &at->host, &at->error));
    EXPECT_OK(at->error, kci_session_create(at->host, profile, true,
                                            &at->session, &at->error));
    EXPECT_OK(at->error, kci_tape_create(at->session, &at->tape, &at->error));
    kci_profile_release(profile);
}

void tape_begin(tape_fixture_t *at)
{
    tape_begin_with(at, built_checked_cpu(), 2);
}

void tape_end(tape_fixture_t *at)
{
    kci_tape_destroy(at->tape);
    kci_session_destroy(at->session);
    kci_host_release(at->host);
    ck_assert_uint_eq(at->allocator.live_bytes, 0);
}

kc_tensor_t *tape_tensor(tape_fixture_t *at, int32_t rank, const int64_t *dims,
                         const float *values)
{
    kc_tensor_t *tensor = NULL;
    EXPECT_OK(at->error, kci_tensor_create(&at->allocator, KC_DTYPE_F32, rank,
                                           dims, &tensor, &at->error));
    size_t count = (size_t)kc_tensor_element_count(&tensor->view);
    if (count > 0) {
        memcpy(kc_tensor_data(&tensor->view), values, count * sizeof *values);
    }
    return tensor;
}

kc_tensor_t *tape_random(tape_fixture_t *at, int32_t rank, const int64_t *dims,
                         uint64_t seed)
{
    kc_tensor_t *tensor = NULL;
    uint64_t state = seed * 2 + 1;
    EXPECT_OK(at->error, kci_tensor_create(&at->allocator, KC_DTYPE_F32, rank,
                                           dims, &tensor, &at->error));
    float *data = kc_tensor_data(&tensor->view);
    for (int64_t i = 0; i < kc_tensor_element_count(&tensor->view); i++) {
        data[i] = (float)draw_number(&state);
    }
    return tensor;
}

kc_variable_t tape_leaf_of(tape_fixture_t *at, kc_tensor_t *tensor,
                           const char *name, uint32_t flags)
{
    kc_variable_t leaf = {0};
    EXPECT_OK(at->error,
              kci_tape_leaf(at->tape, tensor, name, flags, &leaf, &at->error));
    kci_tensor_release(tensor);
    return leaf;
}

kc_variable_t tape_leaf(tape_fixture_t *at, const char *name, int32_t rank,
                        const int64_t *dims, const float *values)
{
    return tape_leaf_of(at, tape_tensor(at, rank, dims, values), name,
                        KC_LEAF_GRADIENT);
}

kc_variable_t tape_number(tape_fixture_t *at, const char *name, float value)
{
    return tape_leaf(at, name, 0, NULL, &value);
}

kc_variable_t tape_op(tape_fixture_t *at, int32_t op,
                      const kc_attributes_t *attributes,
                      const kc_variable_t *inputs, size_t count)
{
    kc_variable_t result = {0};
    EXPECT_OK(at->error, kci_tape_apply(at->tape, op, attributes, inputs, count,
                                        &result, &at->error));
    return result;
}

kc_variable_t tape_unary(tape_fixture_t *at, int32_t op, kc_variable_t x)
{
    return tape_op(at, op, NULL, &x, 1);
}

kc_variable_t tape_binary(tape_fixture_t *at, int32_t op, kc_variable_t a,
                          kc_variable_t b)
{
    const kc_variable_t inputs[] = {a, b};
    return tape_op(at, op, NULL, inputs, 2);
}

kc_variable_t tape_scale(tape_fixture_t *at, kc_variable_t x, double factor)
{
    kc_attributes_t attributes = {.struct_size = sizeof attributes,
                                  .op = KC_OP_SCALE};
    attributes.u.scale.factor = factor;
    return tape_op(at, KC_OP_SCALE, &attributes, &x, 1);
}

kc_variable_t tape_axis(tape_fixture_t *at, int32_t op, kc_variable_t x,
                        int64_t axis)
{
    kc_attributes_t attributes = {.struct_size = sizeof attributes, .op = op};
    attributes.u.axis.axis = axis;
    return tape_op(at, op, &attributes, &x, 1);
}

kc_variable_t tape_shape(tape_fixture_t *at, int32_t op, kc_variable_t x,
                         int32_t rank, const int64_t *dims)
{
    kc_attributes_t attributes = {.struct_size = sizeof attributes, .op = op};
    attributes.u.shape.rank = rank;
    memcpy(attributes.u.shape.shape, dims, (size_t)rank * sizeof *dims);
    return tape_op(at, op, &attributes, &x, 1);
}

kc_backward_request_t tape_request(const kc_variable_t *output,
                                   const DLTensor *const *seed)
{
    return (kc_backward_request_t){.struct_size = sizeof(kc_backward_request_t),
                                   .outputs = output,
                                   .seeds = seed,
                                   .output_count = 1};
}

kc_status_t tape_try(tape_fixture_t *at, kc_variable_t output, uint32_t flags)
{
    kc_backward_request_t request = tape_request(&output, NULL);
    request.flags = flags;
    return kci_tape_backward(at->tape, &request, &at->error);
}

void tape_backward(tape_fixture_t *at, kc_variable_t output)
{
    EXPECT_OK(at->error, tape_try(at, output, 0));
}

void tape_backward_keep(tape_fixture_t *at, kc_variable_t output)
{
    EXPECT_OK(at->error, tape_try(at, output, KC_BACKWARD_KEEP));
}

void tape_backward_filled(tape_fixture_t *at, kc_variable_t output,
                          float number)
{
    kci_tensor_type_t type;
    kc_tensor_t *tensor = NULL;
    EXPECT_OK(at->error, kci_tape_type(at->tape, output, &type, &at->error));
    EXPECT_OK(at->error,
              kci_tensor_create(&at->allocator, KC_DTYPE_F32, type.shape.rank,
                                type.shape.dims, &tensor, &at->error));
    float *data = kc_tensor_data(&tensor->view);
    for (int64_t i = 0; i < kc_tensor_element_count(&tensor->view); i++) {
        data[i] = number;
    }
    const DLTensor *seed = &tensor->view;
    kc_backward_request_t request = tape_request(&output, &seed);
    EXPECT_OK(at->error, kci_tape_backward(at->tape, &request, &at->error));
    kci_tensor_release(tensor);
}

kc_tensor_t *tape_gradient_of(tape_fixture_t *at, kc_variable_t output,
                              const DLTensor *seed, kc_variable_t wanted)
{
    kc_tensor_t *gradient = NULL;
    kc_backward_request_t request = tape_request(&output, &seed);
    request.flags = KC_BACKWARD_KEEP;
    request.wanted = &wanted;
    request.wanted_count = 1;
    request.out_gradients = &gradient;
    EXPECT_OK(at->error, kci_tape_backward(at->tape, &request, &at->error));
    ck_assert_ptr_nonnull(gradient);
    return gradient;
}

void tape_expect_values(const kc_tensor_t *tensor, const float *values,
                        size_t count)
{
    const float *found = kc_tensor_data(&tensor->view);
    ck_assert_int_eq(kc_tensor_element_count(&tensor->view), (int64_t)count);
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg(memcmp(&found[i], &values[i], sizeof *found) == 0,
                      "element %zu: expected %a, found %a", i,
                      (double)values[i], (double)found[i]);
    }
}

void tape_expect(tape_fixture_t *at, kc_variable_t leaf, const float *values,
                 size_t count)
{
    kc_tensor_t *gradient = NULL;
    kc_tensor_t *value = NULL;
    EXPECT_OK(at->error,
              kci_tape_gradient(at->tape, leaf, &gradient, &at->error));
    ck_assert_ptr_nonnull(gradient);
    EXPECT_OK(at->error, kci_tape_value(at->tape, leaf, &value, &at->error));
    ck_assert_int_eq(gradient->view.ndim, value->view.ndim);
    for (int32_t axis = 0; axis < value->view.ndim; axis++) {
        ck_assert_int_eq(gradient->shape[axis], value->shape[axis]);
    }
    tape_expect_values(gradient, values, count);
    kci_tensor_release(gradient);
    kci_tensor_release(value);
}

bool tape_has_gradient(tape_fixture_t *at, kc_variable_t leaf)
{
    kc_tensor_t *gradient = NULL;
    EXPECT_OK(at->error,
              kci_tape_gradient(at->tape, leaf, &gradient, &at->error));
    bool has_gradient = gradient != NULL;
    kci_tensor_release(gradient);
    return has_gradient;
}

float *tape_data(tape_fixture_t *at, kc_variable_t variable)
{
    kc_tensor_t *tensor = NULL;
    EXPECT_OK(at->error,
              kci_tape_value(at->tape, variable, &tensor, &at->error));
    float *data = kc_tensor_data(&tensor->view);
    kci_tensor_release(tensor);
    return data;
}

uint64_t tape_calls(const tape_fixture_t *at, kci_call_role_t role, int32_t op)
{
    const kci_run_record_t *record = kci_session_record(at->session);
    uint64_t count = 0;
    for (size_t i = 0; i < record->entry_count; i++) {
        const kci_record_entry_t *row = &record->entries[i];
        if (row->role == role && row->entry->capsule->op == op) {
            count += row->call_count;
        }
    }
    return count;
}
