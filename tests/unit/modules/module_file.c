/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads built modules and reads their notes with libelf, the way a host would
 * but without the host's code, so that the modules are tested on their own.
 */
#include "unit/modules/module_file.h"

#include <check.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void path_of(const char *name, char *path, size_t size)
{
    const char *folder = getenv("KCAPSULE_MODULE_PATH");
    int length;
    ck_assert_msg(folder != NULL, "KCAPSULE_MODULE_PATH is not set");
    length = snprintf(path, size, "%.*s/%s.so", (int)strcspn(folder, ":"),
                      folder, name);
    ck_assert(length > 0 && (size_t)length < size);
}

const kc_module_t *module_file_load(const char *name)
{
    char path[4096];
    void *file;
    void *symbol;
    kc_module_entry_fn entry;
    path_of(name, path, sizeof path);
    file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(file != NULL, "%s", dlerror());
    symbol = dlsym(file, KC_MODULE_ENTRY_SYMBOL);
    ck_assert_ptr_nonnull(symbol);
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no such cast */
    return entry();
}

/* The descriptor of the one note of `type` in a segment of notes. */
static void take_note(Elf_Data *data, uint32_t type, module_note_t *note)
{
    size_t offset = 0;
    GElf_Nhdr header;
    size_t owner;
    size_t records;
    while ((offset = gelf_getnote(data, offset, &header, &owner, &records)) >
           0) {
        const char *bytes = data->d_buf;
        if (header.n_type != type || header.n_namesz != KC_NOTE_OWNER_SIZE ||
            strcmp(bytes + owner, KC_NOTE_OWNER) != 0) {
            continue;
        }
        ck_assert_msg(note->records == NULL, "two notes of one type");
        note->size_bytes = header.n_descsz;
        note->records = malloc(header.n_descsz);
        ck_assert_ptr_nonnull(note->records);
        memcpy(note->records, bytes + records, header.n_descsz);
    }
}

module_note_t module_file_read_note(const char *name, uint32_t type)
{
    module_note_t note = {NULL, 0};
    char path[4096];
    size_t count;
    int fd;
    Elf *elf;
    path_of(name, path, sizeof path);
    ck_assert(elf_version(EV_CURRENT) != EV_NONE);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    ck_assert_msg(fd >= 0, "cannot open %s", path);
    elf = elf_begin(fd, ELF_C_READ, NULL);
    ck_assert_int_eq(elf_getphdrnum(elf, &count), 0);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        ck_assert_ptr_nonnull(gelf_getphdr(elf, (int)i, &segment));
        if (segment.p_type == PT_NOTE) {
            take_note(elf_getdata_rawchunk(
                          elf, (int64_t)segment.p_offset, segment.p_filesz,
                          segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR),
                      type, &note);
        }
    }
    elf_end(elf);
    close(fd);
    return note;
}
