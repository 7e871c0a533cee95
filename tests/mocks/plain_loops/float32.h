/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The loops for float. */
#define REAL        float
#define TYPED(name) name##_f32
#include "mocks/plain_loops/loops_typed.h"
#undef REAL
#undef TYPED
