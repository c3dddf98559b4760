/* told.h -- putting an anomaly into words: what the parts of it share.
 *
 * 'h' is the reduced history, whose ids all dependencies use; the names of
 * transactions come from the whole one, where "s1/4" is still the fourth.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_TOLD_H
#define EXPLAIN_TOLD_H

#include "explain/classify.h"
#include "explain/explain.h"
#include "explain/reduce.h"

struct told {
    struct anomaly *a;
    const struct history *whole, *h;
    const txn_id *origin;  // by transaction of h
    const op_id *whole_op; // by operation of h; see told_map
    enum level level;      // that the refutation is about: maybe a weaker one
    struct buf b;          // the sentence being built
};

/* Find out which operations of the whole those of h are: comes first.  Where
 * the n operations are known, which h was made of, they are in 'ops' in
 * ascending order. */
void told_map(struct told *t);
void told_map_ops(struct told *t, const op_id *ops, size_t n);

/* Whether a value of the whole is that of h. */
bool told_same_value(const struct told *t, value_id whole, value_id v);

/* Append the list that the operation of the whole read, as it was read.  Of a
 * long one only some elements are told: those of op, the same read in h, or
 * where that is ID_NONE the last ones. */
void told_list(struct told *t, op_id whole_op, op_id op);

/* Fills 'reduced': h with its lists as they were read. */
bool told_reduced(struct told *t, struct err *err);

/* Copy the sentence built so far into the anomaly, and begin a new one. */
const char *told_keep(struct told *t);

/* Append the name of a transaction of the whole, for people. */
void told_name(const struct history *whole, txn_id txn, struct buf *out);

/* Append a name, a key, what a read saw; all of h. */
void told_txn(struct told *t, txn_id txn);
void told_key(struct told *t, key_id k);
void told_seen(struct told *t, op_id read); // "x = 5"

/* Append "overwrote", or of a list "appended to". */
void told_overwrote(struct told *t, key_id k);

/* Append a dependency as a clause: "s1/5 read 0 = 4 from s1/4". */
void told_clause(struct told *t, const struct dep *d);

/* Append "a -rw-> b -wr-> a". */
void told_ring(struct told *t, const struct dep *d, size_t n);

/* What happened, in a sentence or two: fills 'story'.  The cycle is turned. */
void told_story(struct told *t, const struct dep *d, size_t n);

/* Fills 'headline': the title, the keys, how many transactions. */
void told_headline(struct told *t, const key_id *keys, size_t n);

/* Fills 'txns': those of h, init where somebody read it, and neighbours from
 * the whole.  'with_init': whether it is mentioned. */
void told_txns(struct told *t, bool with_init, size_t context);

/* Fills 'steps' and 'edges' from a refutation whose best cycle is d. */
void told_steps(struct told *t, const struct model *m,
                const struct refutation *r, const struct dep *d, size_t n);

/* Where the operation of h stands among the operations told, or TOLD_NONE. */
uint32_t told_place(const struct told *t, txn_id txn, op_id op);

#endif
