/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers in texts. The conversions of libc are used under the C locale of
 * the calling thread, so neither the process's locale nor a comma matters.
 */
#include "base/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"

/* 17 digits, sign, point and exponent are 24; the rest is for a compiler
 * that does not see the bound of the precision. */
#define DOUBLE_TEXT_SIZE 48

void kci_format_double(double value, char *out)
{
    if (isnan(value)) {
        strcpy(out, "nan");
        return;
    }
    if (isinf(value)) {
        strcpy(out, value < 0 ? "-inf" : "inf");
        return;
    }
    /* A normal double is named by 15 digits whenever it is by fewer; of a
     * subnormal this is not true. */
    char text[DOUBLE_TEXT_SIZE];
    int first = value == 0 || fabs(value) >= DBL_MIN ? DBL_DIG : 1;
    kci_c_locale_t scope = kci_c_locale_begin();
    for (int precision = first; precision <= DBL_DECIMAL_DIG; precision++) {
        snprintf(text, sizeof text, "%.*g", precision, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    kci_c_locale_end(scope);
    strcpy(out, text);
}

static const char *skip_digits(const char *text)
{
    return text + strspn(text, "0123456789");
}

static const char *skip_sign(const char *text)
{
    return *text == '+' || *text == '-' ? text + 1 : text;
}

/* [+-] digits [. digits] [e [+-] digits], a digit before the exponent. */
static bool is_decimal(const char *text)
{
    const char *start = skip_sign(text);
    const char *end = skip_digits(start);
    bool has_digits = end > start;
    if (*end == '.') {
        start = end + 1;
        end = skip_digits(start);
        has_digits = has_digits || end > start;
    }
    if (has_digits && (*end == 'e' || *end == 'E')) {
        start = skip_sign(end + 1);
        end = skip_digits(start);
        has_digits = end > start;
    }
    return has_digits && *end == '\0';
}

static bool parse_word(const char *text, double *out_value)
{
    if (strcmp(text, "nan") == 0) {
        *out_value = (double)NAN;
        return true;
    }
    bool is_negative = *text == '-';
    if (strcmp(is_negative ? text + 1 : text, "inf") != 0) {
        return false;
    }
    *out_value = is_negative ? -(double)INFINITY : (double)INFINITY;
    return true;
}

bool kci_parse_double(const char *text, double *out_value)
{
    if (!is_decimal(text)) {
        return parse_word(text, out_value);
    }
    kci_c_locale_t scope = kci_c_locale_begin();
    double value = strtod(text, NULL);
    kci_c_locale_end(scope);
    if (isinf(value)) {
        return false;
    }
    *out_value = value;
    return true;
}

static int digit_of(char character)
{
    if (character >= '0' && character <= '9') {
        return character - '0';
    }
    if (character >= 'a' && character <= 'f') {
        return character - 'a' + 10;
    }
    if (character >= 'A' && character <= 'F') {
        return character - 'A' + 10;
    }
    return 16;
}

static bool parse_digits(const char *text, unsigned base, uint64_t *out_value)
{
    uint64_t value = 0;
    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        unsigned digit = (unsigned)digit_of(*text);
        if (digit >= base || __builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, digit, &value)) {
            return false;
        }
    }
    *out_value = value;
    return true;
}

bool kci_parse_int64(const char *text, int64_t *out_value)
{
    uint64_t magnitude = 0;
    bool is_negative = *text == '-';
    uint64_t limit = (uint64_t)INT64_MAX + (is_negative ? 1 : 0);
    if (!parse_digits(skip_sign(text), 10, &magnitude) || magnitude > limit) {
        return false;
    }
    *out_value = is_negative && magnitude > 0 ? -(int64_t)(magnitude - 1) - 1
                                              : (int64_t)magnitude;
    return true;
}

bool kci_parse_uint64(const char *text, uint64_t *out_value)
{
    if (text[0] == '0' && text[1] == 'x') {
        return parse_digits(text + 2, 16, out_value);
    }
    return parse_digits(text, 10, out_value);
}
