/* SPDX-License-Identifier: Apache-2.0
 *
 * One call of a handler. The host has checked shapes, dtypes, devices,
 * strides, aliasing, index ranges and element counts before (the named
 * guards of dispatch), and allocated the outputs.
 */
#ifndef KCAPSULE_CALL_H
#define KCAPSULE_CALL_H

#include <kcapsule/attributes.h>
#include <kcapsule/host.h>
#include <kcapsule/status.h>
#include <kcapsule/tensor.h>

KC_BEGIN_DECLS

/* Numeric demands of the profile, in kc_call_t.numerics. */
enum {
    KC_NUMERICS_STRICT_DOMAIN = 1u << 0, /* out-of-domain input is an error  */
    KC_NUMERICS_DETERMINISTIC = 1u << 1, /* equal bits from run to run       */
    KC_NUMERICS_TF32_ALLOWED = 1u << 2   /* reduced-precision products       */
};

/*
 * All pointers are borrowed for the duration of the call. An optional input
 * that is absent is NULL. Inputs are never written; an output overlaps an
 * input only where the capsule's limits list it. Outputs are written in full:
 * what is in them before is undefined. `workspace` has the size that the
 * handler's `forward_workspace` (`vjp_workspace` for the VJP) answered, aligned
 * to 64 bytes. On failure the handler writes one line to `error`
 * (kc_call_fail) and returns its status; what it wrote to outputs by then is
 * thrown away.
 */
typedef struct kc_call {
    uint32_t struct_size;
    int32_t op;
    uint32_t numerics;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t spare;
    const DLTensor *const *inputs;
    DLTensor *const *outputs;
    const kc_attributes_t *attributes;
    void *workspace;
    size_t workspace_size;
    const kc_host_t *host;
    void *module_state; /* what the module's `open` returned */
    void *stream;       /* of the device; NULL on the cpu */
    kc_error_t *error;

    /*
     * Only for the VJP; NULL forward. `inputs` and `outputs` are then the
     * forward operands that the capsule's `saved_inputs` and `saved_outputs`
     * list, to be read only; all others are NULL, so a rule that needs no more
     * of an operand than its shape, or whether it is there, saves it too.
     *
     * `cotangents_out[i]` is the cotangent of output i, of its type and shape;
     * NULL means zeros. `cotangents_in[i]` is where that of input i goes, of
     * the type and shape of the input; NULL where it is not wanted, always so
     * for masks and indices. At least one is wanted. They are written in full,
     * zeros too, never added to: their contents before are undefined, and the
     * host adds what comes from several consumers.
     *
     * All of them are dense, whatever `limits.layouts` says; masks have the
     * polarity of the limits, as forward. A cotangent that is written shares
     * memory with nothing else, `limits.overwrites` or not; operands that are
     * read may share it with each other. Operands without elements come as
     * well; a wanted cotangent that has elements is then a sum of nothing,
     * which is zero. Attributes, numerics, workspace, host, threads and errors
     * are as forward.
     */
    const DLTensor *const *cotangents_out;
    DLTensor *const *cotangents_in;
} kc_call_t;

/* Writes `message` to the call's error, cut to fit, and returns `status`. */
static inline kc_status_t kc_call_fail(const kc_call_t *call,
                                       kc_status_t status, const char *message)
{
    size_t length = 0;
    if (call->error == NULL) {
        return status;
    }
    while (length + 1 < sizeof call->error->message && message[length] != 0) {
        call->error->message[length] = message[length];
        length++;
    }
    call->error->message[length] = 0;
    call->error->status = status;
    return status;
}

KC_END_DECLS

#endif
