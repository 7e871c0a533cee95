/* SPDX-License-Identifier: Apache-2.0
 *
 * Assertions on a status and its error record: a success shows the message
 * when it is none, a failure is held to its status and its words.
 */
#ifndef KC_TESTS_UNIT_EXPECT_H
#define KC_TESTS_UNIT_EXPECT_H

#include <check.h>
#include <string.h>
#include <kcapsule/status.h>

/* `error` is a kc_error_t of the caller. */
#define EXPECT_OK(error, expression)                                           \
    do {                                                                       \
        kc_status_t status_ = (expression);                                    \
        ck_assert_msg(status_ == KC_OK, "status %d: %s", status_,              \
                      (error).message);                                        \
    } while (0)

/* One line, with `text` in it. */
#define EXPECT_FAILURE(error, wanted, text, expression)                        \
    do {                                                                       \
        kc_status_t status_ = (expression);                                    \
        ck_assert_msg(status_ == (wanted), "status %d: %s", status_,           \
                      (error).message);                                        \
        ck_assert_int_eq((error).status, (wanted));                            \
        ck_assert_msg(strstr((error).message, (text)) != NULL,                 \
                      "no `%s` in: %s", (text), (error).message);              \
        ck_assert_msg(strchr((error).message, '\n') == NULL,                   \
                      "line break in: %s", (error).message);                   \
    } while (0)

#endif
