/* narrate_steps.c -- why no order works, step by step; see narrate.h.
 *
 * The steps of a refutation become sentences.  First come the orders of
 * versions that the history does not state but that follow from it, each with
 * the reason why the opposite order is impossible; then the edges of the cycle,
 * one by one; the last sentence is the contradiction.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/narrate/narrate.h"

#include "explain/narrate/narrate_cycle.h"
#include "explain/narrate/narrate_edges.h"

#include <string.h>

static key_id
common_key(const struct history *h, txn_id a, txn_id b)
{
    for (op_id op = h->txn_begin[a]; op < h->txn_end[a]; op++)
        if (op_is_final_write(h, op) &&
            narrate_final_write(h, b, op_key(h, op)) != ID_NONE)
            return op_key(h, op);
    return ID_NONE;
}

/* --- sentences
 * --------------------------------------------------------------*/

static void
narrate_order(struct narrate_argument *s, size_t i, const struct question *q)
{
    struct narration *t = s->t;
    const struct refute_step *step = &s->r->steps.at[i];
    const txn_id late = s->m->answers.at[step->answer].writer;
    const txn_id early = late == q->a ? q->b : q->a;
    const key_id k = common_key(t->h, early, late);
    const struct dep d = {.kind = EDGE_WW,
                          .from = early,
                          .to = late,
                          .key = k,
                          .read = ID_NONE,
                          .writer = TXN_NONE,
                          .needs = {ID_NONE, ID_NONE}};
    const uint32_t edge = narrate_edge_add(t, &d, true);
    if (step->kind == REFUTE_STRIKE) {
        narrate_argument_rejected(s, step, late, early);
        t->a->edges.at[edge].rejected = narrate_keep(t);
    } else {
        t->a->edges.at[edge].rejected = "the other way round does not work";
    }
    buf_text(&t->b, step->kind == REFUTE_WRONG ? "So " : "");
    narrate_txn(t, early);
    buf_text(&t->b, " wrote ");
    narrate_written(t, k);
    buf_text(&t->b, " before ");
    narrate_txn(t, late);
    if (step->kind == REFUTE_STRIKE) {
        buf_text(&t->b, ": ");
        buf_text(&t->b, t->a->edges.at[edge].rejected);
    }
    narrate_argument_push(s, step->depth, edge);
}

static void
narrate_choice(struct narrate_argument *s, size_t i, const struct question *q)
{
    struct narration *t = s->t;
    const struct refute_step *step = &s->r->steps.at[i];
    const txn_id writer = s->m->answers.at[step->answer].writer;
    buf_text(&t->b, step->kind == REFUTE_WRONG ? "So " : "");
    narrate_txn(t, q->a);
    buf_text(&t->b, " did not read ");
    narrate_seen(t, q->read);
    buf_text(&t->b, " from ");
    narrate_txn(t, writer);
    if (step->because != ID_NONE) {
        buf_text(&t->b, ", which had no effect");
        narrate_argument_number(s, step->because);
    } else if (step->kind == REFUTE_STRIKE) {
        buf_text(&t->b, ": that would close a cycle: ");
        narrate_argument_clauses(s, &s->r->cycles.at[step->first], step->n,
                                 step->answer);
    }
    narrate_argument_push(s, step->depth, ANOMALY_NONE);
}

/* "t took effect: u read x = 1 from it" */
static void
narrate_effect(struct narrate_argument *s, size_t i, const struct question *q)
{
    struct narration *t = s->t;
    const struct refute_step *step = &s->r->steps.at[i];
    buf_text(&t->b, step->kind == REFUTE_WRONG ? "So " : "");
    narrate_txn(t, q->a);
    buf_text(&t->b,
             step->answer == q->first ? " had no effect" : " took effect");
    if (step->because != ID_NONE) {
        const struct question *why = model_question(s->m, step->because);
        buf_text(&t->b, ": ");
        narrate_txn(t, why->a);
        buf_text(&t->b, " read ");
        narrate_seen(t, why->read);
        buf_text(&t->b, " from it");
        narrate_argument_number(s, step->because);
    } else if (step->question != ID_NONE) {
        buf_text(&t->b,
                 ": there is no transaction from which it can have read ");
        narrate_seen(t, s->m->questions.at[step->question].read);
    } else if (step->kind == REFUTE_STRIKE) {
        buf_text(&t->b, ": else there would be a cycle: ");
        narrate_argument_clauses(s, &s->r->cycles.at[step->first], step->n,
                                 step->answer);
    }
    narrate_argument_push(s, step->depth, ANOMALY_NONE);
}

static void
narrate_supposition(struct narrate_argument *s, size_t i,
                    const struct question *q)
{
    struct narration *t = s->t;
    const struct refute_step *step = &s->r->steps.at[i];
    const txn_id first = s->m->answers.at[step->answer].writer;
    buf_text(&t->b, "Suppose ");
    if (q->kind == QUESTION_ORDER) {
        const txn_id second = first == q->a ? q->b : q->a;
        narrate_txn(t, first);
        buf_text(&t->b, " wrote ");
        narrate_written(t, common_key(t->h, first, second));
        buf_text(&t->b, " before ");
        narrate_txn(t, second);
    } else if (q->kind == QUESTION_EFFECT) {
        narrate_txn(t, q->a);
        buf_text(&t->b, first == q->a ? " took effect" : " had no effect");
    } else {
        narrate_txn(t, q->a);
        buf_text(&t->b, " read ");
        narrate_seen(t, q->read);
        buf_text(&t->b, " from ");
        narrate_txn(t, first);
    }
    narrate_argument_push(s, step->depth, ANOMALY_NONE);
}

/* No answer is left: "So neither a nor b can have written x first". */
static void
narrate_unanswerable(struct narrate_argument *s, const struct question *q)
{
    struct narration *t = s->t;
    if (q->kind == QUESTION_ORDER) {
        buf_text(&t->b, "So neither ");
        narrate_txn(t, q->a);
        buf_text(&t->b, " nor ");
        narrate_txn(t, q->b);
        buf_text(&t->b, " can have written ");
        narrate_key(t, common_key(t->h, q->a, q->b));
        buf_text(&t->b, " first");
    } else if (q->kind == QUESTION_EFFECT) {
        buf_text(&t->b, "So ");
        narrate_txn(t, q->a);
        buf_text(&t->b, " can neither have taken effect nor have had none");
    } else {
        buf_text(&t->b, "So there is no transaction from which ");
        narrate_txn(t, q->a);
        buf_text(&t->b, " can have read ");
        narrate_seen(t, q->read);
    }
}

/* A contradiction inside a case, in one sentence. */
static void
narrate_dead_end(struct narrate_argument *s, const struct refute_step *step)
{
    if (step->n) {
        buf_text(&s->t->b, "That cannot be: ");
        narrate_argument_clauses(s, &s->r->cycles.at[step->first], step->n,
                                 ID_NONE);
    } else {
        narrate_unanswerable(s, &s->m->questions.at[step->question]);
    }
    narrate_argument_push(s, step->depth, ANOMALY_NONE);
}

/* --- the edges of the cycle ------------------------------------------------*/

void
narrate_sources(struct narration *t, const struct dep *d, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (d[i].kind != EDGE_RW)
            continue;
        struct dep source = d[i];
        source.kind = EDGE_WR;
        source.from = d[i].writer;
        source.to = d[i].from;
        narrate_edge_add(t, &source, false);
    }
}

static void
say_edge_kinds(struct narration *t, const struct dep *d, size_t n)
{
    static const char *const names[] = {
        [EDGE_SO] = "so", [EDGE_WR] = "wr",     [EDGE_WW] = "ww",
        [EDGE_RW] = "rw", [EDGE_TIME] = "time",
    };
    for (size_t i = 0; i < n; i++) {
        buf_text(&t->b, i ? " " : "");
        buf_text(&t->b, names[d[i].kind]);
    }
    t->a->edges_in_words = narrate_keep(t);
}

/* A missed write may rest on an inferred order of two writes.  Then the reason
 * against the opposite order is a reason for the edge. */
static void
reject_misses(struct narration *t, const struct dep *d, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (d[i].kind != EDGE_RW || d[i].writer == TXN_INIT)
            continue;
        const char *rejected = NULL;
        for (size_t j = 0; j < t->a->edges.n; j++) {
            const struct anomaly_edge *e = &t->a->edges.at[j];
            if (e->kind == EDGE_WW && e->from == d[i].writer &&
                e->to == d[i].to)
                rejected = e->rejected;
        }
        if (!rejected)
            continue;
        narrate_txn(t, d[i].writer);
        buf_text(&t->b, " wrote ");
        narrate_written(t, d[i].key);
        buf_text(&t->b, " before ");
        narrate_txn(t, d[i].to);
        buf_text(&t->b, ": ");
        buf_text(&t->b, rejected);
        t->a->edges.at[t->a->cycle.at[i]].rejected = narrate_keep(t);
    }
}

static void
narrate_end(struct narrate_argument *s, const struct refute_step *end)
{
    if (end->n) {
        struct dep *d = mem_alloc(end->n, sizeof *d);
        memcpy(d, &s->r->cycles.at[end->first], end->n * sizeof *d);
        classify_turn(d, end->n);
        narrate_cycle(s, d, end->n);
        mem_free(d);
    } else {
        narrate_unanswerable(s, &s->m->questions.at[end->question]);
        narrate_violated(s->t);
        narrate_argument_push(s, 0, ANOMALY_NONE);
    }
}

void
narrate_steps(struct narration *t, const struct model *m,
              const struct refutation *r, const struct dep *d, size_t n)
{
    struct narrate_argument s = {t, m, r,
                                 mem_calloc(r->steps.n, sizeof *s.number_of)};
    const size_t last = r->steps.n - 1;
    for (size_t i = 0; i < last; i++) {
        const struct refute_step *step = &r->steps.at[i];
        if (!step->needed)
            continue;
        if (step->kind == REFUTE_CLOSE) {
            narrate_dead_end(&s, step);
            continue;
        }
        const struct question *q =
            &m->questions.at[m->answers.at[step->answer].question];
        if (step->kind == REFUTE_SUPPOSE)
            narrate_supposition(&s, i, q);
        else if (q->kind == QUESTION_ORDER)
            narrate_order(&s, i, q);
        else if (q->kind == QUESTION_EFFECT)
            narrate_effect(&s, i, q);
        else
            narrate_choice(&s, i, q);
        s.number_of[i] = (uint32_t)t->a->steps.n;
    }
    narrate_end(&s, &r->steps.at[last]);
    for (size_t i = 0; i < n; i++) {
        const uint32_t edge =
            narrate_edge_add(t, &d[i], narrate_edge_is_inferred(&d[i]));
        t->a->edges.at[edge].on_cycle = true;
        vec_push(&t->a->cycle, edge);
    }
    narrate_sources(t, d, n);
    reject_misses(t, d, n);
    say_edge_kinds(t, d, n);
    mem_free(s.number_of);
}
