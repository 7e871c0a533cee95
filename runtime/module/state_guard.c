/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes, compares and restores the state of the process around code of a
 * module. Another thread that changes the same things meanwhile may be
 * overruled; that cannot be told apart.
 */
#include "module/state_guard.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/alloc.h"
#include "base/string_buffer.h"

/* umask can only be asked for by setting it, which other threads would see;
 * the kernel prints it as well. -1 when it does not. */
static int read_umask(void)
{
    static const char label[] = "\nUmask:\t";
    char text[1024];
    int descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return -1;
    }
    ssize_t length = read(descriptor, text, sizeof text - 1);
    (void)close(descriptor);
    if (length <= 0) {
        return -1;
    }
    text[length] = '\0';
    const char *at = strstr(text, label);
    if (at == NULL) {
        return -1;
    }
    int value = 0;
    for (at += sizeof label - 1; *at >= '0' && *at <= '7'; at++) {
        value = value * 8 + (*at - '0');
    }
    return value;
}

static void note_actions(kci_state_guard_t *guard)
{
    for (int number = 1; number < KCI_SIGNAL_COUNT; number++) {
        guard->has_action[number] =
            sigaction(number, NULL, &guard->actions[number]) == 0;
    }
}

void kci_state_guard_begin(kci_state_guard_t *guard)
{
    memset(guard, 0, sizeof *guard);
    const char *locale = setlocale(LC_ALL, NULL);
    if (locale == NULL ||
        kci_copy_string(locale, &guard->locale, NULL) != KC_OK) {
        guard->locale = NULL;
    }
    guard->thread_locale = uselocale((locale_t)0);
    guard->folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    guard->umask_value = read_umask();
    (void)pthread_sigmask(SIG_BLOCK, NULL, &guard->signal_mask);
    note_actions(guard);
    guard->floating_point = kci_fp_guard_begin();
}

void kci_state_guard_restore_fp(kci_state_guard_t *guard)
{
    if (kci_fp_guard_end(&guard->floating_point)) {
        guard->has_changed_fp = true;
    }
}

static void report(kci_string_buffer_t *changes, const char *what)
{
    if (changes->length > 0) {
        kci_string_append(changes, ", ");
    }
    kci_string_append(changes, what);
}

static void restore_locale(const kci_state_guard_t *guard,
                           kci_string_buffer_t *changes)
{
    if (uselocale((locale_t)0) != guard->thread_locale) {
        (void)uselocale(guard->thread_locale);
        report(changes, "the locale of the thread");
    }
    const char *locale = setlocale(LC_ALL, NULL);
    if (guard->locale != NULL &&
        (locale == NULL || strcmp(locale, guard->locale) != 0)) {
        (void)setlocale(LC_ALL, guard->locale);
        report(changes, "the locale");
    }
}

static void restore_folder(const kci_state_guard_t *guard,
                           kci_string_buffer_t *changes)
{
    struct stat before;
    struct stat now;
    if (guard->folder < 0 || fstat(guard->folder, &before) != 0) {
        return;
    }
    if (stat(".", &now) == 0 && now.st_dev == before.st_dev &&
        now.st_ino == before.st_ino) {
        return;
    }
    report(changes, fchdir(guard->folder) == 0
                        ? "the working directory"
                        : "the working directory (not restored)");
}

static void restore_umask(const kci_state_guard_t *guard,
                          kci_string_buffer_t *changes)
{
    if (guard->umask_value < 0 || read_umask() == guard->umask_value) {
        return;
    }
    (void)umask((mode_t)guard->umask_value);
    report(changes, "the umask");
}

/* Of a set the system fills only the bits of signals there are. */
static bool is_same_set(const sigset_t *a, const sigset_t *b)
{
    return memcmp(a, b, (KCI_SIGNAL_COUNT - 1) / 8) == 0;
}

static bool is_same_action(const struct sigaction *a, const struct sigaction *b)
{
    return a->sa_sigaction == b->sa_sigaction && a->sa_flags == b->sa_flags &&
           is_same_set(&a->sa_mask, &b->sa_mask);
}

static void restore_actions(const kci_state_guard_t *guard,
                            kci_string_buffer_t *changes)
{
    char what[64];
    for (int number = 1; number < KCI_SIGNAL_COUNT; number++) {
        struct sigaction now;
        if (!guard->has_action[number] || sigaction(number, NULL, &now) != 0 ||
            is_same_action(&now, &guard->actions[number])) {
            continue;
        }
        (void)sigaction(number, &guard->actions[number], NULL);
        (void)snprintf(what, sizeof what, "the action of signal %d", number);
        report(changes, what);
    }
}

static void restore_signal_mask(const kci_state_guard_t *guard,
                                kci_string_buffer_t *changes)
{
    sigset_t now;
    sigemptyset(&now);
    (void)pthread_sigmask(SIG_BLOCK, NULL, &now);
    if (!is_same_set(&now, &guard->signal_mask)) {
        (void)pthread_sigmask(SIG_SETMASK, &guard->signal_mask, NULL);
        report(changes, "the signal mask");
    }
}

void kci_state_guard_end(kci_state_guard_t *guard, const kci_log_t *log,
                         const char *what)
{
    kci_string_buffer_t changes = KCI_STRING_BUFFER_INIT;
    kci_state_guard_restore_fp(guard);
    if (guard->has_changed_fp) {
        report(&changes, "the floating-point control words");
    }
    restore_locale(guard, &changes);
    restore_folder(guard, &changes);
    restore_umask(guard, &changes);
    restore_actions(guard, &changes);
    restore_signal_mask(guard, &changes);
    if (changes.length > 0) {
        kci_log_write(log, KC_LOG_WARNING, "%s changed %s; restored", what,
                      changes.text);
    }
    kci_string_release(&changes);
    kci_free(guard->locale);
    guard->locale = NULL;
    if (guard->folder >= 0) {
        (void)close(guard->folder);
    }
}
