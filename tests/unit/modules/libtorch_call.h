/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers of the libtorch module under test, forward and backward, called as
 * the host would but for its guards. A test opens the module, which takes
 * LibTorch into its process, and closes it.
 */
#ifndef KC_TESTS_UNIT_MODULES_LIBTORCH_CALL_H
#define KC_TESTS_UNIT_MODULES_LIBTORCH_CALL_H

#include <kcapsule/module.h>

#include "unit/modules/trial.h"

typedef struct libtorch {
    const kc_module_t *module;
    void *state;
} libtorch_t;

/* False, with a line that says why, where it was built without LibTorch. */
int libtorch_open(libtorch_t *libtorch);
void libtorch_close(libtorch_t *libtorch);

/* The trial's output is spoilt before, and its guards have to hold after. */
kc_status_t libtorch_forward(const libtorch_t *libtorch, trial_t *trial);

/* `gradients` has one entry an input, NULL where it is not wanted; they are
 * spoilt before. The trial's inputs and output are what was saved. */
kc_status_t libtorch_vjp(const libtorch_t *libtorch, trial_t *trial,
                         operand_t *cotangent, operand_t *const *gradients);

/* Both succeed and give `expected`, a value an element: equal bits, or any
 * NaN for NaN. */
void libtorch_expect(const libtorch_t *libtorch, trial_t *trial,
                     const double *expected);
void libtorch_expect_vjp(const libtorch_t *libtorch, trial_t *trial,
                         operand_t *cotangent, operand_t *const *gradients,
                         const double *const *expected);

/* A dense operand of these values. */
operand_t *operand_of(int32_t dtype, int32_t rank, const int64_t *shape,
                      const double *values);

#endif
