/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * Its constructor makes subnormal numbers zero and its kernel rounds upward
 * from then on, if nobody restores the control words. x86-64 only; elsewhere
 * it does nothing of it. */
#include "mocks/mock.h"

KC_MODULE(MOCK_MODULE("fp_changer"));
KC_CAPSULES(MOCK_RELU("fp_changer.relu", "acme"));

#define FLUSH_TO_ZERO 0x8040u
#define ROUND_UPWARD  0x4000u

static void set_control_bits(uint32_t bits)
{
#if defined(__x86_64__)
    uint32_t mxcsr;
    __asm__ __volatile__("stmxcsr %0" : "=m"(mxcsr));
    mxcsr |= bits;
    __asm__ __volatile__("ldmxcsr %0" ::"m"(mxcsr));
#else
    (void)bits;
#endif
}

__attribute__((constructor)) static void flush_subnormals(void)
{
    set_control_bits(FLUSH_TO_ZERO);
}

static kc_status_t rounding_relu(const kc_call_t *call)
{
    kc_status_t status = mock_relu(call);
    set_control_bits(ROUND_UPWARD);
    return status;
}

static const kc_handler_t relu =
    MOCK_HANDLER(KC_OP_RELU, "acme", rounding_relu);
static const kc_handler_t *const handlers[] = {&relu};

KC_MODULE_ENTRY(handlers, 1);
