/* SPDX-License-Identifier: Apache-2.0
 *
 * Everything that is noted, changed here and restored, with one line about it.
 */
#include "module/state_guard.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "unit/module/mock_fixture.h"
#include "unit/module/suites.h"
#include "unit/expect.h"

static kci_state_guard_t guard;
static heard_t heard;

static void end_guard(void)
{
    kci_log_t log = heard_log(&heard);
    kci_state_guard_end(&guard, &log, "the test");
}

static void expect_said(const char *text)
{
    ck_assert_int_eq(heard.count, 1);
    ck_assert_msg(strstr(heard.text, text) != NULL, "%s", heard.text);
}

START_TEST(nothing_changed_nothing_said)
{
    int descriptors = descriptor_count();
    kci_state_guard_begin(&guard);
    end_guard();
    ck_assert_int_eq(heard.count, 0);
    ck_assert_int_eq(descriptor_count(), descriptors);
}
END_TEST

START_TEST(the_working_directory_comes_back)
{
    char before[4096];
    char after[4096];
    ck_assert_ptr_nonnull(getcwd(before, sizeof before));
    kci_state_guard_begin(&guard);
    ck_assert_int_eq(chdir("/proc"), 0);
    end_guard();
    ck_assert_ptr_nonnull(getcwd(after, sizeof after));
    ck_assert_str_eq(before, after);
    expect_said("the test changed the working directory; restored");
}
END_TEST

START_TEST(the_umask_comes_back)
{
    umask(027);
    kci_state_guard_begin(&guard);
    umask(0);
    end_guard();
    ck_assert_int_eq(umask(0), 027);
    expect_said("the umask");
}
END_TEST

START_TEST(signals_come_back)
{
    struct sigaction action;
    sigset_t mask;
    kci_state_guard_begin(&guard);
    ck_assert(signal(SIGUSR1, SIG_IGN) != SIG_ERR);
    ck_assert(signal(SIGUSR2, SIG_IGN) != SIG_ERR);
    sigemptyset(&mask);
    sigaddset(&mask, SIGHUP);
    ck_assert_int_eq(pthread_sigmask(SIG_BLOCK, &mask, NULL), 0);
    end_guard();
    ck_assert_int_eq(sigaction(SIGUSR1, NULL, &action), 0);
    ck_assert(action.sa_handler == SIG_DFL);
    ck_assert_int_eq(pthread_sigmask(SIG_BLOCK, NULL, &mask), 0);
    ck_assert_int_eq(sigismember(&mask, SIGHUP), 0);
    expect_said("the action of signal 10, the action of signal 12, the signal "
                "mask; restored");
}
END_TEST

START_TEST(the_locale_comes_back)
{
    locale_t other = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
    char before[1024];
    strcpy(before, setlocale(LC_ALL, NULL));
    kci_state_guard_begin(&guard);
    if (other == (locale_t)0 || setlocale(LC_ALL, "C.UTF-8") == NULL) {
        end_guard();
        return; /* no second locale on this machine */
    }
    locale_t thread_before = uselocale(other);
    end_guard();
    ck_assert_str_eq(setlocale(LC_ALL, NULL), before);
    ck_assert(uselocale((locale_t)0) == thread_before);
    expect_said("the locale of the thread, the locale; restored");
    freelocale(other);
}
END_TEST

static uint32_t control_words(void)
{
#if defined(__x86_64__)
    return kci_fp_guard_begin().mxcsr & ~KCI_MXCSR_FLAGS;
#else
    return 0;
#endif
}

static void set_flush_to_zero(void)
{
#if defined(__x86_64__)
    uint32_t mxcsr = kci_fp_guard_begin().mxcsr | 0x8040;
    __asm__ __volatile__("ldmxcsr %0" ::"m"(mxcsr));
#endif
}

START_TEST(control_words_come_back)
{
#if defined(__x86_64__)
    uint32_t before = control_words();
    kci_state_guard_begin(&guard);
    set_flush_to_zero();
    ck_assert_uint_ne(control_words(), before);
    kci_state_guard_restore_fp(&guard); /* at once, and still reported */
    ck_assert_uint_eq(control_words(), before);
    end_guard();
    expect_said("the floating-point control words");
    kci_fp_guard_t pair = kci_fp_guard_begin();
    ck_assert(!kci_fp_guard_end(&pair));
    set_flush_to_zero();
    ck_assert(kci_fp_guard_end(&pair));
    ck_assert_uint_eq(control_words(), before);
    uint16_t x87 = 0x027f; /* double precision instead of extended */
    __asm__ __volatile__("fldcw %0" ::"m"(x87));
    ck_assert(kci_fp_guard_end(&pair));
    ck_assert_uint_eq(kci_fp_guard_begin().x87_control, pair.x87_control);
#endif
}
END_TEST

/* What modules do, seen through opening them. */
START_TEST(a_module_that_changes_things_is_named)
{
    char before[4096];
    char after[4096];
    kc_error_t error = KC_ERROR_INIT;
    uint32_t words = control_words();
    kci_log_t log = heard_log(&heard);
    ck_assert_ptr_nonnull(getcwd(before, sizeof before));
    umask(022);
    kci_module_file_t *file = inspect_mock("state_changer");
    EXPECT_OK(error, kci_module_file_open(file, plain_host(), &log, &error));
    ck_assert_ptr_nonnull(getcwd(after, sizeof after));
    ck_assert_str_eq(before, after);
    ck_assert_int_eq(umask(022), 022);
    expect_said("module `state_changer` (");
    expect_said("the working directory, the umask, the action of signal 10, "
                "the signal mask; restored");
    kci_module_file_release(file);
    log = heard_log(&heard);
    file = inspect_mock("fp_changer");
    EXPECT_OK(error, kci_module_file_open(file, plain_host(), &log, &error));
    ck_assert_uint_eq(control_words(), words);
#if defined(__x86_64__)
    expect_said("module `fp_changer` (");
#endif
    kci_module_file_release(file);
}
END_TEST

Suite *suite_module_state_guard(void)
{
    Suite *suite = suite_create("module/state_guard");
    TCase *tests = tcase_create("state_guard");
    tcase_add_test(tests, nothing_changed_nothing_said);
    tcase_add_test(tests, the_working_directory_comes_back);
    tcase_add_test(tests, the_umask_comes_back);
    tcase_add_test(tests, signals_come_back);
    tcase_add_test(tests, the_locale_comes_back);
    tcase_add_test(tests, control_words_come_back);
    tcase_add_test(tests, a_module_that_changes_things_is_named);
    suite_add_tcase(suite, tests);
    return suite;
}
