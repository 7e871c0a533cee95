/* SPDX-License-Identifier: Apache-2.0
 *
 * What makes a shared object a module: one ELF note with the module record,
 * one with the capsule table, at most one with provenance (all read from the
 * bytes of the file, no instruction runs), and one exported getter for
 * handlers. Emit the notes in a C file, each once; C++ refuses the
 * initialisers.
 *
 * A text too long for its array is a long compiler message about an
 * initializer-string (a warning, an error with -Werror; repeated wherever the
 * macros use it), and one that only lacks room for its NUL may be none; the
 * host refuses both. When the host speaks of a module, capsule or provenance
 * note, it means KC_MODULE, KC_CAPSULES or KC_PROVENANCE.
 */
#ifndef KCAPSULE_MODULE_H
#define KCAPSULE_MODULE_H

#include <kcapsule/capsule.h>
#include <kcapsule/device.h>
#include <kcapsule/handler.h>

KC_BEGIN_DECLS

#define KC_NOTE_OWNER "kcapsule"
#define KC_NOTE_OWNER_SIZE 9 /* with NUL; padded to 12 in the file */
#define KC_NOTE_MODULE 0x4b430001u
#define KC_NOTE_CAPSULES 0x4b430002u
#define KC_NOTE_PROVENANCE 0x4b430003u

#define KC_MODULE_NAME_SIZE 64

/* Flags of a module. */
enum {
    KC_MODULE_STARTS_THREADS = 1u << 0, /* has threads of its own          */
    KC_MODULE_CONTRACTS_ONLY = 1u << 1  /* built without its handlers      */
};

/* `name` has the form [a-z][a-z0-9_]*. `companions` lists files the module
 * opens itself, separated by commas. */
typedef struct kc_module_record {
    uint32_t struct_size;
    uint32_t abi_major;
    uint32_t abi_minor;
    uint32_t flags;
    char name[KC_MODULE_NAME_SIZE];
    char version[32];
    char author[96];
    char licence[64];
    char description[128];
    char companions[256];
    uint32_t spare[28];
} kc_module_record_t;
KC_STATIC_ASSERT(sizeof(kc_module_record_t) == 768, "module record size");

#define KC_MODULE_RECORD_SIZE_MIN 768

/* The entry of the getter. `name` and `version` must equal the note's. */
typedef struct kc_module {
    uint32_t struct_size;
    uint32_t abi_major;
    uint32_t abi_minor;
    uint32_t handler_count;
    const char *name;
    const char *version;
    const kc_handler_t *const *handlers;

    /* Optional. Run once at the first binding and at unloading. `open` writes
     * `*out_state` on KC_OK only and undoes all of its work on failure. */
    kc_status_t (*open)(const kc_host_t *host, void **out_state,
                        kc_error_t *error);
    void (*close)(void *state);

    const kc_device_services_t *const *devices;
    uint32_t device_count;
    uint32_t spare;
} kc_module_t;

#define KC_MODULE_ENTRY_SYMBOL "kc_module_entry"

/* The one exported symbol: pure, any number of calls, from any thread. */
typedef const kc_module_t *(*kc_module_entry_fn)(void);
KC_EXPORT const kc_module_t *kc_module_entry(void);

typedef struct kc_note_header {
    uint32_t owner_size;
    uint32_t record_size;
    uint32_t type;
    char owner[12];
} kc_note_header_t;

#if defined(__has_attribute)
#if __has_attribute(retain)
#define KC_NOTE_RETAIN_ , retain
#endif
#endif
#ifndef KC_NOTE_RETAIN_
#define KC_NOTE_RETAIN_
#endif
/* clang's address sanitizer puts red zones behind variables; a note must not
 * have any. */
#if defined(__clang__)
#define KC_NOTE_UNPADDED_ , no_sanitize("address")
#else
#define KC_NOTE_UNPADDED_
#endif
#define KC_NOTE_ATTRIBUTES_                                                    \
    __attribute__((section(".note.kcapsule"), used,                            \
                   aligned(4) KC_NOTE_RETAIN_ KC_NOTE_UNPADDED_))
#define KC_NOTE_HEADER_(size, kind)                                            \
    {KC_NOTE_OWNER_SIZE, (uint32_t)(size), kind, KC_NOTE_OWNER}

#ifndef __cplusplus

/* KC_MODULE(.name = "acme", .version = "1.0", .author = ..., .licence = ...)
 * Also defines what KC_MODULE_ENTRY repeats in the getter's record. */
#define KC_MODULE(...)                                                         \
    static const struct {                                                      \
        kc_note_header_t header;                                               \
        kc_module_record_t record;                                             \
    } kc_module_note KC_NOTE_ATTRIBUTES_ = {                                   \
        KC_NOTE_HEADER_(sizeof(kc_module_record_t), KC_NOTE_MODULE),           \
        {.struct_size = sizeof(kc_module_record_t),                            \
         .abi_major = KC_ABI_MAJOR,                                            \
         .abi_minor = KC_ABI_MINOR,                                            \
         __VA_ARGS__}}

#define KC_RECORD_COUNT_(type, ...)                                            \
    (sizeof((const type[]){__VA_ARGS__}) / sizeof(type))

/* KC_CAPSULES(CAPSULE(...), CAPSULE(...)): the table in catalogue order; each
 * element is a braced kc_capsule_record_t initialiser with struct_size set. */
#define KC_CAPSULES(...)                                                       \
    static const struct {                                                      \
        kc_note_header_t header;                                               \
        kc_capsule_record_t                                                    \
            records[KC_RECORD_COUNT_(kc_capsule_record_t, __VA_ARGS__)];       \
    } kc_capsules_note KC_NOTE_ATTRIBUTES_ = {                                 \
        KC_NOTE_HEADER_(sizeof(kc_capsule_record_t) *                          \
                            KC_RECORD_COUNT_(kc_capsule_record_t,              \
                                             __VA_ARGS__),                     \
                        KC_NOTE_CAPSULES),                                     \
        {__VA_ARGS__}}

#define KC_PROVENANCE(...)                                                     \
    static const struct {                                                      \
        kc_note_header_t header;                                               \
        kc_provenance_record_t                                                 \
            records[KC_RECORD_COUNT_(kc_provenance_record_t, __VA_ARGS__)];    \
    } kc_provenance_note KC_NOTE_ATTRIBUTES_ = {                               \
        KC_NOTE_HEADER_(sizeof(kc_provenance_record_t) *                       \
                            KC_RECORD_COUNT_(kc_provenance_record_t,           \
                                             __VA_ARGS__),                     \
                        KC_NOTE_PROVENANCE),                                   \
        {__VA_ARGS__}}

/* The getter, in the file of KC_MODULE. `handler_array` is an array of
 * `const kc_handler_t *const`, or NULL with 0 for a module without handlers.
 * KC_MODULE_ENTRY_WITH takes further fields: .open, .close, .devices. */
#define KC_MODULE_ENTRY_WITH(handler_array, count, ...)                        \
    const kc_module_t *kc_module_entry(void)                                   \
    {                                                                          \
        static const kc_module_t module = {                                    \
            .struct_size = sizeof(kc_module_t),                                \
            .abi_major = KC_ABI_MAJOR,                                         \
            .abi_minor = KC_ABI_MINOR,                                         \
            .handler_count = (count),                                          \
            .name = kc_module_note.record.name,                                \
            .version = kc_module_note.record.version,                          \
            .handlers = (handler_array),                                       \
            __VA_ARGS__};                                                      \
        return &module;                                                        \
    }                                                                          \
    KC_STATIC_ASSERT(1, "lets a semicolon follow")

#define KC_MODULE_ENTRY(handler_array, count)                                  \
    KC_MODULE_ENTRY_WITH(handler_array, count, .spare = 0)

#endif /* __cplusplus */

KC_END_DECLS

#endif
