/* SPDX-License-Identifier: Apache-2.0
 *
 * The count of threads of OpenBLAS, which is one for the whole process. A host
 * may use OpenBLAS itself, so it is 1 only while some call needs it.
 */
#ifndef KC_LIBTORCH_BLAS_COUNT_H
#define KC_LIBTORCH_BLAS_COUNT_H

#include <kcapsule/abi.h>

KC_BEGIN_DECLS

/* OpenBLAS' own functions; both or none are NULL. */
typedef struct kc_libtorch_blas {
    int (*get_num_threads)(void);
    void (*set_num_threads)(int count);
} kc_libtorch_blas_t;

/* Any number of threads may be between the two. The first that enters keeps
 * what it found, the last that leaves sets it again. */
void kc_libtorch_enter_blas(const kc_libtorch_blas_t *blas);
void kc_libtorch_leave_blas(const kc_libtorch_blas_t *blas);

KC_END_DECLS

#endif
