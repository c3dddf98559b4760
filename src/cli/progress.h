/* progress.h -- a line on stderr during long work.
 *
 * The line appears only on a terminal, and only after a second.  It shows what
 * is being done, for how long, and how much memory it uses, cut to the width of
 * the terminal.  It is removed when the work ends.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

struct progress;

/* Begin to show progress of 'what'.  NULL if progress is not shown. */
struct progress *progress_begin(bool quiet, const char *what,
                                const char *subject);

/* Show this, too, from now on: "ser: verifying".  p may be NULL. */
void progress_say(struct progress *p, const char *more);

/* Remove the line until it is due again, to print something else.  p may be
 * NULL. */
void progress_clear(struct progress *p);

void progress_end(struct progress *p);

#endif
