/* SPDX-License-Identifier: Apache-2.0
 *
 * Values that no file gave: the generator of the catalogue (splitmix64), one
 * stream a node. f64 has all of its digits, so that products round there too.
 */
#include <stdlib.h>
#include <kcapsule/tensor.h>

#include "cli/diff.h"
#include "cli/message.h"

static uint64_t splitmix64(uint64_t state)
{
    uint64_t z = state + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* In [-1, 1), or in (0, 1]: a multiple of 2^-24 in f32, of 2^-53 in f64. */
static double number(uint64_t bits, int32_t dtype, cli_diff_draw_t draw)
{
    double part = dtype == KC_DTYPE_F32 ? (double)(bits >> 40) * 0x1p-24
                                        : (double)(bits >> 11) * 0x1p-53;
    double least = dtype == KC_DTYPE_F32 ? 0x1p-24 : 0x1p-53;
    return draw == DIFF_DRAW_POSITIVE ? part + least : 2.0 * part - 1.0;
}

static void fill(DLTensor *view, uint64_t key, cli_diff_draw_t draw,
                 int64_t limit)
{
    void *data = kc_tensor_data(view);
    int64_t count = kc_tensor_element_count(view);
    int32_t dtype = kc_tensor_dtype(view);
    for (int64_t idx = 0; idx < count; idx++) {
        uint64_t bits = splitmix64(key + (uint64_t)idx);
        int64_t place =
            limit > 0 ? (int64_t)((bits >> 11) % (uint64_t)limit) : 0;
        if (dtype == KC_DTYPE_F32) {
            ((float *)data)[idx] = (float)number(bits, dtype, draw);
        } else if (dtype == KC_DTYPE_F64) {
            ((double *)data)[idx] = number(bits, dtype, draw);
        } else if (dtype == KC_DTYPE_I32) {
            ((int32_t *)data)[idx] = (int32_t)place;
        } else if (dtype == KC_DTYPE_I64) {
            ((int64_t *)data)[idx] = place;
        } else {
            ((uint8_t *)data)[idx] = bits >> 62 != 0;
        }
    }
}

int cli_diff_draw(cli_diff_t *diff, uint32_t stream, int32_t dtype,
                  int32_t rank, const int64_t *dims, cli_diff_draw_t draw,
                  int64_t limit, kc_tensor_t **out_tensor)
{
    kc_error_t error = KC_ERROR_INIT;
    kc_status_t status =
        kc_tensor_create(diff->runtime, dtype, rank, dims, out_tensor, &error);
    if (status != KC_OK) {
        return cli_report(status, &error);
    }
    fill(kc_tensor_view(*out_tensor),
         splitmix64(splitmix64(diff->seed) + stream), draw, limit);
    diff->random_count++;
    return CLI_DONE;
}
