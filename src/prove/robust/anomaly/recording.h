/* recording.h -- an anomaly on its way to a history; private to record*.c.
 *
 * A cell is what becomes a key of the history.  A version of a cell is the
 * member that wrote it, or the initial one.  Which version a statement saw
 * follows from whom it saw, as a set of members; the last of them that wrote
 * the cell, in the order of commits, is the one.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_ANOMALY_RECORDING_H
#define PROVE_ROBUST_ANOMALY_RECORDING_H

#include "base/buf.h"
#include "prove/robust/search/search.h"

enum { INITIAL = INTERLEAVING_MOST, VERSIONS };

/* What a cell holds in each version; NULL where the version does not write
 * it.  The initial version of what is not there is NULL, too: nil. */
struct recorded_cell {
    const char *value[VERSIONS];
    bool is_used;
};

struct version_read {
    uint32_t cell, version;
};

struct recording {
    const struct finding *f;
    const struct program *p;
    const struct interleaving *e;
    struct strings names;
    VEC(struct recorded_cell) cells;
    VEC(const struct datum *) * rows; // of each table: all that ever were
    VEC(struct version_read) reads[INTERLEAVING_MOST];
    struct arena arena;
};

/* The members in the order of their commits. */
uint32_t recording_member(const struct recording *r, uint32_t i);

/* Whom the member saw at a step, as bits. */
uint32_t recording_seen(const struct recording *r, uint32_t member,
                        uint32_t step);

/* The version of a cell for a transaction that saw these members. */
uint32_t recording_version(const struct recording *r, uint32_t cell,
                           uint32_t seen);

/* The cell of a name, which is freed. */
uint32_t recording_cell(struct recording *r, struct buf *name);

/* The cell that says whether the row is there, and those of its columns. */
uint32_t recording_row(struct recording *r, uint32_t table,
                       const struct datum *row);
uint32_t recording_column(struct recording *r, uint32_t table,
                          const struct datum *row, uint32_t column);

/* The cell of rows of the table that have the values, which 'from' has in
 * columns 'of' of another table or of the same.  False where one of them is
 * NULL. */
bool recording_values(struct recording *r, uint32_t table,
                      const struct columns *columns, const struct datum *from,
                      const struct columns *of, uint32_t *cell);

/* The same of one row that refers to another: whether it has the values.  Two
 * transactions may add such rows at once, and so they have no cell in common.
 */
bool recording_child(struct recording *r, uint32_t table,
                     const struct datum *row, const struct columns *columns,
                     const struct datum *from, const struct columns *of,
                     uint32_t *cell);

/* Whether the statement of a reading chose the row, to read it again after it
 * had waited. */
bool recording_was_chosen(const struct recording *r, const struct run *run,
                          const struct run_read *x, const struct datum *row);

/* Note the initial rows, what a member writes, and, when that is known of all,
 * what one reads. */
void recording_add_initial(struct recording *r);
void recording_add_writes(struct recording *r, uint32_t member);
void recording_add_reads(struct recording *r, uint32_t member);

#endif
