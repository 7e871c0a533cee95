/* SPDX-License-Identifier: Apache-2.0
 *
 * The names are those that `uname -m` and linkers use.
 */
#include "module/elf_words.h"

#include <elf.h>
#include <stddef.h>
#include <stdio.h>

typedef struct word {
    unsigned number;
    const char *text;
} word_t;

static const word_t machines[] = {
    {EM_NONE, "no machine"},
    {EM_386, "i386"},
    {EM_X86_64, "x86-64"},
    {EM_ARM, "arm"},
    {EM_AARCH64, "aarch64"},
    {EM_RISCV, "riscv"},
    {EM_PPC, "ppc"},
    {EM_PPC64, "ppc64"},
    {EM_S390, "s390"},
    {EM_MIPS, "mips"},
    {EM_SPARC, "sparc"},
    {EM_SPARCV9, "sparc64"},
    {EM_LOONGARCH, "loongarch"},
    {EM_IA_64, "ia64"},
};
static const word_t types[] = {
    {ET_NONE, "a file of no type"}, {ET_REL, "an object file"},
    {ET_EXEC, "an executable"},     {ET_DYN, "a shared object"},
    {ET_CORE, "a core dump"},
};
static const word_t classes[] = {
    {ELFCLASS32, "32-bit"},
    {ELFCLASS64, "64-bit"},
};
static const word_t orders[] = {
    {ELFDATA2LSB, "little-endian"},
    {ELFDATA2MSB, "big-endian"},
};

static void write_word(const word_t *words, size_t count, const char *label,
                       unsigned number, char *out, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        if (words[i].number == number) {
            snprintf(out, size, "%s", words[i].text);
            return;
        }
    }
    snprintf(out, size, "%s %u", label, number);
}

#define WRITE_WORD(words, label, number, out)                                  \
    write_word(words, sizeof(words) / sizeof *(words), label, number, out,     \
               sizeof(out))

kci_elf_words_t kci_elf_machine(unsigned machine)
{
    kci_elf_words_t words;
    WRITE_WORD(machines, "machine", machine, words.text);
    return words;
}

kci_elf_words_t kci_elf_type(unsigned type)
{
    kci_elf_words_t words;
    WRITE_WORD(types, "type", type, words.text);
    return words;
}

kci_elf_words_t kci_elf_layout(unsigned word_class, unsigned byte_order,
                               unsigned version)
{
    char width[24];
    char order[24];
    char suffix[24] = "";
    kci_elf_words_t words;
    WRITE_WORD(classes, "class", word_class, width);
    WRITE_WORD(orders, "byte order", byte_order, order);
    if (version != EV_CURRENT) {
        snprintf(suffix, sizeof suffix, " of version %u", version);
    }
    snprintf(words.text, sizeof words.text, "%s %s ELF%s", width, order,
             suffix);
    return words;
}
