/* SPDX-License-Identifier: Apache-2.0
 *
 * From text to profile. Finding and reading files is kept apart from what
 * their text means, so that texts can be fed in from anywhere.
 */
#ifndef KC_REGISTRY_PROFILE_LOAD_H
#define KC_REGISTRY_PROFILE_LOAD_H

#include "registry/profile_draft.h"

/* The profile of a file whose text is at hand; `name` is what errors call
 * the text. Profiles it extends are found as usual. */
KC_MUST_USE kc_status_t kci_profile_parse(const kci_profile_source_t *source,
                                          const char *text, size_t length,
                                          const char *name,
                                          kc_profile_t **out_profile,
                                          kc_error_t *error);

/* Looks for the modules a draft names and makes the profile. `source_name`
 * is "maintained" or the path of the file. */
KC_MUST_USE kc_status_t kci_profile_resolve(const kci_profile_source_t *source,
                                            const kci_profile_draft_t *draft,
                                            const char *source_name,
                                            kc_profile_t **out_profile,
                                            kc_error_t *error);

#endif
