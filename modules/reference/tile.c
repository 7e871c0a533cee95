/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides when a call is worth the host's threads and how large a tile is.
 * Both follow from shapes alone, never from the number of threads.
 */
#include "tile.h"

/* Multiply-adds: some microseconds, the price of waking a thread. */
#define TILE_WORK 16384

kc_status_t kc_reference_for(const kc_call_t *call, kc_tile_fn tile,
                             void *context, size_t item_count, size_t item_work)
{
    size_t tile_size = 1;
    if (item_count == 0) {
        return KC_OK;
    }
    if (item_work < TILE_WORK) {
        tile_size = TILE_WORK / (item_work == 0 ? 1 : item_work);
    }
    if (item_count <= tile_size) {
        return tile(context, 0, item_count);
    }
    return call->host->parallel_for(call->host, tile, context, item_count,
                                    tile_size);
}
