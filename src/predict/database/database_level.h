/* database_level.h -- what a database does at an isolation level, for
 * predictions about it (doc/levels.md, "What databases do").
 *
 *   (S1) a transaction is a row of statements and a commit, which happen at
 *        moments; all moments are in one order;
 *   (S2) a read sees, of each row, the version that was committed last: before
 *        its statement, or before the first one of its transaction
 *        (one_snapshot).  With late_locks the snapshot is that of the first
 *        statement that reads without locks, and reads with locks see what was
 *        committed before their statement;
 *   (S3) a statement locks the rows that it writes, and those that it selects
 *        to be locked, until the end of its transaction.  Two transactions do
 *        not hold locks of one row that conflict;
 *   (S4) with one_snapshot, and without late_locks, a statement fails that
 *        locks a row which another transaction has changed since the snapshot.
 *
 * A statement that waits takes place at the moment when it goes on.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PREDICT_DATABASE_DATABASE_LEVEL_H
#define PREDICT_DATABASE_DATABASE_LEVEL_H

#include "base/err.h"
#include "history/history.h"
#include "history/isolation.h"
#include "level/level.h"
#include "predict/execution/execution.h"

struct database_level {
    const char *name;  // as the option takes it
    const char *title; // for people
    const char *sql;   // the isolation level in SQL
    enum level level;  // what it implies: the search begins with that
    bool one_snapshot;
    bool is_serial; // all executions are serializable
    bool late_locks;
    bool as_recorded; // each transaction at the level in its metadata
};

extern const struct database_level database_levels[];
extern const size_t database_levels_n;

/* The row of this name, or NULL. */
const struct database_level *database_level_find(const char *name);

/* Whether two locks of a row conflict. */
bool database_level_conflicts(enum row_lock a, enum row_lock b);

/* A lock that a transaction takes on a row. */
struct moment_lock {
    key_id row;
    uint32_t txn;
    uint32_t point; // of the statement
    enum row_lock mode;
    bool writes;
};

/* The moments of an observed execution: those of transaction t are
 * first[t] .. first[t + 1) - 1, and the last of them is its commit. */
struct moments {
    const struct observed *o;
    uint32_t n;
    uint32_t *first;
    uint32_t *of_read;     // by read
    uint32_t *statement;   // by moment: its number, 0: not known
    uint8_t *is_unknown;   // by transaction: some operation is of an
                           // unknown statement
    uint8_t *one_snapshot; // by transaction
    uint32_t *snapshot;    // by transaction: the moment of that one
    bool late_locks;
    VEC(struct moment_lock) locks; // by row, then by transaction
};

void moments_init(struct moments *m, const struct observed *o,
                  const struct database_level *on);
void moments_free(struct moments *m);

static inline uint32_t
moments_commit(const struct moments *m, uint32_t t)
{
    return m->first[t + 1] - 1;
}

/* The moment whose snapshot a read sees. */
uint32_t moments_snapshot(const struct moments *m, uint32_t r);

/* Whether a statement of t fails by (S4). */
static inline bool
moments_fails(const struct moments *m, uint32_t t)
{
    return m->one_snapshot[t] && !m->late_locks;
}

/* Whether the database allows serializable executions only. */
bool database_level_is_serial(const struct database_level *s,
                              const struct history *h);

/* Whether x can happen in this order of moments: run it. */
bool schedule_runs(const struct moments *m, const struct execution *x,
                   const u32_vec *order);

#endif
