/* SPDX-License-Identifier: Apache-2.0
 *
 * One result on its way: a complete file in a folder of its own beside the
 * target until all results are there, then renamed. Devices, FIFOs and
 * descriptors cannot be replaced and are written to directly.
 */
#include "cli/run_stage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"

#define STAGE_NAME ".kcapsule-XXXXXX"

static int fail(const cli_stage_t *stage, const char *reason)
{
    cli_say("%s: cannot be written: %s", stage->path, reason);
    return CLI_FAILED;
}

static int find_target(cli_stage_t *stage)
{
    struct stat facts;
    int exists = stat(stage->path, &facts) == 0;
    stage->is_direct = exists && !S_ISREG(facts.st_mode);
    if (stage->is_direct) {
        return CLI_DONE;
    }
    stage->is_new = !exists;
    stage->mode = exists ? facts.st_mode & 0777 : 0;
    stage->target = exists ? realpath(stage->path, NULL) : strdup(stage->path);
    return stage->target != NULL ? CLI_DONE : fail(stage, strerror(errno));
}

/* FOLDER/.kcapsule-XXXXXX and the file of the target's name in it. */
static int make_folder(cli_stage_t *stage)
{
    const char *slash = strrchr(stage->target, '/');
    const char *base = slash != NULL ? slash + 1 : stage->target;
    int length = (int)(base - stage->target);
    size_t size = (size_t)length + sizeof STAGE_NAME + strlen(base) + 1;
    stage->folder = malloc(size);
    stage->file = malloc(size);
    if (stage->folder == NULL || stage->file == NULL) {
        return fail(stage, "out of memory");
    }
    snprintf(stage->folder, size, "%.*s" STAGE_NAME, length, stage->target);
    if (mkdtemp(stage->folder) == NULL) {
        stage->folder[0] = 0;
        return fail(stage, strerror(errno));
    }
    snprintf(stage->file, size, "%s/%s", stage->folder, base);
    return CLI_DONE;
}

int cli_stage_begin(cli_stage_t *stage, const char *path)
{
    memset(stage, 0, sizeof *stage);
    stage->path = path;
    int code = find_target(stage);
    return code == CLI_DONE && !stage->is_direct ? make_folder(stage) : code;
}

const char *cli_stage_file(const cli_stage_t *stage)
{
    return stage->is_direct ? stage->path : stage->file;
}

/* Who kept a file from others' eyes keeps it so. */
int cli_stage_finish(cli_stage_t *stage)
{
    if (stage->is_direct || stage->is_done) {
        return CLI_DONE;
    }
    if (!stage->is_new && chmod(stage->file, stage->mode) != 0) {
        return fail(stage, strerror(errno));
    }
    if (rename(stage->file, stage->target) != 0) {
        return fail(stage, strerror(errno));
    }
    stage->is_done = 1;
    return CLI_DONE;
}

void cli_stage_undo(cli_stage_t *stage)
{
    if (stage->is_done && stage->is_new) {
        (void)unlink(stage->target);
    }
}

void cli_stage_release(cli_stage_t *stage)
{
    if (stage->folder != NULL && stage->folder[0] != 0) {
        (void)unlink(stage->file);
        (void)rmdir(stage->folder);
    }
    free(stage->target);
    free(stage->folder);
    free(stage->file);
    memset(stage, 0, sizeof *stage);
}
