/* search.h -- CDCL search for what inference left open.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_SEARCH_SEARCH_H
#define STRONG_SEARCH_SEARCH_H

#include "acyc/acyc.h"
#include "base/container/intmap.h"
#include "strong/infer/inference.h"
#include "strong/order/order_check.h"
#include "strong/search/search_log.h"

/* Whether the order serves an ambiguous read, and if not, which candidate needs
 * the least change.  A cache of heuristics.c. */
struct service {
    uint64_t epoch; // of the order, 0 = never looked
    bool served;
    uint32_t best; // a variable, or ID_NONE
};

/* A clause of encoding_add_ahead, seen from its pair: while 'choice' is true,
 * the order must not put the overwriting commit between version and read. */
struct overtaking {
    lit choice, before;
    uint32_t version, commit, start; // points
    uint32_t next;                   // of the same pair, or ID_NONE
};

struct order_search {
    struct dependencies *p;
    struct inference *f;
    struct strong_context *context;
    struct sat *sat;
    struct acyc acyc;
    struct theory graph; // of acyc; heuristics.c passes everything on to it
    struct search_log log;
    struct log_entry next; // what the clause being added says

    struct intmap pairs;      // two transactions -> variable
    struct intmap pairs_done; // variable and key -> its edges are carried
    struct intmap aheads;     // reader and writer -> variable
    u32_vec choices;  // by place in p->ambiguous: first variable, or ID_NONE
    u32_vec place_of; // by read: its place in p->ambiguous, or ID_NONE
    u32_vec counts;   // by dense id less n_certain: variable, or ID_NONE
    VEC(struct label) tags; // of carried edges

    // How the choices stand: by place in p->ambiguous, the number that are
    // true, and what serves the read in the order as of 'epoch'.
    u32_vec n_true;
    VEC(struct service) service;
    VEC(struct overtaking) overtakings;
    u32_vec overtaking_of; // by variable: its latest, or ID_NONE
    u32_vec chosen;        // places, as their choices became true
    u32_vec chosen_levels;
    uint64_t counts_changes; // of the values of 'counts'
    VEC(uint8_t) counted; // by dense id less n_certain, at the last order_check
    uint64_t clauses;
    bool taken_up; // what is broken has variables, and no assignment yet
};

/* Begin with a topological order of the known graph. */
void search_init(struct order_search *s, struct inference *f,
                 const uint32_t *order);
void search_free(struct order_search *s);

/* Find an order of the points that breaks nothing, from a first order that
 * breaks what 'broken' lists; s->acyc.order holds it afterwards.
 *
 *   returns  SAT_TRUE, SAT_FALSE with s->log.empty set, or SAT_UNKNOWN; then
 *            it can be called again to go on */
enum sat_answer search_run(struct order_search *s, struct order_check *a,
                           broken_vec *broken);

/* Copy the counters of the solver and the theory to the statistics. */
void search_add_stats(const struct order_search *s);

#endif
