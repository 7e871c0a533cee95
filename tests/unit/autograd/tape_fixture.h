/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * A tape over the built modules, and short words for what tests do with it.
 * Everything fails the test when it cannot be had. */
#ifndef KC_TESTS_UNIT_AUTOGRAD_TAPE_FIXTURE_H
#define KC_TESTS_UNIT_AUTOGRAD_TAPE_FIXTURE_H

#include "autograd/tape_state.h"
#include "unit/expect.h"
#include "unit/operand_fixture.h"

typedef struct tape_fixture {
    kci_host_allocator_t allocator;
    kci_host_t *host;
    kc_session_t *session;
    kc_tape_t *tape;
    kc_error_t error;
} tape_fixture_t;

/* checked_cpu, or `profile`, which is taken. */
void tape_begin(tape_fixture_t *at);
void tape_begin_with(tape_fixture_t *at, kc_profile_t *profile,
                     uint32_t thread_count);
/* Everything of the allocator came back. */
void tape_end(tape_fixture_t *at);

/* float32, dense; of the caller. */
kc_tensor_t *tape_tensor(tape_fixture_t *at, int32_t rank, const int64_t *dims,
                         const float *values);
/* Seeded numbers in [-1, 1). */
kc_tensor_t *tape_random(tape_fixture_t *at, int32_t rank, const int64_t *dims,
                         uint64_t seed);
/* The tensor is given to the tape and released. */
kc_variable_t tape_leaf_of(tape_fixture_t *at, kc_tensor_t *tensor,
                           const char *name, uint32_t flags);
/* A leaf with gradient. */
kc_variable_t tape_leaf(tape_fixture_t *at, const char *name, int32_t rank,
                        const int64_t *dims, const float *values);
/* A scalar leaf with gradient. */
kc_variable_t tape_number(tape_fixture_t *at, const char *name, float value);

kc_variable_t tape_op(tape_fixture_t *at, int32_t op,
                      const kc_attributes_t *attributes,
                      const kc_variable_t *inputs, size_t count);
kc_variable_t tape_unary(tape_fixture_t *at, int32_t op, kc_variable_t x);
kc_variable_t tape_binary(tape_fixture_t *at, int32_t op, kc_variable_t a,
                          kc_variable_t b);
kc_variable_t tape_scale(tape_fixture_t *at, kc_variable_t x, double factor);
kc_variable_t tape_axis(tape_fixture_t *at, int32_t op, kc_variable_t x,
                        int64_t axis);
/* reshape or broadcast */
kc_variable_t tape_shape(tape_fixture_t *at, int32_t op, kc_variable_t x,
                         int32_t rank, const int64_t *dims);

/* Of one output with a seed that may be NULL, into the leaves. */
kc_backward_request_t tape_request(const kc_variable_t *output,
                                   const DLTensor *const *seed);
kc_status_t tape_try(tape_fixture_t *at, kc_variable_t output, uint32_t flags);
void tape_backward(tape_fixture_t *at, kc_variable_t output);
void tape_backward_keep(tape_fixture_t *at, kc_variable_t output);
/* With the same number in every place of the seed. */
void tape_backward_filled(tape_fixture_t *at, kc_variable_t output,
                          float number);
/* The gradient of one variable alone, kept; of the caller. */
kc_tensor_t *tape_gradient_of(tape_fixture_t *at, kc_variable_t output,
                              const DLTensor *seed, kc_variable_t wanted);

/* The gradient of a leaf has exactly these bits. */
void tape_expect(tape_fixture_t *at, kc_variable_t leaf, const float *values,
                 size_t count);
#define TAPE_EXPECT(at, leaf, ...)                                             \
    tape_expect(at, leaf, FLOATS(__VA_ARGS__),                                 \
                sizeof(FLOATS(__VA_ARGS__)) / sizeof(float))
void tape_expect_values(const kc_tensor_t *tensor, const float *values,
                        size_t count);
bool tape_has_gradient(tape_fixture_t *at, kc_variable_t leaf);
/* The elements of a variable, where they lie. */
float *tape_data(tape_fixture_t *at, kc_variable_t variable);

/* Calls that the record counts for an operation in a role. */
uint64_t tape_calls(const tape_fixture_t *at, kci_call_role_t role, int32_t op);

#endif
