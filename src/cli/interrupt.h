/* interrupt.h -- ^C ends a run early, but not the program.
 *
 * The history recorded so far is checked, and the servers that were started are
 * stopped.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <signal.h>

// Set by SIGINT and SIGTERM; a global, because signal handlers need one.
extern volatile sig_atomic_t interrupt_flag;

/* Until interrupt_restore, signals set the flag, and writing to a broken
 * connection is an error of the call and not a signal. */
void interrupt_catch(void);
void interrupt_restore(void);

#endif
