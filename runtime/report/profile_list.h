/* SPDX-License-Identifier: Apache-2.0
 *
 * The profile files on the profile path, and what is typed for each. Internal
 * to the layer.
 */
#ifndef KC_REPORT_PROFILE_LIST_H
#define KC_REPORT_PROFILE_LIST_H

#include "exec/runtime.h"

typedef struct kci_profile_list {
    char **paths; /* of files NAME.ini, by folder and then by name */
    size_t count;
    size_t capacity;
} kci_profile_list_t;

KC_MUST_USE kc_status_t kci_profile_list_find(const kc_runtime_t *runtime,
                                              kci_profile_list_t *out_list,
                                              kc_error_t *error);
void kci_profile_list_release(kci_profile_list_t *list);

/* What is typed after -p for a profile; `remark`: why that is another. */
typedef struct kci_listed_profile {
    const char *typed; /* not terminated */
    int typed_length;
    const char *source; /* what it is loaded by */
    const char *doc;
    const char *remark; /* or "" */
} kci_listed_profile_t;

kci_listed_profile_t kci_listed_maintained(size_t index);
kci_listed_profile_t kci_listed_file(const kci_profile_list_t *list,
                                     size_t index);

#endif
