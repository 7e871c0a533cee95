/* SPDX-License-Identifier: Apache-2.0
 *
 * Services of a device that a module brings along: memory, copies, streams.
 * The cpu needs none. Asked for at binding, never at planning.
 */
#ifndef KCAPSULE_DEVICE_H
#define KCAPSULE_DEVICE_H

#include <kcapsule/status.h>
#include <kcapsule/vocabulary.h>

KC_BEGIN_DECLS

enum {
    KC_DEVICE_AVAILABLE = 0,
    KC_DEVICE_NOT_BUILT = 1,  /* the module was built without it          */
    KC_DEVICE_NO_DRIVER = 2,  /* built, but no usable driver              */
    KC_DEVICE_NO_DEVICE = 3   /* driver, but no usable device             */
};

enum { KC_COPY_TO_DEVICE = 0, KC_COPY_TO_HOST = 1, KC_COPY_ON_DEVICE = 2 };

/*
 * One record a device kind. `probe` answers KC_DEVICE_* and one line saying
 * what was found and what to do; it leaves no driver state in the process.
 * `state` is what the module's `open` returned. Every function may be called
 * from any thread. Copies are ordered on `stream`; `synchronize` waits for it
 * and reports the first error of the work on it.
 */
typedef struct kc_device_services {
    uint32_t struct_size;
    int32_t device; /* kc_device_kind_t */
    int32_t (*probe)(char *line, size_t line_size);
    kc_status_t (*allocate)(void *state, int32_t index, size_t size,
                            void **out_memory, kc_error_t *error);
    kc_status_t (*deallocate)(void *state, int32_t index, void *memory,
                              kc_error_t *error);
    kc_status_t (*copy)(void *state, int32_t index, int32_t direction,
                        void *to, const void *from, size_t size, void *stream,
                        kc_error_t *error);
    kc_status_t (*stream_create)(void *state, int32_t index, void **out_stream,
                                 kc_error_t *error);
    kc_status_t (*stream_destroy)(void *state, int32_t index, void *stream,
                                  kc_error_t *error);
    kc_status_t (*synchronize)(void *state, int32_t index, void *stream,
                               kc_error_t *error);
} kc_device_services_t;

KC_END_DECLS

#endif
