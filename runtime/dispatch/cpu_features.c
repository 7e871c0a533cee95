/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of limits.instruction_set and whether this machine has them. The
 * compiler's run-time support also asks whether the operating system keeps
 * the registers, which the processor's own bits do not tell.
 */
#include "dispatch/bind.h"

#include <string.h>

#include "base/error.h"

/* __builtin_cpu_supports takes literals only. Words that gcc 12 and clang 14
 * both know. */
#if defined(__x86_64__)
#define FOR_EACH_FEATURE(X)                                                    \
    X("sse2")                                                                  \
    X("sse3")                                                                  \
    X("ssse3")                                                                 \
    X("sse4.1")                                                                \
    X("sse4.2")                                                                \
    X("popcnt")                                                                \
    X("avx")                                                                   \
    X("avx2")                                                                  \
    X("fma")                                                                   \
    X("bmi")                                                                   \
    X("bmi2")                                                                  \
    X("avx512f")                                                               \
    X("avx512bw")                                                              \
    X("avx512cd")                                                              \
    X("avx512dq")                                                              \
    X("avx512er")                                                              \
    X("avx512pf")                                                              \
    X("avx512vl")                                                              \
    X("avx512vnni")
#else
/* Nothing is known of other machines, so every word is unknown there. */
#define FOR_EACH_FEATURE(X)
#define __builtin_cpu_init() ((void)0)
#endif

typedef enum feature_state {
    FEATURE_UNKNOWN,
    FEATURE_PRESENT,
    FEATURE_ABSENT
} feature_state_t;

static bool is_word(const char *known, const char *word, size_t length)
{
    return strlen(known) == length && memcmp(known, word, length) == 0;
}

static feature_state_t feature_state(const char *word, size_t length)
{
    __builtin_cpu_init();
#define TEST_FEATURE(name)                                                     \
    if (is_word(name, word, length)) {                                         \
        return __builtin_cpu_supports(name) ? FEATURE_PRESENT                  \
                                            : FEATURE_ABSENT;                  \
    }
    FOR_EACH_FEATURE(TEST_FEATURE)
#undef TEST_FEATURE
    (void)is_word;
    return FEATURE_UNKNOWN;
}

static kc_status_t check_word(const char *word, size_t length,
                              kc_error_t *error)
{
    switch (feature_state(word, length)) {
    case FEATURE_PRESENT:
        return KC_OK;
    case FEATURE_ABSENT:
        return kci_fail(error, KC_ERR_BINDING, "needs %.*s, machine lacks %.*s",
                        (int)length, word, (int)length, word);
    default:
        return kci_fail(error, KC_ERR_BINDING, "unknown requirement %.*s",
                        (int)length, word);
    }
}

kc_status_t kci_cpu_check_features(const char *words, kc_error_t *error)
{
    const char *at = words;
    while (*at != '\0') {
        at += strspn(at, ", ");
        size_t length = strcspn(at, ", ");
        if (length > 0) {
            KC_RETURN_IF_ERROR(check_word(at, length, error));
        }
        at += length;
    }
    return KC_OK;
}
