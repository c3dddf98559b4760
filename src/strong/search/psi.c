/* psi.c -- see psi.h.
 *
 * Parallel snapshot isolation forbids cycles with at most one rw edge.  Cycles
 * with two are allowed, so no placement of points turns psi into plain
 * acyclicity.  The graph here has so, wr and ww edges only, which must be
 * acyclic; and whenever t3 read a version that t2 overwrites, t2 must not reach
 * t3.  The rules of inference are sound for that as they are.
 *
 * The rest is a loop of proposals and lemmas.  The solver proposes choices and
 * an order that respects them.  The order gives every key a version order.
 * With all its ww edges in the graph, the clocks say which reads are violated.
 * Each violation is a cycle with one rw edge and becomes a clause over the
 * pairs and choices on it.  The clause excludes what was just proposed, so the
 * loop ends.
 *
 * Only the next version after the one that was read needs to be looked at,
 * because it reaches all later ones.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/search/psi.h"

#include "base/limits/limit.h"
#include "base/limits/tuning.h"
#include "strong/search/construct_proof.h"
#include "strong/search/encoding.h"

/* A ww edge between neighbouring versions that the order proposes. */
struct proposed {
    dense_id from, to;
    key_id key;
};

/* A literal of a lemma: that of a carried edge, or of a pair of writers. */
struct premise {
    lit l; // ID_NONE: the pair
    struct proposed pair;
};

struct lemma {
    uint32_t first_hop, n_hops; // of the log
    uint32_t first_premise, n_premises;
};

struct psi {
    struct order_search s;
    struct dependencies *p;
    version_id *sorted;
    uint32_t *place;   // by version: its index in 'sorted'
    uint32_t *key_end; // by key: where its versions that count end in 'sorted'

    // The proposal: the known edges, those of true literals, then proposed.
    struct chains g;
    struct clocks clocks;
    struct path_finder finder;
    uint32_t given; // edges that are not proposed
    VEC(struct proposed) proposed;

    VEC(struct lemma) lemmas;
    VEC(struct premise) premises;
    hop_vec path;
};

/* Complete the graph with the version orders that the order of points gives,
 * and compute its clocks. */
static void
propose(struct psi *x)
{
    const struct dependencies *p = x->p;
    const uint32_t *order = x->s.acyc.order.at;
    assert(p->one_rw && !p->two_points); // points are transactions
    chains_copy(&x->g, &p->g);
    x->given = (uint32_t)x->g.edges.n;
    vec_clear(&x->proposed);
    depend_arrange(p, order, x->sorted);
    for (key_id k = 0; k < p->h->n_keys; k++) {
        const uint32_t first = p->key_first[k];
        uint32_t n = first; // of those that count
        for (uint32_t i = first; i < p->key_first[k + 1]; i++)
            if (i == first ||
                encoding_counts(&x->s, p->version_txn[x->sorted[i]])) {
                x->sorted[n] = x->sorted[i];
                x->place[x->sorted[n]] = n;
                n++;
            }
        x->key_end[k] = n;
        for (uint32_t i = first + 2; i < n; i++) {
            const dense_id a = p->version_txn[x->sorted[i - 1]];
            const dense_id b = p->version_txn[x->sorted[i]];
            chains_add(&x->g, a, b);
            vec_push(&x->proposed, ((struct proposed){a, b, k}));
        }
    }
    inference_make_clocks(x->s.f, &x->g, order, &x->clocks);
    path_finder_init(&x->finder, &x->g);
}

static void
withdraw(struct psi *x)
{
    path_finder_free(&x->finder);
    clocks_free(&x->clocks);
    chains_free(&x->g);
}

/* Add one hop of a violating path to the lemma. */
static void
add_hop(struct psi *x, struct hop h)
{
    const struct label chain = {EDGE_SO, READ_NONE, 0};
    const struct label ww = {EDGE_WW, READ_NONE, WW_PATH};
    struct logged_hop out = {h.from, h.to, EDGE_NONE, chain};
    if (h.edge != EDGE_NONE && h.edge >= x->given) {
        out.label = ww;
        vec_push(
            &x->premises,
            ((struct premise){ID_NONE, x->proposed.at[h.edge - x->given]}));
    } else if (h.edge != EDGE_NONE) {
        const struct carried *c = acyc_carried(&x->s.acyc, h.edge);
        out.edge = c ? EDGE_NONE : h.edge;
        out.label = c ? x->s.tags.at[c->tag] : x->p->labels.at[h.edge];
        if (c)
            vec_push(&x->premises, ((struct premise){.l = c->owner}));
    }
    vec_push(&x->s.log.hops, out);
}

/* Note a violation if r, which read v (for ID_NONE certainly, else by the
 * literal 'choice'), is reached by the version after v. */
static void
check_read(struct psi *x, read_id r, version_id v, lit choice)
{
    const struct dependencies *p = x->p;
    const key_id k = p->version_key[v];
    if (x->place[v] + 1 == x->key_end[k] || x->lemmas.n == TUNE_PSI_LEMMAS)
        return;
    assert(x->sorted[x->place[v]] == v);
    const dense_id t3 = p->read_txn[r];
    const dense_id t2 = p->version_txn[x->sorted[x->place[v] + 1]];
    const uint32_t *rank = x->s.acyc.order.rank;
    if (t2 == t3 || rank[t3] < rank[t2])
        return;
    vec_clear(&x->path);
    if (!clocks_path(&x->clocks, &x->finder, t2, t3, (uint32_t)x->g.edges.n,
                     &x->path))
        return;
    struct lemma l = {.first_hop = (uint32_t)x->s.log.hops.n,
                      .first_premise = (uint32_t)x->premises.n};
    vec_push(&x->s.log.hops,
             ((struct logged_hop){t3, t2, EDGE_NONE, {EDGE_RW, r, v}}));
    if (choice != ID_NONE)
        vec_push(&x->premises, ((struct premise){.l = choice}));
    if (!version_is_init(p, v))
        vec_push(&x->premises,
                 ((struct premise){ID_NONE, {p->version_txn[v], t2, k}}));
    for (size_t i = 0; i < x->path.n; i++)
        add_hop(x, x->path.at[i]);
    capacity_want(CAPACITY_LOG, x->s.log.hops.n);
    capacity_want(CAPACITY_LOG, x->premises.n);
    l.n_hops = (uint32_t)x->s.log.hops.n - l.first_hop;
    l.n_premises = (uint32_t)x->premises.n - l.first_premise;
    vec_push(&x->lemmas, l);
}

static void
find_violations(struct psi *x)
{
    const struct dependencies *p = x->p;
    vec_clear(&x->lemmas);
    vec_clear(&x->premises);
    for (read_id r = 0; r < p->n_reads; r++)
        if (p->read_version[r] != VERSION_NONE)
            check_read(x, r, p->read_version[r], ID_NONE);
    for (uint32_t i = 0; i < p->ambiguous.n; i++) {
        const struct candidates c = p->ambiguous.at[i];
        const bool counts = encoding_counts(&x->s, p->read_txn[c.read]);
        for (uint32_t j = 0; counts && j < c.n; j++) {
            const lit l = lit_make(x->s.choices.at[i] + j, false);
            if (sat_value(x->s.sat, l) > 0)
                check_read(x, c.read, p->pool.items.at[c.first + j], l);
        }
    }
}

static void
add_lemmas(struct psi *x)
{
    lit_vec clause = {0};
    for (size_t i = 0; i < x->lemmas.n; i++) {
        const struct lemma *l = &x->lemmas.at[i];
        vec_clear(&clause);
        for (uint32_t j = 0; j < l->n_premises; j++) {
            const struct premise *m = &x->premises.at[l->first_premise + j];
            const lit held =
                m->l != ID_NONE
                    ? m->l
                    : encoding_before(&x->s, m->pair.from, m->pair.to,
                                      m->pair.key, false);
            assert(m->l == ID_NONE || m->l < 2 * sat_vars(x->s.sat));
            vec_push(&clause, lit_not(held));
        }
        encoding_add_clause(&x->s,
                            (struct log_entry){.kind = ENTRY_CYCLE,
                                               .a = l->first_hop,
                                               .b = l->n_hops},
                            clause.at, clause.n);
    }
    vec_free(&clause);
}

/* Propose and refute until a proposal holds or there is none left. */
static enum sat_answer
run(struct psi *x)
{
    struct dependencies *p = x->p;
    for (uint32_t i = 0; i < p->ambiguous.n; i++)
        (void)encoding_choices(&x->s, i);
    for (;;) {
        x->s.context->stats->search_rounds++;
        const enum sat_answer answer =
            sat_solve(x->s.sat, x->s.context->budget);
        if (answer != SAT_TRUE)
            return answer;
        propose(x);
        find_violations(x);
        withdraw(x);
        if (!x->lemmas.n)
            return SAT_TRUE;
        if (!budget_spend(x->s.context->budget,
                          TUNE_PSI_STEPS * (uint64_t)p->h->n_ops))
            return SAT_UNKNOWN;
        sat_to_root(x->s.sat);
        add_lemmas(x);
    }
}

static void
accept(const struct psi *x, struct certificate *out)
{
    const struct dependencies *p = x->p;
    assert(out->verdict == VERDICT_UNKNOWN && !x->lemmas.n);
    out->verdict = VERDICT_OK;
    out->kind = EVIDENCE_ORDER;
    for (uint32_t i = 0; i < p->g.n; i++)
        if (encoding_counts(&x->s, x->s.acyc.order.at[i]))
            vec_push(&out->order, p->name[x->s.acyc.order.at[i]]);
    for (read_id r = 0; r < p->n_reads; r++)
        if (p->read_version[r] != VERSION_NONE)
            depend_add_choice(p, r, p->read_version[r], out);
    for (uint32_t i = 0; i < p->ambiguous.n; i++) {
        const struct candidates c = p->ambiguous.at[i];
        if (!encoding_counts(&x->s, p->read_txn[c.read]))
            continue;
        uint32_t j = 0;
        while (sat_value(x->s.sat, lit_make(x->s.choices.at[i] + j, false)) <=
               0)
            j++;
        assert(j < c.n);
        depend_add_choice(p, c.read, p->pool.items.at[c.first + j], out);
    }
}

void
psi_search(struct inference *f, struct certificate *out)
{
    struct psi x = {.p = f->p};
    struct strong_stats *stats = f->context->stats;
    double began = time_cpu();
    search_init(&x.s, f, f->order);
    x.sorted = mem_alloc(f->p->n_versions, sizeof *x.sorted);
    x.place = mem_alloc(f->p->n_versions, sizeof *x.place);
    x.key_end = mem_alloc(f->p->h->n_keys, sizeof *x.key_end);
    const enum sat_answer answer = run(&x);
    search_add_stats(&x.s);
    stats->searching = time_cpu() - began;
    began = time_cpu();
    if (answer == SAT_TRUE) {
        accept(&x, out);
    } else if (answer == SAT_FALSE && f->p->n_removed != f->p->removed.n) {
        f->context->needs_record = true;
    } else if (answer == SAT_FALSE) {
        out->verdict = VERDICT_VIOLATED;
        out->kind = EVIDENCE_PROOF;
        out->proof = construct_proof_of_search(f, &x.s.log);
    }
    stats->proving = time_cpu() - began;
    search_free(&x.s);
    mem_free(x.sorted);
    mem_free(x.place);
    mem_free(x.key_end);
    vec_free(&x.proposed);
    vec_free(&x.lemmas);
    vec_free(&x.premises);
    vec_free(&x.path);
}
