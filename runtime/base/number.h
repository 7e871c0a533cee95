/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers in texts, the same under every locale.
 */
#ifndef KC_BASE_NUMBER_H
#define KC_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Shortest text that reads back as the same double ("0.5", "1e-05", "inf",
 * "-inf", "nan"); `out` holds at least 32 bytes. */
void kci_format_double(double value, char *out);
/* The whole text must be the number. Decimal only, no leading blanks; the
 * words "inf", "-inf" and "nan" are numbers, a decimal that overflows is not. */
bool kci_parse_double(const char *text, double *out_value);
bool kci_parse_int64(const char *text, int64_t *out_value);
/* Decimal, or hexadecimal after "0x". */
bool kci_parse_uint64(const char *text, uint64_t *out_value);

#endif
