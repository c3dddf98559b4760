/* child.c -- see child.h.
 *
 * No thread is needed to read the answers.  Of the threads that wait, one
 * reads the next line, hands it to the place whose number it has, and lets
 * the others look.
 *
 * Input and output of the child are two ends of one socket: a write to a child
 * that is gone is then an error, and no signal.
 *
 *   (1) at most one thread reads, the one that set is_reading;
 *   (2) a place has an answer only between the request and the end of the
 *       child_ask that sent it;
 *   (3) once is_broken is set it stays, with the reason in 'why'.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE // SOCK_CLOEXEC, POSIX_SPAWN_SETSIGMASK
#include "driver/exec/child.h"

#include "base/container/vec.h"
#include "base/memory/mem.h"
#include "base/time.h"
#include "driver/exec/json_line.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define LAST_WORDS 2.0 // seconds that a child may take to end

enum {
    LONG_SILENCE = 60000,    // milliseconds without any answer
    LONGEST_LINE = 64 << 20, // bytes
};

extern char **environ;

struct child_place {
    bool is_taken, is_waiting, is_answered;
    struct buf answer;
};

struct child {
    pid_t pid;
    int socket;
    pthread_mutex_t lock;
    pthread_mutex_t sending;
    pthread_cond_t changes;
    VEC(struct child_place) places;
    bool is_reading;
    bool is_broken;
    bool is_over; // its end was waited for
    struct err why;
    struct buf input; // read, not handed out yet
};

/* --- starting and ending ---------------------------------------------------*/

static int
spawn_shell(const char *command, int socket, pid_t *out)
{
    char shell[] = "sh", option[] = "-c";
    char *text =
        memcpy(mem_alloc(strlen(command) + 1, 1), command, strlen(command) + 1);
    char *const argv[] = {shell, option, text, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawn_file_actions_adddup2(&files, socket, 0);
    posix_spawn_file_actions_adddup2(&files, socket, 1);
    // A group of its own: it can be killed as a whole, and an interrupt at the
    // terminal is for this program, which then closes the child's input.
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &usual);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP |
                                       POSIX_SPAWN_SETSIGMASK |
                                       POSIX_SPAWN_SETSIGDEF);
    const int why = posix_spawn(out, "/bin/sh", &files, &how, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    mem_free(text);
    return why;
}

bool
child_start(const char *command, struct child **out, struct err *err)
{
    int ends[2];
    pid_t pid;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return err_set(err, ERR_IO, "cannot make a socket: %s",
                       strerror(errno));
    const int why = spawn_shell(command, ends[1], &pid);
    close(ends[1]);
    if (why) {
        close(ends[0]);
        return err_set(err, ERR_IO, "cannot start '%s': %s", command,
                       strerror(why));
    }
    struct child *c = mem_calloc(1, sizeof *c);
    c->pid = pid;
    c->socket = ends[0];
    pthread_mutex_init(&c->lock, NULL);
    pthread_mutex_init(&c->sending, NULL);
    pthread_cond_init(&c->changes, NULL);
    *out = c;
    return true;
}

/* Say how a child ended that has closed its output. */
static bool
describe_end(struct child *c, struct err *err)
{
    const double until = time_now() + LAST_WORDS;
    int status = 0;
    while (!c->is_over && time_now() < until) {
        c->is_over = waitpid(c->pid, &status, WNOHANG) != 0;
        if (!c->is_over)
            time_pause(0.002);
    }
    // A shell says so with a status.
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status)
                       : WIFEXITED(status) && WEXITSTATUS(status) > 128
                           ? WEXITSTATUS(status) - 128
                           : 0;
    if (c->is_over && signal)
        return err_set(err, ERR_IO, "the program ended by signal %d", signal);
    if (c->is_over && WIFEXITED(status))
        return err_set(err, ERR_IO, "the program ended with status %d",
                       WEXITSTATUS(status));
    return err_set(err, ERR_IO, "the program ended and closed its output");
}

void
child_stop(struct child *c)
{
    assert(!c->is_reading);
    const double until = time_now() + LAST_WORDS;
    shutdown(c->socket, SHUT_WR);
    while (!c->is_over && time_now() < until) {
        c->is_over = waitpid(c->pid, NULL, WNOHANG) != 0;
        if (!c->is_over)
            time_pause(0.002);
    }
    // Its group may outlive the shell.
    kill(-c->pid, SIGKILL);
    if (!c->is_over)
        waitpid(c->pid, NULL, 0);
    close(c->socket);
    for (size_t i = 0; i < c->places.n; i++)
        buf_free(&c->places.at[i].answer);
    vec_free(&c->places);
    buf_free(&c->input);
    pthread_cond_destroy(&c->changes);
    pthread_mutex_destroy(&c->sending);
    pthread_mutex_destroy(&c->lock);
    mem_free(c);
}

/* --- places ----------------------------------------------------------------*/

uint32_t
child_take_place(struct child *c)
{
    pthread_mutex_lock(&c->lock);
    size_t i = 0;
    while (i < c->places.n && c->places.at[i].is_taken)
        i++;
    if (i == c->places.n)
        vec_push(&c->places, ((struct child_place){0}));
    c->places.at[i].is_taken = true;
    pthread_mutex_unlock(&c->lock);
    return (uint32_t)i;
}

void
child_leave_place(struct child *c, uint32_t place)
{
    pthread_mutex_lock(&c->lock);
    assert(place < c->places.n && c->places.at[place].is_taken);
    assert(!c->places.at[place].is_waiting);
    c->places.at[place].is_taken = false;
    pthread_mutex_unlock(&c->lock);
}

/* --- reading ---------------------------------------------------------------*/

/* Read until 'input' has a line; without the lock. */
static bool
read_line(struct child *c, size_t *length, struct err *err)
{
    size_t seen = 0;
    for (;;) {
        const char *end = c->input.n > seen ? memchr(c->input.at + seen, '\n',
                                                     c->input.n - seen)
                                            : NULL;
        if (end) {
            *length = (size_t)(end - c->input.at);
            return true;
        }
        seen = c->input.n;
        if (seen > LONGEST_LINE)
            return err_set(err, ERR_LIMIT, "a line of more than %d MB",
                           LONGEST_LINE >> 20);
        struct pollfd ready = {.fd = c->socket, .events = POLLIN};
        const int n = poll(&ready, 1, LONG_SILENCE);
        if (n == 0)
            return err_set(err, ERR_IO,
                           "no answer from the program for %d seconds",
                           LONG_SILENCE / 1000);
        char some[4096];
        const ssize_t got = n < 0 ? -1 : read(c->socket, some, sizeof some);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno != ECONNRESET)
            return err_set(err, ERR_IO, "%s", strerror(errno));
        if (got <= 0)
            return describe_end(c, err);
        buf_add(&c->input, some, (size_t)got);
    }
}

/* The place that a line answers to: its "session", 0 where it has none. */
static bool
read_place(const char *line, size_t n, uint64_t *out, struct err *err)
{
    struct json_line json = {0};
    bool ok = json_line_read(&json, line, n, err);
    const struct form *f = ok ? json_line_get(&json, "session") : NULL;
    *out = 0;
    if (f && f->kind != FORM_INTEGER)
        ok = err_set(err, ERR_SYNTAX, "expected a number for \"session\"");
    else if (f)
        *out = strtoull(f->text.at, NULL, 10);
    json_line_free(&json);
    return ok;
}

/* Drop the first line of 'input'. */
static void
drop_line(struct child *c, size_t length)
{
    const size_t rest = c->input.n - length - 1;
    memmove(c->input.at, c->input.at + length + 1, rest);
    c->input.n = rest;
}

/* Whether a line is meant as an answer.  Other lines are the program's own
 * output, such as the banner of a library. */
static bool
is_answer(const char *line, size_t n)
{
    size_t i = 0;
    while (i < n && (line[i] == ' ' || line[i] == '\t'))
        i++;
    return i < n && line[i] == '{';
}

/* Write the first line of 'input' to this program's standard error. */
static void
pass_on(struct child *c, size_t length)
{
    size_t at = 0;
    while (at <= length) {
        const ssize_t n =
            write(STDERR_FILENO, c->input.at + at, length + 1 - at);
        if (n < 0 && errno != EINTR)
            break; // nothing depends on it
        at += n > 0 ? (size_t)n : 0;
    }
    drop_line(c, length);
}

/* Hand the first line of 'input' to its place; with the lock. */
static bool
hand_out(struct child *c, size_t length, struct err *err)
{
    uint64_t place = 0;
    struct err why = {0};
    if (!is_answer(c->input.at, length)) {
        pass_on(c, length);
        return true;
    }
    if (read_place(c->input.at, length, &place, &why) &&
        (place >= c->places.n || !c->places.at[place].is_waiting ||
         c->places.at[place].is_answered))
        err_set(&why, ERR_SYNTAX, "session %" PRIu64 " asked nothing", place);
    if (why.kind != ERR_NONE) {
        char shown[ERR_QUOTE_ROOM];
        return err_set(err, ERR_SYNTAX, "the program wrote '%s': %s",
                       err_quote(shown, sizeof shown, c->input.at, length),
                       why.text);
    }
    struct child_place *p = &c->places.at[place];
    buf_clear(&p->answer);
    buf_add(&p->answer, c->input.at, length);
    p->is_answered = true;
    drop_line(c, length);
    return true;
}

/* Read one line, for any place; with the lock, which is given up while
 * reading. */
static void
read_next(struct child *c)
{
    struct err err = {0};
    size_t length = 0;
    assert(!c->is_reading);
    c->is_reading = true;
    pthread_mutex_unlock(&c->lock);
    bool ok = read_line(c, &length, &err);
    pthread_mutex_lock(&c->lock);
    c->is_reading = false;
    ok = ok && hand_out(c, length, &err);
    if (!ok) {
        c->is_broken = true;
        c->why = err;
    }
    pthread_cond_broadcast(&c->changes);
}

/* --- asking ----------------------------------------------------------------*/

/* Send a whole line; lines of different threads do not mix. */
static bool
send_line(struct child *c, const struct buf *request)
{
    bool ok = true;
    pthread_mutex_lock(&c->sending);
    for (size_t at = 0; ok && at < request->n;) {
        const ssize_t n =
            send(c->socket, request->at + at, request->n - at, MSG_NOSIGNAL);
        if (n > 0)
            at += (size_t)n;
        else
            ok = n < 0 && errno == EINTR;
    }
    while (ok && send(c->socket, "\n", 1, MSG_NOSIGNAL) != 1)
        ok = errno == EINTR;
    pthread_mutex_unlock(&c->sending);
    return ok;
}

bool
child_ask(struct child *c, uint32_t place, const struct buf *request,
          struct buf *answer, struct err *err)
{
    pthread_mutex_lock(&c->lock);
    assert(place < c->places.n && c->places.at[place].is_taken);
    assert(!c->places.at[place].is_waiting);
    c->places.at[place].is_waiting = true;
    c->places.at[place].is_answered = false;
    pthread_mutex_unlock(&c->lock);
    // Where the child is gone, reading says so.
    (void)send_line(c, request);
    pthread_mutex_lock(&c->lock);
    while (!c->places.at[place].is_answered && !c->is_broken)
        if (c->is_reading)
            pthread_cond_wait(&c->changes, &c->lock);
        else
            read_next(c);
    struct child_place *p = &c->places.at[place];
    const bool ok = p->is_answered;
    buf_clear(answer);
    if (ok)
        buf_add(answer, p->answer.at, p->answer.n);
    else
        *err = c->why;
    p->is_waiting = p->is_answered = false;
    pthread_mutex_unlock(&c->lock);
    return ok;
}

bool
child_is_broken(struct child *c)
{
    pthread_mutex_lock(&c->lock);
    const bool is_broken = c->is_broken;
    pthread_mutex_unlock(&c->lock);
    return is_broken;
}
