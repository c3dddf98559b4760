/* isolation.h -- the levels at which programs are analysed, as options and as
 * text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_ISOLATION_H
#define CLI_ISOLATION_H

#include "base/buf.h"
#include "cli/options/options.h"
#include "execute/isolation.h"

/* Parse -l, --level-file and --serializable: one isolation for each level, all
 * with the same exceptions.  There are at most LEVELS.  They are all-zero
 * before and must be freed in any case, and so must the axioms of a user's
 * level.
 *
 *   error  ERR_USAGE for an unknown name, or levels that cannot be combined;
 *          ERR_SYNTAX with the position of an error in the file */
bool isolation_read(const struct options *o, const struct program *p,
                    struct level_choice *out, size_t *n, struct axioms *own,
                    struct err *err);

/* The short name; 'ec' is read atomic without sessions. */
const char *isolation_brief(enum level l);

/* "snapshot, balance at rc". */
void isolation_show(const struct level_choice *i, const struct program *p,
                    struct buf *out);
/* The members of an object. */
void isolation_json(const struct level_choice *i, const struct program *p,
                    struct buf *out);

#endif
