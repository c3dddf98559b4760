/* test_interrupt.c -- what signals do while a run goes on and after it.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/interrupt.h"
#include "test.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* The signal that ended a child which did 'what'; 0 if none did. */
static int
ended_by(void (*what)(void))
{
    const pid_t child = fork();
    if (!child) {
        what();
        _exit(0);
    }
    int status = 0;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void
once(void)
{
    interrupt_catch();
    raise(SIGTERM);
    if (!interrupt_flag)
        abort();
}

static void
twice(void)
{
    interrupt_catch();
    raise(SIGINT);
    raise(SIGTERM);
}

static void
when_recorded(void)
{
    interrupt_catch();
    interrupt_release();
    raise(SIGTERM);
}

static void
pipe_when_recorded(void)
{
    interrupt_catch();
    interrupt_release();
    raise(SIGPIPE);
}

static void
one_signal_ends_the_run_only(void)
{
    CHECK(ended_by(once) == 0);
}

static void
a_second_signal_ends_the_program(void)
{
    CHECK(ended_by(twice) == SIGTERM);
}

static void
a_signal_while_checking_ends_the_program(void)
{
    CHECK(ended_by(when_recorded) == SIGTERM);
    CHECK(ended_by(pipe_when_recorded) == 0);
}

int
main(void)
{
    RUN(one_signal_ends_the_run_only);
    RUN(a_second_signal_ends_the_program);
    RUN(a_signal_while_checking_ends_the_program);
    return test_end();
}
