/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans, audits, contracts and records as text for people and as JSON, from
 * the same facts. Every function gives a text of the caller's
 * (kc_text_release), complete with its last line break.
 */
#ifndef KCAPSULE_REPORT_H
#define KCAPSULE_REPORT_H

#include <kcapsule/session.h>

KC_BEGIN_DECLS

typedef enum kc_format { KC_FORMAT_TEXT, KC_FORMAT_JSON } kc_format_t;

typedef enum kc_plan_view {
    KC_PLAN_VIEW_ROWS,   /* a block an operation, or a line a node        */
    KC_PLAN_VIEW_NAMES,  /* "PROFILE: capsule, capsule"                   */
    KC_PLAN_VIEW_GROUPS, /* "#[1, 2] relu reference.relu"                 */
    KC_PLAN_VIEW_FULL,   /* with trust, VJP, reduction, four obligations  */
    KC_PLAN_VIEW_EXPLAIN /* every candidate with its reason               */
} kc_plan_view_t;

/* Failures of planning are not in the text form of the first four views
 * (kc_plan_failure has them); JSON has everything. */
KC_API KC_MUST_USE kc_status_t kc_report_plan(const kc_plan_t *plan,
                                              kc_plan_view_t view,
                                              kc_format_t format,
                                              char **out_text,
                                              kc_error_t *error);
/* The contract check of kc_plan_check, with every rejected obligation. */
KC_API KC_MUST_USE kc_status_t kc_report_check(
    const kc_plan_t *plan, const kc_policy_t *policy, kc_format_t format,
    char **out_text, int32_t *out_is_accepted, kc_error_t *error);
/* The complete gate on a plan of a graph: "accepted under checked" with the
 * rows and distinct capsules, or every failure. */
KC_API KC_MUST_USE kc_status_t kc_report_acceptance(kc_plan_t *plan,
                                                    kc_format_t format,
                                                    char **out_text,
                                                    int32_t *out_is_accepted,
                                                    kc_error_t *error);

KC_API KC_MUST_USE kc_status_t kc_report_modules(const kc_runtime_t *runtime,
                                                 int32_t is_verbose,
                                                 kc_format_t format,
                                                 char **out_text,
                                                 kc_error_t *error);
/* `name` is a module name, a file, or a capsule name. */
KC_API KC_MUST_USE kc_status_t kc_report_inspect(kc_runtime_t *runtime,
                                                 const char *name,
                                                 kc_format_t format,
                                                 char **out_text,
                                                 kc_error_t *error);
KC_API KC_MUST_USE kc_status_t kc_report_ops(kc_format_t format,
                                             char **out_text,
                                             kc_error_t *error);
KC_API KC_MUST_USE kc_status_t kc_report_op(int32_t op, kc_format_t format,
                                            char **out_text, kc_error_t *error);
/* Maintained profiles and those found on the profile path. */
KC_API KC_MUST_USE kc_status_t kc_report_profiles(kc_runtime_t *runtime,
                                                  kc_format_t format,
                                                  char **out_text,
                                                  kc_error_t *error);
/* The run record. JSON is the file format of records; the text is a table.
 * Times are in an object of their own, if they were kept. */
KC_API KC_MUST_USE kc_status_t kc_report_record(const kc_record_t *record,
                                                kc_format_t format,
                                                char **out_text,
                                                kc_error_t *error);

KC_END_DECLS

#endif
