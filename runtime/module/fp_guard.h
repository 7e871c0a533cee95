/* SPDX-License-Identifier: Apache-2.0
 *
 * The floating-point control words around code of a module: read before,
 * compared after, written back only when they differ. Cheap enough for every
 * call of a handler (under 10 ns), unlike fegetenv and fesetenv.
 */
#ifndef KC_MODULE_FP_GUARD_H
#define KC_MODULE_FP_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)

/* The low six bits of MXCSR are sticky flags that any arithmetic may set. */
#define KCI_MXCSR_FLAGS 0x3fu

typedef struct kci_fp_guard {
    uint32_t mxcsr;
    uint16_t x87_control;
} kci_fp_guard_t;

static inline kci_fp_guard_t kci_fp_guard_begin(void)
{
    kci_fp_guard_t guard;
    __asm__ __volatile__("stmxcsr %0" : "=m"(guard.mxcsr)::"memory");
    __asm__ __volatile__("fnstcw %0" : "=m"(guard.x87_control)::"memory");
    return guard;
}

/* Restores what differs from `guard`; true when something did. */
static inline bool kci_fp_guard_end(const kci_fp_guard_t *guard)
{
    kci_fp_guard_t now = kci_fp_guard_begin();
    bool is_changed = false;
    if (((now.mxcsr ^ guard->mxcsr) & ~KCI_MXCSR_FLAGS) != 0) {
        uint32_t restored =
            (guard->mxcsr & ~KCI_MXCSR_FLAGS) | (now.mxcsr & KCI_MXCSR_FLAGS);
        __asm__ __volatile__("ldmxcsr %0" ::"m"(restored) : "memory");
        is_changed = true;
    }
    if (now.x87_control != guard->x87_control) {
        __asm__ __volatile__("fldcw %0" ::"m"(guard->x87_control) : "memory");
        is_changed = true;
    }
    return is_changed;
}

#elif defined(__aarch64__)

typedef struct kci_fp_guard {
    uint64_t fpcr;
} kci_fp_guard_t;

static inline kci_fp_guard_t kci_fp_guard_begin(void)
{
    kci_fp_guard_t guard;
    __asm__ __volatile__("mrs %0, fpcr" : "=r"(guard.fpcr)::"memory");
    return guard;
}

static inline bool kci_fp_guard_end(const kci_fp_guard_t *guard)
{
    kci_fp_guard_t now = kci_fp_guard_begin();
    if (now.fpcr == guard->fpcr) {
        return false;
    }
    __asm__ __volatile__("msr fpcr, %0" ::"r"(guard->fpcr) : "memory");
    return true;
}

#else

/* Only the rounding direction is known to portable C. */
#include <fenv.h>

typedef struct kci_fp_guard {
    int rounding;
} kci_fp_guard_t;

static inline kci_fp_guard_t kci_fp_guard_begin(void)
{
    kci_fp_guard_t guard = {fegetround()};
    return guard;
}

static inline bool kci_fp_guard_end(const kci_fp_guard_t *guard)
{
    if (fegetround() == guard->rounding) {
        return false;
    }
    return fesetround(guard->rounding) == 0;
}

#endif

#endif
