/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists in values of profile files: words between commas.
 */
#ifndef KC_REGISTRY_WORD_LIST_H
#define KC_REGISTRY_WORD_LIST_H

#include <stddef.h>
#include <kcapsule/status.h>

typedef struct kci_word_list {
    char *text;   /* owned; the words lie in it */
    char **words; /* owned */
    size_t count;
} kci_word_list_t;

/* Blanks around words are dropped; an empty word is an error. */
KC_MUST_USE kc_status_t kci_word_list_parse(const char *text,
                                            kci_word_list_t *out_list,
                                            kc_error_t *error);
void kci_word_list_release(kci_word_list_t *list);

#endif
