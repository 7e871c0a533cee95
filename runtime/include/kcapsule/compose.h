/* SPDX-License-Identifier: Apache-2.0
 *
 * Computations that a profile may have no capsule for, from operations that
 * it has: a scan, a packed real Fourier transform and its inverse, and a
 * spectral convolution. They are planned, differentiated and recorded as the
 * ordinary operations they are made of; nothing says selective_scan or
 * fft_fno. Shapes as in the operation catalogue, 7.9 and 7.10.
 *
 * Each comes in two forms: nodes added to a graph that is being built, and
 * operations of a tape. Extents must be numbers, not names. float32 or
 * float64, equal for all operands. Errors as for the single operations; on
 * failure a builder stays as it was. The matrices of the transforms become
 * values of the graph itself: no weights have to have them, and
 * kc_graph_const does not list them.
 */
#ifndef KCAPSULE_COMPOSE_H
#define KCAPSULE_COMPOSE_H

#include <kcapsule/graph.h>
#include <kcapsule/tape.h>

KC_BEGIN_DECLS

/* h_t = a h_(t-1) + b x_t from h_(-1) = h0, every state in a row: a and b
 * [S] or [T, S], x [T, S], h0 [S]; result [T, S]. Unrolled, up to 7 nodes or
 * operations a step: T is at most KC_COMPOSE_SCAN_STEPS_MAX, and KC_ERR_GRAPH
 * comes before anything is made. */
#define KC_COMPOSE_SCAN_STEPS_MAX (KC_GRAPH_NODES_MAX / 8)
KC_API KC_MUST_USE kc_status_t kc_compose_scan_graph(
    kc_graph_builder_t *builder, uint32_t a, uint32_t b, uint32_t x,
    uint32_t h0, uint32_t *out_node, kc_error_t *error);
KC_API KC_MUST_USE kc_status_t kc_compose_scan_tape(
    kc_tape_t *tape, kc_variable_t a, kc_variable_t b, kc_variable_t x,
    kc_variable_t h0, kc_variable_t *out_variable, kc_error_t *error);

/* x [batch, n] to the packed half spectrum [batch, n/2 + 1, 2], not
 * normalised; by products with the matrix of the transform. */
KC_API KC_MUST_USE kc_status_t
kc_compose_rfft_graph(kc_graph_builder_t *builder, uint32_t x,
                      uint32_t *out_node, kc_error_t *error);
KC_API KC_MUST_USE kc_status_t kc_compose_rfft_tape(kc_tape_t *tape,
                                                    kc_variable_t x,
                                                    kc_variable_t *out_variable,
                                                    kc_error_t *error);
/* The inverse with its 1/n: packed [batch, n/2 + 1, 2] to [batch, n]. */
KC_API KC_MUST_USE kc_status_t
kc_compose_irfft_graph(kc_graph_builder_t *builder, uint32_t packed, int64_t n,
                       uint32_t *out_node, kc_error_t *error);
KC_API KC_MUST_USE kc_status_t
kc_compose_irfft_tape(kc_tape_t *tape, kc_variable_t packed, int64_t n,
                      kc_variable_t *out_variable, kc_error_t *error);

/* x [n, cin], w_re and w_im [modes, cin, cout] to [n, cout]: the lowest modes
 * of the spectrum times complex weights, the rest dropped. */
KC_API KC_MUST_USE kc_status_t kc_compose_spectral_conv_graph(
    kc_graph_builder_t *builder, uint32_t x, uint32_t w_re, uint32_t w_im,
    uint32_t *out_node, kc_error_t *error);
KC_API KC_MUST_USE kc_status_t kc_compose_spectral_conv_tape(
    kc_tape_t *tape, kc_variable_t x, kc_variable_t w_re, kc_variable_t w_im,
    kc_variable_t *out_variable, kc_error_t *error);

KC_END_DECLS

#endif
