/* repair.h -- the smallest set of changes that makes programs serializable.
 *
 * Where there is no proof, there is a cycle that it could not exclude: P, X and
 * Y.  One of the changes that bear on these must be made, whatever else is.  So
 * the cheapest set that has one of each cycle so far is tried next, until the
 * changed programs are proved, or a cycle is left that no change bears on.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_REPAIR_REPAIR_H
#define PROVE_ROBUST_REPAIR_REPAIR_H

#include "prove/robust/repair/repair_site.h"
#include "prove/robust/search/search.h"

/* Which changes are thought of. */
enum repair_by {
    REPAIR_BY_STATEMENTS, // locks, writes, constraints, guards
    REPAIR_BY_LEVELS,     // SERIALIZABLE (at rc also si) for functions
};

struct repair {
    bool found;          // and proved
    repair_sites sites;  // all that there are
    bool *chosen;        // of each
    uint32_t proofs;     // that were tried
    const char *why_not; // where none is found
};

/* Find a repair of programs that run at levels of PostgreSQL; to be freed in
 * any case.
 *
 *   error  ERR_FEATURE where Z3 cannot be loaded */
bool repair_find(const struct program *p, const struct level_choice *levels,
                 enum repair_by by, const struct search_limits *limits,
                 struct repair *out, struct err *err);
void repair_free(struct repair *r);

#endif
