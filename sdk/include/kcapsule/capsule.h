/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel capsule: what one implementation of one operation promises, as
 * data. Macros at the end shorten the usual contracts of a module file.
 */
#ifndef KCAPSULE_CAPSULE_H
#define KCAPSULE_CAPSULE_H

#include <kcapsule/contract.h>

KC_BEGIN_DECLS

#define KC_CAPSULE_NAME_SIZE 96
#define KC_PROVIDER_SIZE 64

/* Flags of a capsule. */
enum {
    /* The file was built without the handler of this capsule: it can be
     * planned and audited, nothing is granted to it, binding fails. */
    KC_CAPSULE_NO_HANDLER = 1u << 0
};

/*
 * `name` is unique together with operation, provider and device over all
 * modules of a profile. `supports_forward` is 0 or 1.
 *
 * `saved_inputs` and `saved_outputs` say which forward operands the rule of
 * the VJP needs (bit i: operand i; of concat the first 32).
 * - backend-vjp: what the capsule's own `vjp` reads, and all that it is given
 *   (kcapsule/call.h).
 * - torchlean-tape: at least what the tape's rule of the operation reads, else
 *   the capsule is not chosen where a gradient is wanted
 *   (vjp_saves_too_little). `kcapsule ops OP` says what that is: "saves input
 *   0 (x)" is saved_inputs = 1, "saves the output" saved_outputs = 1.
 * - none: nothing.
 */
typedef struct kc_capsule_record {
    uint32_t struct_size;
    int32_t op;
    int32_t device;
    int32_t trust;
    int32_t vjp_mode;
    uint32_t supports_forward;
    uint32_t saved_inputs;
    uint32_t saved_outputs;
    uint32_t flags; /* KC_CAPSULE_* */
    uint32_t spare[3];
    char name[KC_CAPSULE_NAME_SIZE];
    char provider[KC_PROVIDER_SIZE];
    kc_contract_descriptor_t shape;
    kc_contract_descriptor_t layout;
    kc_contract_descriptor_t value;
    kc_contract_descriptor_t vjp;
    kc_numerical_policy_t numerics;
    kc_limits_t limits;
} kc_capsule_record_t;
KC_STATIC_ASSERT(sizeof(kc_capsule_record_t) == 1536, "capsule record size");

#define KC_CAPSULE_RECORD_SIZE_MIN 1536

/* Kinds of provenance. It names the implementation that is meant and is
 * never evidence. */
enum { KC_PROVENANCE_SOURCE_PATH = 0, KC_PROVENANCE_NATIVE_SYMBOL = 1 };

/* Where an implementation comes from: a source path, or a native symbol with
 * the path it lies in and the build target (may be empty). Refers to a
 * capsule of the same module by name and to one of its obligations. */
typedef struct kc_provenance_record {
    uint32_t struct_size;
    int32_t kind;
    int32_t obligation;
    uint32_t spare;
    char capsule[KC_CAPSULE_NAME_SIZE];
    char path[128];
    char symbol[96];
    char build_target[64];
} kc_provenance_record_t;
KC_STATIC_ASSERT(sizeof(kc_provenance_record_t) == 400,
                 "provenance record size");

#define KC_PROVENANCE_RECORD_SIZE_MIN 400

/* Initialisers of the four obligations of operation `operation`. */
#define KC_SHAPE_GUARD(operation, guard, text)                                 \
    {.claim = KC_CLAIM_SHAPE_SAFETY, .op = (operation),                        \
     .evidence = KC_EVIDENCE_RUNTIME_GUARD, .summary = text, .source = guard}
#define KC_LAYOUT_GUARD(operation, layout_kind, guard, text)                   \
    {.claim = KC_CLAIM_LAYOUT_COMPATIBILITY, .op = (operation),                \
     .mode = (layout_kind), .evidence = KC_EVIDENCE_RUNTIME_GUARD,             \
     .summary = text, .source = guard}
#define KC_VALUE_SUITE(operation, suite, text)                                 \
    {.claim = KC_CLAIM_VALUE_REFINEMENT, .op = (operation),                    \
     .evidence = KC_EVIDENCE_TEST_SUITE, .summary = text, .source = suite}
#define KC_VALUE_BOUNDARY(operation, reason, text)                             \
    {.claim = KC_CLAIM_VALUE_REFINEMENT, .op = (operation),                    \
     .evidence = KC_EVIDENCE_TRUSTED_BOUNDARY, .summary = text,                \
     .source = reason}
#define KC_VJP_SUITE(operation, vjp, suite, text)                              \
    {.claim = KC_CLAIM_VJP_REFINEMENT, .op = (operation), .mode = (vjp),       \
     .evidence = KC_EVIDENCE_TEST_SUITE, .summary = text, .source = suite}
#define KC_VJP_GUARD(operation, vjp, guard, text)                              \
    {.claim = KC_CLAIM_VJP_REFINEMENT, .op = (operation), .mode = (vjp),       \
     .evidence = KC_EVIDENCE_RUNTIME_GUARD, .summary = text, .source = guard}
#define KC_NO_VJP(operation, text)                                             \
    {.claim = KC_CLAIM_VJP_UNAVAILABLE, .op = (operation),                     \
     .evidence = KC_EVIDENCE_NOT_APPLICABLE, .summary = text}

KC_END_DECLS

#endif
