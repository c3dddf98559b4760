/* dependencies.h -- a history as versions, reads and known edges between
 * points.
 *
 * This is the common ground of the engines that reason about a graph: which
 * transactions there are, which versions they wrote, which version each read
 * saw or may have seen, and which edges are certain before any inference.
 *
 * Transactions are numbered without gaps ("dense"): first those that certainly
 * count, by session, then those that may count, which are called optional.  At
 * ser and psi a transaction is one point, at pc and si it is two, start and
 * commit.  The points of a session form a chain.  The points of an optional
 * transaction form their own chain, after the transaction before it in its
 * session.  An optional transaction that does not count is placed after all
 * others, where it changes nothing; so every edge of the graph holds whether
 * it counts or not.  Only if it counts,
 *
 *   - its reads must be served, and
 *   - it precedes its followers: those after it in its session, up to the first
 *     that certainly counts.
 *
 * As long as it is open whether it counts, no edge leaves it, and its reads
 * stay ambiguous even with one candidate.  The strict levels have one more
 * chain, the time line: an end is joined to the next instant of it and a begin
 * to the last, so that n transactions need 2n edges and not n^2.
 *
 * A version is a key and the transaction that wrote it last.  INIT's version of
 * key k has the number k; the others follow by transaction.  So what belongs to
 * transactions of about the same time, in each session, is close together in
 * memory.  A list per key has its versions in ascending order: INIT's first,
 * then by transaction, and so by session.  A read is an external read of one
 * value of one key by one transaction.  It has a version, or it is ambiguous
 * and has candidates.
 *
 * Every edge of the graph carries a label that says why it is there:
 *
 *   (D1) a label and the edges before it are enough to justify an edge, so a
 *        proof can be made afterwards (strong/search/construct_proof.c);
 *   (D2) labels.n == g.edges.n, except inside the theory of the search.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DEPEND_DEPENDENCIES_H
#define DEPEND_DEPENDENCIES_H

#include "depend/candidates.h"
#include "evidence/certificate.h"
#include "graph/chains.h"

typedef uint32_t dense_id; // a transaction that counts or may count
typedef uint32_t version_id;
typedef uint32_t read_id;

#define DENSE_INIT UINT32_MAX
#define VERSION_NONE UINT32_MAX
#define READ_NONE ((1u << 29) - 1) // CAPACITY_READS

/* Why an edge holds:
 *
 *   WR    'read' read 'version'
 *   RW    'read' read 'version', which the target overwrites, because the
 *         writer of 'version' reaches the target, or is INIT
 *   WW    WW_READ: the source reaches 'read', which read from the target;
 *         WW_PATH: the source reaches the target; WW_LIST: the order of a list;
 *         WW_UPDATE: 'read' is the source's own, and the target overwrites
 *         what it read, because the writer of that reaches it, or is INIT
 *   SO    session order to or from an optional transaction; from one it has
 *         'read', which read from it
 *   TIME  an end or a begin and the time line */
struct label {
    uint32_t kind : 3, read : 29; // enum edge_kind
    version_id version;           // WW: enum ww_reason
};

enum ww_reason { WW_READ, WW_PATH, WW_LIST, WW_UPDATE };

/* A candidate that was removed when the graph had 'edges' edges: the read's
 * transaction reaches it, or, where 'by' is a version, it is overwritten by
 * that one, which reaches the read; or, with VERSION_MISSING, its writer does
 * not count. */
struct removed_candidate {
    read_id read;
    version_id version, by;
    uint32_t edges;
};

#define VERSION_MISSING (UINT32_MAX - 1)

/* What is certain of an optional transaction, and why: 'read' read from it; or
 * it does not count because its own read 'read' has no candidate left, or,
 * where that is READ_NONE, because 'follower' reaches it. */
enum counting { COUNTING_OPEN, COUNTING_YES, COUNTING_NO };
struct optional {
    enum counting counting;
    read_id read;
    dense_id follower;
    uint32_t edges; // when that was found
};

struct dependencies {
    const struct history *h;
    enum level level;
    // Of the level's row (level/level.h):
    bool two_points;        // a start and a commit, not one point
    bool separates_writers; // ww joins a commit to a start
    bool ww_to_commit;      // ww joins a commit to a commit
    bool one_rw;            // the graph has no rw edges
    bool strict;            // there is a time line

    uint32_t n_txns;
    uint32_t n_certain;        // the transactions from there on are optional
    txn_id *name;              // by dense id: its id in the history
    dense_id *dense;           // the reverse; NULL where none is optional
    struct optional *optional; // by dense id less n_certain

    uint32_t n_versions;
    dense_id *version_txn; // DENSE_INIT for those of INIT
    key_id *version_key;
    value_id *version_value; // NULL where no read can be ambiguous
    version_id *write_first; // by transaction; its versions
    uint32_t *key_first;     // by key; n_keys + 1 of them: its versions are
    version_id *key_version; // key_version[key_first[k] .. key_first[k + 1])

    uint32_t n_reads;
    uint32_t *read_first; // by transaction; its reads
    dense_id *read_txn;
    op_id *read_op;
    version_id *read_version; // or VERSION_NONE while ambiguous
    read_id *reader;          // by version: the first of its reads
    read_id *next_reader;     // by read; ends in READ_NONE

    VEC(struct candidates) ambiguous; // the undecided reads, by key
    struct candidate_pool pool;       // versions.  In a shared range a read's
                                      // own transaction may be among the
                                      // writers; the first filter drops it.
    uint64_t n_candidates;            // of all reads, before any is dropped
    VEC(struct removed_candidate) removed; // if they are recorded
    uint64_t n_removed;                    // in any case
    bool records_removed;

    struct chains g;
    VEC(struct label) labels;
    uint32_t base_edges; // known before any inference
};

/* Build everything for a level from pc on.  Where reads of initial values may
 * have more than 'most_init' edges, those that follow from others are left out.
 *
 *   require  h is resolved
 *   time     O(operations + edges), and a sort of the times at strict levels */
void dependencies_init(struct dependencies *d, const struct history *h,
                       enum level l, uint64_t most_init);
void dependencies_free(struct dependencies *d);

/* Assert what is said above, by looking at everything. */
void dependencies_check(const struct dependencies *d);

/* --- points --------------------------------------------------------------- */

static inline uint32_t
point_start(const struct dependencies *d, dense_id t)
{
    assert(t < d->n_txns);
    return d->two_points ? 2 * t : t;
}

static inline uint32_t
point_commit(const struct dependencies *d, dense_id t)
{
    assert(t < d->n_txns);
    return d->two_points ? 2 * t + 1 : t;
}

/* Points of transactions come before those of the time line. */
static inline uint32_t
depend_txn_points(const struct dependencies *d)
{
    return d->two_points ? 2 * d->n_txns : d->n_txns;
}

static inline dense_id
point_txn(const struct dependencies *d, uint32_t point)
{
    assert(point < depend_txn_points(d));
    return d->two_points ? point / 2 : point;
}

/* The target of an edge WW to b, by placement; its source is a commit. */
static inline uint32_t
point_ww_to(const struct dependencies *d, dense_id b)
{
    return d->ww_to_commit ? point_commit(d, b) : point_start(d, b);
}

/* The point of a writer that must reach another writer's commit for the order
 * of the two to be certain. */
static inline uint32_t
point_ww_from(const struct dependencies *d, dense_id a)
{
    return d->ww_to_commit ? point_commit(d, a) : point_start(d, a);
}

/* Whether it is open if t counts. */
static inline bool
depend_is_open(const struct dependencies *d, dense_id t)
{
    return t != DENSE_INIT && t >= d->n_certain &&
           d->optional[t - d->n_certain].counting == COUNTING_OPEN;
}

/* Whether t certainly counts. */
static inline bool
depend_is_certain(const struct dependencies *d, dense_id t)
{
    assert(t < d->n_txns);
    return t < d->n_certain ||
           d->optional[t - d->n_certain].counting == COUNTING_YES;
}

/* The first follower of an optional t, and the next after 'last'; DENSE_INIT at
 * the end. */
dense_id depend_follower(const struct dependencies *d, dense_id t,
                         dense_id last);

/* --- versions and reads --------------------------------------------------- */

static inline key_id
read_key(const struct dependencies *d, read_id r)
{
    assert(r < d->n_reads);
    return op_key(d->h, d->read_op[r]);
}

static inline bool
version_is_init(const struct dependencies *d, version_id v)
{
    assert(v < d->n_versions);
    return v < d->h->n_keys;
}

/* INIT's version of key k. */
static inline version_id
version_of_init(const struct dependencies *d, key_id k)
{
    assert(k < d->h->n_keys);
    (void)d;
    return k;
}

/* Set now[k] to INIT's version of k, for every key. */
void depend_begin(const struct dependencies *d, version_id *now);

/* Of the list of key k, from index i on, the index of the first version by
 * another chain than 'chain', all of whose versions come first. */
uint32_t depend_skip_chain(const struct dependencies *d, key_id k, uint32_t i,
                           uint32_t chain);

/* Whether r may read the version v when v is the current one. */
static inline bool
version_serves(const struct dependencies *d, version_id v, read_id r)
{
    assert(v < d->n_versions && r < d->n_reads);
    return d->read_version[r] == v ||
           (d->read_version[r] == VERSION_NONE &&
            d->version_value[v] == d->h->op_value[d->read_op[r]]);
}

/* The version of key k that t, which is not INIT, wrote, or VERSION_NONE.
 *
 *   time   O(log versions of k) */
version_id depend_find_written(const struct dependencies *d, key_id k,
                               dense_id t);

/* Whether t, which is not INIT, wrote key k. */
bool depend_writes(const struct dependencies *d, dense_id t, key_id k);

/* The version of key k that t wrote.
 *
 *   require  t wrote k, or is DENSE_INIT */
version_id depend_find_version(const struct dependencies *d, key_id k,
                               dense_id t);

/* Decide that the ambiguous read r read version v. */
void depend_fix(struct dependencies *d, read_id r, version_id v);

/* Sort the versions of every key, INIT's first, by the place of their commits
 * in order[0 .. g.n): sorted[key_first[k] ..) are those of k.
 *
 *   time   O(points + versions) */
void depend_arrange(const struct dependencies *d, const uint32_t *order,
                    version_id *sorted);

/* Note in a certificate that r read from v, where the history leaves a choice:
 * for the operation of r and all that repeat it. */
void depend_add_choice(const struct dependencies *d, read_id r, version_id v,
                       struct certificate *out);

/* --- edges ---------------------------------------------------------------- */

/* Add a known edge with the reason for it (D1). */
void depend_add_edge(struct dependencies *d, uint32_t from, uint32_t to,
                     struct label label);

#endif
