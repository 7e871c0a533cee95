/* SPDX-License-Identifier: Apache-2.0
 *
 * The sum over channels and taps: the derivative of a convolution by its
 * input. In a panel, a tap that meets no cell has a zero: that times a finite
 * weight changes no sum that began at +0, so that the term is skipped as
 * written. With other weights the sums are computed one at a time.
 */
#include "autograd/conv_gradient.h"

#include <string.h>

#include "autograd/panel.h"
#include "autograd/rule_tiles.h"

/* Results of one block, which share the gathered cells. */
#define BLOCK_ROWS 64

/* Lines of the window whose place is worked out once for a piece. */
#define KNOWN_LINES 32

typedef struct context {
    const kci_correlation_t *correlation;
    const void *weight;
    const kci_phase_places_t *places;
    void *to;
    size_t to_count; /* of a plane */
    size_t rows;
    size_t columns; /* of a panel */
    size_t row_blocks;
    size_t column_blocks;
    const kci_panel_loops_t *loops;
} context_t;

/* Columns of a panel whose places lie in one row, from place `from` of it. */
typedef struct piece {
    size_t column;
    size_t width;
    size_t row;
    int64_t from;
    size_t to; /* where the first place lies in the plane written to */
    bool is_inside[KNOWN_LINES];
    size_t start[KNOWN_LINES];
} piece_t;

/* Where the first place of a row lies in the plane written to. */
static size_t row_start(const context_t *context, size_t row)
{
    const kci_sliding_window_t *window = &context->correlation->window;
    const kci_phase_places_t *places = context->places;
    const int32_t last = window->axes - 1;
    size_t start = (size_t)places->first[last];
    size_t step = (size_t)places->extent[last];
    for (int32_t axis = last; axis-- > 0;) {
        const size_t extent = (size_t)window->out[axis];
        start += step * (size_t)(places->first[axis] +
                                 (int64_t)(row % extent) * places->step[axis]);
        step *= (size_t)places->extent[axis];
        row /= extent;
    }
    return start;
}

/* As kci_window_line. */
static bool piece_line(const kci_sliding_window_t *window, const piece_t *piece,
                       size_t line, size_t *out_start)
{
    if (line >= KNOWN_LINES) {
        return kci_window_line(window, piece->row, line, out_start);
    }
    *out_start = piece->start[line];
    return piece->is_inside[line];
}

/* Returns the number of pieces. */
static size_t cut(const context_t *context, size_t place, size_t width,
                  piece_t *pieces)
{
    const kci_correlation_t *c = context->correlation;
    const int32_t last = c->window.axes - 1;
    const size_t length = (size_t)c->window.out[last];
    size_t count = 0;
    for (size_t column = 0; column < width;) {
        piece_t *piece = &pieces[count++];
        const size_t from = (place + column) % length;
        piece->column = column;
        piece->width = kci_smaller(length - from, width - column);
        piece->row = (place + column) / length;
        piece->from = (int64_t)from;
        piece->to = row_start(context, piece->row) +
                    from * (size_t)context->places->step[last];
        for (size_t line = 0; line < kci_smaller(c->lines, KNOWN_LINES);
             line++) {
            piece->is_inside[line] = kci_window_line(&c->window, piece->row,
                                                     line, &piece->start[line]);
        }
        column += piece->width;
    }
    return count;
}

#include "autograd/float32.h"
#define PANEL_COLUMNS (KCI_PANEL_BYTES / sizeof(REAL))
#include "autograd/conv_slide_typed.h"
#include "autograd/float64.h"
#include "autograd/conv_slide_typed.h"

/* Items are rows of places. */
static kc_status_t row_tile(void *opaque, size_t start, size_t count)
{
    const context_t *context = opaque;
    for (size_t item = start; item < start + count; item++) {
        if (context->correlation->is_f64) {
            slide_row_f64(context, item / context->rows, item % context->rows);
        } else {
            slide_row_f32(context, item / context->rows, item % context->rows);
        }
    }
    return KC_OK;
}

/* Items are columns of panels times blocks of results. */
static kc_status_t block_tile(void *opaque, size_t start, size_t count)
{
    const context_t *context = opaque;
    for (size_t item = start; item < start + count; item++) {
        const size_t place = item % context->column_blocks * context->columns;
        const size_t rest = item / context->column_blocks;
        const size_t result = rest % context->row_blocks * BLOCK_ROWS;
        const size_t group = rest / context->row_blocks;
        if (context->correlation->is_f64) {
            slide_block_f64(context, group, result, place);
        } else {
            slide_block_f32(context, group, result, place);
        }
    }
    return KC_OK;
}

static kc_status_t slide_by_panels(const kc_call_t *call, context_t *context)
{
    const kci_correlation_t *c = context->correlation;
    context->loops = kci_panel_loops();
    context->columns =
        KCI_PANEL_BYTES / (c->is_f64 ? sizeof(double) : sizeof(float));
    context->row_blocks = kci_blocks(c->results, BLOCK_ROWS);
    context->column_blocks = kci_blocks(c->out_count, context->columns);
    return kci_rule_for(call, block_tile, context,
                        c->batch * c->groups * context->row_blocks *
                            context->column_blocks,
                        (kci_smaller(c->results, BLOCK_ROWS) + 8) *
                            (c->channels * c->taps + 1) * context->columns);
}

kc_status_t kci_conv_slide(const kc_call_t *call,
                           const kci_correlation_t *correlation,
                           const void *weight, const kci_phase_places_t *places,
                           void *to)
{
    const kci_correlation_t *c = correlation;
    const int32_t axes = c->window.axes;
    context_t context = {.correlation = c,
                         .weight = weight,
                         .places = places,
                         .to = to,
                         .to_count = kci_extents_product(places->extent, axes),
                         .rows = kci_extents_product(c->window.out, axes - 1)};
    if (kci_all_finite(weight, c->groups * c->results * c->channels * c->taps,
                       c->is_f64)) {
        return slide_by_panels(call, &context);
    }
    return kci_rule_for(call, row_tile, &context,
                        c->batch * c->groups * c->results * context.rows,
                        (size_t)c->window.out[axes - 1] * c->channels *
                            c->taps * 4);
}
