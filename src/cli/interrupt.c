/* interrupt.c -- see interrupt.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/interrupt.h"

#include <stddef.h>

volatile sig_atomic_t interrupt_flag;

static volatile sig_atomic_t status_flag;

static void
set_status_flag(int number)
{
    (void)number;
    status_flag = 1;
}

static void
set_flag(int number)
{
    if (interrupt_flag) {
        // Asked twice: whatever goes on takes too long for the user.
        signal(number, SIG_DFL);
        raise(number);
    }
    interrupt_flag = 1;
}

static void
handle_signals(void (*handler)(int), void (*for_pipes)(int))
{
    struct sigaction action = {.sa_handler = handler};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = for_pipes;
    sigaction(SIGPIPE, &action, NULL);
}

void
interrupt_catch(void)
{
    handle_signals(set_flag, SIG_IGN);
}

void
interrupt_catch_status(void)
{
    struct sigaction action = {.sa_handler = set_status_flag,
                               .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
}

bool
interrupt_take_status(void)
{
    const bool asked = status_flag;
    status_flag = 0;
    return asked;
}

void
interrupt_release(void)
{
    handle_signals(SIG_DFL, SIG_IGN);
}

void
interrupt_restore(void)
{
    signal(SIGUSR1, SIG_DFL);
    handle_signals(SIG_DFL, SIG_DFL);
}
