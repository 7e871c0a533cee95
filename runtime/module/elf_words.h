/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of ELF headers in words, for messages; unknown ones keep their
 * number. Internal to the layer.
 */
#ifndef KC_MODULE_ELF_WORDS_H
#define KC_MODULE_ELF_WORDS_H

typedef struct kci_elf_words {
    char text[96];
} kci_elf_words_t;

/* "x86-64", "machine 4711" */
kci_elf_words_t kci_elf_machine(unsigned machine);
/* "a shared object", "type 9" */
kci_elf_words_t kci_elf_type(unsigned type);
/* "64-bit little-endian ELF", "class 7 big-endian ELF of version 2" */
kci_elf_words_t kci_elf_layout(unsigned word_class, unsigned byte_order,
                               unsigned version);

#endif
