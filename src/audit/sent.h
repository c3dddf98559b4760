/* sent.h -- the statements that a recorded transaction sent, from its metadata.
 *
 * SPDX-License-Identifier: MIT */
#ifndef AUDIT_SENT_H
#define AUDIT_SENT_H

#include "base/memory/arena.h"
#include "history/history.h"

/* A statement as it was sent, and its parameters as texts; a NULL pointer is
 * SQL's NULL. */
struct sent {
    const char *sql;
    const char **values;
    size_t n_values;
    uint32_t found; // row versions that it found
    bool is_added;  // by trial.c
    bool is_cut;    // a value was too long to be recorded
};

typedef VEC(struct sent) sent_vec;

/* The statements of t, those that assay record writes.  None if t has no such
 * metadata. */
void sent_read(const struct history *h, txn_id t, struct arena *arena,
               sent_vec *out);

/* The endpoint of a transaction that predictions name: without its number. */
const char *sent_endpoint(const char *name, struct arena *arena);

/* The shape of a statement: without comments, numbers and strings. */
void sent_shape(const char *sql, struct buf *out);

/* The text without comments of the form of sqlcommenter, on one line. */
void sent_plain(const char *sql, struct buf *out);

#endif
