/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The Kernel Capsules authors
 *
 * What a fuzz entry fuzz_<parser>.c defines. */
#ifndef KC_TESTS_FUZZ_FUZZ_H
#define KC_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* The folder of its corpus: tests/fuzz/corpus/<kc_fuzz_name>. */
extern const char kc_fuzz_name[];

/* Parses the bytes and throws the result away; returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
