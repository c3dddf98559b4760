/* paths.h -- directories and patterns in place of histories.
 *
 * A directory that is no history of some format stands for the histories in
 * it, those of its subdirectories included.  A path that does not exist and
 * has a wildcard is a pattern, for callers without a shell.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_PATHS_H
#define CLI_PATHS_H

#include "cli/options/options.h"

/* Replace such paths in o->paths by the histories that they stand for, each
 * directory and pattern in the order of names.  A note on stderr says what was
 * left out of a directory.  It is an error if there is no history in one. */
bool paths_expand(struct options *o, struct err *err);

#endif
