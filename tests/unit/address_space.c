/* SPDX-License-Identifier: Apache-2.0
 *
 * A small address space for the rest of a test, which Check runs in a process
 * of its own.
 */
#include "unit/address_space.h"

#include <check.h>
#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

#define LIMIT_BYTES (256u * 1024 * 1024)

void address_space_limit(void)
{
    struct rlimit limit = {LIMIT_BYTES, LIMIT_BYTES};
    if (!IS_SANITIZED) {
        ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
    }
}
