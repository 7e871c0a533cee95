/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The getter's record and the handler end before their optional fields, at the
 * end of a page with nothing readable after it: what is missing counts as
 * absent, and reading past the stated size is a fault. */
#include "mocks/mock.h"

#include <stddef.h>
#include <sys/mman.h>

KC_MODULE(MOCK_MODULE("short_entry"));
KC_CAPSULES(MOCK_RELU("short_entry.relu", "acme"));

#define ENTRY_SIZE   offsetof(kc_module_t, open)
#define HANDLER_SIZE offsetof(kc_handler_t, forward_workspace)

static unsigned char *page_end;
static const kc_handler_t *handlers[1];

/* Copies the first `size` bytes so that they end where the page ends. */
static void *put(const void *record, size_t size)
{
    return memcpy(page_end - size, record, size);
}

__attribute__((constructor)) static void make_page(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *pages =
        mmap(NULL, 4 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED ||
        mprotect(pages, page, PROT_READ | PROT_WRITE) != 0 ||
        mprotect(pages + 2 * page, page, PROT_READ | PROT_WRITE) != 0) {
        return;
    }
    page_end = pages + 3 * page;
    /* The handler in the second page, the getter's record in the first. */
    kc_handler_t relu = MOCK_HANDLER(KC_OP_RELU, "acme", mock_relu);
    relu.struct_size = HANDLER_SIZE;
    handlers[0] = put(&relu, HANDLER_SIZE);
    page_end = pages + page;
}

__attribute__((destructor)) static void drop_page(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (page_end != NULL) {
        munmap(page_end - page, 4 * page);
    }
}

const kc_module_t *kc_module_entry(void)
{
    if (page_end == NULL) {
        return NULL;
    }
    kc_module_t module = {.struct_size = ENTRY_SIZE,
                          .abi_major = KC_ABI_MAJOR,
                          .abi_minor = KC_ABI_MINOR,
                          .handler_count = 1,
                          .name = kc_module_note.record.name,
                          .version = kc_module_note.record.version,
                          .handlers = handlers};
    return put(&module, ENTRY_SIZE);
}
