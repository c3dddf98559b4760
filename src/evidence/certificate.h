/* certificate.h -- the evidence that an engine returns with its verdict.
 *
 * Every verdict but 'unknown' carries evidence that code which shares nothing
 * with the engines can check (verify/):
 *
 *   ORDER   the level holds: a total order of all points, and for each read
 *           with several candidates the writer it read from.
 *   FLAW    violated by an inconsistent read (history/read_checks.h).
 *   CYCLE   violated by a cycle of certain edges, each with its reason.
 *   PROOF   violated because every choice leads to a cycle: clauses, each
 *           either an axiom, a cycle that forbids a combination of choices, or
 *           a consequence of the clauses before it by unit propagation; the
 *           last one is empty.
 *   CASES   violated for every choice of authors of list elements: a tree that
 *           branches on rows of h->authors, with evidence at its leaves.
 *
 * Authors.  Where h->authors is not empty, evidence other than CASES is about
 * the copy of the history in which the transactions in 'seen' are the authors
 * (history_rebuild_with_authors), and its operations are those of that copy.
 *
 * Cases.  The leaves of the tree come depth first.  Before the first leaf of a
 * branch stands which row it is of and which candidate is tried first; the
 * other candidates follow in their order, around the end.  At a leaf only those
 * rows are decided in 'seen', as on the way to it, on which its evidence
 * depends; the others are TXN_UNCHOSEN.
 *
 * Points.  At rc, ra, cc and ser a transaction is one point, its id.  At the
 * others it has two: 2t is the start of t and 2t+1 its commit (levels.md).
 *
 * SPDX-License-Identifier: MIT */
#ifndef EVIDENCE_CERTIFICATE_H
#define EVIDENCE_CERTIFICATE_H

#include "base/container/vec.h"
#include "history/history.h"
#include "history/read_checks.h"
#include "level/level.h"

// A certificate that is all zero claims nothing.
enum verdict { VERDICT_UNKNOWN, VERDICT_OK, VERDICT_VIOLATED };

enum evidence_kind {
    EVIDENCE_NONE, // only with VERDICT_UNKNOWN
    EVIDENCE_ORDER,
    EVIDENCE_FLAW,
    EVIDENCE_CYCLE,
    EVIDENCE_PROOF,
    EVIDENCE_CASES,
};

typedef uint32_t point_id;

/* Which writer a read with several candidates read from. */
struct choice {
    op_id read;
    txn_id writer; // may be TXN_INIT
};

enum edge_kind {
    EDGE_SO,     // session order; INIT comes before everything by it too
    EDGE_WR,     // 'to' read from 'from': 'read' is that operation
    EDGE_WW,     // by a list's order, or inferred (see 'read')
    EDGE_RW,     // 'from' read what 'to' overwrites: 'read' is that operation
    EDGE_TIME,   // 'from' ended before 'to' began
    EDGE_COMMIT, // from a transaction's start to its commit
    EDGE_CO,     // inferred commit order of the weak levels: see cycle_edge
};

/* An edge of a CYCLE at rc, ra, cc.  'from' and 'to' are transactions, 'from'
 * may be TXN_INIT where to is not.
 *
 * EDGE_CO: 'read' is an external read of a key x by t3 from 'to', 'from' also
 * writes x, and the level's premise holds between 'from' and t3:
 *   rc  'premise' is an earlier read of t3, from 'from';
 *   ra  'premise' is a read of t3 from 'from', or ID_NONE: then so;
 *   cc  path_n transactions at path.at[path_first] lead from 'from' to t3,
 *       each so-before or read by the next (both ends included). */
struct cycle_edge {
    txn_id from, to;
    enum edge_kind kind;
    op_id read, premise;
    uint32_t path_first, path_n;
};

struct cycle {
    VEC(struct cycle_edge) edges; // each ends where the next begins
    u32_vec path;
};

void cycle_free(struct cycle *c);

struct proof; // evidence/proof.h

/* A branch of a tree of cases. */
struct branch {
    uint32_t row; // of h->authors
    txn_id first; // of its candidates
};

struct certificate {
    enum level level;
    enum verdict verdict;
    enum evidence_kind kind;
    u32_vec order;              // ORDER: the points of all transactions that
                                // count, first to last
    VEC(struct choice) choices; // ORDER, where reads have several candidates
    struct flaw flaw;           // FLAW
    struct cycle cycle;         // CYCLE
    struct proof *proof;        // PROOF
    u32_vec seen;               // a transaction for each row of h->authors
    struct certificate *cases;  // CASES: n_cases of FLAW, CYCLE or PROOF
    size_t n_cases;
    VEC(struct branch) branches; // of a case: those that begin with it
};

void certificate_free(struct certificate *c);

#endif
