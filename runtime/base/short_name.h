/* SPDX-License-Identifier: Apache-2.0
 *
 * A name from a file as messages show it: long ones are cut, and one can see
 * it. Used in place: kci_short_name(name).text.
 */
#ifndef KC_BASE_SHORT_NAME_H
#define KC_BASE_SHORT_NAME_H

#define KCI_SHORT_NAME_SIZE 68

typedef struct kci_short_name {
    char text[KCI_SHORT_NAME_SIZE];
} kci_short_name_t;

/* At most 64 bytes of `name`; "..." stands for the rest of a longer one. No
 * character of UTF-8 is cut in two. */
kci_short_name_t kci_short_name(const char *name);

#endif
