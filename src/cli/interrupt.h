/* interrupt.h -- ^C ends a run early and not the program.
 *
 * What was recorded until then is checked, and the servers that were started
 * are stopped.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <signal.h>

// Set by SIGINT and SIGTERM.  A signal handler can reach only globals.
extern volatile sig_atomic_t interrupt_flag;

/* From here on signals set the flag, and a broken connection is an error of a
 * call and not a signal; until interrupt_restore. */
void interrupt_catch(void);
void interrupt_restore(void);

#endif
