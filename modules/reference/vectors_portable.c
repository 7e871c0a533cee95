/* SPDX-License-Identifier: Apache-2.0
 *
 * The loops with the vectors that the compiler was told of, which every
 * processor of the build has.
 */
#include "vectors_table.h"

const kc_reference_vectors_t kc_reference_vectors_portable = VECTORS_TABLE;
