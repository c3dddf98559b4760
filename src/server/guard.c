/* guard.c -- see guard.h.
 *
 * The guard makes the directory itself, so that there is never a directory
 * without a process that will remove it.
 *
 * SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE // realpath
#include "server/guard.h"

#include "base/buf.h"
#include "base/limits/limit.h"
#include "server/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Servers accept paths of 512 characters, and nest their files deeply.
enum { LONGEST_PARENT = 300 };

// This program may have been killed before it reads the answer, which must not
// end the guard.  A killed process may write a little longer, so removing the
// directory may take several tries.
// Whatever asks this program to end, such as scancel, asks its guard, too.
static const char script[] =
    "trap '' PIPE TERM INT HUP\n"
    "umask 077\n"
    "root=$(mktemp -d \"$1/assay-XXXXXX\") || exit 1\n"
    "printf %s \"$root\"\n"
    "exec >&-\n"
    "alive=\n"
    "while read -r what pid; do\n"
    "    case $what in\n"
    "    +) alive=\"$alive $pid\" ;;\n"
    "    -) left=\n"
    "       for p in $alive; do [ $p = $pid ] || left=\"$left $p\"; done\n"
    "       alive=$left ;;\n"
    "    esac\n"
    "done\n"
    "for p in $alive; do kill -9 -$p; kill -9 $p; done\n"
    "tries=0\n"
    "until rm -rf \"$root\" || [ $tries -ge 100 ]; do\n"
    "    tries=$((tries + 1))\n"
    "    sleep 0.1\n"
    "done\n";

/* The directory for temporary files, as an absolute path. */
static bool
find_parent(char path[PATH_MAX], struct err *err)
{
    const char *given = getenv("TMPDIR");
    char quoted[ERR_QUOTE_ROOM];
    given = given && *given ? given : "/tmp";
    err_quote(quoted, sizeof quoted, given, strlen(given));
    if (!realpath(given, path))
        return err_set(err, ERR_IO, "the temporary directory '%s': %s", quoted,
                       strerror(errno));
    return strlen(path) <= LONGEST_PARENT ||
           err_set(err, ERR_IO,
                   "the temporary directory '%s' has a name of %zu characters, "
                   "expected at most %d for servers; set TMPDIR",
                   quoted, strlen(path), LONGEST_PARENT);
}

/* All that comes out of a pipe; false if nothing does. */
static bool
read_all(int fd, struct buf *out)
{
    char some[512];
    for (;;) {
        const ssize_t n = read(fd, some, sizeof some);
        if (n > 0)
            buf_add(out, some, (size_t)n);
        else if (n == 0 || errno != EINTR)
            return out->n;
    }
}

static bool
start_shell(struct guard *g, const char *parent, int *answer, struct err *err)
{
    const char *const argv[] = {"/bin/sh", "-c", script, "guard", parent, NULL};
    int to[2] = {-1, -1}, from[2] = {-1, -1};
    if (pipe(to) != 0 || pipe(from) != 0)
        return err_set(err, ERR_IO, "cannot make a pipe: %s", strerror(errno));
    for (int i = 0; i < 2; i++) {
        fcntl(to[i], F_SETFD, FD_CLOEXEC);
        fcntl(from[i], F_SETFD, FD_CLOEXEC);
    }
    const struct command_line c = {.argv = argv,
                                   .directory = "/",
                                   .log = "/dev/null",
                                   .input = to[0],
                                   .output = from[1]};
    const bool ok = process_start(&c, &g->pid, err);
    close(to[0]);
    close(from[1]);
    g->pipe = to[1];
    *answer = from[0];
    return ok;
}

bool
guard_start(struct guard *g, struct arena *arena, const char **root,
            struct err *err)
{
    char parent[PATH_MAX];
    int answer = -1;
    struct buf path = {0};
    if (!find_parent(parent, err) || !start_shell(g, parent, &answer, err))
        return false;
    const bool ok =
        read_all(answer, &path) ||
        err_set(err, ERR_IO, "cannot make a directory in '%s'", parent);
    close(answer);
    if (ok)
        *root = arena_copy(arena, path.at, path.n);
    buf_free(&path);
    return ok;
}

static void
send_note(const struct guard *g, char what, pid_t pid)
{
    char line[32];
    const int n = snprintf(line, sizeof line, "%c %ld\n", what, (long)pid);
    if (!g->pid || write(g->pipe, line, (size_t)n) != n)
        return; // there is no guard
}

void
guard_add(const struct guard *g, pid_t pid)
{
    send_note(g, '+', pid);
}

void
guard_remove(const struct guard *g, pid_t pid)
{
    send_note(g, '-', pid);
}

void
guard_end(struct guard *g)
{
    if (g->pid <= 0)
        return;
    close(g->pipe);
    while (!process_has_ended(g->pid))
        time_pause(0.01);
    *g = (struct guard){0};
}
