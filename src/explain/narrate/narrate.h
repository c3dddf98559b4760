/* narrate.h -- putting an anomaly into words: what the parts of it share.
 *
 * 'h' is the reduced history, whose ids all dependencies use; the names of
 * transactions come from the whole one, where "s1/4" is still the fourth.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_NARRATE_NARRATE_H
#define EXPLAIN_NARRATE_NARRATE_H

#include "explain/classify.h"
#include "explain/explain.h"
#include "explain/reduce/reduce.h"
#include "explain/row_contradiction.h"

struct narration {
    struct anomaly *a;
    const struct history *whole, *h;
    const txn_id *origin;  // by transaction of h
    const op_id *whole_op; // by operation of h; see narrate_map
    enum level level;      // that the refutation is about: maybe a weaker one
    struct buf b;          // the sentence being built
};

/* Find out which operations of the whole those of h are: comes first.  Where
 * the n operations are known, which h was made of, they are in 'ops' in
 * ascending order. */
void narrate_map(struct narration *t);
void narrate_map_ops(struct narration *t, const op_id *ops, size_t n);

/* Whether a value of the whole is that of h. */
bool narrate_same_value(const struct narration *t, value_id whole, value_id v);

/* Append the list that the operation of the whole read, as it was read.  Of a
 * long one only some elements are shown: those of op, the same read in h, or
 * where that is ID_NONE the last ones. */
void narrate_list(struct narration *t, op_id whole_op, op_id op);

/* Fills 'reduced': h with its lists as they were read. */
bool narrate_reduced(struct narration *t, struct err *err);

/* Copy the sentence built so far into the anomaly, and begin a new one. */
const char *narrate_keep(struct narration *t);

/* Append the name of a transaction of the whole, for people. */
void narrate_name(const struct history *whole, txn_id txn, struct buf *out);

/* Append "(constraint check)" if one made the read. */
void narrate_check(struct narration *t, op_id read);

/* Append a name, a key, what a read saw; all of h. */
void narrate_txn(struct narration *t, txn_id txn);
void narrate_key(struct narration *t, key_id k);
void narrate_seen(struct narration *t, op_id read); // "x = 5"

/* Append "overwrote", or of a list "appended to". */
void narrate_overwrote(struct narration *t, key_id k);

/* Append a dependency as a clause: "s1/5 read 0 = 4 from s1/4". */
void narrate_clause(struct narration *t, const struct dep *d);

/* Append "a -rw-> b -wr-> a". */
void narrate_ring(struct narration *t, const struct dep *d, size_t n);

/* What happened, in a sentence or two: fills 'story'.  The cycle is rotated by
 * classify_turn. */
void narrate_story(struct narration *t, const struct dep *d, size_t n);

/* Append ", 2 transactions of book.sql and pay.sql". */
void narrate_size(struct narration *t);

/* Fills 'headline': the title, the keys, how many transactions. */
void narrate_headline(struct narration *t, const key_id *keys, size_t n);

/* Fills 'txns': those of h, init where it was read, and neighbours from
 * the whole.  'with_init': whether it is mentioned. */
void narrate_txns(struct narration *t, bool with_init, size_t context);

/* The same for some of them, each once. */
void narrate_few_txns(struct narration *t, const u32_vec *txns, size_t context);

/* Append the key that was written: of a question about a row, the row. */
void narrate_written(struct narration *t, key_id k);

/* Append " when it asked for v > 5". */
void narrate_search(struct narration *t, const char *condition);

/* Append that the reads of one row by the source of both edges do not fit
 * together: 'miss' is an rw, 'back' the wr that closes the cycle. */
void narrate_phantom_read(struct narration *t, const struct dep *miss,
                          const struct dep *back);

/* Everything about an anomaly that is two reads of one row. */
void narrate_row_contradiction(struct narration *t,
                               const struct row_contradiction *c,
                               size_t context);

/* Fills 'steps' and 'edges' from a refutation whose best cycle is d. */
void narrate_steps(struct narration *t, const struct model *m,
                   const struct refutation *r, const struct dep *d, size_t n);

/* Adds to 'edges' where the overwritten reads of a cycle came from. */
void narrate_sources(struct narration *t, const struct dep *d, size_t n);

/* Where the operation of h stands among the operations that are listed, or
 * ANOMALY_NONE. */
uint32_t narrate_place(const struct narration *t, txn_id txn, op_id op);

#endif
