/* progress.h -- a line on stderr while something takes long.
 *
 * Only on a terminal, and only after a second: what is being done, for how
 * long, and how much memory it holds.  The line is removed when the work ends.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

struct progress;

/* Show that 'what' begins.  NULL where progress is not shown. */
struct progress *progress_begin(bool quiet, const char *what,
                                const char *subject);
void progress_end(struct progress *p);

#endif
