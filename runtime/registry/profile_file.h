/* SPDX-License-Identifier: Apache-2.0
 *
 * What a profile file says, key by key. Reading files and finding what they
 * extend is the matter of profile_load.
 */
#ifndef KC_REGISTRY_PROFILE_FILE_H
#define KC_REGISTRY_PROFILE_FILE_H

#include "config/ini.h"
#include "registry/profile_draft.h"

/* Applies every setting of the file but `extends`. Any mistake is an error
 * that names file and line; the draft is then of no use. */
KC_MUST_USE kc_status_t kci_profile_file_apply(kci_ini_t *ini,
                                               kci_profile_draft_t *draft,
                                               kc_error_t *error);

#endif
