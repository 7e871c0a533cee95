/* SPDX-License-Identifier: Apache-2.0
 *
 * The rule of selective_scan: a loop of the runtime, because a composition
 * would grow with the number of steps. Threads share out the states; the
 * steps of one state are never parted.
 */
#include "autograd/rules.h"

#include <string.h>

#include "autograd/rule_tiles.h"

/* States computed side by side. */
#define STATES 32

/* Work of one step of one state. */
#define STEP_WORK 5

/* Operands and results of the call; a result that is not wanted is NULL. */
typedef struct context {
    size_t steps;
    size_t states;
    bool is_shared; /* a and b are the same at every step */
    bool is_f64;
    const void *a;
    const void *b;
    const void *x;
    const void *h0;
    const void *h;
    const void *g;
    void *da;
    void *db;
    void *dx;
    void *dh0;
} context_t;

#include "autograd/float32.h"
#include "autograd/scan_typed.h"
#include "autograd/float64.h"
#include "autograd/scan_typed.h"

static kc_status_t tile(void *opaque, size_t start, size_t count)
{
    const context_t *context = opaque;
    for (size_t item = start; item < start + count; item++) {
        size_t first = item * STATES;
        size_t width = kci_smaller(context->states - first, STATES);
        if (context->is_f64) {
            scan_back_f64(context, first, width);
        } else {
            scan_back_f32(context, first, width);
        }
    }
    return KC_OK;
}

static void *result(const kc_call_t *call, uint32_t input)
{
    const DLTensor *tensor = call->cotangents_in[input];
    return tensor == NULL ? NULL : kci_first_element(tensor);
}

static kc_status_t run_scan(const kc_call_t *call)
{
    const DLTensor *x = call->inputs[2];
    context_t context = {.steps = (size_t)x->shape[0],
                         .states = (size_t)x->shape[1],
                         .is_shared = call->inputs[0]->ndim == 1,
                         .is_f64 = kci_is_f64(x),
                         .a = kci_first_element(call->inputs[0]),
                         .b = kci_first_element(call->inputs[1]),
                         .x = kci_first_element(x),
                         .h0 = kci_first_element(call->inputs[3]),
                         .h = kci_first_element(call->outputs[0]),
                         .g = kci_first_element(call->cotangents_out[0]),
                         .da = result(call, 0),
                         .db = result(call, 1),
                         .dx = result(call, 2),
                         .dh0 = result(call, 3)};
    size_t item_work = KCI_RULE_TILE_WORK;
    if (context.steps < KCI_RULE_TILE_WORK / (STATES * STEP_WORK)) {
        item_work = context.steps * STATES * STEP_WORK;
    }
    return kci_rule_for(call, tile, &context,
                        kci_blocks(context.states, STATES), item_work);
}
const kci_rule_t kci_rule_selective_scan = {NULL, run_scan, NULL};
