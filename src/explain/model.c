/* model.c -- see model.h.
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
#include "explain/model.h"

#include "depend/list_edges.h"
#include "depend/precedence.h"
#include "depend/reads.h"
#include "depend/writers.h"

#include <string.h>

/* --- questions and dependencies -------------------------------------------*/

struct writes {
    struct writers by_key;
    answer_id *effect; // by transaction: that it took effect, where it is open
    struct list_places lists;
};

static uint32_t
add_question(struct model *m, struct question q)
{
    q.first = (answer_id)m->answers.n;
    q.n = q.left = 0;
    vec_push(&m->questions, q);
    return (uint32_t)m->questions.n - 1;
}

static answer_id
add_answer(struct model *m, uint32_t question, txn_id writer)
{
    vec_push(&m->answers,
             ((struct model_answer){question, writer, ID_NONE, false}));
    m->questions.at[question].n++;
    m->questions.at[question].left++;
    return (answer_id)m->answers.n - 1;
}

/* The answer "a before b", with the question where it is new. */
static answer_id
order_answer(struct model *m, txn_id a, txn_id b)
{
    const txn_id low = a < b ? a : b, high = a < b ? b : a;
    for (size_t i = 0; i < m->questions.n; i++) {
        const struct question *q = &m->questions.at[i];
        if (q->kind == QUESTION_ORDER && q->a == low && q->b == high)
            return q->first + (a > b);
    }
    const uint32_t q = add_question(m, (struct question){.kind = QUESTION_ORDER,
                                                         .a = low,
                                                         .b = high,
                                                         .read = ID_NONE,
                                                         .guard = ID_NONE});
    const answer_id first = add_answer(m, q, low);
    add_answer(m, q, high);
    return first + (a > b);
}

/* Whether the versions of a precede those of b: *needs is the answer that says
 * so, or ID_NONE where the order of a list does.  False: they do not, for
 * certain. */
static bool
precedes(struct model *m, const struct writes *w, txn_id a, txn_id b,
         answer_id *needs)
{
    *needs = ID_NONE;
    if (a == TXN_INIT)
        return true;
    if (m->h->order_first && (list_places_precede(&w->lists, a, b) ||
                              list_places_precede(&w->lists, b, a)))
        return list_places_precede(&w->lists, a, b);
    *needs = order_answer(m, a, b);
    return true;
}

/* The place of an element of t in the order of the list; UINT32_MAX: none. */
static uint32_t
place_in_list(const struct history *h, txn_id t, key_id k)
{
    for (uint32_t i = h->order_first[k]; i < h->order_first[k + 1]; i++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (op_is_write(h, op) && h->op_value[op] == h->order_items.at[i])
                return i;
    return UINT32_MAX;
}

/* Whether a list shows that a precedes b, where that is certain, is key k. */
static bool
is_shown_by(const struct history *h, key_id k, txn_id a, txn_id b)
{
    return h->key_is_list[k] && place_in_list(h, a, k) < place_in_list(h, b, k);
}

static void
add_order(struct model *m, const struct writes *w, key_id k, txn_id a, txn_id b)
{
    struct dep d = {.kind = EDGE_WW,
                    .from = a,
                    .to = b,
                    .key = k,
                    .read = ID_NONE,
                    .writer = TXN_NONE,
                    .needs = {ID_NONE, ID_NONE}};
    if (a != b && precedes(m, w, a, b, &d.needs[0]) &&
        (d.needs[0] != ID_NONE || is_shown_by(m->h, k, a, b)))
        vec_push(&m->deps, d);
}

static void
add_orders(struct model *m, const struct writes *w)
{
    const struct writers *by = &w->by_key;
    for (key_id k = 0; k < m->h->n_keys; k++)
        for (uint32_t i = by->first[k]; i < by->first[k + 1]; i++)
            for (uint32_t j = by->first[k]; j < by->first[k + 1]; j++)
                add_order(m, w, k, by->at[i], by->at[j]);
}

/* What follows if the read of t saw what 'writer' wrote. */
static void
add_seen(struct model *m, const struct writes *w, txn_id t, op_id op,
         txn_id writer, answer_id chosen)
{
    const key_id k = op_key(m->h, op);
    struct dep d = {.kind = EDGE_WR,
                    .from = writer,
                    .to = t,
                    .key = k,
                    .read = op,
                    .writer = writer,
                    .needs = {chosen, ID_NONE}};
    if (writer != TXN_INIT)
        vec_push(&m->deps, d);
    d.kind = EDGE_RW;
    d.from = t;
    const struct writers *by = &w->by_key;
    for (uint32_t i = by->first[k]; i < by->first[k + 1]; i++) {
        d.to = by->at[i];
        if (d.to != t && d.to != writer &&
            precedes(m, w, writer, d.to, &d.needs[1]))
            vec_push(&m->deps, d);
    }
}

static void
add_read(struct model *m, const struct writes *w, txn_id t, op_id op)
{
    txn_id only;
    const struct txn_range all = reads_writers(m->h, op, &only);
    const bool several = history_has_several(m->h, m->h->op_value[op]);
    if (!several && w->effect[t] == ID_NONE) {
        add_seen(m, w, t, op, only, ID_NONE);
        return;
    }
    const uint32_t q =
        add_question(m, (struct question){.kind = QUESTION_WRITER,
                                          .a = t,
                                          .read = op,
                                          .guard = w->effect[t]});
    // All answers first: those of a question are consecutive.
    for (size_t i = 0; i < all.n; i++) {
        if (all.at[i] == t)
            continue;
        const answer_id a = add_answer(m, q, all.at[i]);
        if (all.at[i] != TXN_INIT)
            m->answers.at[a].implies = w->effect[all.at[i]];
    }
    const struct question question = m->questions.at[q];
    for (answer_id a = question.first; a < question.first + question.n; a++)
        add_seen(m, w, t, op, m->answers.at[a].writer, a);
}

/* The questions who took effect. */
static void
add_effects(struct model *m, struct writes *w)
{
    const struct history *h = m->h;
    w->effect = mem_alloc(h->n_txns, sizeof *w->effect);
    for (txn_id t = 0; t < h->n_txns; t++) {
        w->effect[t] = ID_NONE;
        if (h->txn_counts[t] != TXN_MAY_COUNT)
            continue;
        const uint32_t q =
            add_question(m, (struct question){.kind = QUESTION_EFFECT,
                                              .a = t,
                                              .read = ID_NONE,
                                              .guard = ID_NONE});
        w->effect[t] = add_answer(m, q, t);
        add_answer(m, q, TXN_NONE);
    }
}

static void
add_certain(struct model *m, const struct writes *w)
{
    const struct history *h = m->h;
    const bool strict = level_table[m->level].needs_times;
    struct dep d = {.key = ID_NONE,
                    .read = ID_NONE,
                    .writer = TXN_NONE,
                    .needs = {ID_NONE, ID_NONE}};
    for (d.from = 0; d.from < h->n_txns; d.from++)
        for (d.to = 0; d.to < h->n_txns; d.to++) {
            if (!h->txn_counts[d.from] || !h->txn_counts[d.to])
                continue;
            d.kind = EDGE_SO;
            d.needs[0] = w->effect[d.from];
            if (precedence_by_session(h, d.from, d.to))
                vec_push(&m->deps, d);
            d.kind = EDGE_TIME;
            d.needs[0] = ID_NONE;
            if (strict && precedence_by_time(h, d.from, d.to))
                vec_push(&m->deps, d);
        }
}

void
model_init(struct model *m, const struct history *h, enum level level)
{
    *m = (struct model){.h = h, .level = level};
    struct writes w = {0};
    writers_init(&w.by_key, h, h->txn_counts);
    list_places_init(&w.lists, h);
    add_effects(m, &w);
    add_certain(m, &w);
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (h->txn_counts[t] && op_is_external_read(h, op))
                add_read(m, &w, t, op);
    add_orders(m, &w);
    writers_free(&w.by_key);
    mem_free(w.effect);
    list_places_free(&w.lists);
}

void
model_free(struct model *m)
{
    vec_free(&m->deps);
    vec_free(&m->questions);
    vec_free(&m->answers);
}

void
model_strike(struct model *m, answer_id a)
{
    assert(!m->answers.at[a].struck);
    m->answers.at[a].struck = true;
    m->questions.at[m->answers.at[a].question].left--;
}

void
model_restore(struct model *m, answer_id a)
{
    assert(m->answers.at[a].struck);
    m->answers.at[a].struck = false;
    m->questions.at[m->answers.at[a].question].left++;
}

/* --- cycles ----------------------------------------------------------------*/

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
           (!s->m->answers.at[a].struck && q->left == 1 &&
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

/* At read committed, what closes the cycle behind an rw is a wr whose read
 * came before the one that misses the write. */
static bool
follows(const struct search *s, const struct state *at, const struct dep *d)
{
    return !orders_reads(s->m) ||
           (d->kind == EDGE_WR && d->read < s->m->deps.at[at->by].read);
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
