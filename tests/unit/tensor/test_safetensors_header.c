/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole safetensors header: entries in order, ranges that tile the data.
 */
#include "tensor/safetensors_header.h"

#include "unit/expect.h"
#include "unit/failing_heap.h"
#include "unit/tensor/suites.h"

#define TENSOR(name, shape, begin, end)                                        \
    "\"" name "\":{\"dtype\":\"BOOL\",\"shape\":[" #shape                      \
    "],\"data_offsets\":[" #begin "," #end "]}"

static kc_status_t parse(const char *text, uint64_t data_size,
                         kci_safetensors_header_t *out_header,
                         kc_error_t *error)
{
    return kci_safetensors_header_parse(text, strlen(text), "w", data_size,
                                        out_header, error);
}

START_TEST(entries_keep_the_order_of_the_file)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_safetensors_header_t header = {NULL, 0};
    EXPECT_OK(
        error,
        parse("{" TENSOR("z", 3, 4, 7) "," TENSOR(
                  "a", 4, 0,
                  4) ",\"__metadata__\":{\"format\":\"pt\"}," TENSOR("m", 0, 4,
                                                                     4) "}  ",
              7, &header, &error));
    ck_assert_uint_eq(header.count, 3);
    ck_assert_str_eq(header.entries[0].name, "z");
    ck_assert_str_eq(header.entries[1].name, "a");
    ck_assert_str_eq(header.entries[2].name, "m");
    ck_assert_int_eq(header.entries[2].begin, 4);
    kci_safetensors_header_release(&header);
    kci_safetensors_header_release(&header);
}
END_TEST

START_TEST(no_tensors_are_a_file)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_safetensors_header_t header = {NULL, 0};
    EXPECT_OK(error, parse("{}", 0, &header, &error));
    ck_assert_uint_eq(header.count, 0);
    kci_safetensors_header_release(&header);
    EXPECT_OK(error, parse("{\"__metadata__\":{}}", 0, &header, &error));
    kci_safetensors_header_release(&header);
}
END_TEST

static const struct bad_header {
    const char *text;
    const char *message;
} bad_headers[] = {
    {"", "w: byte 8: expected `{`"},
    {" {}", "w: byte 8: expected `{`"},
    {"[]", "w: byte 8: expected `{`"},
    {"{", "w:1:"},
    {"{} x", "w:1:"},
    {"{" TENSOR("a", 4, 0, 4) "," TENSOR("a", 4, 4, 8) "}",
     "duplicate object key"},
    {"{" TENSOR("a\\u0000b", 8, 0, 8) "}", "w:1:"},
    {"{" TENSOR("a", 4, 0, 4) "," TENSOR("b", 4, 3, 7) "}",
     "w: tensor `b`: expected data from byte 4 without gap or overlap, found "
     "byte 3"},
    {"{" TENSOR("a", 4, 0, 4) "," TENSOR("b", 3, 5, 8) "}",
     "w: tensor `b`: expected data from byte 4"},
    {"{" TENSOR("a", 4, 4, 8) "}", "tensor `a`: expected data from byte 0"},
    {"{" TENSOR("a", 8, 0, 8) "," TENSOR("b", 8, 0, 8) "}",
     "expected data from byte 8"},
    {"{" TENSOR("a", 8, 0, 8) "," TENSOR("b", 0, 3, 3) "}", "without gap"},
    {"{" TENSOR("a", 7, 0, 7) "}", "w: expected 7 bytes of data, found 8"},
    {"{}", "w: expected 0 bytes of data, found 8"},
    {"{" TENSOR("a", 4, 0, 5) "}", "w: tensor `a`: data_offsets: expected"},
    {"{\"a\":7}", "w: tensor `a`: entry: expected an object"},
    {"{\"__metadata__\":[]}", "w: __metadata__: expected an object"},
    {"{\"__metadata__\":{\"n\":1}}", "expected a string for `n`"},
};

START_TEST(bad_headers_are_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_safetensors_header_t header = {NULL, 0};
    EXPECT_FAILURE(error, KC_ERR_FORMAT, bad_headers[_i].message,
                   parse(bad_headers[_i].text, 8, &header, &error));
    ck_assert_ptr_null(header.entries);
}
END_TEST

START_TEST(no_memory_is_a_status)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_safetensors_header_t header = {NULL, 0};
    for (int granted = 0; granted < 4; granted++) {
        failing_heap_break_after(granted);
        kc_status_t status =
            parse("{" TENSOR("a", 4, 0, 4) "," TENSOR("b", 4, 4, 8) "}", 8,
                  &header, &error);
        failing_heap_mend();
        ck_assert_int_eq(status, KC_ERR_MEMORY);
        ck_assert_ptr_null(header.entries);
    }
}
END_TEST

Suite *suite_tensor_safetensors_header(void)
{
    Suite *suite = suite_create("tensor/safetensors_header");
    TCase *tests = tcase_create("safetensors_header");
    tcase_add_test(tests, entries_keep_the_order_of_the_file);
    tcase_add_test(tests, no_tensors_are_a_file);
    tcase_add_loop_test(tests, bad_headers_are_refused, 0,
                        (int)(sizeof bad_headers / sizeof *bad_headers));
    tcase_add_test(tests, no_memory_is_a_status);
    suite_add_tcase(suite, tests);
    return suite;
}
