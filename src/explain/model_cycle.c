/* model_cycle.c -- see model_cycle.h.
 *
 * Which cycles a level forbids is an automaton of its row (level/level.h) that
 * reads the kinds of the edges along a cycle.  Real time counts as so:
 *
 *   ser   any cycle
 *   si    no two rw in a row, around the cycle
 *   pc    each rw right after so or wr
 *   psi   at most one rw
 *   cc    no rw; or one, and nothing else but so and wr
 *   ra    no rw; or one, and one so or wr
 *   rc    no rw; or one, and one wr whose read comes before that of the rw
 *
 * The first four are the placements of doc/levels.md walked point by point; of
 * the weak levels the inferred commit order t2 -> t1 is the ww between these
 * two that is left when the other one would close a cycle with the rw from the
 * reader to t2.  tests/model compares all of them with brute force.
 *
 * The search is Dijkstra's from every transaction, on an array: histories here
 * have a handful of transactions, and each edge is looked at once per visit.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/model_cycle.h"

enum { MODES = LEVEL_MODES };

/* Whether what closes a cycle behind an rw depends on the order of reads. */
static bool
orders_reads(const struct model *m)
{
    return level_table[m->level].premise == PREMISE_EARLIER_READ;
}

// A cycle is the better the fewer overwritten reads it has; then the fewer
// edges, and the fewer orders that had to be inferred.
enum { COST_MISS = 100000, COST_EDGE = 100, COST_OPEN = 1, COST_TIME = 2 };

static uint32_t
cost_of(const struct model *m, const struct dep *d)
{
    const uint32_t cost = COST_EDGE + (d->kind == EDGE_RW ? COST_MISS : 0) +
                          (d->kind == EDGE_TIME ? COST_TIME : 0);
    if (orders_reads(m)) // see prefer_late_reads
        return cost;
    return cost +
           COST_OPEN * ((d->needs[0] != ID_NONE) + (d->needs[1] != ID_NONE));
}

struct state {
    uint32_t cost; // UINT32_MAX: not reached
    uint32_t by;   // the dependency that led here
    uint32_t from; // the state before
    bool done;
};

struct search {
    const struct model *m;
    const struct level_automaton *a;
    answer_id assumed;
    struct state *states; // MODES of each transaction
    u32_vec present;      // dependencies that are there
    uint32_t best;
    size_t looks; // at dependencies
    dep_vec *out;
};

/* Whether a is assumed, or follows at once from what is. */
static bool
is_assumed(const struct search *s, answer_id a)
{
    return s->assumed != ID_NONE &&
           (a == s->assumed || a == s->m->answers.at[s->assumed].implies ||
            a == model_question(s->m, s->assumed)->guard);
}

/* Whether a is taken, or would be with what is assumed. */
static bool
is_answer(const struct search *s, answer_id a)
{
    const struct question *q = model_question(s->m, a);
    return is_assumed(s, a) || model_is_taken(s->m, a) ||
           (!s->m->answers.at[a].eliminated && q->left == 1 &&
            q->guard != ID_NONE && is_assumed(s, q->guard));
}

static bool
is_present(const struct search *s, const struct dep *d)
{
    for (int i = 0; i < 2; i++)
        if (d->needs[i] != ID_NONE && !is_answer(s, d->needs[i]))
            return false;
    return true;
}

/* The place in program order of what a dependency read. */
static op_id
place_of(const struct model *m, const struct dep *d)
{
    return d->read == ID_NONE ? ID_NONE : op_place(m->h, d->read);
}

/* At read committed, what closes the cycle behind an rw is a wr whose read
 * came before the one that misses the write. */
static bool
follows(const struct search *s, const struct state *at, const struct dep *d)
{
    return !orders_reads(s->m) ||
           (d->kind == EDGE_WR &&
            d->read < place_of(s->m, &s->m->deps.at[at->by]));
}

static void
keep_cycle(struct search *s, uint32_t last, uint32_t end, uint32_t start)
{
    vec_clear(s->out);
    vec_push(s->out, s->m->deps.at[last]);
    for (uint32_t i = end; i != start; i = s->states[i].from)
        vec_push(s->out, s->m->deps.at[s->states[i].by]);
    for (size_t i = 0, j = s->out->n - 1; i < j; i++, j--) {
        const struct dep d = s->out->at[i];
        s->out->at[i] = s->out->at[j];
        s->out->at[j] = d;
    }
}

static void
leave_state(struct search *s, uint32_t i, uint32_t start)
{
    const struct state *at = &s->states[i];
    const txn_id t = i / MODES;
    s->looks += s->present.n;
    for (size_t k = 0; k < s->present.n; k++) {
        const struct dep *d = &s->m->deps.at[s->present.at[k]];
        if (d->from != t)
            continue;
        const enum level_dependency kind = d->kind == EDGE_RW   ? DEPENDS_RW
                                           : d->kind == EDGE_WW ? DEPENDS_WW
                                                                : DEPENDS_SEES;
        const int mode = s->a->next[i % MODES][kind];
        if (mode == LEVEL_STUCK || (mode == 3 && !follows(s, at, d)))
            continue;
        const uint32_t cost = at->cost + cost_of(s->m, d);
        const uint32_t j = d->to * MODES + (uint32_t)mode;
        if (cost >= s->best)
            continue;
        if (d->to == start / MODES &&
            (s->a->accepts[start % MODES] >> mode & 1)) {
            s->best = cost;
            keep_cycle(s, s->present.at[k], i, start);
            continue;
        }
        if (cost < s->states[j].cost)
            s->states[j] = (struct state){cost, s->present.at[k], i, false};
    }
}

static void
search_from(struct search *s, uint32_t start)
{
    const uint32_t n = s->m->h->n_txns * MODES;
    for (uint32_t i = 0; i < n; i++)
        s->states[i] = (struct state){UINT32_MAX, 0, 0, false};
    s->states[start].cost = 0;
    for (;;) {
        uint32_t next = UINT32_MAX;
        for (uint32_t i = 0; i < n; i++)
            if (!s->states[i].done && s->states[i].cost < s->best &&
                (next == UINT32_MAX ||
                 s->states[i].cost < s->states[next].cost))
                next = i;
        if (next == UINT32_MAX)
            return;
        s->states[next].done = true;
        leave_state(s, next, start);
    }
}

static const struct dep *
dep_at(const struct search *s, size_t i)
{
    return &s->m->deps.at[s->present.at[i]];
}

/* At read committed, several rw may lead from one transaction to another by
 * different reads, and the last one serves best (see 'follows').  So it comes
 * first, and the others, which cost the same, do not replace it. */
static void
prefer_late_reads(struct search *s)
{
    for (size_t i = 0, j = s->present.n; i + 1 < j; i++) {
        j--;
        const uint32_t k = s->present.at[i];
        s->present.at[i] = s->present.at[j];
        s->present.at[j] = k;
    }
    // Few have a place that is not their own.
    for (size_t i = 1; s->m->h->op_marks && i < s->present.n; i++)
        for (size_t j = i; j && place_of(s->m, dep_at(s, j)) >
                                    place_of(s->m, dep_at(s, j - 1));
             j--) {
            const uint32_t k = s->present.at[j];
            s->present.at[j] = s->present.at[j - 1];
            s->present.at[j - 1] = k;
        }
}

uint32_t
model_cycle(const struct model *m, answer_id assumed, uint32_t below,
            dep_vec *out, size_t *looks)
{
    struct search s = {.m = m,
                       .a = &level_table[m->level].cycles,
                       .assumed = assumed,
                       .best = below,
                       .out = out};
    s.states = mem_alloc((size_t)m->h->n_txns * MODES, sizeof *s.states);
    for (size_t i = 0; i < m->deps.n; i++)
        if (is_present(&s, &m->deps.at[i]))
            vec_push(&s.present, (uint32_t)i);
    if (orders_reads(m))
        prefer_late_reads(&s);
    for (txn_id t = 0; t < m->h->n_txns; t++)
        for (uint32_t mode = 0; mode < MODES; mode++)
            if (s.a->accepts[mode])
                search_from(&s, t * MODES + mode);
    *looks += s.looks + m->deps.n;
    vec_free(&s.present);
    mem_free(s.states);
    return s.best < below ? s.best : 0;
}
