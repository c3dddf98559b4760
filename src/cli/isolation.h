/* isolation.h -- the levels that programs are looked at, as options and as
 * text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_ISOLATION_H
#define CLI_ISOLATION_H

#include "base/buf.h"
#include "cli/options.h"
#include "execute/isolation.h"

/* What -l, --level-file and --serializable say: an isolation for each level,
 * with the same exceptions.  At most LEVELS of them, all-zero before and to be
 * freed in any case, as are the axioms of a level of the user's own.
 *
 *   error  ERR_USAGE for a name that is none, or levels that do not go
 *          together; ERR_SYNTAX with the position of a mistake in the file */
bool isolation_read(const struct options *o, const struct program *p,
                    struct level_choice *out, size_t *n, struct axioms *own,
                    struct err *err);

/* The short name; ec is read atomic without sessions. */
const char *isolation_brief(enum level l);

/* "snapshot, balance at rc". */
void isolation_show(const struct level_choice *i, const struct program *p,
                    struct buf *out);
/* The members of an object. */
void isolation_json(const struct level_choice *i, const struct program *p,
                    struct buf *out);

#endif
