/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The value of a term of a composition, worked out one operation after the
 * other by a session. Everything fails the test when it cannot be had. */
#ifndef KC_TESTS_UNIT_COMPOSE_EVALUATE_H
#define KC_TESTS_UNIT_COMPOSE_EVALUATE_H

#include "unit/autograd/rule_fixture.h"

/* An argument for the composition, of the tensor's type. */
kci_term_t evaluate_argument(kci_composition_t *composition,
                             const kc_tensor_t *tensor);
/* `arguments` by number. Of the caller. */
kc_tensor_t *evaluate_term(rule_fixture_t *fixture,
                           const kci_composition_t *composition,
                           kc_tensor_t *const *arguments, kci_term_t term);

#endif
