/* repair_site.h -- changes of programs that keep transactions apart.
 *
 * Each is something that a user of PostgreSQL can write, and changes the
 * programs in the same way:
 *
 *   lock       SELECT .. FOR UPDATE, or a PERFORM .. FOR UPDATE in front where
 *              the query has an aggregate or is part of an expression;
 *   promote    UPDATE t SET c = c in front of a read: it becomes a write;
 *   unique     UNIQUE on the columns that a function looks for before it
 *              inserts;
 *   foreign    a foreign key to the row that a function looks for before it
 *              inserts;
 *   guard      one row of a new table that a function writes first;
 *   level      another level for one function.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_REPAIR_REPAIR_SITE_H
#define PROVE_ROBUST_REPAIR_REPAIR_SITE_H

#include "base/buf.h"
#include "prove/execute/isolation.h"

enum repair_kind {
    REPAIR_LOCK,
    REPAIR_PROMOTE,
    REPAIR_UNIQUE,
    REPAIR_FOREIGN,
    REPAIR_GUARD,
    REPAIR_LEVEL,
};

struct repair_site {
    enum repair_kind kind;
    uint32_t function;                 // that changes; of a constraint, inserts
    const struct statement *statement; // LOCK, PROMOTE: that reads
    const struct query *query;         // and its query
    uint32_t table;                    // whose rows it is about
    uint64_t columns;                  // UNIQUE, FOREIGN: of the table, as bits
    uint32_t parent;                   // FOREIGN
    enum level level;                  // LEVEL
};

typedef VEC(struct repair_site) repair_sites;

/* All changes that a program offers, where its functions run at the levels. */
void repair_sites_find(const struct program *p,
                       const struct level_choice *levels, repair_sites *out);

/* A program with changes. */
struct repaired {
    struct program program; // not to be freed for itself
    struct level_choice levels;
    struct arena arena;
    uint32_t guard; // the new table; UINT32_MAX: none
};

/* Apply the changes whose bit is set; to be freed.  The program stays in use.
 */
void repaired_init(struct repaired *c, const struct program *p,
                   const struct level_choice *levels,
                   const repair_sites *changes, const bool *chosen);
void repaired_free(struct repaired *c);

/* "write_check, line 59: read savings FOR UPDATE". */
void repair_site_show(const struct program *p, const struct repair_site *c,
                      struct buf *out);

#endif
