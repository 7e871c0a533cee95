/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes float64 the element type of the *_typed.h file included next. Has no
 * guard: a family includes each of its templates once for each type.
 */
#undef REAL
#undef TYPED
#define REAL        double
#define TYPED(name) name##_f64
