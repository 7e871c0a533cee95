/* SPDX-License-Identifier: Apache-2.0
 *
 * A small address space for the rest of a test: whoever believes a size from
 * a file runs out of it.
 */
#ifndef KC_TESTS_UNIT_ADDRESS_SPACE_H
#define KC_TESTS_UNIT_ADDRESS_SPACE_H

/* 256 MiB. Does nothing under the address sanitizer, whose own tables need
 * more and which finds such a request by itself. */
void address_space_limit(void);

#endif
