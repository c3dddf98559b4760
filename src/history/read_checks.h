/* read_checks.h -- read consistency, which every level requires.
 *
 * Resolution has rejected the inconsistent reads.  Here each gets a name, one
 * of those in doc/levels.md.
 *
 * Where the recording was cut, a read of a value without a writer is no flaw:
 * its writer may be in the part that is lost.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_READ_CHECKS_H
#define HISTORY_READ_CHECKS_H

#include "history/history.h"

enum flaw_kind {
    FLAW_THIN_AIR,     // no transaction wrote the value
    FLAW_ABORTED,      // only aborted transactions wrote it (G1a)
    FLAW_FUTURE,       // its own transaction writes it, later
    FLAW_NOT_OWN,      // its transaction wrote the key before, and it read
                       // something else
    FLAW_NOT_LATEST,   // overwritten within the transaction that wrote it (G1b)
    FLAW_INCOMPATIBLE, // a list that no order of the elements explains
    FLAW_DUPLICATE,    // a list with an element twice
    FLAW_DIRTY_WRITE,  // a list with what one transaction appended not
                       // together, or not in program order (G0)
    FLAW_LOST_APPEND,  // a list with only some of what one appended
    FLAW_KINDS
};

struct flaw {
    enum flaw_kind kind;
    txn_id txn; // the reader
    op_id op;   // its read
    // The write that it saw or should have seen, and its transaction; for
    // FLAW_INCOMPATIBLE another read of the list; ID_NONE where there is none.
    txn_id other;
    op_id other_op;
    value_id value; // what was wrong to see: the value read, or an element
};

typedef VEC(struct flaw) flaw_vec;

/* Append the flaws of h in order of transactions and operations, at most
 * 'most' of them; return how many there are in all.
 *
 *   time   O(operations), and nothing where h is consistent */
size_t history_flaws(const struct history *h, size_t most, flaw_vec *out);

/* Append the reads of a history that was cut whose writers may be lost, in
 * the form of flaws, and at most 'most' of them; return how many there are. */
size_t history_lost_reads(const struct history *h, size_t most, flaw_vec *out);

#endif
