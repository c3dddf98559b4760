/* limit_process.c -- limits that are kept by processes; see limit.h.
 *
 * The child says which limit it reached in memory that both processes share;
 * what it says consists of numbers and of pointers to constants, which are the
 * same in both.  Time is a timer of the child whose signal ends it at once,
 * memory is the limit of the process in context.c.  A child whose parent is
 * killed is killed.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "base/limits/limit.h"

#include "base/limits/context.h"
#include "base/memory/mem.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- processes --------------------------------------------------------------
 */

/* What the child of a try reports to its parent; NULL where no try is under
 * way. */
static struct limit_stop *shared;

static _Noreturn void
fail(const char *what)
{
    fprintf(stderr, "assay: cannot keep limits: %s: %s\n", what,
            strerror(errno));
    _exit(2);
}

void
limit_end_program(const char *message)
{
    fputs(message, stderr);
    _exit(2);
}

/* Flush all files and fork, so that nothing is written twice. */
static pid_t
fork_quietly(void)
{
    fflush(NULL);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0)
        fail("fork");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(2);
    }
    return child;
}

/* Wait for the child; its exit status.  A signal that killed it is raised here,
 * too. */
static int
wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            fail("waitpid");
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    _exit(128 + WTERMSIG(status));
}

/* --- tries ------------------------------------------------------------------
 */

void
limit_end_try(enum limit_kind kind, const char *what, uint64_t most)
{
    if (!shared)
        return;
    shared->kind = kind;
    shared->what = what;
    shared->most = most;
    _exit(EXIT_SUCCESS);
}

static void
on_alarm(int signal)
{
    (void)signal;
    limit_end_try(LIMIT_TIME, NULL, 0);
}

static void
set_timer(double after)
{
    // Zero would be never.
    const double t = after > 1e-6 ? after : 1e-6;
    struct itimerval timer = {0};
    timer.it_value.tv_sec = (time_t)t;
    timer.it_value.tv_usec =
        (suseconds_t)((t - (double)timer.it_value.tv_sec) * 1e6);
    struct sigaction action = {0};
    action.sa_handler = on_alarm;
    if (sigaction(SIGALRM, &action, NULL) != 0 ||
        setitimer(ITIMER_REAL, &timer, NULL) != 0)
        fail("timer");
}

bool
limit_try(const struct limits *l, double spent, const char *phase,
          struct limit_stop *stop)
{
    assert(limits_set(l) && !shared);
    struct limit_stop *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        fail("mmap");
    *page = (struct limit_stop){
        .seconds = l->seconds, .bytes = l->bytes, .phase = phase};
    const pid_t child = fork_quietly();
    if (child == 0) {
        shared = page;
        context_limit_process(l->bytes);
        if (l->seconds > 0)
            set_timer(l->seconds - spent);
        return true;
    }
    const int status = wait_for(child);
    *stop = *page;
    munmap(page, sizeof *page);
    if (stop->kind == LIMIT_NONE)
        _exit(status);
    return false;
}

void
limit_phase(const char *phase)
{
    if (shared)
        shared->phase = phase;
}

void
limit_end(void)
{
    if (!shared)
        return;
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    context_limit_process(0);
    munmap(shared, sizeof *shared);
    shared = NULL;
}

/* --- runs -------------------------------------------------------------------
 */

static void
write_all(int fd, const char *at, size_t n)
{
    while (n) {
        const ssize_t some = write(fd, at, n);
        if (some < 0 && errno == EINTR)
            continue;
        if (some <= 0)
            fail("write");
        at += some;
        n -= (size_t)some;
    }
}

/* Read n bytes. */
static void
read_all(int fd, char *at, size_t n)
{
    while (n) {
        const ssize_t some = read(fd, at, n);
        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0)
            fail("read");
        if (some == 0) // the child is gone; how it ended says the rest
            return;
        at += some;
        n -= (size_t)some;
    }
}

/* The child sends, for each result, how many bytes there are and the bytes. */
static void
send(int fd, const struct limit_result results[], const size_t before[],
     size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct limit_result *r = &results[i];
        const size_t size = r->text ? r->text->n - before[i] : r->size;
        write_all(fd, (const char *)&size, sizeof size);
        if (size)
            write_all(fd, r->text ? r->text->at + before[i] : r->value, size);
    }
}

static void
receive(int fd, const struct limit_result results[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t size = 0;
        read_all(fd, (char *)&size, sizeof size);
        if (!size) // no text, or the child has died
            continue;
        char *bytes = mem_calloc(size, 1);
        read_all(fd, bytes, size);
        if (results[i].text) {
            buf_add(results[i].text, bytes, size);
        } else {
            assert(size == results[i].size);
            memcpy(results[i].value, bytes, size);
        }
        mem_free(bytes);
    }
}

int
limit_run(int (*work)(void *self), void *self,
          const struct limit_result results[], size_t n)
{
    size_t before[LIMIT_RESULTS];
    assert(n <= LIMIT_RESULTS);
    for (size_t i = 0; i < n; i++) {
        assert(!results[i].text != !results[i].value);
        before[i] = results[i].text ? results[i].text->n : 0;
    }
    int ends[2];
    if (pipe(ends) != 0)
        fail("pipe");
    const pid_t child = fork_quietly();
    if (child == 0) {
        close(ends[0]);
        const int status = work(self);
        fflush(NULL);
        send(ends[1], results, before, n);
        _exit(status);
    }
    close(ends[1]);
    receive(ends[0], results, n);
    close(ends[0]);
    return wait_for(child);
}
