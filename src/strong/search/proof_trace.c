/* proof_trace.c -- see proof_trace.h.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/search/proof_trace.h"

static void
trace_input(void *self, uint32_t id, const lit *lits, size_t n)
{
    struct order_search *s = self;
    (void)lits;
    search_log_set(&s->log, id, s->next);
    if (!n)
        s->log.empty = id;
}

static struct logged_hop
log_hop(const struct order_search *s, struct hop h)
{
    const struct label chain = {EDGE_SO, READ_NONE, 0};
    if (h.edge == EDGE_NONE)
        return (struct logged_hop){h.from, h.to, EDGE_NONE, chain};
    const struct carried *c = acyc_carried(&s->acyc, h.edge);
    if (!c)
        return (struct logged_hop){h.from, h.to, h.edge,
                                   s->p->labels.at[h.edge]};
    return (struct logged_hop){h.from, h.to, EDGE_NONE, s->tags.at[c->tag]};
}

static void
trace_lemma(void *self, uint32_t id, const lit *lits, size_t n)
{
    struct order_search *s = self;
    (void)lits, (void)n;
    const struct carried *closing = &s->acyc.carried.at[s->acyc.closing];
    const uint32_t first = (uint32_t)s->log.hops.n;
    assert(s->acyc.path.n && s->acyc.path.at[0].from == closing->to);
    assert(vec_top(&s->acyc.path).to == closing->from);
    capacity_want(CAPACITY_LOG, s->log.hops.n + 1 + s->acyc.path.n);
    vec_push(&s->log.hops,
             ((struct logged_hop){closing->from, closing->to, EDGE_NONE,
                                  s->tags.at[closing->tag]}));
    for (size_t i = 0; i < s->acyc.path.n; i++)
        vec_push(&s->log.hops, log_hop(s, s->acyc.path.at[i]));
    search_log_set(&s->log, id,
                   (struct log_entry){.kind = ENTRY_CYCLE,
                                      .a = first,
                                      .b = (uint32_t)s->log.hops.n - first});
}

static void
trace_derived(void *self, uint32_t id, const lit *lits, size_t n,
              const uint32_t *from, size_t n_from)
{
    struct order_search *s = self;
    struct search_log *g = &s->log;
    capacity_want(CAPACITY_LOG, g->lits.n + n);
    capacity_want(CAPACITY_LOG, g->from.n + n_from);
    const struct log_entry e = {ENTRY_DERIVED,       (uint32_t)g->lits.n,
                                (uint32_t)n,         0,
                                (uint32_t)g->from.n, (uint32_t)n_from};
    for (size_t i = 0; i < n; i++)
        vec_push(&g->lits, lits[i]);
    for (size_t i = 0; i < n_from; i++)
        vec_push(&g->from, from[i]);
    search_log_set(g, id, e);
    assert(n || !g->empty); // there is one empty clause
    if (!n)
        g->empty = id;
}

struct sat_proof
proof_trace(struct order_search *s)
{
    return (struct sat_proof){s, trace_input, trace_lemma, trace_derived};
}
