/* SPDX-License-Identifier: Apache-2.0
 *
 * The named guards that the runtime itself performs before every kernel.
 */
#ifndef KC_AUDIT_GUARDS_H
#define KC_AUDIT_GUARDS_H

#include <stdbool.h>
#include <stddef.h>

bool kci_guard_is_known(const char *name);
size_t kci_guard_count(void);
const char *kci_guard_name(size_t index);

#endif
