/* SPDX-License-Identifier: Apache-2.0
 *
 * Who owns the backward of a planned capsule, and what the capsule and its
 * rule are made of: the facts, once, for texts and JSON.
 */
#ifndef KC_REPORT_RULE_OWNER_H
#define KC_REPORT_RULE_OWNER_H

#include <jansson.h>
#include "audit/inner_rows.h"
#include "base/string_buffer.h"

typedef enum kci_rule_owner {
    KCI_OWNER_NOT_ASKED,   /* the policy wants no gradients                */
    KCI_OWNER_LEAF,        /* the operation gives values without gradients */
    KCI_OWNER_NOT_REACHED, /* no gradient that is planned goes through it  */
    KCI_OWNER_KERNEL,      /* a kernel of the capsule's module             */
    KCI_OWNER_COMPOSED,    /* the tape, by operations of the catalogue     */
    KCI_OWNER_RUNTIME      /* the tape, by code of the runtime             */
} kci_rule_owner_t;

/* Owners and inner operations of the groups of a plan, read in their order. */
typedef struct kci_rule_view {
    const kc_plan_t *plan; /* borrowed, likewise the groups */
    const kci_group_t *groups;
    size_t group_count;
    kci_inner_rows_t rows; /* owned */
    size_t next;           /* place in `rows` of the next group */
    bool *has_rule;        /* owned: by node, NULL: not known */
} kci_rule_view_t;

KC_MUST_USE kc_status_t kci_rule_view_create(const kc_plan_t *plan,
                                             const kci_group_t *groups,
                                             size_t group_count,
                                             kci_rule_view_t *out_view,
                                             kc_error_t *error);
void kci_rule_view_release(kci_rule_view_t *view);
kci_rule_owner_t kci_rule_view_owner(const kci_rule_view_t *view, size_t group);
/* The inner operations of a group, NULL for none. Groups are asked for by
 * rising number. */
const kci_inner_row_t *kci_rule_view_rows(kci_rule_view_t *view, size_t group,
                                          size_t *out_count);
/* Those of the sums, asked for after all groups. */
const kci_inner_row_t *kci_rule_view_sums(kci_rule_view_t *view,
                                          size_t *out_count);

/* rule_text.c and rule_json.c: what is said of one planned group, and of the
 * sums of a plan with gradients. */
void kci_report_rule_text(kci_rule_view_t *view, size_t group,
                          kci_string_buffer_t *out);
void kci_report_sums_text(kci_rule_view_t *view, kci_string_buffer_t *out);
void kci_report_rule_json(kci_rule_view_t *view, size_t group, json_t *object);
json_t *kci_report_sums_json(kci_rule_view_t *view);

#endif
