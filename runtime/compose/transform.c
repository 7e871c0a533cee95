/* SPDX-License-Identifier: Apache-2.0
 *
 * The matrices of the transform and what is done with them. Angles are
 * reduced to the first octant in integers, so that entries which are 0, 1 or
 * equal to each other are so exactly.
 */
#include "compose/transform.h"

#include <math.h>

#include "base/alloc.h"

#define QUARTER_TURN 1.57079632679489661923

typedef enum part { COSINES, SINES } part_t;

static bool is_stopped(const kci_composition_t *composition)
{
    return composition->status != KC_OK;
}

int64_t kci_transform_frequencies(int64_t n)
{
    return n / 2 + 1;
}

static int64_t inner_count(int64_t n, int64_t modes)
{
    int64_t last = (n - 1) / 2;
    return modes - 1 < last ? modes - 1 : last;
}

/* cos or -sin of 2 pi k t / n. In units of a quarter turn over n the whole
 * turn is 4 n: nothing is rounded before the angle is below an octant. */
static double turned(int64_t k, int64_t t, int64_t n, part_t part)
{
    double cosine_sign = 1;
    double sine_sign = -1;
    int64_t angle = 4 * (k * t % n);
    if (angle > 2 * n) {
        angle = 4 * n - angle;
        sine_sign = 1;
    }
    if (angle > n) {
        angle = 2 * n - angle;
        cosine_sign = -1;
    }
    bool is_beyond = 2 * angle > n;
    double x =
        QUARTER_TURN * ((double)(is_beyond ? n - angle : angle) / (double)n);
    return part == COSINES ? cosine_sign * (is_beyond ? sin(x) : cos(x))
                           : sine_sign * (is_beyond ? cos(x) : sin(x));
}

/* Of frequency `k`, which is an inner one in every row of sines. */
static double weight_of(int64_t k, int64_t n, kci_spectral_weight_t weight)
{
    if (weight == KCI_SPECTRAL_PLAIN) {
        return 1;
    }
    return (k == 0 || 2 * k == n ? 1.0 : 2.0) / (double)n;
}

/* A matrix [frequencies, n], or its transposed. */
typedef struct matrix {
    part_t part;
    int64_t n;
    int64_t frequencies;
    kci_spectral_weight_t weight;
    bool is_transposed;
} matrix_t;

static void fill(const matrix_t *matrix, double *numbers)
{
    int64_t first = matrix->part == SINES;
    for (int64_t row = 0; row < matrix->frequencies; row++) {
        double weight = weight_of(row + first, matrix->n, matrix->weight);
        for (int64_t t = 0; t < matrix->n; t++) {
            int64_t place = matrix->is_transposed
                                ? t * matrix->frequencies + row
                                : row * matrix->n + t;
            numbers[place] =
                weight * turned(row + first, t, matrix->n, matrix->part);
        }
    }
}

static kci_term_t literal(kci_composition_t *composition, int32_t dtype,
                          const matrix_t *matrix)
{
    kci_tensor_type_t type = {dtype, {.rank = 2}};
    int64_t count = 0;
    void *memory = NULL;
    kc_error_t *error = &composition->error;
    type.shape.dims[matrix->is_transposed ? 1 : 0] = matrix->frequencies;
    type.shape.dims[matrix->is_transposed ? 0 : 1] = matrix->n;
    composition->status = kci_shape_check(
        2, type.shape.dims, "the matrix of a transform", &count, error);
    if (!is_stopped(composition)) {
        composition->status =
            kci_alloc_array((size_t)count, sizeof(double), &memory, error);
    }
    if (is_stopped(composition)) {
        return KCI_NO_TERM;
    }
    fill(matrix, memory);
    kci_term_t term = kci_compose_numbers(composition, &type, memory);
    kci_free(memory);
    return term;
}

static kci_spectrum_t no_spectrum(void)
{
    return (kci_spectrum_t){KCI_NO_TERM, KCI_NO_TERM, 1, 0};
}

kci_spectrum_t kci_transform_analyse(kci_composition_t *composition,
                                     kci_term_t signal, int64_t modes,
                                     kci_spectral_weight_t weight)
{
    if (is_stopped(composition)) {
        return no_spectrum();
    }
    const kci_tensor_type_t *type = kci_term_type(composition, signal);
    int32_t dtype = type->dtype;
    int64_t n = type->shape.dims[0];
    kci_spectrum_t spectrum = {KCI_NO_TERM, KCI_NO_TERM, modes,
                               inner_count(n, modes)};
    matrix_t matrix = {COSINES, n, modes, weight, false};
    spectrum.real =
        kci_compose_binary(composition, KC_OP_MATMUL,
                           literal(composition, dtype, &matrix), signal);
    if (spectrum.inner > 0 && !is_stopped(composition)) {
        matrix.part = SINES;
        matrix.frequencies = spectrum.inner;
        spectrum.imaginary =
            kci_compose_binary(composition, KC_OP_MATMUL,
                               literal(composition, dtype, &matrix), signal);
    }
    return spectrum;
}

kci_term_t kci_transform_synthesise(kci_composition_t *composition,
                                    const kci_spectrum_t *spectrum, int64_t n,
                                    kci_spectral_weight_t weight)
{
    if (is_stopped(composition)) {
        return KCI_NO_TERM;
    }
    int32_t dtype = kci_term_type(composition, spectrum->real)->dtype;
    matrix_t matrix = {COSINES, n, spectrum->modes, weight, true};
    kci_term_t sum = kci_compose_binary(composition, KC_OP_MATMUL,
                                        literal(composition, dtype, &matrix),
                                        spectrum->real);
    if (spectrum->inner == 0 || is_stopped(composition)) {
        return sum;
    }
    matrix.part = SINES;
    matrix.frequencies = spectrum->inner;
    return kci_compose_binary(
        composition, KC_OP_ADD, sum,
        kci_compose_binary(composition, KC_OP_MATMUL,
                           literal(composition, dtype, &matrix),
                           spectrum->imaginary));
}

kci_term_t kci_spectrum_take_inner(kci_composition_t *composition,
                                   const kci_spectrum_t *spectrum,
                                   kci_term_t whole)
{
    return spectrum->inner == 0
               ? KCI_NO_TERM
               : kci_compose_slice(composition, whole, 0, 1, spectrum->inner);
}

kci_term_t kci_spectrum_put_inner(kci_composition_t *composition,
                                  const kci_spectrum_t *spectrum,
                                  kci_term_t inner)
{
    if (is_stopped(composition)) {
        return KCI_NO_TERM;
    }
    kci_tensor_type_t type = *kci_term_type(composition, inner);
    kci_term_t pieces[3];
    int64_t above = spectrum->modes - 1 - spectrum->inner;
    type.shape.dims[0] = 1;
    pieces[0] = kci_compose_fill(composition, &type, 0);
    pieces[1] = inner;
    pieces[2] = pieces[0]; /* n / 2, the only one that can be above */
    return kci_compose_concat(composition, pieces, above > 0 ? 3 : 2, 0);
}

static int64_t flat_batch(const kci_shape_t *shape, int32_t rank)
{
    int64_t count = 1;
    for (int32_t axis = 0; axis < rank; axis++) {
        count *= shape->dims[axis];
    }
    return count;
}

/* Real and imaginary parts [frequencies, batch] as [batch, frequencies, 2]. */
static kci_term_t interleave(kci_composition_t *composition,
                             const kci_spectrum_t *spectrum, int64_t batch)
{
    static const int64_t reversed[] = {2, 1, 0};
    kci_tensor_type_t type;
    kci_shape_t layer = {.rank = 3, .dims = {1, spectrum->modes, batch}};
    kci_term_t parts[2] = {spectrum->real, KCI_NO_TERM};
    if (is_stopped(composition)) {
        return KCI_NO_TERM;
    }
    type = *kci_term_type(composition, spectrum->real);
    parts[1] = spectrum->inner == 0
                   ? kci_compose_fill(composition, &type, 0)
                   : kci_spectrum_put_inner(composition, spectrum,
                                            spectrum->imaginary);
    for (size_t i = 0; i < 2; i++) {
        parts[i] = kci_compose_reshape(composition, parts[i], &layer);
    }
    return kci_compose_permute(
        composition, kci_compose_concat(composition, parts, 2, 0), reversed);
}

kci_term_t kci_transform_pack(kci_composition_t *composition, kci_term_t x,
                              kci_spectral_weight_t weight)
{
    if (is_stopped(composition)) {
        return KCI_NO_TERM;
    }
    kci_shape_t shape = kci_term_type(composition, x)->shape;
    int32_t last = shape.rank - 1;
    int64_t n = shape.dims[last];
    int64_t batch = flat_batch(&shape, last);
    kci_shape_t flat = {.rank = 2, .dims = {batch, n}};
    kci_term_t signal = kci_compose_transpose(
        composition, kci_compose_reshape(composition, x, &flat));
    kci_spectrum_t spectrum = kci_transform_analyse(
        composition, signal, kci_transform_frequencies(n), weight);
    shape.dims[last] = kci_transform_frequencies(n);
    shape.dims[shape.rank++] = 2;
    return kci_compose_reshape(
        composition, interleave(composition, &spectrum, batch), &shape);
}

kci_term_t kci_transform_unpack(kci_composition_t *composition,
                                kci_term_t packed, int64_t n,
                                kci_spectral_weight_t weight)
{
    static const int64_t reversed[] = {2, 1, 0};
    if (is_stopped(composition)) {
        return KCI_NO_TERM;
    }
    kci_shape_t shape = kci_term_type(composition, packed)->shape;
    int64_t modes = kci_transform_frequencies(n);
    int64_t batch = flat_batch(&shape, shape.rank - 2);
    kci_shape_t flat = {.rank = 3, .dims = {batch, modes, 2}};
    kci_shape_t part = {.rank = 2, .dims = {modes, batch}};
    kci_spectrum_t spectrum = {KCI_NO_TERM, KCI_NO_TERM, modes,
                               inner_count(n, modes)};
    kci_term_t layers = kci_compose_permute(
        composition, kci_compose_reshape(composition, packed, &flat), reversed);
    spectrum.real = kci_compose_reshape(
        composition, kci_compose_slice(composition, layers, 0, 0, 1), &part);
    if (spectrum.inner > 0) {
        kci_term_t whole = kci_compose_reshape(
            composition, kci_compose_slice(composition, layers, 0, 1, 1),
            &part);
        spectrum.imaginary =
            kci_spectrum_take_inner(composition, &spectrum, whole);
    }
    kci_term_t signal =
        kci_transform_synthesise(composition, &spectrum, n, weight);
    shape.rank--;
    shape.dims[shape.rank - 1] = n;
    return kci_compose_reshape(
        composition, kci_compose_transpose(composition, signal), &shape);
}
