/* interrupt.h -- ^C ends a run early, but not the program.
 *
 * The history recorded so far is checked, and the servers that were started are
 * stopped.  A second ^C ends the program, and so does one that comes while a
 * history is checked; the guard of the servers (server/guard.h) stops them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

// Set by SIGINT and SIGTERM; a global, because signal handlers need one.
extern volatile sig_atomic_t interrupt_flag;

/* Until interrupt_restore, signals set the flag, and writing to a broken
 * connection is an error of the call and not a signal. */
void interrupt_catch(void);

/* Let SIGUSR1 ask for a status line, until interrupt_restore. */
void interrupt_catch_status(void);

/* Whether one was asked for since the last call. */
bool interrupt_take_status(void);

/* The run is recorded: from here on, signals end the program. */
void interrupt_release(void);

/* Signals do what they did before interrupt_catch. */
void interrupt_restore(void);

#endif
