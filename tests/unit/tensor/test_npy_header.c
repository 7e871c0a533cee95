/* SPDX-License-Identifier: Apache-2.0
 *
 * The header text of an npy file: what numpy and careful strangers write, and
 * everything else refused with its offset.
 */
#include "tensor/npy_header.h"

#include <stdlib.h>
#include <kcapsule/vocabulary.h>
#include "unit/expect.h"
#include "unit/tensor/suites.h"

static kc_status_t parse(const char *text, kci_npy_header_t *out_header,
                         kc_error_t *error)
{
    size_t length = strlen(text);
    char *copy = malloc(length + 1); /* no NUL of ours behind it */
    memcpy(copy, text, length);
    kc_status_t status =
        kci_npy_header_parse(copy, length, 10, "a.npy", out_header, error);
    free(copy);
    return status;
}

static const struct good_header {
    const char *text;
    int32_t dtype;
    bool is_column_order;
    kci_shape_t shape;
} good_headers[] = {
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }     \n",
     KC_DTYPE_F32,
     false,
     {2, {2, 3}}},
    {"{'shape':(2,3,),\"descr\":\"<f8\",'fortran_order':True}",
     KC_DTYPE_F64,
     true,
     {2, {2, 3}}},
    {"\t{ 'descr' : '|b1' ,\r\n 'shape' : ( ) , 'fortran_order' : False } \n",
     KC_DTYPE_BOOL,
     false,
     {0, {0}}},
    {"{'descr': '<i4', 'fortran_order': False, 'shape': (5,)}",
     KC_DTYPE_I32,
     false,
     {1, {5}}},
    {"{'descr': '<i8', 'fortran_order': False, 'shape': (0L, 12L)}",
     KC_DTYPE_I64,
     false,
     {2, {0, 12}}},
    {"{'descr': '<i8', 'fortran_order': False, 'shape': "
     "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
     KC_DTYPE_I64,
     false,
     {16, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}},
};

START_TEST(good_headers_are_read)
{
    kc_error_t error = KC_ERROR_INIT;
    const struct good_header *good = &good_headers[_i];
    kci_npy_header_t header;
    EXPECT_OK(error, parse(good->text, &header, &error));
    ck_assert_int_eq(header.dtype, good->dtype);
    ck_assert_int_eq(header.is_column_order, good->is_column_order);
    ck_assert(kci_shape_equal(&header.shape, &good->shape));
}
END_TEST

#define START "{'descr': '<f4', 'fortran_order': False, 'shape': "

static const struct bad_header {
    const char *text;
    const char *message;
} bad_headers[] = {
    {"", "a.npy: byte 10: expected `{`, found the end of the header"},
    {"['descr']", "byte 10: expected `{`, found `['descr']`"},
    {"{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3)}",
     "byte 20: found element type `>f4`: big-endian"},
    {"{'descr': '=f4', 'fortran_order': False, 'shape': (2, 3)}",
     "found element type `=f4`: only <f4"},
    {"{'descr': '|O', 'fortran_order': False, 'shape': (2, 3)}",
     "object arrays are not supported"},
    {"{'descr': '<c8', 'fortran_order': False, 'shape': (2, 3)}",
     "only <f4, <f8, |b1, <i4 and <i8"},
    {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}",
     "expected an element type in quotes"},
    {"{'descr': 'f4\", 'fortran_order': False, 'shape': (2,)}",
     "found element type"},
    {"{'descr': '<f4", "expected a string that ends"},
    {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
     "expected True or False, found `0"},
    {"{'descr': '<f4', 'fortran_order': Falsey, 'shape': (2,)}",
     "expected `,` or `}`, found `y"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}",
     "expected descr, fortran_order and shape, each once, found `'x'"},
    {"{'descr': '<f4', 'descr': '<f4', 'shape': (2,)}",
     "each once, found `'descr'"},
    {"{'descr': '<f4', 'shape': (2,)}", "each once"},
    {"{}", "each once"},
    {START "(2)}", "expected `,` after one extent"},
    {START "[2]}", "expected a shape in parentheses"},
    {START "(2,,3)}", "expected an extent >= 0, found `,3)"},
    {START "(,)}", "expected an extent >= 0"},
    {START "(-1,)}", "expected an extent >= 0, found `-1,"},
    {START "(2 3)}", "expected `,` or `)`"},
    {START "(2.0,)}", "expected `,` or `)`"},
    {START "(9223372036854775808,)}", "fits 64 bits"},
    {START "(99999999999999999999999999,)}", "fits 64 bits"},
    {START "(4294967296, 4294967296)}", "too many elements"},
    {START "(0, 9223372036854775807, 4)}", "too many elements"},
    {START "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}", "at most 16 axes"},
    {START "(2,)", "expected `,` or `}`, found the end"},
    {START "(2,)}x", "expected nothing after `}`, found `x`"},
    {START "(2,),,}", "expected a key in quotes"},
};

START_TEST(bad_headers_are_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_npy_header_t header;
    EXPECT_FAILURE(error, KC_ERR_FORMAT, bad_headers[_i].message,
                   parse(bad_headers[_i].text, &header, &error));
}
END_TEST

START_TEST(nul_bytes_are_refused)
{
    static const char text[] = START "(2,)}\0";
    kc_error_t error = KC_ERROR_INIT;
    kci_npy_header_t header;
    EXPECT_FAILURE(error, KC_ERR_FORMAT, "nothing after",
                   kci_npy_header_parse(text, sizeof text - 1, 10, "a.npy",
                                        &header, &error));
}
END_TEST

START_TEST(only_the_whole_text_passes)
{
    static const char text[] = START "(2, 3), }";
    for (size_t length = 0; length < sizeof text - 1; length++) {
        char prefix[sizeof text];
        kc_error_t error = KC_ERROR_INIT;
        kci_npy_header_t header;
        memcpy(prefix, text, length);
        prefix[length] = '\0';
        EXPECT_FAILURE(error, KC_ERR_FORMAT, "a.npy: byte ",
                       parse(prefix, &header, &error));
    }
}
END_TEST

START_TEST(every_type_has_a_name_that_is_read)
{
    for (int32_t dtype = 0; dtype < KC_DTYPE_COUNT; dtype++) {
        ck_assert_uint_eq(strlen(kci_npy_descr(dtype)), 3);
    }
    ck_assert_str_eq(kci_npy_descr(KC_DTYPE_BOOL), "|b1");
}
END_TEST

Suite *suite_tensor_npy_header(void)
{
    Suite *suite = suite_create("tensor/npy_header");
    TCase *tests = tcase_create("npy_header");
    tcase_add_loop_test(tests, good_headers_are_read, 0,
                        (int)(sizeof good_headers / sizeof *good_headers));
    tcase_add_loop_test(tests, bad_headers_are_refused, 0,
                        (int)(sizeof bad_headers / sizeof *bad_headers));
    tcase_add_test(tests, nul_bytes_are_refused);
    tcase_add_test(tests, only_the_whole_text_passes);
    tcase_add_test(tests, every_type_has_a_name_that_is_read);
    suite_add_tcase(suite, tests);
    return suite;
}
