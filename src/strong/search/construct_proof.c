/* construct_proof.c -- see construct_proof.h.
 *
 * The engine keeps labels, not reasons.  A label says by which rule an edge was
 * added, and the rule's premise was a path over edges with smaller numbers; so
 * the reason of edge e is found again by searching a path below e.  Edges are
 * processed from the last to the first, and only those are that something
 * processed before needs.  The result is proportionate to the refutation, not
 * to the history.
 *
 * Each inferred edge becomes a cycle: the opposite assumption closes one with
 * the path.  Its clause has one literal that is not known, so unit propagation
 * over the finished proof repeats the inference.  Only the choice of an open
 * transaction is struck out by what its counting would mean; that takes an
 * assumption, so it is stated as a clause of its own, in the order in which
 * candidates were struck out, after everything that it rests on.
 *
 *   (D1) processing edge e marks only edges below e.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/search/construct_proof.h"

#include <stdlib.h>

struct derivation {
    const struct dependencies *p;
    const struct inference *f;
    const struct search_log *g;
    struct proof *proof;
    struct path_finder finder;
    hop_vec path;
    VEC(struct logged_hop) cycle;
    uint8_t *needed;  // by edge of the known graph
    uint8_t *chosen;  // by read: how it was decided is proved, or will be
    u32_vec reads;    // for which that is still to be done
    u32_vec assumed;  // of p->struck: those that take an assumption
    uint32_t *struck; // indices of p->struck, by read
    uint32_t highest; // no edge above needs processing
};

static txn_id
name_of(const struct derivation *d, dense_id t)
{
    return t == DENSE_INIT ? TXN_INIT : d->p->name[t];
}

/* --- cycles ------------------------------------------------------------------
 */

static void
begin_cycle(struct derivation *d)
{
    vec_clear(&d->cycle);
}

static void
need_edge(struct derivation *d, uint32_t e)
{
    d->needed[e] = 1;
    if (e + 1 > d->highest)
        d->highest = e + 1;
}

static void
add_hop(struct derivation *d, struct logged_hop h)
{
    if (h.edge != EDGE_NONE)
        need_edge(d, h.edge);
    vec_push(&d->cycle, h);
}

/* An assumption of the cycle. */
static void
assume(struct derivation *d, uint32_t from, uint32_t to, struct label label)
{
    add_hop(d, (struct logged_hop){from, to, EDGE_NONE, label});
}

static void
add_known_hop(struct derivation *d, struct hop h)
{
    const struct label chain = {EDGE_SO, READ_NONE, 0};
    add_hop(d, (struct logged_hop){
                   h.from, h.to, h.edge,
                   h.edge == EDGE_NONE ? chain : d->p->labels.at[h.edge]});
}

/* Go from u to v over edges below 'limit'. */
static void
add_path(struct derivation *d, uint32_t u, uint32_t v, uint32_t limit)
{
    vec_clear(&d->path);
    const bool found =
        clocks_path(&d->f->clocks, &d->finder, u, v, limit, &d->path);
    assert(found);
    (void)found;
    for (size_t i = 0; i < d->path.n; i++)
        add_known_hop(d, d->path.at[i]);
}

static bool
is_instant(const struct derivation *d, uint32_t point)
{
    return point >= depend_txn_points(d->p);
}

/* The edge of a proof for a hop between transactions. */
static struct proof_edge
translate(const struct derivation *d, const struct logged_hop *h)
{
    const struct dependencies *p = d->p;
    struct proof_edge e = {(enum edge_kind)h->label.kind,
                           name_of(d, point_txn(p, h->from)),
                           name_of(d, point_txn(p, h->to)), ID_NONE, TXN_NONE};
    if ((e.kind == EDGE_WR || e.kind == EDGE_RW) &&
        h->label.read != READ_NONE) {
        e.read = p->read_op[h->label.read];
        e.writer = name_of(d, p->version_txn[h->label.version]);
    }
    return e;
}

/* Hand the cycle over.  Hops within a transaction are not worth an edge, and
 * those along the time line become one from transaction to transaction. */
static void
end_cycle(struct derivation *d)
{
    const size_t n = d->cycle.n, first = d->proof->edges.n;
    size_t begin = 0;
    while (is_instant(d, d->cycle.at[begin].from))
        begin++;
    uint32_t left = 0; // where the time line was entered from
    for (size_t i = 0; i < n; i++) {
        struct logged_hop h = d->cycle.at[(begin + i) % n];
        if (is_instant(d, h.to)) {
            if (!is_instant(d, h.from))
                left = h.from;
            continue;
        }
        if (is_instant(d, h.from))
            h.from = left;
        const struct proof_edge e = translate(d, &h);
        if (e.from == e.to)
            continue;
        if (e.kind == EDGE_SO && d->proof->edges.n > first &&
            vec_top(&d->proof->edges).kind == EDGE_SO)
            vec_top(&d->proof->edges).to = e.to;
        else
            vec_push(&d->proof->edges, e);
    }
    proof_add_cycle(d->proof, first);
}

/* --- facts ------------------------------------------------------------------
 */

static bool
has_path(struct derivation *d, uint32_t u, uint32_t v, uint32_t limit)
{
    vec_clear(&d->path);
    return clocks_path(&d->f->clocks, &d->finder, u, v, limit, &d->path);
}

/* Writer a is before writer b, because a reaches b below 'limit'; or because a
 * follower of a does, if a counts: then return false. */
static bool
prove_before(struct derivation *d, dense_id a, dense_id b, uint32_t limit)
{
    const struct dependencies *p = d->p;
    const uint32_t commit = point_commit(p, b);
    dense_id next = DENSE_INIT;
    const bool direct =
        a < p->n_certain || has_path(d, point_ww_from(p, a), commit, limit);
    if (!direct) {
        do
            next = depend_follower(p, a, next);
        while (!has_path(d, point_start(p, next), commit, limit));
    }
    begin_cycle(d);
    assume(d, commit, point_ww_to(p, a), (struct label){EDGE_WW, READ_NONE, 0});
    if (direct) {
        add_path(d, point_ww_from(p, a), commit, limit);
    } else {
        assume(d, point_commit(p, a), point_start(p, next),
               (struct label){EDGE_SO, READ_NONE, 0});
        add_path(d, point_start(p, next), commit, limit);
    }
    end_cycle(d);
    return direct;
}

/* How r was decided, or what candidates it has, is to be proved. */
static void
need_candidates(struct derivation *d, read_id r)
{
    const struct dependencies *p = d->p;
    if (d->chosen[r] ||
        (p->read_txn[r] < p->n_certain &&
         !history_has_several(p->h, p->h->op_value[p->read_op[r]])))
        return;
    d->chosen[r] = 1;
    vec_push(&d->reads, r);
}

/* Prove that the optional transaction t counts, or does not, if that is
 * certain. */
static void
prove_counting(struct derivation *d, dense_id t)
{
    const struct dependencies *p = d->p;
    const struct optional *o = &p->optional[t - p->n_certain];
    if (o->counting == COUNTING_OPEN)
        return;
    if (o->read != READ_NONE) {
        need_candidates(d, o->read);
        if (o->counting == COUNTING_YES)
            proof_add_counts(d->proof, p->read_op[o->read], p->name[t]);
        return;
    }
    const uint32_t commit = point_commit(p, t);
    const uint32_t start = point_start(p, o->follower);
    begin_cycle(d);
    assume(d, commit, start, (struct label){EDGE_SO, READ_NONE, 0});
    add_path(d, start, commit, o->edges);
    end_cycle(d);
}

static void
prove_struck(struct derivation *d, uint32_t index)
{
    const struct dependencies *p = d->p;
    const struct struck *s = &p->struck.at[index];
    const uint32_t start = point_start(p, p->read_txn[s->read]);
    const dense_id w = p->version_txn[s->version];
    if (w != DENSE_INIT && w >= p->n_certain)
        proof_add_counts(d->proof, p->read_op[s->read], p->name[w]);
    if (s->by == VERSION_MISSING) {
        prove_counting(d, w);
        return;
    }
    begin_cycle(d);
    if (s->by == VERSION_NONE) {
        const uint32_t commit = point_commit(p, w);
        assume(d, commit, start, (struct label){EDGE_WR, s->read, s->version});
        add_path(d, start, commit, s->edges);
        end_cycle(d);
        return;
    }
    const dense_id m = p->version_txn[s->by];
    assume(d, start, point_commit(p, m),
           (struct label){EDGE_RW, s->read, s->version});
    add_path(d, point_commit(p, m), start, s->edges);
    end_cycle(d);
    if (w != DENSE_INIT && !prove_before(d, w, m, s->edges))
        vec_push(&d->assumed, index);
}

/* Say which candidates r has, and why those struck out are. */
static void
prove_candidates(struct derivation *d, read_id r)
{
    const struct dependencies *p = d->p;
    proof_add_choices(d->proof, p->read_op[r]);
    if (p->read_txn[r] >= p->n_certain)
        prove_counting(d, p->read_txn[r]);
    size_t low = 0, high = p->struck.n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (p->struck.at[d->struck[middle]].read < r)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < p->struck.n && p->struck.at[d->struck[low]].read == r; low++)
        prove_struck(d, d->struck[low]);
}

static void
prove_needed_reads(struct derivation *d)
{
    while (d->reads.n)
        prove_candidates(d, vec_pop(&d->reads));
}

/* Justify an edge that was added when there were 'limit' edges. */
static void
prove_edge(struct derivation *d, uint32_t from, uint32_t to, struct label label,
           uint32_t limit)
{
    const struct dependencies *p = d->p;
    if (label.kind == EDGE_TIME || (label.kind == EDGE_WW && label.version))
        return;
    if (label.read != READ_NONE)
        need_candidates(d, label.read);
    if (label.kind == EDGE_SO && label.read != READ_NONE) {
        prove_counting(d, point_txn(p, from));
    } else if (label.kind == EDGE_RW && !version_is_init(p, label.version)) {
        (void)prove_before(d, p->version_txn[label.version], point_txn(p, to),
                           limit);
    } else if (label.kind == EDGE_WW && label.read == READ_NONE) {
        (void)prove_before(d, point_txn(p, from), point_txn(p, to), limit);
    } else if (label.kind == EDGE_WW) { // rule R1
        const uint32_t start = point_start(p, p->read_txn[label.read]);
        begin_cycle(d);
        assume(
            d, start, from,
            (struct label){EDGE_RW, label.read, p->read_version[label.read]});
        add_path(d, from, start, limit);
        end_cycle(d);
    }
    prove_needed_reads(d);
}

static void
prove_needed_edges(struct derivation *d)
{
    while (d->highest) {
        const uint32_t e = --d->highest;
        if (!d->needed[e])
            continue;
        const struct chain_edge *edge = &d->p->g.edges.at[e];
        prove_edge(d, edge->from, edge->to, d->p->labels.at[e], e);
        assert(d->highest <= e); // (D1)
    }
}

/* --- the search ----------------------------------------------------------- */

static proof_lit
translate_lit(struct derivation *d, lit l)
{
    const struct dependencies *p = d->p;
    const struct search_variable *v = &d->g->variables.at[lit_var(l)];
    const bool negated = lit_is_negated(l);
    proof_lit x;
    if (v->kind == VARIABLE_PAIR)
        x = proof_before(d->proof, p->name[v->a], p->name[v->b]);
    else if (v->kind == VARIABLE_CHOICE)
        x = proof_choice(d->proof, p->read_op[v->a],
                         name_of(d, p->version_txn[v->b]));
    else if (v->kind == VARIABLE_COUNTS)
        x = proof_counts(d->proof, p->name[v->a]);
    else
        x = proof_ahead(d->proof, p->name[v->a], p->name[v->b]);
    return negated ? proof_not(x) : x;
}

/* Which clauses the empty one rests on. */
static uint8_t *
mark_clauses(const struct search_log *g)
{
    uint8_t *used = mem_calloc(g->entries.n, sizeof *used);
    used[g->empty] = 1;
    for (uint32_t id = g->empty; id; id--) {
        const struct log_entry *e = &g->entries.at[id];
        if (!used[id] || e->kind != ENTRY_DERIVED)
            continue;
        for (uint32_t i = 0; i < e->n_from; i++)
            used[g->from.at[e->from + i]] = 1;
    }
    return used;
}

static void
prove_hop(struct derivation *d, const struct logged_hop *h)
{
    add_hop(d, *h);
    // An assumed edge may speak of a read that pruning decided.
    if (h->edge == EDGE_NONE && h->label.read != READ_NONE &&
        d->p->read_version[h->label.read] != VERSION_NONE)
        need_candidates(d, h->label.read);
}

static void
prove_entry(struct derivation *d, const struct log_entry *e)
{
    const struct dependencies *p = d->p;
    const struct search_log *g = d->g;
    switch (e->kind) {
    case ENTRY_CHOICES:
        need_candidates(d, e->a);
        break;
    case ENTRY_COUNTS:
        proof_add_counts(d->proof, p->read_op[e->a],
                         name_of(d, p->version_txn[e->b]));
        break;
    case ENTRY_AHEAD:
        proof_add_ahead(d->proof, p->read_op[e->a],
                        name_of(d, p->version_txn[e->b]), p->name[e->c]);
        break;
    case ENTRY_EDGE:
    case ENTRY_CYCLE:
        // Candidates first: proving them uses the same scratch.
        for (uint32_t i = 0; i < e->b; i++) {
            begin_cycle(d);
            prove_hop(d, &g->hops.at[e->a + i]);
        }
        begin_cycle(d);
        for (uint32_t i = 0; i < e->b; i++)
            add_hop(d, g->hops.at[e->a + i]);
        if (e->kind == ENTRY_EDGE)
            add_path(d, g->hops.at[e->a].to, g->hops.at[e->a].from,
                     (uint32_t)p->labels.n);
        end_cycle(d);
        break;
    case ENTRY_DERIVED:
        break;
    }
    prove_needed_reads(d);
}

static int
compare_indices(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* State the choices that were struck out by what they would mean. */
static void
add_assumed(struct derivation *d)
{
    const struct dependencies *p = d->p;
    if (d->assumed.n)
        qsort(d->assumed.at, d->assumed.n, sizeof *d->assumed.at,
              compare_indices);
    for (size_t i = 0; i < d->assumed.n; i++) {
        const struct struck *s = &p->struck.at[d->assumed.at[i]];
        const size_t first = d->proof->lits.n;
        vec_push(&d->proof->lits, proof_not(proof_choice(
                                      d->proof, p->read_op[s->read],
                                      name_of(d, p->version_txn[s->version]))));
        proof_add_learnt(d->proof, first);
    }
}

static void
add_learnt(struct derivation *d, const struct log_entry *e)
{
    const size_t first = d->proof->lits.n;
    for (uint32_t i = 0; i < e->b; i++)
        vec_push(&d->proof->lits, translate_lit(d, d->g->lits.at[e->a + i]));
    proof_add_learnt(d->proof, first);
}

/* --- entry points --------------------------------------------------------- */

struct struck_key {
    read_id read;
    uint32_t index;
};

static int
compare_struck(const void *a, const void *b)
{
    const struct struck_key *x = a, *y = b;
    if (x->read != y->read)
        return x->read < y->read ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static void
begin(struct derivation *d, const struct inference *f,
      const struct search_log *g)
{
    const struct dependencies *p = f->p;
    *d = (struct derivation){.p = p, .f = f, .g = g, .proof = proof_new()};
    path_finder_init(&d->finder, &p->g);
    d->needed = mem_calloc(p->labels.n, sizeof *d->needed);
    d->chosen = mem_calloc(p->n_reads, sizeof *d->chosen);
    const size_t n = p->struck.n;
    struct struck_key *keys = mem_alloc(n, sizeof *keys);
    for (uint32_t i = 0; i < n; i++)
        keys[i] = (struct struck_key){p->struck.at[i].read, i};
    qsort(keys, n, sizeof *keys, compare_struck);
    d->struck = mem_alloc(n, sizeof *d->struck);
    for (size_t i = 0; i < n; i++)
        d->struck[i] = keys[i].index;
    mem_free(keys);
}

static struct proof *
end(struct derivation *d)
{
    path_finder_free(&d->finder);
    mem_free(d->needed);
    mem_free(d->chosen);
    mem_free(d->struck);
    vec_free(&d->path);
    vec_free(&d->cycle);
    vec_free(&d->reads);
    vec_free(&d->assumed);
    d->f->context->stats->proof_steps = d->proof->steps.n;
    d->f->context->stats->proof_edges = d->proof->edges.n;
    return d->proof;
}

struct proof *
construct_proof_of_conflict(const struct inference *f)
{
    struct derivation d;
    begin(&d, f, NULL);
    const struct conflict *c = &f->conflict;
    const uint32_t limit = (uint32_t)f->p->labels.n;
    switch (c->kind) {
    case CONFLICT_CYCLE:
        begin_cycle(&d);
        for (size_t i = 0; i < c->cycle.n; i++)
            add_known_hop(&d, c->cycle.at[i]);
        end_cycle(&d);
        break;
    case CONFLICT_EDGE:
        begin_cycle(&d);
        assume(&d, c->from, c->to, c->label);
        add_path(&d, c->to, c->from, limit);
        end_cycle(&d);
        prove_edge(&d, c->from, c->to, c->label, limit);
        break;
    case CONFLICT_READ:
        need_candidates(&d, c->read);
        break;
    case CONFLICT_NONE:
        assert(false);
    }
    prove_needed_reads(&d);
    prove_needed_edges(&d);
    add_assumed(&d);
    return end(&d);
}

struct proof *
construct_proof_of_search(const struct inference *f, const struct search_log *g)
{
    struct derivation d;
    begin(&d, f, g);
    uint8_t *used = mark_clauses(g);
    for (uint32_t id = 1; id <= g->empty; id++)
        if (used[id])
            prove_entry(&d, &g->entries.at[id]);
    prove_needed_edges(&d);
    add_assumed(&d);
    for (uint32_t id = 1; id <= g->empty; id++)
        if (used[id] && g->entries.at[id].kind == ENTRY_DERIVED)
            add_learnt(&d, &g->entries.at[id]);
    mem_free(used);
    return end(&d);
}
