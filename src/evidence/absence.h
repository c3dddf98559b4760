/* absence.h -- why nothing can be predicted: the evidence for 'none'.
 *
 * A refutation of "some predicted execution satisfies the level and has a
 * dependency cycle under each of these version orders".  doc/predict.md says
 * what a predicted execution is.
 *
 * Numbers.  Transactions that count are numbered in the order of their ids, the
 * external reads and the final writes of all of them likewise.  ABSENCE_INIT is
 * the initial transaction.
 *
 * A fact is something that holds in an execution or not; those about a cycle
 * speak of one cycle under one version order.  A clause is a disjunction of
 * facts and negated facts.  A step is a clause: one that follows from a rule,
 * and then the checker makes it itself; one whose denial violates the
 * level, with evidence; or one that follows from earlier steps by unit
 * propagation.  The last one is empty.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EVIDENCE_ABSENCE_H
#define EVIDENCE_ABSENCE_H

#include "base/buf.h"
#include "base/container/vec.h"
#include "history/history.h"
#include "level/level.h"

#define ABSENCE_NONE UINT32_MAX
#define ABSENCE_INIT (UINT32_MAX - 1)

/* Writers of a key, for boundary transactions that read and write it to be
 * placed by what they read (unless all writers have read it). */
enum { ABSENCE_PLACED = 64 };

enum absence_fact {
    FACT_BASE,     // a transaction stays as observed
    FACT_BOUNDARY, // a transaction is a boundary transaction
    FACT_REACHES,  // strict: read a of a boundary transaction takes place
    FACT_PICK,     // read a of a boundary transaction reads from b
    FACT_FROM,     // it reads from b, or from a candidate behind b
    FACT_COUNT,    // more than b boundary transactions up to a
    FACT_UPDATED,  // a boundary transaction up to b updates key a
    FACT_PIVOT,    // si: transaction a is a pivot; b: as a boundary one
    FACT_CONFLICT, // si: b overwrites what a read, and overlaps its reader; c:
                   // 2, the reader is a boundary transaction; + 1, b is one
    // Of the cycle under version order c:
    FACT_ON,      // transaction a is on it
    FACT_BY,      // it enters the reader of a from b
    FACT_OVER,    // it leaves the reader of a to who overwrites what a read
    FACT_LATER,   // it enters the writer of version a b, or of a later one
    FACT_BETWEEN, // the same, before the version of the reader of d
    FACT_WROTE,   // it is at the writer of version a b, which is there
    FACT_NEXT,    // it leaves that transaction for a later writer of the key
    FACT_ROOT,    // boundary transaction a is on it
    FACT_AT,      // boundary transaction a is just before b
    FACT_WISH,    // of the search alone: no proof rests on it
};

/* A version is a write and one of these: one of the base; one of a boundary
 * transaction at its own place.  Any other number is the transaction that
 * it is just before; ABSENCE_NONE: it is the last. */
#define VERSION_BASE (UINT32_MAX - 2)
#define VERSION_OWN (UINT32_MAX - 3)

enum absence_rule {
    // What is possible.
    RULE_SESSION,   // a in the base: so is who precedes it in its session
    RULE_WRITER,    // the reader of a in the base: so is a's writer
    RULE_LOOPED,    // a is in no base
    RULE_FOLLOWS,   // a boundary: who precedes it is in the base
    RULE_EITHER,    // a not both base and boundary
    RULE_REACH,     // strict: reads take place in their order
    RULE_KEPT,      // strict: a read before the last has its writer
    RULE_LAST,      // strict: a read that takes place and is the last picks
    RULE_PICK_AT,   // strict: what picks takes place
    RULE_PICK_ENDS, // strict: and is the last
    RULE_SOME,      // relaxed: every read of a boundary transaction picks
    RULE_PICK_OF,   // relaxed: only boundary transactions pick
    RULE_CHANGED,   // relaxed: some read of a is not as observed
    RULE_PRESENT,   // who is picked is in the base
    RULE_FROM,      // facts FROM follow from picks and are nested
    RULE_NOT_FROM,
    RULE_NESTED,
    RULE_COUNT, // definition of COUNT
    // What the level forbids.
    RULE_PAIR,      // read a reads from b, so read c does not read from d
    RULE_PAIR_FROM, // nor from any candidate before d; ABSENCE_NONE: from none
    RULE_LOST,      // read a must not read the version that base read b updates
    RULE_UPDATED,   // definition of UPDATED
    RULE_UPDATED_STILL,
    RULE_UPDATED_ONCE, // key a is updated by one boundary transaction at most
    RULE_PIVOT,        // si: there is a pivot
    RULE_PIVOT_IN,     // a pivot conflicts with a transaction that read what it
                       // wrote
    RULE_PIVOT_OUT,    // and with one that wrote what it read
    RULE_CONFLICT_READER, // where there is a conflict, its reader reads so
    RULE_CONFLICT_WRITER, // and its writer writes
    RULE_CORE,            // what the clause denies violates the level: evidence
    RULE_MISSED,          // of the search alone: one execution is not wanted
    // A cycle under version order d.
    RULE_ON,
    RULE_PLACE, // who is on the cycle takes place
    RULE_BY_ON,
    RULE_BY_READS,
    RULE_OVER_BASE,
    RULE_OVER_READS,
    RULE_OVER_KEPT,
    RULE_OVER_PICK,
    RULE_LATER,
    RULE_BETWEEN,
    RULE_WROTE_ON,
    RULE_WROTE_DONE,
    RULE_NEXT_DONE,
    RULE_NEXT_LATER,
    RULE_ROOT_ON,
    RULE_ROOT_IS,
    RULE_ROOT,
    RULE_AT_BOUNDARY,
    RULE_AT_NOT_BEFORE,
    RULE_AT_CAUSE,
};

struct fact_row {
    uint32_t kind, a, b, c, d;
};

struct rule_row {
    uint32_t kind, a, b, c, d;
};

typedef uint32_t absence_lit; // 2 * index of a fact, + 1 where negated

/* A version order; see RULE_ON.  The larger the later. */
struct absence_order {
    uint64_t *place; // of t in the base: at 2t; at its own place: at 2t + 1
    bool by_reads;   // boundary writes of keys that were not read, and of keys
                     // with few writers, are placed by what else was read
    bool is_serial;  // the base is in a serial order of what was observed
};

enum absence_kind { ABSENCE_RULE, ABSENCE_CORE, ABSENCE_LEARNT };

struct absence_step {
    enum absence_kind kind;
    struct rule_row rule;          // RULE
    uint32_t first, n;             // CORE, LEARNT: literals
    uint32_t first_hint, n_hints;  // LEARNT: the steps it follows from
    size_t evidence, evidence_len; // CORE: a certificate, as text
};

struct absence {
    enum level level;
    bool is_strict;
    size_t n_txns;
    VEC(struct absence_order) orders;
    u32_vec pick_first; // by read, and one more: into 'picks'
    u32_vec picks;      // the writers it may have as a boundary read
    VEC(struct fact_row) facts;
    VEC(struct absence_step) steps;
    VEC(absence_lit) lits;
    u32_vec hints;
    struct buf evidence;
};

void absence_free(struct absence *a);

/* As text, and back; certificate_write.h has the rules. */
void absence_write(const struct history *h, const struct absence *a,
                   struct buf *out);
bool absence_read(const struct history *h, const char *text, size_t len,
                  struct absence *out, struct err *err);

/* Whether a text begins as absence_write does. */
bool absence_is(const char *text, size_t len);

#endif
