/* SPDX-License-Identifier: Apache-2.0
 *
 * What the host lends to a module: memory, its one thread pool and its log.
 * All functions may be called from any thread that the host called in on and
 * from within tiles, unless said otherwise.
 */
#ifndef KCAPSULE_HOST_H
#define KCAPSULE_HOST_H

#include <kcapsule/status.h>

KC_BEGIN_DECLS

typedef struct kc_host kc_host_t;

/* Computes items start .. start+count-1. Must own what it writes: no sum may
 * cross tiles, because which thread runs a tile is not fixed. */
typedef kc_status_t (*kc_tile_fn)(void *context, size_t start, size_t count);

enum { KC_LOG_ERROR = 0, KC_LOG_WARNING = 1, KC_LOG_INFO = 2 };

struct kc_host {
    uint32_t struct_size;
    uint32_t abi_major;
    uint32_t abi_minor;
    uint32_t spare;
    void *context; /* the host's own; passed through by the functions below */

    /* Memory aligned to `alignment` (a power of two), NULL if there is none.
     * Released by `deallocate` with the same size, at the latest in `close`. */
    void *(*allocate)(const kc_host_t *host, size_t size, size_t alignment);
    void (*deallocate)(const kc_host_t *host, void *memory, size_t size);

    /* Runs `tile` over [0, range) in pieces of at most `tile_size` items, the
     * partition depending on these two numbers only. Returns after all tiles
     * ended, with the first failure in order of items. Serial when nested,
     * after fork, or when the host says so. */
    kc_status_t (*parallel_for)(const kc_host_t *host, kc_tile_fn tile,
                                void *context, size_t range, size_t tile_size);

    /* One line without line break; `level` is KC_LOG_*. */
    void (*log)(const kc_host_t *host, int32_t level, const char *message);
};

KC_END_DECLS

#endif
