/* model.c -- see model.h.
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
 * so, or ID_NONE where an order that was observed does.  False: they do not,
 * for certain. */
static bool
precedes(struct model *m, const struct writes *w, txn_id a, txn_id b,
         answer_id *needs)
{
    *needs = ID_NONE;
    if (a == TXN_INIT)
        return true;
    if (history_has_orders(m->h) && (list_places_precede(&w->lists, a, b) ||
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

/* Whether a list or a row shows that a precedes b, where that is certain, is
 * key k. */
static bool
is_shown_by(const struct history *h, key_id k, txn_id a, txn_id b)
{
    return h->key_is_list && h->key_is_list[k]
               ? place_in_list(h, a, k) < place_in_list(h, b, k)
               : list_places_link(h, k, a, b);
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

/* The questions which transactions took effect. */
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
    assert(!m->answers.at[a].eliminated);
    m->answers.at[a].eliminated = true;
    m->questions.at[m->answers.at[a].question].left--;
}

void
model_restore(struct model *m, answer_id a)
{
    assert(m->answers.at[a].eliminated);
    m->answers.at[a].eliminated = false;
    m->questions.at[m->answers.at[a].question].left++;
}
