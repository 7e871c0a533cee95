/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading and judging the file behind a record. Internal to the layer.
 */
#ifndef KC_MODULE_FILE_JUDGE_H
#define KC_MODULE_FILE_JUDGE_H

#include "module/module_file.h"

/* Opens, reads and hashes `file->path`, parses the bytes and sets descriptor,
 * identity, hash and verdict. Fails only for lack of memory. */
KC_MUST_USE kc_status_t kci_file_judge(kci_module_file_t *file,
                                       kc_error_t *error);

/* The path, or its last folders if it is so long that a message with it would
 * lose its reason. Borrowed from `path`, which may be NULL. */
const char *kci_path_in_message(const char *path);
/* Puts the file in front of a message. */
void kci_file_name_in(const char *path, kc_error_t *error);

/* Whether everybody may create files in the folder (`folder` is a path). */
bool kci_is_world_writable(const char *folder);

#endif
