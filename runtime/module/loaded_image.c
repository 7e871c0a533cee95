/* SPDX-License-Identifier: Apache-2.0
 *
 * What the dynamic linker says about an image, in our words. It knows the
 * image under a name in /proc that means nothing to a reader, so that name
 * never reaches a message.
 */
#include "module/loaded_image.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include "base/error.h"
#include "base/string_buffer.h"

#define STATIC_TLS_TEXT "static TLS block"
#define STATIC_TLS_REMEDY                                                      \
    " (start the process with "                                                \
    "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384)"

/* `text` with every `name` replaced by `path`. */
static void append_replaced(kci_string_buffer_t *buffer, const char *text,
                            const char *name, const char *path)
{
    size_t length = strlen(name);
    const char *at = NULL;
    while ((at = strstr(text, name)) != NULL) {
        kci_string_append_bytes(buffer, text, (size_t)(at - text));
        kci_string_append(buffer, path);
        text = at + length;
    }
    kci_string_append(buffer, text);
}

kc_status_t kci_loaded_explain(const char *text, const char *name,
                               const char *path, kc_error_t *error)
{
    kci_string_buffer_t buffer = KCI_STRING_BUFFER_INIT;
    const char *reason = text != NULL ? text : "no reason given";
    size_t length = strlen(name);
    /* The file is named by the caller. */
    if (strncmp(reason, name, length) == 0 &&
        strncmp(reason + length, ": ", 2) == 0) {
        reason += length + 2;
    }
    append_replaced(&buffer, reason, name, path);
    bool is_tls = strstr(reason, STATIC_TLS_TEXT) != NULL;
    kc_status_t status =
        kci_fail(error, KC_ERR_BINDING, "cannot be loaded: %s%s",
                 buffer.text != NULL ? buffer.text : "no memory for the reason",
                 is_tls ? STATIC_TLS_REMEDY : "");
    kci_string_release(&buffer);
    return status;
}

typedef struct note_search {
    const struct link_map *map;
    const unsigned char *notes;
    size_t size;
    bool is_found;
    bool is_equal;
} note_search_t;

static bool have_equal_notes(const struct dl_phdr_info *info,
                             const unsigned char *notes, size_t size)
{
    for (size_t idx = 0; idx < info->dlpi_phnum; idx++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[idx];
        if (header->p_type != PT_NOTE) {
            continue;
        }
        const void *loaded = (const void *)(info->dlpi_addr + header->p_vaddr);
        if (header->p_filesz > size ||
            memcmp(loaded, notes, header->p_filesz) != 0) {
            return false;
        }
        notes += header->p_filesz;
        size -= header->p_filesz;
    }
    return size == 0;
}

static int visit_object(struct dl_phdr_info *info, size_t size, void *context)
{
    note_search_t *search = context;
    (void)size;
    if (info->dlpi_addr != search->map->l_addr || info->dlpi_name == NULL ||
        strcmp(info->dlpi_name, search->map->l_name) != 0) {
        return 0;
    }
    search->is_found = true;
    search->is_equal = have_equal_notes(info, search->notes, search->size);
    return 1;
}

kc_status_t kci_loaded_compare_notes(void *library, const unsigned char *notes,
                                     size_t size, kc_error_t *error)
{
    note_search_t search = {NULL, notes, size, false, false};
    if (dlinfo(library, RTLD_DI_LINKMAP, &search.map) != 0 ||
        search.map == NULL) {
        return kci_fail(error, KC_ERR_BINDING,
                        "the dynamic linker does not say where it loaded it");
    }
    (void)dl_iterate_phdr(visit_object, &search);
    if (search.is_found && search.is_equal) {
        return KC_OK;
    }
    return kci_fail(error, KC_ERR_BINDING,
                    "expected the notes that were judged, found %s loaded",
                    search.is_found ? "others" : "nothing");
}

/* dlsym also searches the libraries that the image needs. */
static bool is_function_of(void *library, const void *address)
{
    struct link_map *map = NULL;
    struct link_map *found_map = NULL;
    ElfW(Sym) *symbol = NULL;
    Dl_info info;
    void *extra = NULL;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 ||
        dladdr1(address, &info, &extra, RTLD_DL_LINKMAP) == 0) {
        return false;
    }
    found_map = extra;
    if (dladdr1(address, &info, &extra, RTLD_DL_SYMENT) == 0) {
        return false;
    }
    symbol = extra;
    return found_map == map && symbol != NULL && info.dli_saddr == address &&
           ELF64_ST_TYPE(symbol->st_info) == STT_FUNC;
}

kc_status_t kci_loaded_entry(void *library, kc_module_entry_fn *out_entry,
                             kc_error_t *error)
{
    void *address = dlsym(library, KC_MODULE_ENTRY_SYMBOL);
    if (address == NULL) {
        return kci_fail(error, KC_ERR_BINDING,
                        "expected the exported function " KC_MODULE_ENTRY_SYMBOL
                        ", found none");
    }
    if (!is_function_of(library, address)) {
        return kci_fail(error, KC_ERR_BINDING,
                        "expected the function " KC_MODULE_ENTRY_SYMBOL
                        " in the file itself, found it elsewhere");
    }
    /* POSIX lets a function be carried by void *; C lets it be copied. */
    memcpy(out_entry, &address, sizeof address);
    return KC_OK;
}
