/* SPDX-License-Identifier: Apache-2.0
 *
 * The parent's side of a probe: start, listen on a pipe, keep the deadline,
 * and tell the ways in which a child can end apart.
 */
#include "cli/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/probe_answer.h"

extern char **environ;

#define SLICE_MS 10

typedef struct child {
    pid_t pid;
    int answer; /* read end of the pipe, -1 when it has ended */
    int wait_status;
    int has_ended;
    size_t length;
    char text[CLI_PROBE_ANSWER_SIZE];
} child_t;

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* kcapsule probe-module [--module-path DIR]... -- FILE */
static char **child_arguments(const char *path, const cli_list_t *module_paths)
{
    char **arguments = calloc(2 * module_paths->count + 5, sizeof *arguments);
    size_t count = 0;
    if (arguments == NULL) {
        return NULL;
    }
    arguments[count++] = (char *)"kcapsule";
    arguments[count++] = (char *)CLI_PROBE_COMMAND;
    for (size_t idx = 0; idx < module_paths->count; idx++) {
        arguments[count++] = (char *)"--module-path";
        arguments[count++] = (char *)module_paths->items[idx];
    }
    arguments[count++] = (char *)"--";
    arguments[count++] = (char *)path;
    return arguments;
}

/* A group of its own, default signals, nothing to read, and what a module
 * prints goes nowhere. The pipe is put on the child's descriptor last. */
static int spawn_child(char **arguments, int answer, pid_t *out_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t pipe_signal;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, answer, CLI_PROBE_ANSWER_FD);
    int result = posix_spawn(out_pid, "/proc/self/exe", &actions, &attributes,
                             arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}

/* The pipe's ends lie above the descriptor that the child answers on. */
static int open_pipe(int ends[2])
{
    int low[2];
    if (pipe2(low, O_CLOEXEC) != 0) {
        return -1;
    }
    for (int idx = 0; idx < 2; idx++) {
        ends[idx] = fcntl(low[idx], F_DUPFD_CLOEXEC, CLI_PROBE_ANSWER_FD + 1);
        close(low[idx]);
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return ends[0] < 0 || ends[1] < 0 ? -1 : 0;
}

static void drain(child_t *child)
{
    while (child->answer >= 0) {
        char lost[256];
        size_t space = sizeof child->text - 1 - child->length;
        ssize_t count =
            space > 0 ? read(child->answer, child->text + child->length, space)
                      : read(child->answer, lost, sizeof lost);
        if (count > 0) {
            child->length += space > 0 ? (size_t)count : 0;
            continue;
        }
        if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
            close(child->answer);
            child->answer = -1;
        }
        return;
    }
}

/* A grandchild may keep the pipe open: the end of the child is what counts. */
static void listen_until(child_t *child, int64_t deadline_ms)
{
    while (!child->has_ended && now_ms() < deadline_ms) {
        struct pollfd event = {.fd = child->answer, .events = POLLIN};
        poll(&event, 1, SLICE_MS);
        drain(child);
        child->has_ended =
            waitpid(child->pid, &child->wait_status, WNOHANG) == child->pid;
    }
    if (!child->has_ended) {
        kill(-child->pid, SIGKILL);
        while (waitpid(child->pid, &child->wait_status, 0) < 0 &&
               errno == EINTR) {
        }
    }
    drain(child);
    if (child->answer >= 0) {
        close(child->answer);
    }
    child->text[child->length] = 0;
}

/* What it said counts only if it also ended as a program should. */
static void judge(const child_t *child, cli_probe_t *out_probe)
{
    if (!child->has_ended) {
        snprintf(out_probe->line, sizeof out_probe->line,
                 "did not answer within %d seconds", CLI_PROBE_DEADLINE_S);
        return;
    }
    if (WIFSIGNALED(child->wait_status)) {
        snprintf(out_probe->line, sizeof out_probe->line,
                 "crashed with signal %d (%s)%s", WTERMSIG(child->wait_status),
                 strsignal(WTERMSIG(child->wait_status)),
                 child->length > 0 ? " after it was loaded" : "");
        return;
    }
    if (!cli_probe_answer_parse(child->text, out_probe)) {
        snprintf(out_probe->line, sizeof out_probe->line,
                 "ended the process with status %d",
                 WEXITSTATUS(child->wait_status));
    }
}

void cli_probe(const char *path, const cli_list_t *module_paths,
               cli_probe_t *out_probe)
{
    child_t child = {.answer = -1};
    int ends[2] = {-1, -1};
    memset(out_probe, 0, sizeof *out_probe);
    char **arguments = child_arguments(path, module_paths);
    int result = arguments == NULL ? ENOMEM : 0;
    if (result == 0 && open_pipe(ends) != 0) {
        result = errno;
    }
    if (result == 0) {
        result = spawn_child(arguments, ends[1], &child.pid);
    }
    free(arguments);
    if (ends[1] >= 0) {
        close(ends[1]);
    }
    if (result != 0) {
        if (ends[0] >= 0) {
            close(ends[0]);
        }
        snprintf(out_probe->line, sizeof out_probe->line,
                 "no process could be started to try it: %s", strerror(result));
        return;
    }
    child.answer = ends[0];
    listen_until(&child, now_ms() + CLI_PROBE_DEADLINE_S * 1000);
    judge(&child, out_probe);
}
