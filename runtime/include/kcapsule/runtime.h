/* SPDX-License-Identifier: Apache-2.0
 *
 * The runtime: search paths, the module files that were found and judged,
 * memory, threads and log. Shareable between threads; everything else is
 * made from it and keeps it alive.
 */
#ifndef KCAPSULE_RUNTIME_H
#define KCAPSULE_RUNTIME_H

#include <kcapsule/api.h>

KC_BEGIN_DECLS

/* Zeroed fields are defaults; all pointers are borrowed for the call, except
 * the allocator and log contexts, which must outlive the runtime. */
typedef struct kc_runtime_options {
    uint32_t struct_size;
    /* 0: one a processor of this process, or as many as the system gives,
     * which is a warning; any other number is had or the first execution
     * fails. */
    uint32_t thread_count;
    /* Searched before everything else. */
    const char *const *module_directories;
    size_t module_directory_count;
    const char *const *profile_directories;
    size_t profile_directory_count;
    /* Memory of runs: tensors, workspaces, executors. NULL: the system's. */
    void *(*allocate)(void *context, size_t size, size_t alignment);
    void (*deallocate)(void *context, void *memory, size_t size);
    void *allocator_context;
    /* Receives warnings, one line each; NULL: silence. From any thread. */
    void (*log)(void *context, int32_t level, const char *line);
    void *log_context;
} kc_runtime_options_t;

/* Reads and judges the module files of the search path; runs none of them.
 * A bad file is a verdict, not an error. `options` may be NULL. */
KC_API KC_MUST_USE kc_status_t
kc_runtime_create(const kc_runtime_options_t *options,
                  kc_runtime_t **out_runtime, kc_error_t *error);
/* The handle is given up; memory goes when the last object made from the
 * runtime is released. */
KC_API void kc_runtime_release(kc_runtime_t *runtime);

/* What the allocator of runs has out, in bytes. */
typedef struct kc_memory_use {
    uint32_t struct_size;
    uint32_t spare;
    uint64_t live_bytes;
    uint64_t peak_bytes; /* since creation or the last reset */
    uint64_t allocation_count;
} kc_memory_use_t;
KC_API void kc_runtime_memory_use(const kc_runtime_t *runtime,
                                  kc_memory_use_t *out_use);
KC_API void kc_runtime_reset_peak(kc_runtime_t *runtime);

/* One folder of the module search path, in search order. */
typedef struct kc_search_directory {
    uint32_t struct_size;
    uint32_t spare;
    const char *path;
    const char *origin; /* "option", "KCAPSULE_MODULE_PATH", "built-in" ... */
    const char *remark; /* why it gave nothing, or NULL */
    size_t file_count;  /* files named *.so looked at */
} kc_search_directory_t;
KC_API size_t kc_runtime_search_directory_count(const kc_runtime_t *runtime);
KC_API void kc_runtime_search_directory(const kc_runtime_t *runtime,
                                        size_t index,
                                        kc_search_directory_t *out_directory);

/* One module file with its verdict. `name` and what follows are only set
 * when the verdict is KC_OK. */
typedef struct kc_module_info {
    uint32_t struct_size;
    kc_status_t verdict;
    const char *verdict_line; /* why the file is refused; "" if it is not */
    const char *path;
    const char *sha256; /* 64 digits, or "" when it was not readable */
    const char *name;
    const char *version;
    const char *author;
    const char *licence;
    const char *description;
    uint32_t abi_major;
    uint32_t abi_minor;
    uint32_t flags; /* KC_MODULE_* */
    uint32_t capsule_count;
} kc_module_info_t;
KC_API size_t kc_runtime_module_count(const kc_runtime_t *runtime);
KC_API void kc_runtime_module_info(const kc_runtime_t *runtime, size_t index,
                                   kc_module_info_t *out_info);

/* OpenMP runtimes by the names of their files, without folders; what does not
 * fit is cut or left out. */
#define KC_OPENMP_RUNTIMES_MAX 4
#define KC_OPENMP_NAME_SIZE    64
typedef struct kc_openmp_runtimes {
    uint32_t count;
    char names[KC_OPENMP_RUNTIMES_MAX][KC_OPENMP_NAME_SIZE];
} kc_openmp_runtimes_t;

/* `openmp`: those of the process while the module was loaded. */
typedef struct kc_module_probe {
    uint32_t struct_size;
    uint32_t spare;
    size_t handler_count;
    kc_openmp_runtimes_t openmp;
} kc_module_probe_t;

/* Loads the module file and its handlers as a first binding would, for a
 * probe in a process of its own, and unloads it. A capsule without a handler
 * that does not state this is KC_ERR_BINDING. */
KC_API KC_MUST_USE kc_status_t
kc_runtime_probe_module(kc_runtime_t *runtime, const char *path,
                        kc_module_probe_t *out_probe, kc_error_t *error);

/* Contract modules for kc_profile_with_capsule_modules: an accepted module
 * found on the search path by its name; a file; or contracts in memory
 * (copied; they can be planned and audited, never executed). Immutable. */
KC_API KC_MUST_USE kc_status_t
kc_capsule_module_find(kc_runtime_t *runtime, const char *name,
                       kc_capsule_module_t **out_module, kc_error_t *error);
KC_API KC_MUST_USE kc_status_t kc_capsule_module_from_file(
    kc_runtime_t *runtime, const char *path, kc_capsule_module_t **out_module,
    kc_error_t *error);
KC_API KC_MUST_USE kc_status_t kc_capsule_module_from_records(
    const char *name, const kc_capsule_record_t *records, size_t count,
    kc_capsule_module_t **out_module, kc_error_t *error);
KC_API void kc_capsule_module_release(kc_capsule_module_t *module);
KC_API const char *kc_capsule_module_name(const kc_capsule_module_t *module);
KC_API size_t
kc_capsule_module_capsule_count(const kc_capsule_module_t *module);
/* NULL when `index` is out of range. */
KC_API const kc_capsule_record_t *
kc_capsule_module_capsule(const kc_capsule_module_t *module, size_t index);

KC_END_DECLS

#endif
