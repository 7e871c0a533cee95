/* SPDX-License-Identifier: Apache-2.0
 *
 * How the application interface is declared. Rules that hold for all of it:
 * handles are opaque and owned by whoever received them (release them, NULL
 * is accepted); what a handle was made from stays alive as long as it needs
 * it; outputs are written on KC_OK only (the one exception is the list of
 * failures of kc_plan_accept); `error` may be NULL; texts given back are
 * borrowed from the handle unless said otherwise. Handles that are called
 * immutable may be shared by threads.
 */
#ifndef KCAPSULE_API_H
#define KCAPSULE_API_H

#include <kcapsule/policy.h>
#include <kcapsule/status.h>

#define KC_API KC_EXPORT

KC_BEGIN_DECLS

typedef struct kc_runtime kc_runtime_t;
typedef struct kc_capsule_module kc_capsule_module_t;
typedef struct kc_profile kc_profile_t;
typedef struct kc_graph kc_graph_t;
typedef struct kc_graph_builder kc_graph_builder_t;
typedef struct kc_plan kc_plan_t;
typedef struct kc_accepted_plan kc_accepted_plan_t;
typedef struct kc_tensor kc_tensor_t;
typedef struct kc_weights kc_weights_t;
typedef struct kc_session kc_session_t;
typedef struct kc_executor kc_executor_t;
typedef struct kc_record kc_record_t;

/* Releases a text that a function gave to the caller; NULL is accepted. */
KC_API void kc_text_release(char *text);

/* The printed label of an operation, device, reason ...; "unknown" outside
 * the vocabulary. */
KC_API const char *kc_op_label(int32_t op);
KC_API const char *kc_device_label(int32_t device);
KC_API const char *kc_vjp_mode_label(int32_t mode);
KC_API const char *kc_reason_label(int32_t reason);
/* Exact and case-sensitive. KC_ERR_NOT_FOUND names the text and the command
 * that lists the operations. */
KC_API KC_MUST_USE kc_status_t kc_op_parse(const char *text, int32_t *out_op,
                                           kc_error_t *error);

/* "0.1.0": the version of this library. */
KC_API const char *kc_library_version(void);

KC_END_DECLS

#endif
