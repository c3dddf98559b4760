/* problem.h -- a history as the strong engine sees it: points, versions, reads
 * and the graph of what is known.
 *
 * Transactions are numbered densely: first those that count, by session, then
 * those that may count, which are called optional.  At ser and psi a
 * transaction is one point, at pc and si it is two, start and commit; the
 * points of a session form a chain.  The points of an optional transaction are
 * a chain of their own, after the one before it in its session.  If it does not
 * count, it is thought to come after everything else, where it does no harm; so
 * what the graph says of it holds either way.  Only if it counts,
 *
 *   - its reads must be served, and
 *   - it precedes its followers: those after it in its session, up to the first
 *     that certainly counts.
 *
 * As long as it is open whether it counts, no edge leaves it and its reads stay
 * ambiguous, even with one candidate.  The strict levels have one more chain,
 * the time line: an end is joined to the next instant of it, a begin to the
 * last, so that n transactions need 2n edges and not n^2.
 *
 * A version is a key and the transaction that wrote it last; those of a key are
 * contiguous, INIT's first and then by transaction, which is by session too.
 * A read is an external read of one value of one key by one transaction, and
 * has a version, or is ambiguous and has candidates.
 *
 * Every edge of the graph carries a label that says why it is there:
 *
 *   (P1) a label and the edges before it are enough to justify an edge, so a
 *        proof can be made afterwards (construct_proof.c);
 *   (P2) labels.n == g.edges.n, except inside the theory of the search.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_PROBLEM_H
#define STRONG_PROBLEM_H

#include "evidence/certificate.h"
#include "graph/clock.h"
#include "level/level.h"

typedef uint32_t dense_id; // a transaction that counts or may count
typedef uint32_t version_id;
typedef uint32_t read_id;

#define DENSE_INIT UINT32_MAX
#define VERSION_NONE UINT32_MAX
#define READ_NONE ((1u << 29) - 1) // CAPACITY_READS

enum placement { PLACE_SER, PLACE_SI, PLACE_PC, PLACE_PSI };

/* Why an edge holds:
 *
 *   WR    'read' read 'version'
 *   RW    'read' read 'version', which the target overwrites, because the
 *         writer of 'version' reaches the target, or is INIT
 *   WW    with a read: the source reaches it, it read from the target; without:
 *         the source reaches the target.  'listed': the order of a list
 *   SO    session order to or from an optional transaction; from one it has
 *         'read', which read from it
 *   TIME  an end or a begin and the time line */
struct label {
    uint32_t kind : 3, read : 29; // enum edge_kind
    version_id version;           // WW: 1 = listed, else 0
};

/* A candidate that was struck out when the graph had 'edges' edges: the read's
 * transaction reaches it, or, where 'by' is a version, it is overwritten by
 * that one, which reaches the read; or, with VERSION_MISSING, its writer does
 * not count. */
struct struck {
    read_id read;
    version_id version, by;
    uint32_t edges;
};

#define VERSION_MISSING (UINT32_MAX - 1)

/* What is certain of an optional transaction, and why: 'read' read from it; or
 * it does not count because 'read' of its own has no candidate left, or, where
 * that is READ_NONE, because 'follower' reaches it. */
enum counting { COUNTING_OPEN, COUNTING_YES, COUNTING_NO };
struct optional {
    enum counting counting;
    read_id read;
    dense_id follower;
    uint32_t edges; // when that was found
};

/* The candidates of a read are pool.at[first .. first + n).  Reads of one value
 * share a range below 'shared' at first, and there the read's own transaction
 * may be among its writers.  From the first pruning on it is not, and only
 * reads that keep all of the range still share it. */
struct candidates {
    read_id read;
    uint32_t n;
    size_t first; // the pool may be as large as reads times writers
};

struct problem {
    const struct history *h;
    enum level level;
    enum placement place;
    bool two_points, strict;

    uint32_t n_txns;
    uint32_t n_certain;        // the transactions from there on are optional
    txn_id *name;              // by dense id: its id in the history
    dense_id *dense;           // the reverse; NULL where none is optional
    struct optional *optional; // by dense id less n_certain

    uint32_t n_versions;
    version_id *key_first; // by key; n_keys + 1 of them
    dense_id *version_txn;
    key_id *version_key;
    value_id *version_value;
    uint32_t *write_first; // by transaction; its versions
    version_id *write;

    uint32_t n_reads;
    uint32_t *read_first; // by transaction; its reads
    dense_id *read_txn;
    op_id *read_op;
    version_id *read_version; // or VERSION_NONE while ambiguous
    read_id *reader;          // by version: the first of its reads
    read_id *next_reader;     // by read; ends in READ_NONE

    VEC(struct candidates) ambiguous; // the reads not decided yet
    u32_vec pool;                     // versions
    size_t shared;
    uint64_t n_candidates;     // of all reads, before any is struck out
    VEC(struct struck) struck; // if they are recorded
    uint64_t n_struck;         // in any case
    bool records_struck;

    struct chains g;
    VEC(struct label) labels;
    uint32_t base_edges; // known before any inference
};

void problem_init(struct problem *p, const struct history *h, enum level l);
void problem_free(struct problem *p);

static inline uint32_t
point_start(const struct problem *p, dense_id t)
{
    return p->two_points ? 2 * t : t;
}

static inline uint32_t
point_commit(const struct problem *p, dense_id t)
{
    return p->two_points ? 2 * t + 1 : t;
}

/* Points of transactions come before those of the time line. */
static inline uint32_t
problem_txn_points(const struct problem *p)
{
    return p->two_points ? 2 * p->n_txns : p->n_txns;
}

static inline dense_id
point_txn(const struct problem *p, uint32_t point)
{
    assert(point < problem_txn_points(p));
    return p->two_points ? point / 2 : point;
}

/* The ends of an edge WW from a to b, by placement. */
static inline uint32_t
point_ww_to(const struct problem *p, dense_id b)
{
    return p->place == PLACE_PC ? point_commit(p, b) : point_start(p, b);
}

/* The point of a writer that must reach another writer's commit for the order
 * of the two to be certain. */
static inline uint32_t
point_ww_from(const struct problem *p, dense_id a)
{
    return p->place == PLACE_PC ? point_commit(p, a) : point_start(p, a);
}

/* Whether it is open if t counts. */
static inline bool
is_open(const struct problem *p, dense_id t)
{
    return t != DENSE_INIT && t >= p->n_certain &&
           p->optional[t - p->n_certain].counting == COUNTING_OPEN;
}

/* Whether t certainly counts. */
static inline bool
is_certain(const struct problem *p, dense_id t)
{
    return t < p->n_certain ||
           p->optional[t - p->n_certain].counting == COUNTING_YES;
}

/* The first follower of an optional t, and the next after 'last'; DENSE_INIT at
 * the end. */
dense_id problem_follower(const struct problem *p, dense_id t, dense_id last);

static inline key_id
read_key(const struct problem *p, read_id r)
{
    return op_key(p->h, p->read_op[r]);
}

static inline bool
version_is_init(const struct problem *p, version_id v)
{
    return p->version_txn[v] == DENSE_INIT;
}

/* Whether the current version v would serve r. */
static inline bool
version_serves(const struct problem *p, version_id v, read_id r)
{
    return p->read_version[r] == v ||
           (p->read_version[r] == VERSION_NONE &&
            p->version_value[v] == p->h->op_value[p->read_op[r]]);
}

/* Link r to the version that it read. */
void problem_fix(struct problem *p, read_id r, version_id v);

/* Add a known edge. */
void problem_add_edge(struct problem *p, uint32_t from, uint32_t to,
                      struct label label);

/* Add what follows from r having read from INIT at once: its start comes
 * before the first writer of the key in each session. */
void problem_add_init_edges(struct problem *p, read_id r);

/* Sort the versions of every key, INIT's first, by the place of their commits
 * in order[0 .. g.n): sorted[key_first[k] ..) are those of k.
 *
 *   time   O(points + versions) */
void problem_arrange(const struct problem *p, const uint32_t *order,
                     version_id *sorted);

/* Note in a certificate that r read from v, where the history leaves a choice:
 * for the operation of r and all that repeat it. */
void problem_add_choice(const struct problem *p, read_id r, version_id v,
                        struct certificate *out);

/* The version of key k that t wrote; it must have. */
version_id problem_find_version(const struct problem *p, key_id k, dense_id t);

#endif
