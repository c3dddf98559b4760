/* process.c -- see process.h.
 *
 * Everything that could take a lock happens before fork.  This program may have
 * many threads when a server is restarted in the middle of a run, so the child
 * may call only functions that are safe in a signal handler.
 *
 * A child waits for a byte from a pipe before it executes the program.  The
 * byte is sent when the guard knows the child.  If this program is killed
 * before that, the pipe closes and the child ends.
 *
 * SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE // setgroups
#include "server/process.h"

#include "base/buf.h"
#include "base/container/vec.h"
#include "base/limits/limit.h"
#include "base/memory/mem.h"
#include "server/guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* --- starting --------------------------------------------------------------*/

struct identity {
    bool changes;
    uid_t user;
    gid_t group;
};

static bool
find_identity(const char *name, struct identity *out, struct err *err)
{
    *out = (struct identity){0};
    if (!name || geteuid() != 0)
        return true;
    const struct passwd *entry = getpwnam(name);
    if (!entry)
        return err_set(err, ERR_IO, "the user '%s' to run it as does not exist",
                       name);
    *out = (struct identity){true, entry->pw_uid, entry->pw_gid};
    return true;
}

/* The environment with a directory at the front of PATH and one more variable.
 * The caller frees the first two entries and the vector. */
typedef VEC(char *) environment;

static void
make_environment(const struct command_line *c, environment *out)
{
    struct buf path = {0}, variable = {0};
    const char *old = getenv("PATH");
    buf_printf(&path, "PATH=%s%s%s", c->path ? c->path : "", c->path ? ":" : "",
               old ? old : "/usr/bin:/bin");
    buf_text(&variable, c->variable ? c->variable : "ASSAY=1");
    vec_push(out, path.at);
    vec_push(out, variable.at);
    const size_t name = strcspn(variable.at, "=") + 1;
    for (char **e = environ; *e; e++)
        if (strncmp(*e, "PATH=", 5) != 0 && strncmp(*e, variable.at, name) != 0)
            vec_push(out, *e);
    vec_push(out, NULL);
}

/* Drop all privileges that the user does not have. */
static bool
change_identity(const struct identity *who)
{
    return !who->changes || (setgroups(1, &who->group) == 0 &&
                             setgid(who->group) == 0 && setuid(who->user) == 0);
}

/* In the child: wait for the byte, and execute the program.  Never returns. */
static void
become(const struct command_line *c, const struct identity *who, char **env,
       const int go[2], int life)
{
    char word;
    setsid();
    umask(077);
    close(go[1]);
    if (read(go[0], &word, 1) != 1)
        _exit(127);
    const int in =
        c->input ? c->input : open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int log = open(
        c->log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    const int out = c->output ? c->output : log;
    if (life >= 0)
        fcntl(life, F_SETFD, 0); // this program and its children keep it
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (in >= 0 && out >= 0 && dup2(in, 0) == 0 && dup2(out, 1) == 1 &&
        dup2(log, 2) == 2 && change_identity(who) && chdir(c->directory) == 0) {
        // execve does not change its strings, although they are not const.
        union {
            const char *const *in;
            char *const *out;
        } argv = {c->argv};
        execve(c->argv[0], argv.out, env);
    }
    static const char message[] = "this user cannot execute it\n";
    if (write(log, message, sizeof message - 1) < 0)
        _exit(126);
    _exit(127);
}

/* A pipe that other programs do not get. */
static bool
make_pipe(int ends[2])
{
    if (pipe(ends) != 0)
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

/* Fork, report to the guard, and let the child continue.  The child gets
 * 'life', if it is not negative. */
static pid_t
fork_guarded(const struct command_line *c, const struct identity *who,
             char **env, int life)
{
    int go[2];
    if (!make_pipe(go))
        return -1;
    const pid_t pid = fork();
    if (pid == 0)
        become(c, who, env, go, life);
    const int why = errno;
    if (pid > 0 && c->guard)
        guard_add(c->guard, pid);
    const bool is_told = pid <= 0 || write(go[1], "", 1) == 1;
    close(go[0]);
    close(go[1]);
    errno = is_told ? why : errno;
    return is_told ? pid : -1;
}

bool
process_start(const struct command_line *c, pid_t *out, struct err *err)
{
    struct identity who;
    if (!find_identity(c->user, &who, err))
        return false;
    int life[2] = {-1, -1};
    if (c->lifeline && !make_pipe(life))
        return err_set(err, ERR_IO, "cannot make a pipe: %s", strerror(errno));
    environment env = {0};
    make_environment(c, &env);
    *out = fork_guarded(c, &who, env.at, life[1]);
    const int why = errno;
    if (c->lifeline) {
        *c->lifeline = life[0];
        close(life[1]);
    }
    mem_free(env.at[0]);
    mem_free(env.at[1]);
    vec_free(&env);
    return *out > 0 || err_set(err, ERR_IO, "cannot start '%s': %s", c->argv[0],
                               strerror(why));
}

/* --- ending ----------------------------------------------------------------*/

bool
process_run(const struct command_line *c,
            const volatile sig_atomic_t *interrupted, struct err *err)
{
    pid_t pid;
    int status = 0;
    bool is_late = false;
    const double until = time_now() + c->patience;
    if (!process_start(c, &pid, err))
        return false;
    while (waitpid(pid, &status, WNOHANG) != pid) {
        is_late = c->patience > 0 && time_now() > until;
        // It leads a process group, which includes its children.
        if ((interrupted && *interrupted) || is_late)
            kill(-pid, SIGKILL);
        time_pause(0.01);
    }
    if (c->guard)
        guard_remove(c->guard, pid);
    if (interrupted && *interrupted)
        return err_set(err, ERR_IO, "interrupted");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    char line[256];
    process_last_line(c->log, line, sizeof line);
    return err_set(err, ERR_IO, "'%s' %s: %s", c->argv[0],
                   is_late ? "does not end" : "failed", line);
}

bool
process_has_ended(pid_t pid)
{
    return waitpid(pid, NULL, WNOHANG) != 0;
}

void
process_stop(pid_t pid, int signal, double patience)
{
    const double until = time_now() + patience;
    kill(pid, signal);
    while (!process_has_ended(pid)) {
        if (time_now() > until)
            kill(pid, SIGKILL);
        time_pause(0.01);
    }
}

/* --- children --------------------------------------------------------------*/

/* The parent of a process; 0 if it is not known. */
static pid_t
parent_of(const char *number)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", number);
    FILE *file = fopen(path, "r");
    const size_t n = file ? fread(line, 1, sizeof line - 1, file) : 0;
    if (file)
        fclose(file);
    line[n] = 0;
    // "7 (name) S 1 ...", and the name may have any characters.
    const char *end = strrchr(line, ')');
    return end && strlen(end) > 4 ? (pid_t)strtol(end + 4, NULL, 10) : 0;
}

void
process_children(pid_t parent, pid_vec *out)
{
    DIR *directory = opendir("/proc");
    for (struct dirent *e; directory && (e = readdir(directory));) {
        char *end;
        const long pid = strtol(e->d_name, &end, 10);
        if (pid > 0 && !*end && parent_of(e->d_name) == parent)
            vec_push(out, (pid_t)pid);
    }
    if (directory)
        closedir(directory);
}

/* --- files -----------------------------------------------------------------*/

static char *
copy_text(const char *text)
{
    const size_t n = strlen(text) + 1;
    return memcpy(mem_alloc(n, 1), text, n);
}

static char *
find_in_path(const char *name)
{
    const char *at = getenv("PATH");
    struct buf file = {0};
    while (at && *at) {
        const size_t n = strcspn(at, ":");
        buf_clear(&file);
        buf_add(&file, at, n);
        buf_printf(&file, "/%s", name);
        if (n && access(file.at, X_OK) == 0)
            return file.at;
        at += n + (at[n] == ':');
    }
    buf_free(&file);
    return NULL;
}

char *
process_find(const char *name, const char *const *patterns)
{
    char *found = find_in_path(name);
    for (size_t i = 0; !found && patterns[i]; i++) {
        struct buf pattern = {0};
        buf_printf(&pattern, "%s/%s", patterns[i], name);
        glob_t matches;
        if (glob(pattern.at, 0, NULL, &matches) == 0) {
            if (matches.gl_pathc)
                found = copy_text(matches.gl_pathv[matches.gl_pathc - 1]);
            globfree(&matches);
        }
        buf_free(&pattern);
    }
    return found;
}

void
process_last_line(const char *path, char *out, size_t room)
{
    char line[1024];
    snprintf(out, room, "its log is empty");
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0])
            snprintf(out, room, "%s", line);
    }
    if (file)
        fclose(file);
}
