/* SPDX-License-Identifier: Apache-2.0
 *
 * One entry of a safetensors header: type, shape and range agree, or it is
 * refused.
 */
#include "tensor/safetensors_entry.h"

#include <kcapsule/vocabulary.h>
#include "base/json.h"
#include "unit/expect.h"
#include "unit/tensor/suites.h"

static kc_status_t parse(const char *text, uint64_t data_size,
                         kci_safetensors_entry_t *entry, kc_error_t *error)
{
    json_t *json = NULL;
    kc_error_t json_error = KC_ERROR_INIT;
    EXPECT_OK(json_error,
              kci_json_parse(text, strlen(text), "entry", &json, &json_error));
    kc_status_t status =
        kci_safetensors_entry_parse(json, data_size, entry, error);
    json_decref(json);
    return status;
}

START_TEST(a_good_entry_is_read)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_safetensors_entry_t entry = {.name = NULL};
    EXPECT_OK(error, parse("{\"data_offsets\":[4,28],\"shape\":[2,3],"
                           "\"dtype\":\"F32\"}",
                           28, &entry, &error));
    ck_assert_int_eq(entry.dtype, KC_DTYPE_F32);
    ck_assert_int_eq(entry.shape.rank, 2);
    ck_assert_int_eq(entry.shape.dims[1], 3);
    ck_assert_int_eq(entry.begin, 4);
    ck_assert_int_eq(entry.end, 28);
    EXPECT_OK(error,
              parse("{\"dtype\":\"F64\",\"shape\":[],\"data_offsets\":[0,8]}",
                    8, &entry, &error));
    ck_assert_int_eq(entry.shape.rank, 0);
    EXPECT_OK(error, parse("{\"dtype\":\"I64\",\"shape\":[0,9],"
                           "\"data_offsets\":[5,5]}",
                           8, &entry, &error));
}
END_TEST

START_TEST(types_that_are_not_loaded_are_kept)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_safetensors_entry_t entry = {.name = NULL};
    EXPECT_OK(error,
              parse("{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[0,4]}",
                    4, &entry, &error));
    ck_assert_int_eq(entry.dtype, -1);
    ck_assert_str_eq(entry.type, "BF16");
    EXPECT_FAILURE(error, KC_ERR_FORMAT, "of shape [3] of BF16",
                   parse("{\"dtype\":\"BF16\",\"shape\":[3],"
                         "\"data_offsets\":[0,4]}",
                         4, &entry, &error));
    EXPECT_OK(error, parse("{\"dtype\":\"SOMETHING_LONG_AND_NEW\","
                           "\"shape\":[3],\"data_offsets\":[0,4]}",
                           4, &entry, &error));
    ck_assert_str_eq(entry.type, "SOMETHING_LONG_");
}
END_TEST

#define ENTRY(dtype, shape, offsets)                                           \
    "{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static const struct bad_entry {
    const char *text;
    const char *message;
} bad_entries[] = {
    {"[]", "expected an object"},
    {"{}", "expected dtype, a string"},
    {ENTRY("7", "[2]", "[0,8]"), "expected dtype, a string"},
    {ENTRY("\"F32\"", "2", "[0,8]"), "expected shape, an array"},
    {ENTRY("\"F32\"", "[2.0]", "[0,8]"), "expected an integer on axis 0"},
    {ENTRY("\"F32\"", "[true]", "[0,8]"), "expected an integer on axis 0"},
    {ENTRY("\"F32\"", "[-2]", "[0,8]"), "an extent >= 0 on axis 0, found -2"},
    {ENTRY("\"F32\"", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "[0,4]"),
     "expected a rank of 0 to 16, found 17"},
    {ENTRY("\"F32\"", "[4294967296,4294967296]", "[0,8]"), "too many elements"},
    {ENTRY("\"F32\"", "[0,9223372036854775807,4]", "[0,0]"),
     "too many elements"},
    {ENTRY("\"F64\"", "[9223372036854775807]", "[0,8]"), "expected the bytes"},
    {ENTRY("\"F32\"", "[2]", "[0,4]"), "found [0, 4], 4 bytes"},
    {ENTRY("\"F32\"", "[2]", "[0,12]"), "found [0, 12], 12 bytes"},
    {ENTRY("\"F32\"", "[2]", "[8,0]"), "expected a range within 100 bytes"},
    {ENTRY("\"F32\"", "[2]", "[-8,0]"), "expected a range within 100 bytes"},
    {ENTRY("\"F32\"", "[2]", "[96,104]"), "found [96, 104]"},
    {ENTRY("\"F32\"", "[2]", "[9223372036854775800,9223372036854775807]"),
     "expected a range within"},
    {ENTRY("\"F32\"", "[2]", "[0]"), "an array of two integers"},
    {ENTRY("\"F32\"", "[2]", "[0,8,8]"), "an array of two integers"},
    {ENTRY("\"F32\"", "[2]", "[0.0,8]"), "an array of two integers"},
    {ENTRY("\"F32\"", "[2]", "8"), "an array of two integers"},
    {"{\"dtype\":\"F32\",\"shape\":[2]}", "an array of two integers"},
    {"{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8],\"x\":1}",
     "unknown key `x`"},
};

START_TEST(bad_entries_are_refused)
{
    kc_error_t error = KC_ERROR_INIT;
    kci_safetensors_entry_t entry = {.name = NULL};
    EXPECT_FAILURE(error, KC_ERR_FORMAT, bad_entries[_i].message,
                   parse(bad_entries[_i].text, 100, &entry, &error));
}
END_TEST

Suite *suite_tensor_safetensors_entry(void)
{
    Suite *suite = suite_create("tensor/safetensors_entry");
    TCase *tests = tcase_create("safetensors_entry");
    tcase_add_test(tests, a_good_entry_is_read);
    tcase_add_test(tests, types_that_are_not_loaded_are_kept);
    tcase_add_loop_test(tests, bad_entries_are_refused, 0,
                        (int)(sizeof bad_entries / sizeof *bad_entries));
    suite_add_tcase(suite, tests);
    return suite;
}
