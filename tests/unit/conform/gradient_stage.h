/* SPDX-License-Identifier: Apache-2.0
 *
 * A session with gradients and the capsules that it chooses: the honest side
 * of the tests of gradients. Everything fails the test when it
 * cannot be had.
 */
#ifndef KC_TESTS_UNIT_CONFORM_GRADIENT_STAGE_H
#define KC_TESTS_UNIT_CONFORM_GRADIENT_STAGE_H

#include "conform/gradient.h"

typedef struct gradient_stage {
    kc_runtime_t *runtime;
    kc_profile_t *profile;
    kc_session_t *session;
} gradient_stage_t;

void gradient_stage_begin(gradient_stage_t *stage);
/* The profile of this folder with the mock module of that name in front. */
void gradient_stage_begin_mock(gradient_stage_t *stage, const char *name);
void gradient_stage_end(gradient_stage_t *stage);
/* False: there is no capsule with a gradient for it. */
bool gradient_stage_find(const gradient_stage_t *stage, int32_t op,
                         kci_gradient_subject_t *out_subject);
/* There has to be one. */
kci_gradient_subject_t gradient_stage_subject(const gradient_stage_t *stage,
                                              int32_t op);

#endif
