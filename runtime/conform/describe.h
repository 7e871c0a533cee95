/* SPDX-License-Identifier: Apache-2.0
 *
 * A case in one line: what someone needs to see what went wrong and to run it
 * again.
 */
#ifndef KC_CONFORM_DESCRIBE_H
#define KC_CONFORM_DESCRIBE_H

#include "conform/case.h"

#define KCI_LINE_SIZE 768

/* Text that is cut, never overrun. */
typedef struct kci_line {
    size_t length;
    char text[KCI_LINE_SIZE];
} kci_line_t;

void kci_line_add(kci_line_t *line, const char *format, ...) KC_PRINTF(2, 3);
void kci_line_add_number(kci_line_t *line, double value);
/* "softmax f32 seed 17: [3, 7] row-padded; axis 1" */
void kci_line_add_case(kci_line_t *line, const kci_case_t *trial);
/* "[2, 3]" of a row-major place. */
void kci_line_add_index(kci_line_t *line, int32_t rank, const int64_t *shape,
                        int64_t place);

#endif
