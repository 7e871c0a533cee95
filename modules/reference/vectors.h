/* SPDX-License-Identifier: Apache-2.0
 *
 * The loops that exist once for each instruction set. Which one runs never
 * shows in a result.
 */
#ifndef KC_REFERENCE_VECTORS_H
#define KC_REFERENCE_VECTORS_H

#include "product.h"
#include "tile.h"

typedef struct kc_reference_vectors {
    void (*product_f32)(const product_t_f32 *product);
    void (*product_f64)(const product_t_f64 *product);
    kc_tile_fn conv_tile; /* of kc_reference_conv_by_panels */
} kc_reference_vectors_t;

/* Where the processor is of another family, all are like the first. */
extern const kc_reference_vectors_t kc_reference_vectors_portable;
extern const kc_reference_vectors_t kc_reference_vectors_avx2;
extern const kc_reference_vectors_t kc_reference_vectors_avx512;

/* The widest that this machine has and that rows of `row_bytes` fill more than
 * half: what is left over is computed and dropped. */
const kc_reference_vectors_t *kc_reference_vectors(size_t row_bytes);

#endif
