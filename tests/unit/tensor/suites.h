/* SPDX-License-Identifier: Apache-2.0
 *
 * The suites of the tensor layer, one a source file.
 */
#ifndef KC_TESTS_UNIT_TENSOR_SUITES_H
#define KC_TESTS_UNIT_TENSOR_SUITES_H

#include <check.h>

Suite *suite_tensor_byte_source(void);
Suite *suite_tensor_dtype(void);
Suite *suite_tensor_npy(void);
Suite *suite_tensor_npy_header(void);
Suite *suite_tensor_npy_write(void);
Suite *suite_tensor_safetensors(void);
Suite *suite_tensor_safetensors_entry(void);
Suite *suite_tensor_safetensors_header(void);
Suite *suite_tensor_shape(void);
Suite *suite_tensor_tensor(void);
Suite *suite_tensor_tensor_copy(void);

#endif
