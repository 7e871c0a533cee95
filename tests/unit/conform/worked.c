/* SPDX-License-Identifier: Apache-2.0
 *
 * Small operands on the stack.
 */
#include "unit/conform/worked.h"

#include <math.h>
#include <string.h>

#include "conform/case.h"
#include "conform/compare.h"
#include "unit/expect.h"

worked_t worked_begin(int32_t op)
{
    worked_t worked = {.op = op};
    worked.attributes.struct_size = sizeof worked.attributes;
    worked.attributes.op = op;
    return worked;
}

static DLDataType type_of(int32_t dtype)
{
    switch (dtype) {
    case KC_DTYPE_F32:
        return (DLDataType){kDLFloat, 32, 1};
    case KC_DTYPE_F64:
        return (DLDataType){kDLFloat, 64, 1};
    case KC_DTYPE_BOOL:
        return (DLDataType){KC_DLPACK_BOOL, 8, 1};
    default:
        return (DLDataType){kDLInt, 64, 1};
    }
}

static void store(int32_t dtype, void *memory, int64_t place, double value)
{
    switch (dtype) {
    case KC_DTYPE_F32:
        ((float *)memory)[place] = (float)value;
        break;
    case KC_DTYPE_F64:
        ((double *)memory)[place] = value;
        break;
    case KC_DTYPE_BOOL:
        ((unsigned char *)memory)[place] = value != 0;
        break;
    default:
        ((int64_t *)memory)[place] = (int64_t)value;
        break;
    }
}

/* The views point into the record: it must not move afterwards. */
void worked_add(worked_t *worked, int32_t dtype, int32_t rank,
                const int64_t *shape, const double *values)
{
    size_t i = worked->input_count++;
    int64_t count = kci_extent_product(shape, 0, rank);
    ck_assert_int_le(count, 64);
    for (int32_t axis = 0; axis < rank; axis++) {
        worked->shapes[i][axis] = shape[axis];
    }
    for (int64_t j = 0; j < count; j++) {
        store(dtype, worked->memory[i], j, values[j]);
    }
    worked->views[i] = (DLTensor){.data = worked->memory[i],
                                  .device = {kDLCPU, 0},
                                  .ndim = rank,
                                  .dtype = type_of(dtype),
                                  .shape = worked->shapes[i]};
    worked->inputs[i] = &worked->views[i];
}

void worked_add_absent(worked_t *worked)
{
    worked->inputs[worked->input_count++] = NULL;
}

void worked_expect(worked_t *worked, int32_t rank, const int64_t *shape,
                   const double *values, double tolerance)
{
    kc_error_t error = KC_ERROR_INIT;
    EXPECT_OK(error, kci_oracle_evaluate(worked->op, &worked->attributes,
                                         worked->inputs, worked->input_count, 0,
                                         &worked->problem, &error));
    const kci_problem_t *problem = &worked->problem;
    ck_assert_int_eq(problem->rank, rank);
    for (int32_t axis = 0; axis < rank; axis++) {
        ck_assert_int_eq(problem->shape[axis], shape[axis]);
    }
    for (int64_t i = 0; i < problem->count; i++) {
        double found = problem->values[i];
        bool is_near = tolerance == 0 ? kci_is_same(found, values[i])
                                      : fabs(found - values[i]) <= tolerance;
        ck_assert_msg(is_near, "element %d: expected %.17g, found %.17g",
                      (int)i, values[i], found);
        ck_assert_msg(problem->bounds[i] >= 0, "element %d has no bound",
                      (int)i);
    }
}

void worked_expect_exact(worked_t *worked, int32_t rank, const int64_t *shape,
                         const double *values)
{
    worked_expect(worked, rank, shape, values, 0);
    for (int64_t i = 0; i < worked->problem.count; i++) {
        ck_assert_msg(worked->problem.bounds[i] == 0,
                      "element %d: expected bound 0, found %g", (int)i,
                      worked->problem.bounds[i]);
    }
}

void worked_end(worked_t *worked)
{
    kci_problem_release(&worked->problem);
}

static void bounds_hold(const kci_problem_t *problem, uint64_t seed)
{
    for (int64_t i = 0; i < problem->count; i++) {
        ck_assert_msg(problem->bounds[i] >= 0, "seed %d: no bound at %d",
                      (int)seed, (int)i);
        ck_assert_msg(kci_is_within(&problem->type, problem->written[i],
                                    problem->values[i], problem->bounds[i]),
                      "seed %d element %d: %.17g is not within %g of %.17g",
                      (int)seed, (int)i, problem->written[i],
                      problem->bounds[i], problem->values[i]);
    }
}

void worked_bounds_hold(int32_t op, int32_t dtype, uint64_t first,
                        uint64_t count)
{
    for (uint64_t seed = first; seed < first + count; seed++) {
        kc_error_t error = KC_ERROR_INIT;
        kci_case_t *trial = NULL;
        kci_problem_t problem;
        EXPECT_OK(error, kci_case_create(op, dtype, seed, &trial, &error));
        EXPECT_OK(error,
                  kci_oracle_evaluate(op, &trial->attributes, trial->inputs,
                                      trial->input_count, 0, &problem, &error));
        bounds_hold(&problem, seed);
        kci_problem_release(&problem);
        kci_case_release(trial);
    }
}
