/* SPDX-License-Identifier: Apache-2.0
 *
 * A result that is complete before it replaces anything.
 */
#ifndef KC_CLI_RUN_STAGE_H
#define KC_CLI_RUN_STAGE_H

#include <sys/types.h>

typedef struct cli_stage {
    const char *path; /* borrowed; as the command line says it */
    char *target;     /* owned; what is replaced at the end */
    char *folder;     /* owned; of the file until then */
    char *file;       /* owned; in that folder */
    mode_t mode;      /* of the file that is replaced */
    int is_new;       /* nothing is replaced */
    int is_direct;    /* a device and the like: has no file */
    int is_done;
} cli_stage_t;

/* CLI_DONE, or CLI_FAILED after having said why. Release in either case. */
int cli_stage_begin(cli_stage_t *stage, const char *path);
/* Where to write. */
const char *cli_stage_file(const cli_stage_t *stage);
/* Puts the file in its place. */
int cli_stage_finish(cli_stage_t *stage);
/* Takes a finished file away again, if it replaced nothing. */
void cli_stage_undo(cli_stage_t *stage);
void cli_stage_release(cli_stage_t *stage);

#endif
