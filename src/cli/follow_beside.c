/* follow_beside.c -- see follow_beside.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/follow_beside.h"

#include "cli/cli.h"
#include "level/names.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WINDOW = 8192 }; // transactions

#define NEVER 1e9 // seconds between status lines

/* The level at which a recording can be followed. */
static bool
choose_level(const struct options *o, const char **out, struct err *err)
{
    level_set set;
    if (!level_parse_list(o->level ? o->level : "ser", o->session_order, &set,
                          err))
        return false;
    for (enum level l = 0; l < LEVELS; l++)
        if (level_table[l].needs_times)
            set &= ~level_bit(l);
    set &= ~LEVEL_SET_ALL;
    if (!set)
        return err_set(err, ERR_USAGE,
                       "--follow needs a level that is not a strict one");
    *out = level_table[level_highest(set)].brief;
    return true;
}

/* The recording is there, and empty, when the child looks for it. */
static bool
make_file(const char *path, struct err *err)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd >= 0 && close(fd) == 0)
        return true;
    err_set(err, ERR_IO, "cannot write: %s", strerror(errno));
    return err_in_file(err, path);
}

static void
run_child(const struct options *o, const char *level, const char *path)
{
    struct options child = *o;
    child.level = level;
    child.json_file = child.junit_file = child.sarif_file =
        child.markdown_file = child.report = child.store = NULL;
    child.report_format = "text";
    child.json = child.stats = child.power = child.require_power = false;
    child.window = WINDOW;
    child.status = NEVER;
    child.paths.n = 0;
    child.paths.at = NULL;
    child.paths.room = 0;
    vec_push(&child.paths, path);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    _exit(cmd_follow(&child));
}

bool
follow_beside_begin(struct follow_beside *f, const struct options *o,
                    const char *path, struct err *err)
{
    const char *level = NULL;
    *f = (struct follow_beside){0};
    if (!choose_level(o, &level, err) || (!o->shards && !make_file(path, err)))
        return false;
    fflush(NULL);
    f->child = fork();
    if (f->child < 0) {
        f->child = 0;
        return err_set(err, ERR_IO, "cannot start a process: %s",
                       strerror(errno));
    }
    if (!f->child)
        run_child(o, level, path);
    return true;
}

void
follow_beside_end(struct follow_beside *f, bool is_complete)
{
    if (!f->child)
        return;
    if (!is_complete)
        kill(f->child, SIGTERM);
    while (waitpid(f->child, NULL, 0) < 0 && errno == EINTR)
        continue;
    f->child = 0;
}
