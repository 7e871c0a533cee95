/* SPDX-License-Identifier: Apache-2.0
 *
 * What belongs to the process or the thread and not to a module: noted before
 * code of a module runs, restored after, with one warning about what changed.
 * About 50 us, so around loading, opening and closing only; around calls of
 * handlers stands fp_guard.h alone. Internal to the layer, loader lock held.
 */
#ifndef KC_MODULE_STATE_GUARD_H
#define KC_MODULE_STATE_GUARD_H

#include <locale.h>
#include <signal.h>
#include <sys/types.h>
#include "base/log.h"
#include "module/fp_guard.h"

#define KCI_SIGNAL_COUNT 65 /* signal numbers are 1 to 64 */

typedef struct kci_state_guard {
    kci_fp_guard_t floating_point;
    bool has_changed_fp;
    char *locale; /* owned; NULL: not known, not compared */
    locale_t thread_locale;
    int folder;      /* descriptor of the working directory, or -1 */
    int umask_value; /* -1: not known */
    sigset_t signal_mask;
    struct sigaction actions[KCI_SIGNAL_COUNT];
    bool has_action[KCI_SIGNAL_COUNT];
} kci_state_guard_t;

void kci_state_guard_begin(kci_state_guard_t *guard);
/* The control words at once, for what runs before the end. */
void kci_state_guard_restore_fp(kci_state_guard_t *guard);
/* `what` is who did it and when, for the warning: "module `x` (FILE), while it
 * was opened". Nothing is written when nothing changed. */
void kci_state_guard_end(kci_state_guard_t *guard, const kci_log_t *log,
                         const char *what);

#endif
