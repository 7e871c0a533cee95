/* SPDX-License-Identifier: Apache-2.0
 *
 * The header text of an npy file, read in one pass: the subset of Python's
 * literals that numpy.lib.format writes.
 */
#include "tensor/npy_header.h"

#include <kcapsule/vocabulary.h>
#include <string.h>

#include "base/error.h"

typedef struct header_parser {
    const char *text;
    size_t length;
    size_t position;
    size_t offset;
    const char *name;
    kc_error_t *error;
} header_parser_t;

typedef struct slice {
    const char *text;
    size_t length;
} slice_t;

static const char *const descrs[KC_DTYPE_COUNT] = {
    [KC_DTYPE_F32] = "<f4", [KC_DTYPE_F64] = "<f8", [KC_DTYPE_BOOL] = "|b1",
    [KC_DTYPE_I32] = "<i4", [KC_DTYPE_I64] = "<i8",
};

const char *kci_npy_descr(int32_t dtype)
{
    return descrs[dtype];
}

static kc_status_t fail_at(const header_parser_t *parser, size_t position,
                           const char *expected)
{
    size_t left = parser->length - position;
    if (left == 0) {
        return kci_fail(parser->error, KC_ERR_FORMAT,
                        "%s: byte %zu: expected %s, found the end of the "
                        "header",
                        parser->name, parser->offset + position, expected);
    }
    return kci_fail(parser->error, KC_ERR_FORMAT,
                    "%s: byte %zu: expected %s, found `%.*s`", parser->name,
                    parser->offset + position, expected,
                    (int)(left < 16 ? left : 16), parser->text + position);
}

/* The next byte that is not white space, 0 at the end. */
static char peek(header_parser_t *parser)
{
    while (parser->position < parser->length) {
        char byte = parser->text[parser->position];
        if (byte != ' ' && byte != '\t' && byte != '\n' && byte != '\r') {
            return byte == '\0' ? '?' : byte;
        }
        parser->position++;
    }
    return 0;
}

static bool accept(header_parser_t *parser, char byte)
{
    if (peek(parser) != byte) {
        return false;
    }
    parser->position++;
    return true;
}

static kc_status_t expect(header_parser_t *parser, char byte,
                          const char *expected)
{
    return accept(parser, byte) ? KC_OK
                                : fail_at(parser, parser->position, expected);
}

static kc_status_t parse_string(header_parser_t *parser, const char *expected,
                                slice_t *out_slice)
{
    char quote = peek(parser);
    size_t start = parser->position + 1;
    if (quote != '\'' && quote != '"') {
        return fail_at(parser, parser->position, expected);
    }
    const char *end =
        memchr(parser->text + start, quote, parser->length - start);
    if (end == NULL) {
        return fail_at(parser, parser->position, "a string that ends");
    }
    *out_slice =
        (slice_t){parser->text + start, (size_t)(end - (parser->text + start))};
    parser->position = start + out_slice->length + 1;
    return KC_OK;
}

static bool slice_is(slice_t slice, const char *text)
{
    return slice.length == strlen(text) &&
           memcmp(slice.text, text, slice.length) == 0;
}

/* What is wrong with a descr that is not one of ours. */
static const char *describe_refusal(slice_t descr)
{
    if (descr.length > 0 && descr.text[0] == '>') {
        return "big-endian data is not supported";
    }
    if (memchr(descr.text, 'O', descr.length) != NULL) {
        return "object arrays are not supported";
    }
    return "only <f4, <f8, |b1, <i4 and <i8 are supported";
}

static kc_status_t parse_descr(header_parser_t *parser,
                               kci_npy_header_t *header)
{
    slice_t descr = {"", 0};
    (void)peek(parser);
    size_t start = parser->position;
    KC_RETURN_IF_ERROR(
        parse_string(parser, "an element type in quotes", &descr));
    for (int32_t dtype = 0; dtype < KC_DTYPE_COUNT; dtype++) {
        if (slice_is(descr, descrs[dtype])) {
            header->dtype = dtype;
            return KC_OK;
        }
    }
    return kci_fail(parser->error, KC_ERR_FORMAT,
                    "%s: byte %zu: found element type `%.*s`: %s", parser->name,
                    parser->offset + start,
                    (int)(descr.length < 16 ? descr.length : 16), descr.text,
                    describe_refusal(descr));
}

static bool accept_word(header_parser_t *parser, const char *word)
{
    size_t length = strlen(word);
    (void)peek(parser);
    if (parser->length - parser->position < length ||
        memcmp(parser->text + parser->position, word, length) != 0) {
        return false;
    }
    parser->position += length;
    return true;
}

static kc_status_t parse_order(header_parser_t *parser,
                               kci_npy_header_t *header)
{
    header->is_column_order = accept_word(parser, "True");
    if (!header->is_column_order && !accept_word(parser, "False")) {
        return fail_at(parser, parser->position, "True or False");
    }
    return KC_OK;
}

static kc_status_t parse_extent(header_parser_t *parser, int64_t *out_extent)
{
    int64_t extent = 0;
    char byte = peek(parser);
    size_t start = parser->position;
    if (byte < '0' || byte > '9') {
        return fail_at(parser, start, "an extent >= 0");
    }
    while (parser->position < parser->length) {
        byte = parser->text[parser->position];
        if (byte < '0' || byte > '9') {
            break;
        }
        if (__builtin_mul_overflow(extent, 10, &extent) ||
            __builtin_add_overflow(extent, byte - '0', &extent)) {
            return fail_at(parser, start, "an extent that fits 64 bits");
        }
        parser->position++;
    }
    /* Python 2 wrote long integers so. */
    if (parser->position < parser->length &&
        parser->text[parser->position] == 'L') {
        parser->position++;
    }
    *out_extent = extent;
    return KC_OK;
}

/* "()", "(3,)", "(2, 3)" or "(2, 3,)": "(3)" is no tuple in Python. */
static kc_status_t parse_shape(header_parser_t *parser,
                               kci_npy_header_t *header)
{
    kci_shape_t *shape = &header->shape;
    bool has_comma = true;
    shape->rank = 0;
    KC_RETURN_IF_ERROR(expect(parser, '(', "a shape in parentheses"));
    while (!accept(parser, ')')) {
        if (!has_comma) {
            return fail_at(parser, parser->position, "`,` or `)`");
        }
        if (shape->rank == KC_MAX_RANK) {
            return fail_at(parser, parser->position, "at most 16 axes");
        }
        KC_RETURN_IF_ERROR(parse_extent(parser, &shape->dims[shape->rank]));
        shape->rank++;
        has_comma = accept(parser, ',');
    }
    if (shape->rank == 1 && !has_comma) {
        return fail_at(parser, parser->position - 1, "`,` after one extent");
    }
    return KC_OK;
}

enum { KEY_DESCR = 1, KEY_ORDER = 2, KEY_SHAPE = 4, KEY_ALL = 7 };

static unsigned key_of(slice_t key)
{
    if (slice_is(key, "descr")) {
        return KEY_DESCR;
    }
    if (slice_is(key, "fortran_order")) {
        return KEY_ORDER;
    }
    return slice_is(key, "shape") ? KEY_SHAPE : 0;
}

static kc_status_t parse_pair(header_parser_t *parser, unsigned *seen,
                              kci_npy_header_t *header)
{
    slice_t key = {"", 0};
    (void)peek(parser);
    size_t start = parser->position;
    KC_RETURN_IF_ERROR(parse_string(parser, "a key in quotes or `}`", &key));
    unsigned bit = key_of(key);
    if (bit == 0 || (*seen & bit) != 0) {
        return fail_at(parser, start,
                       "descr, fortran_order and shape, each once");
    }
    *seen |= bit;
    KC_RETURN_IF_ERROR(expect(parser, ':', "`:`"));
    if (bit == KEY_DESCR) {
        return parse_descr(parser, header);
    }
    return bit == KEY_ORDER ? parse_order(parser, header)
                            : parse_shape(parser, header);
}

static kc_status_t parse_dictionary(header_parser_t *parser,
                                    kci_npy_header_t *header)
{
    unsigned seen = 0;
    bool has_comma = true;
    KC_RETURN_IF_ERROR(expect(parser, '{', "`{`"));
    while (!accept(parser, '}')) {
        if (!has_comma) {
            return fail_at(parser, parser->position, "`,` or `}`");
        }
        KC_RETURN_IF_ERROR(parse_pair(parser, &seen, header));
        has_comma = accept(parser, ',');
    }
    if (seen != KEY_ALL) {
        return fail_at(parser, parser->position - 1,
                       "descr, fortran_order and shape, each once");
    }
    if (peek(parser) != 0) {
        return fail_at(parser, parser->position, "nothing after `}`");
    }
    return KC_OK;
}

kc_status_t kci_npy_header_parse(const char *text, size_t length, size_t offset,
                                 const char *name, kci_npy_header_t *out_header,
                                 kc_error_t *error)
{
    int64_t count = 0;
    kci_npy_header_t header = {0};
    header_parser_t parser = {text, length, 0, offset, name, error};
    KC_RETURN_IF_ERROR(parse_dictionary(&parser, &header));
    KC_RETURN_IF_ERROR(kci_shape_check(header.shape.rank, header.shape.dims,
                                       name, &count, error));
    *out_header = header;
    return KC_OK;
}
