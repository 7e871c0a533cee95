/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports: the same facts as text for people and as JSON. Text goes to a
 * string buffer, whose failure is seen when it is taken; JSON trees are the
 * caller's (json_decref) and NULL only when memory ran out.
 */
#ifndef KC_REPORT_REPORT_H
#define KC_REPORT_REPORT_H

#include <kcapsule/report.h>
#include "audit/accept.h"
#include "base/json.h"
#include "base/string_buffer.h"
#include "exec/runtime.h"
#include "plan/reason.h"
#include "report/run_record.h"

/* foreign_text.c: what somebody else wrote, fit for a line of a text. */
void kci_report_append_foreign(const char *text, size_t length,
                               kci_string_buffer_t *out);
void kci_report_append_path(const char *path, kci_string_buffer_t *out);
/* Every line of a whole text; its line breaks stay. */
void kci_report_clean_lines(char *text);

/* plan_text.c, plan_json.c, explain.c */
KC_MUST_USE kc_status_t kci_report_plan_text(const kc_plan_t *plan,
                                             kc_plan_view_t view,
                                             kci_string_buffer_t *out,
                                             kc_error_t *error);
KC_MUST_USE kc_status_t kci_report_plan_json(const kc_plan_t *plan,
                                             kc_plan_view_t view,
                                             json_t **out_json,
                                             kc_error_t *error);
KC_MUST_USE kc_status_t kci_report_explain_text(const kc_plan_t *plan,
                                                kci_string_buffer_t *out,
                                                kc_error_t *error);
KC_MUST_USE kc_status_t kci_report_candidates_json(const kc_plan_t *plan,
                                                   const kci_plan_row_t *row,
                                                   json_t **out_json,
                                                   kc_error_t *error);

/* contract_text.c, contract_json.c: the parts of one capsule that several reports show. */
void kci_report_contract_text(const kc_capsule_module_t *module,
                              const kc_capsule_record_t *capsule,
                              kci_string_buffer_t *out);
json_t *kci_report_contract_json(const kc_capsule_module_t *module,
                                 const kc_capsule_record_t *capsule);
json_t *kci_report_policy_json(const kc_profile_t *profile,
                               const kc_policy_t *policy);
/* "[1, 2, 3]": the nodes of a group. */
void kci_report_group_nodes(const kc_plan_t *plan, const kci_group_t *group,
                            kci_string_buffer_t *out);

/* check.c, acceptance.c */
KC_MUST_USE kc_status_t kci_report_check_text(const kc_plan_t *plan,
                                              const kc_policy_t *policy,
                                              kci_string_buffer_t *out,
                                              bool *out_is_accepted,
                                              kc_error_t *error);
KC_MUST_USE kc_status_t kci_report_check_json(const kc_plan_t *plan,
                                              const kc_policy_t *policy,
                                              json_t **out_json,
                                              bool *out_is_accepted,
                                              kc_error_t *error);
KC_MUST_USE kc_status_t kci_report_acceptance_text(kc_plan_t *plan,
                                                   kci_string_buffer_t *out,
                                                   bool *out_is_accepted,
                                                   kc_error_t *error);
KC_MUST_USE kc_status_t kci_report_acceptance_json(kc_plan_t *plan,
                                                   json_t **out_json,
                                                   bool *out_is_accepted,
                                                   kc_error_t *error);

/* modules.c, inspect.c */
void kci_report_modules_text(const kc_runtime_t *runtime, bool is_verbose,
                             kci_string_buffer_t *out);
json_t *kci_report_modules_json(const kc_runtime_t *runtime);
json_t *kci_report_module_file_json(const kci_module_file_t *file);
KC_MUST_USE kc_status_t kci_report_inspect_text(kc_runtime_t *runtime,
                                                const char *name,
                                                kci_string_buffer_t *out,
                                                kc_error_t *error);
KC_MUST_USE kc_status_t kci_report_inspect_json(kc_runtime_t *runtime,
                                                const char *name,
                                                json_t **out_json,
                                                kc_error_t *error);

/* catalogue.c */
void kci_report_ops_text(kci_string_buffer_t *out);
json_t *kci_report_ops_json(void);
void kci_report_op_text(int32_t op, kci_string_buffer_t *out);
json_t *kci_report_op_json(int32_t op);

/* profiles.c */
KC_MUST_USE kc_status_t kci_report_profiles_text(const kc_runtime_t *runtime,
                                                 kci_string_buffer_t *out,
                                                 kc_error_t *error);
KC_MUST_USE kc_status_t kci_report_profiles_json(const kc_runtime_t *runtime,
                                                 json_t **out_json,
                                                 kc_error_t *error);

/* The maintained names, then the files on the profile path. */
KC_MUST_USE kc_status_t kci_profile_names(const kc_runtime_t *runtime,
                                          char ***out_names, size_t *out_count,
                                          kc_error_t *error);
void kci_profile_names_release(char **names, size_t count);

/* record_text.c, record_json.c */
void kci_report_record_text(const kc_record_t *record,
                            kci_string_buffer_t *out);
KC_MUST_USE kc_status_t kci_report_record_json(const kc_record_t *record,
                                               json_t **out_json,
                                               kc_error_t *error);

#endif
