/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tape's rule of each operation is and needs: the part of the
 * catalogue that planning has to know before anything runs. The rules
 * themselves are in runtime/autograd; a test holds them to this table.
 */
#ifndef KC_OPS_VJP_H
#define KC_OPS_VJP_H

#include <stdbool.h>
#include <kcapsule/vocabulary.h>

/* Whose rule the tape uses: none is asked for; one composed of catalogue
 * operations, on any device; one of the runtime, on the cpu; or the
 * runtime's on the cpu and a composed one elsewhere. */
typedef enum kci_vjp_rule {
    KCI_VJP_RULE_NONE,
    KCI_VJP_RULE_COMPOSED,
    KCI_VJP_RULE_RUNTIME,
    KCI_VJP_RULE_EITHER
} kci_vjp_rule_t;

/* `inputs`: bit i, input i has a cotangent (of a repeated input all bits).
 * `saved_inputs`, `saved_outputs`: the forward operands that the rule reads;
 * of the others it sees types only. `inner_ops`: bit of each operation that
 * the composed rule may be made of. */
typedef struct kci_vjp_info {
    kci_vjp_rule_t rule;
    uint32_t inputs;
    uint32_t saved_inputs;
    uint32_t saved_outputs;
    uint64_t inner_ops;
} kci_vjp_info_t;

#define KCI_OP_BIT(op) (UINT64_C(1) << (op))

/* Of a valid kc_op_t; never NULL. */
const kci_vjp_info_t *kci_vjp_info(int32_t op);

/* Whether the tape's rule for a capsule of this provider and device is the
 * composed one. Capsules of the provider `torchlean` are compositions
 * themselves and always have it where there is one. */
bool kci_vjp_is_composed(int32_t op, const char *provider, int32_t device);
/* Whether there is a rule for it at all. */
bool kci_vjp_runs_on(int32_t op, const char *provider, int32_t device);

/* The provider whose capsules are the runtime's own compositions, and what
 * the composition of an operation may be made of; 0: there is none. */
#define KCI_COMPOSITION_PROVIDER "torchlean"
bool kci_is_composition(const char *provider);
uint64_t kci_composition_inner_ops(int32_t op);

#endif
