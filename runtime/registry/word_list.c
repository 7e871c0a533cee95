/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of words. A list that ends in a comma is most likely a line that was
 * cut, so an empty word is never skipped.
 */
#include "registry/word_list.h"

#include <string.h>
#include "base/alloc.h"
#include "base/error.h"

static size_t count_commas(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++) {
        count += *text == ',';
    }
    return count;
}

static char *trim(char *word)
{
    word += strspn(word, " \t");
    size_t length = strlen(word);
    while (length > 0 && strchr(" \t", word[length - 1]) != NULL) {
        length--;
    }
    word[length] = '\0';
    return word;
}

static kc_status_t split(kci_word_list_t *list, kc_error_t *error)
{
    char *rest = list->text;
    while (rest != NULL) {
        char *word = rest;
        rest = strchr(rest, ',');
        if (rest != NULL) {
            *rest++ = '\0';
        }
        word = trim(word);
        if (*word == '\0') {
            return kci_fail(error, KC_ERR_CONFIG,
                            "expected a word in place %zu of the list, found "
                            "nothing",
                            list->count + 1);
        }
        list->words[list->count++] = word;
    }
    return KC_OK;
}

kc_status_t kci_word_list_parse(const char *text, kci_word_list_t *out_list,
                                kc_error_t *error)
{
    kci_word_list_t list = {NULL, NULL, 0};
    void *words = NULL;
    KC_RETURN_IF_ERROR(kci_copy_string(text, &list.text, error));
    kc_status_t status =
        kci_alloc_array(count_commas(text) + 1, sizeof(char *), &words, error);
    list.words = words;
    if (status == KC_OK) {
        status = split(&list, error);
    }
    if (status != KC_OK) {
        kci_word_list_release(&list);
        return status;
    }
    *out_list = list;
    return KC_OK;
}

void kci_word_list_release(kci_word_list_t *list)
{
    kci_free(list->words);
    kci_free(list->text);
    *list = (kci_word_list_t){NULL, NULL, 0};
}
