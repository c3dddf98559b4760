/* follow_beside.h -- a recording that is checked while 'assay test' makes it.
 *
 * A child process follows the file, so that a slow check never slows down the
 * sessions.  It prints violations on stderr.  The verdict is still that of the
 * check of the whole recording afterwards.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_FOLLOW_BESIDE_H
#define CLI_FOLLOW_BESIDE_H

#include "cli/options/options.h"

#include <sys/types.h>

struct follow_beside {
    pid_t child; // 0: none
};

/* Begin to follow the file 'path', at the strongest level of the command line
 * that is not a strict one.  Comes before threads are started. */
bool follow_beside_begin(struct follow_beside *f, const struct options *o,
                         const char *path, struct err *err);

/* Wait for the child; 'is_complete': the recording has its end. */
void follow_beside_end(struct follow_beside *f, bool is_complete);

#endif
