/* search.h -- deciding what inference left open.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_SEARCH_H
#define STRONG_SEARCH_H

#include "acyc/acyc.h"
#include "base/intmap.h"
#include "strong/audit.h"
#include "strong/infer.h"
#include "strong/log.h"

struct search {
    struct problem *p;
    struct inference *f;
    struct sat *sat;
    struct acyc acyc;
    struct log log;
    struct entry next; // what the clause being added says

    struct intmap pairs;      // two transactions -> variable
    struct intmap pairs_done; // variable and key -> its edges are carried
    struct intmap aheads;     // reader and writer -> variable
    u32_vec choices;  // by place in p->ambiguous: first variable, or ID_NONE
    u32_vec place_of; // by read: its place in p->ambiguous, or ID_NONE
    VEC(struct label) tags; // of carried edges
    uint64_t clauses;
};

/* Begin with a topological order of the known graph. */
void search_init(struct search *s, struct inference *f, const uint32_t *order);
void search_free(struct search *s);

/* Find an order of the points that breaks nothing, from a first order that
 * breaks what 'broken' lists; s->acyc.order holds it afterwards.
 *
 *   returns  SAT_TRUE, SAT_FALSE with s->log.empty set, or SAT_UNKNOWN */
enum sat_answer search_run(struct search *s, struct audit *a,
                           broken_vec *broken);

/* Parts that psi.c uses too. */

/* The literal 'a is before b', of two writers of key k, with its edges. */
lit search_before(struct search *s, dense_id a, dense_id b, key_id k,
                  bool may_stay_open);

/* The variables of an ambiguous read's candidates, in the order of the pool:
 * the first of them. */
uint32_t search_choices(struct search *s, uint32_t place);

void search_add_clause(struct search *s, struct entry e, const lit *lits,
                       size_t n);

void search_count(const struct search *s);

#endif
