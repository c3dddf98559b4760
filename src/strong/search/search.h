/* search.h -- deciding what inference left open.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_SEARCH_SEARCH_H
#define STRONG_SEARCH_SEARCH_H

#include "acyc/acyc.h"
#include "base/intmap.h"
#include "strong/infer/infer.h"
#include "strong/order/order_check.h"
#include "strong/search/search_log.h"

/* Whether the order serves an ambiguous read, and if not which candidate needs
 * the least change. */
struct service {
    uint64_t epoch; // of the order, 0 = never looked
    bool served;
    uint32_t best; // a variable, or ID_NONE
};

/* A clause of add_ahead, seen from its pair: while 'choice' is true the order
 * must not put the overwriting commit between the version and the read. */
struct overtaking {
    lit choice, before;
    uint32_t version, commit, start; // points
    uint32_t next;                   // of the same pair, or ID_NONE
};

struct search {
    struct dependencies *p;
    struct inference *f;
    struct strong_context *context;
    struct sat *sat;
    struct acyc acyc;
    struct theory graph; // acyc, to which ours passes everything on
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
    bool taken_up; // what is broken has its variables, but no solution yet
};

/* Begin with a topological order of the known graph. */
void search_init(struct search *s, struct inference *f, const uint32_t *order);
void search_free(struct search *s);

/* Find an order of the points that breaks nothing, from a first order that
 * breaks what 'broken' lists; s->acyc.order holds it afterwards.
 *
 *   returns  SAT_TRUE, SAT_FALSE with s->log.empty set, or SAT_UNKNOWN; then
 *            it can be called again to go on */
enum sat_answer search_run(struct search *s, struct order_check *a,
                           broken_vec *broken);

/* heuristics.c: what the solver talks to; valid as long as s is. */
struct theory search_theory(struct search *s);

/* Parts that psi.c uses too. */

/* The literal 'a is before b', of two writers of key k, with its edges. */
lit search_before(struct search *s, dense_id a, dense_id b, key_id k,
                  bool may_stay_open);

/* The variables of an ambiguous read's candidates, in the order of the pool:
 * the first of them. */
uint32_t search_choices(struct search *s, uint32_t place);

/* Whether t counts as things stand. */
bool search_counts(const struct search *s, dense_id t);

void search_add_clause(struct search *s, struct log_entry e, const lit *lits,
                       size_t n);

void search_count(const struct search *s);

#endif
