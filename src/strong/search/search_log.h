/* search_log.h -- a log of the search, from which a refutation can be proved.
 *
 * Every clause of the solver has an entry, by its id.  The log stores facts and
 * no reasons.  Paths over the known graph are found again when a proof is made,
 * and only for what the proof needs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_SEARCH_SEARCH_LOG_H
#define STRONG_SEARCH_SEARCH_LOG_H

#include "depend/dependencies.h"
#include "sat/sat.h"

enum variable_kind {
    VARIABLE_PAIR,   // transaction a is before b; a < b
    VARIABLE_CHOICE, // read a read version b
    VARIABLE_AHEAD,  // the start of transaction a is before the commit of b
    VARIABLE_COUNTS, // transaction a, which is open, counts
};

struct search_variable {
    enum variable_kind kind;
    uint32_t a, b;
};

enum log_entry_kind {
    ENTRY_CHOICES, // some candidate of read a, if its transaction counts
    ENTRY_COUNTS,  // if read a read version b, the writer of that counts
    ENTRY_AHEAD,   // read a from version b, which is before transaction c
    ENTRY_EDGE,    // hops.at[a] is impossible: its end reaches its beginning
    ENTRY_CYCLE,   // the b hops from hops.at[a] on are a cycle
    ENTRY_DERIVED, // lits.at[a .. a + b) follows from the clauses at 'from'
};

struct log_entry {
    enum log_entry_kind kind;
    uint32_t a, b, c;
    uint32_t from, n_from;
};

/* A hop of a cycle with its reason.  'edge' is that of the known graph, or
 * EDGE_NONE; then it goes down a chain or out of an open transaction if
 * label.kind is EDGE_SO, and else is an assumption. */
struct logged_hop {
    uint32_t from, to, edge;
    struct label label;
};

struct search_log {
    VEC(struct log_entry) entries; // by clause id; [0] is not used
    VEC(struct logged_hop) hops;
    lit_vec lits;
    u32_vec from;
    VEC(struct search_variable) variables; // by solver variable
    uint32_t empty;                        // id of the empty clause, or 0
};

void search_log_free(struct search_log *g);

/* Set the entry of clause id. */
void search_log_set(struct search_log *g, uint32_t id, struct log_entry e);

#endif
