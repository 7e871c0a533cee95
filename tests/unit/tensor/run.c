/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * The suites of the tensor layer, in the order in which they run. */
#include "unit/tensor/suites.h"
#include "unit/runner.h"

kc_suite_fn const kc_suites[] = {
    suite_tensor_shape,
    suite_tensor_dtype,
    suite_tensor_tensor,
    suite_tensor_tensor_copy,
    suite_tensor_byte_source,
    suite_tensor_npy_header,
    suite_tensor_npy,
    suite_tensor_npy_write,
    suite_tensor_safetensors_entry,
    suite_tensor_safetensors_header,
    suite_tensor_safetensors,
    NULL,
};
