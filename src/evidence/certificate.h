/* certificate.h -- what an engine hands over with its verdict.
 *
 * Every verdict but 'unknown' carries evidence that code which shares nothing
 * with the engines can check (verify/):
 *
 *   ORDER   the level holds: a total order of all points, and for each read
 *           with several candidates the writer it read from.
 *   FLAW    violated by an inconsistent read (history/consistency.h).
 *   CYCLE   violated by a cycle of certain edges, each with its reason.
 *   PROOF   violated because every choice leads to a cycle: clauses, each
 *           either an axiom, a cycle that forbids a combination of choices, or
 *           a consequence of the clauses before it by unit propagation; the
 *           last one is empty.
 *   CASES   violated whoever appended what the lists show: evidence for every
 *           combination of the authors that h->authors leaves open.
 *
 * Authors.  Where h->authors is not empty, evidence other than CASES is about
 * the copy of the history in which the transactions in 'seen' are the authors
 * (history_rebuild_with_authors), and its operations are those of that copy.
 *
 * Points.  At rc, ra, cc and ser a transaction is one point, its id.  At the
 * others it has two: 2t is the start of t and 2t+1 its commit (levels.md).
 *
 * SPDX-License-Identifier: MIT */
#ifndef EVIDENCE_CERTIFICATE_H
#define EVIDENCE_CERTIFICATE_H

#include "base/vec.h"
#include "history/history.h"
#include "history/read_checks.h"
#include "level/level.h"

// What nobody has filled in claims nothing.
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
    struct certificate *cases;  // CASES: n_cases of FLAW, CYCLE or PROOF, in
    size_t n_cases;             // the order of authors_next
};

/* How many combinations of authors h leaves open, at most 'most'. */
size_t authors_count(const struct history *h, size_t most);

/* The combinations, one by one: begin with the first candidates, then change
 * the last row that has another candidate, and begin again in those after it.
 * False where there is no next one. */
void authors_begin(const struct history *h, u32_vec *seen);
bool authors_next(const struct history *h, u32_vec *seen);

void certificate_free(struct certificate *c);

#endif
