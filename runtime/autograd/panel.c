/* SPDX-License-Identifier: Apache-2.0
 *
 * The panel loops for each width of vectors, and which of them this machine
 * has. Functions are compiled for a target one by one, so that no other code
 * of the library needs more than the build asks for.
 */
#include "autograd/panel.h"

#define INLINED static inline __attribute__((always_inline))
#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif

#define TARGET
#define VECTOR_BYTES 16
#define ROWS         2
#define REAL         float
#define NAMED(name)  name##_f32
#include "autograd/panel_typed.h"
#undef REAL
#undef NAMED
#define REAL        double
#define NAMED(name) name##_f64
#include "autograd/panel_typed.h"
#undef REAL
#undef NAMED
#undef TARGET
#undef VECTOR_BYTES
#undef ROWS

static const kci_panel_loops_t plain_loops = {add_f32, add_f64};

#if defined(__x86_64__)

#define TARGET       __attribute__((target("avx2")))
#define VECTOR_BYTES 32
#define ROWS         4
#define REAL         float
#define NAMED(name)  name##_avx2_f32
#include "autograd/panel_typed.h"
#undef REAL
#undef NAMED
#define REAL        double
#define NAMED(name) name##_avx2_f64
#include "autograd/panel_typed.h"
#undef REAL
#undef NAMED
#undef TARGET
#undef VECTOR_BYTES
#undef ROWS

#define TARGET       __attribute__((target("avx512f")))
#define VECTOR_BYTES 64
#define ROWS         8
#define REAL         float
#define NAMED(name)  name##_avx512_f32
#include "autograd/panel_typed.h"
#undef REAL
#undef NAMED
#define REAL        double
#define NAMED(name) name##_avx512_f64
#include "autograd/panel_typed.h"

static const kci_panel_loops_t avx2_loops = {add_avx2_f32, add_avx2_f64};
static const kci_panel_loops_t avx512_loops = {add_avx512_f32, add_avx512_f64};

const kci_panel_loops_t *kci_panel_loops_of(size_t vector_bytes)
{
    if (vector_bytes == 64) {
        return __builtin_cpu_supports("avx512f") ? &avx512_loops : NULL;
    }
    if (vector_bytes == 32) {
        return __builtin_cpu_supports("avx2") ? &avx2_loops : NULL;
    }
    return vector_bytes == 16 ? &plain_loops : NULL;
}

#else

const kci_panel_loops_t *kci_panel_loops_of(size_t vector_bytes)
{
    return vector_bytes == 16 ? &plain_loops : NULL;
}

#endif

const kci_panel_loops_t *kci_panel_loops(void)
{
    for (size_t bytes = 64; bytes > 16; bytes /= 2) {
        if (kci_panel_loops_of(bytes) != NULL) {
            return kci_panel_loops_of(bytes);
        }
    }
    return &plain_loops;
}
