/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The loops for double. */
#define REAL        double
#define TYPED(name) name##_f64
#include "mocks/plain_loops/loops_typed.h"
#undef REAL
#undef TYPED
