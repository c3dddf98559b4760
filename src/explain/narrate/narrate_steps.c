/* narrate_steps.c -- why no order works, step by step; see narrate.h.
 *
 * The steps of a refutation become sentences.  First come the orders of
 * versions that the history does not state but leaves no choice about, each
 * with what speaks against the other way round; then the edges of the cycle,
 * one by one; the last sentence is the contradiction.
 *
 * What an edge means depends on the level (doc/levels.md): at ser it puts one
 * transaction before another; at si and pc it puts a start or a commit before
 * a start or a commit; at the others an rw is a write that was not seen.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/narrate/narrate.h"

#include <string.h>

struct steps {
    struct narration *t;
    const struct model *m;
    const struct refutation *r;
    uint32_t *number_of; // by step of r: the number of its sentence, 0 = none
};

static bool
has_points(enum level l)
{
    return level_table[l].two_points;
}

static bool
is_total(enum level l)
{
    return level_is_serial(l);
}

static void
push_step(struct steps *s, uint32_t depth, uint32_t edge)
{
    const char *text = narrate_keep(s->t);
    vec_push(&s->t->a->steps, ((struct told_step){text, depth, edge}));
}

/* --- edges
 * ------------------------------------------------------------------*/

static op_id
final_write(const struct history *h, txn_id t, key_id k)
{
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_final_write(h, op) && op_key(h, op) == k)
            return op;
    return ID_NONE;
}

static uint32_t
init_index(const struct narration *t)
{
    for (uint32_t i = 0; i < t->a->txns.n; i++)
        if (t->a->txns.at[i].is_init)
            return i;
    return TOLD_NONE;
}

static bool
is_inferred(const struct dep *d)
{
    return d->needs[d->kind == EDGE_RW] != ID_NONE &&
           (d->kind == EDGE_WW || d->kind == EDGE_RW);
}

/* Add the edge, or find it: the same one is told once. */
static uint32_t
add_edge(struct narration *t, const struct dep *d, bool inferred)
{
    const struct history *h = t->h;
    struct told_edge e = {
        .from = d->from == TXN_INIT ? init_index(t) : d->from,
        .to = d->to,
        .from_op = TOLD_NONE,
        .to_op = TOLD_NONE,
        .kind = d->kind,
        .inferred = inferred,
    };
    for (uint32_t i = 0; i < t->a->edges.n; i++) {
        const struct told_edge *old = &t->a->edges.at[i];
        if (old->from == e.from && old->to == e.to && old->kind == e.kind)
            return i;
    }
    if (d->kind == EDGE_RW)
        e.from_op = narrate_place(t, d->from, d->read);
    else if (d->key != ID_NONE && d->from != TXN_INIT)
        e.from_op = narrate_place(t, d->from, final_write(h, d->from, d->key));
    if (d->kind == EDGE_WR)
        e.to_op = narrate_place(t, d->to, d->read);
    else if (d->key != ID_NONE)
        e.to_op = narrate_place(t, d->to, final_write(h, d->to, d->key));
    if (d->key != ID_NONE) {
        history_show_key(h, d->key, &t->b);
        e.key = narrate_keep(t);
        const struct atom key = history_key_atom(h, d->key);
        e.key_id = e.key;
        if (atom_is_text(key)) {
            const struct string s =
                strings_get(&h->strings, (uint32_t)key.bits);
            e.key_id = arena_copy(&t->a->arena, s.text, s.len);
        }
    }
    narrate_clause(t, d);
    e.reason = narrate_keep(t);
    vec_push(&t->a->edges, e);
    return (uint32_t)t->a->edges.n - 1;
}

/* --- what an order rests on ---------------------------------------------- */

/* The number of the sentence that settled an answer; 0 where none did. */
static uint32_t
settled_in(const struct steps *s, answer_id a)
{
    if (a == ID_NONE)
        return 0;
    const struct question *q =
        &s->m->questions.at[s->m->answers.at[a].question];
    for (size_t i = s->r->steps.n; i-- > 0;) {
        const struct refute_step *step = &s->r->steps.at[i];
        if (step->answer >= q->first && step->answer < q->first + q->n &&
            step->answer != a && s->number_of[i])
            return s->number_of[i];
    }
    return 0;
}

static void
say_steps(struct steps *s, const struct dep *d)
{
    uint32_t said = 0;
    for (int i = 0; i < 2; i++) {
        const uint32_t n = settled_in(s, d->needs[i]);
        if (!n || n == said)
            continue;
        buf_printf(&s->t->b, said ? ", %u" : " (%u", n);
        said = n;
    }
    buf_text(&s->t->b, said ? ")" : "");
}

static void
say_settled(struct steps *s, answer_id a)
{
    const uint32_t n = settled_in(s, a);
    if (n)
        buf_printf(&s->t->b, " (%u)", n);
}

static void
say_clauses(struct steps *s, const struct dep *d, size_t n, answer_id assumed)
{
    bool first = true;
    for (size_t i = 0; i < n; i++) {
        // What was assumed has just been said.
        if (d[i].kind == EDGE_WW && d[i].needs[0] == assumed)
            continue;
        buf_text(&s->t->b, first ? "" : "; ");
        narrate_clause(s->t, &d[i]);
        say_steps(s, &d[i]);
        first = false;
    }
}

/* Why 'late' cannot have written before 'early': the cycle that it closes. */
static void
say_rejected(struct steps *s, const struct refute_step *step, txn_id late,
             txn_id early)
{
    struct narration *t = s->t;
    const struct dep *d = &s->r->cycles.at[step->first];
    if (step->n == 2)
        for (int i = 0; i < 2; i++) {
            const struct dep *other = &d[1 - i];
            if (d[i].kind != EDGE_WW || d[i].from != late)
                continue;
            if (other->kind == EDGE_WR) {
                narrate_txn(t, late);
                buf_text(&t->b, " read ");
                narrate_seen(t, other->read);
                buf_text(&t->b, " from it");
                return;
            }
            if (other->kind == EDGE_SO) {
                buf_text(&t->b, "it is earlier in the same session");
                return;
            }
            if (other->kind == EDGE_RW) {
                buf_text(&t->b, "had ");
                narrate_txn(t, late);
                buf_text(&t->b, " been first, ");
                narrate_txn(t, early);
                buf_text(&t->b, " could not have read ");
                narrate_seen(t, other->read);
                say_steps(s, other);
                return;
            }
        }
    buf_text(&t->b, "the other way round there is a cycle: ");
    say_clauses(s, d, step->n, step->answer);
}

static key_id
common_key(const struct history *h, txn_id a, txn_id b)
{
    for (op_id op = h->txn_begin[a]; op < h->txn_end[a]; op++)
        if (op_is_final_write(h, op) &&
            final_write(h, b, op_key(h, op)) != ID_NONE)
            return op_key(h, op);
    return ID_NONE;
}

/* --- sentences
 * --------------------------------------------------------------*/

static void
tell_order(struct steps *s, size_t i, const struct question *q)
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
    const uint32_t edge = add_edge(t, &d, true);
    if (step->kind == REFUTE_STRIKE) {
        say_rejected(s, step, late, early);
        t->a->edges.at[edge].rejected = narrate_keep(t);
    } else {
        t->a->edges.at[edge].rejected = "the other way round does not work";
    }
    buf_text(&t->b, step->kind == REFUTE_WRONG ? "So " : "");
    narrate_txn(t, early);
    buf_text(&t->b, " wrote ");
    narrate_key(t, k);
    buf_text(&t->b, " before ");
    narrate_txn(t, late);
    if (step->kind == REFUTE_STRIKE) {
        buf_text(&t->b, ": ");
        buf_text(&t->b, t->a->edges.at[edge].rejected);
    }
    push_step(s, step->depth, edge);
}

static void
tell_choice(struct steps *s, size_t i, const struct question *q)
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
        say_settled(s, step->because);
    } else if (step->kind == REFUTE_STRIKE) {
        buf_text(&t->b, ": that would close a cycle: ");
        say_clauses(s, &s->r->cycles.at[step->first], step->n, step->answer);
    }
    push_step(s, step->depth, TOLD_NONE);
}

/* "t took effect: u read x = 1 from it" */
static void
tell_effect(struct steps *s, size_t i, const struct question *q)
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
        say_settled(s, step->because);
    } else if (step->question != ID_NONE) {
        buf_text(&t->b, ": there is nobody from whom it can have read ");
        narrate_seen(t, s->m->questions.at[step->question].read);
    } else if (step->kind == REFUTE_STRIKE) {
        buf_text(&t->b, ": else there would be a cycle: ");
        say_clauses(s, &s->r->cycles.at[step->first], step->n, step->answer);
    }
    push_step(s, step->depth, TOLD_NONE);
}

static void
tell_supposition(struct steps *s, size_t i, const struct question *q)
{
    struct narration *t = s->t;
    const struct refute_step *step = &s->r->steps.at[i];
    const txn_id first = s->m->answers.at[step->answer].writer;
    buf_text(&t->b, "Suppose ");
    if (q->kind == QUESTION_ORDER) {
        const txn_id second = first == q->a ? q->b : q->a;
        narrate_txn(t, first);
        buf_text(&t->b, " wrote ");
        narrate_key(t, common_key(t->h, first, second));
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
    push_step(s, step->depth, TOLD_NONE);
}

/* Nobody is left: "a and b ..." */
static void
say_unanswerable(struct steps *s, const struct question *q)
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
        buf_text(&t->b, "So there is nobody from whom ");
        narrate_txn(t, q->a);
        buf_text(&t->b, " can have read ");
        narrate_seen(t, q->read);
    }
}

/* A contradiction inside a case, in one sentence. */
static void
tell_dead_end(struct steps *s, const struct refute_step *step)
{
    if (step->n) {
        buf_text(&s->t->b, "That cannot be: ");
        say_clauses(s, &s->r->cycles.at[step->first], step->n, ID_NONE);
    } else {
        say_unanswerable(s, &s->m->questions.at[step->question]);
    }
    push_step(s, step->depth, TOLD_NONE);
}

/* --- the cycle at the end --------------------------------------------------
 */

/* What an edge says about the order of things at this level. */
static void
say_meaning(struct steps *s, const struct dep *d)
{
    struct narration *t = s->t;
    const bool points = has_points(t->level);
    const bool miss = d->kind == EDGE_RW;
    narrate_txn(t, d->from);
    if (miss && !points && !is_total(t->level)) {
        buf_text(&t->b, " did not see ");
        narrate_txn(t, d->to);
    } else if (!points) {
        buf_text(&t->b, " comes before ");
        narrate_txn(t, d->to);
    } else {
        const bool commits =
            miss || (d->kind == EDGE_WW && !level_separates_writers(t->level));
        buf_text(&t->b, miss ? " began before " : " committed before ");
        narrate_txn(t, d->to);
        buf_text(&t->b, commits ? " committed" : " began");
    }
}

static void
say_why(struct steps *s, const struct dep *d)
{
    struct narration *t = s->t;
    switch (d->kind) {
    case EDGE_SO:
        buf_text(&t->b, ": it is earlier in session ");
        history_show_session(t->whole,
                             t->whole->txn_session[t->origin[d->from]], &t->b);
        break;
    case EDGE_TIME:
        buf_text(&t->b, ": it had ended when the other one began");
        break;
    case EDGE_WR:
        buf_text(&t->b, ": ");
        narrate_txn(t, d->to);
        buf_text(&t->b, " read ");
        narrate_seen(t, d->read);
        buf_text(&t->b, " from it");
        break;
    case EDGE_WW:
        buf_text(&t->b, ": it wrote ");
        narrate_key(t, d->key);
        buf_text(&t->b, d->needs[0] == ID_NONE ? " first, as the lists show"
                                               : " first");
        break;
    default:
        buf_text(&t->b, ": it read ");
        narrate_seen(t, d->read);
        buf_text(&t->b,
                 d->writer == TXN_INIT ? ", the initial state" : " from ");
        if (d->writer != TXN_INIT)
            narrate_txn(t, d->writer);
        buf_text(&t->b, ", which ");
        narrate_txn(t, d->to);
        buf_char(&t->b, ' ');
        narrate_overwrote(t, d->key);
        break;
    }
    say_steps(s, d);
}

/* ": read atomic is violated, and with it serializability" */
static void
say_violated(struct narration *t)
{
    buf_printf(&t->b, ": %s is violated", level_table[t->level].title);
    if (t->a->level != t->level)
        buf_printf(&t->b, ", and with it %s", level_table[t->a->level].title);
}

static void
say_contradiction(struct steps *s, const struct dep *d, size_t n)
{
    struct narration *t = s->t;
    size_t misses = 0;
    for (size_t i = 0; i < n; i++)
        misses += d[i].kind == EDGE_RW;
    buf_text(&t->b, "So ");
    if (has_points(t->level)) {
        narrate_txn(t, d[0].from);
        buf_text(&t->b, " would have to begin before it began");
    } else if (is_total(t->level) || !misses) {
        narrate_txn(t, d[0].from);
        buf_text(&t->b, " would have to come before itself");
    } else {
        narrate_txn(t, d[0].to);
        buf_text(&t->b, " comes before ");
        narrate_txn(t, d[0].from);
        buf_text(&t->b, ", which should have seen it");
    }
    say_violated(t);
}

static void
tell_cycle(struct steps *s, const struct dep *d, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t edge = add_edge(s->t, &d[i], is_inferred(&d[i]));
        say_meaning(s, &d[i]);
        say_why(s, &d[i]);
        push_step(s, 0, edge);
    }
    say_contradiction(s, d, n);
    push_step(s, 0, TOLD_NONE);
}

/* Show where the overwritten reads came from, too. */
static void
add_sources(struct narration *t, const struct dep *d, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (d[i].kind != EDGE_RW)
            continue;
        struct dep source = d[i];
        source.kind = EDGE_WR;
        source.from = d[i].writer;
        source.to = d[i].from;
        add_edge(t, &source, false);
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

/* That a write was missed may rest on an inferred order of two writes; then
 * what speaks against the other order speaks for the edge. */
static void
reject_misses(struct narration *t, const struct dep *d, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (d[i].kind != EDGE_RW || d[i].writer == TXN_INIT)
            continue;
        const char *rejected = NULL;
        for (size_t j = 0; j < t->a->edges.n; j++) {
            const struct told_edge *e = &t->a->edges.at[j];
            if (e->kind == EDGE_WW && e->from == d[i].writer &&
                e->to == d[i].to)
                rejected = e->rejected;
        }
        if (!rejected)
            continue;
        narrate_txn(t, d[i].writer);
        buf_text(&t->b, " wrote ");
        narrate_key(t, d[i].key);
        buf_text(&t->b, " before ");
        narrate_txn(t, d[i].to);
        buf_text(&t->b, ": ");
        buf_text(&t->b, rejected);
        t->a->edges.at[t->a->cycle.at[i]].rejected = narrate_keep(t);
    }
}

static void
tell_end(struct steps *s, const struct refute_step *end)
{
    if (end->n) {
        struct dep *d = mem_alloc(end->n, sizeof *d);
        memcpy(d, &s->r->cycles.at[end->first], end->n * sizeof *d);
        classify_turn(d, end->n);
        tell_cycle(s, d, end->n);
        mem_free(d);
    } else {
        say_unanswerable(s, &s->m->questions.at[end->question]);
        say_violated(s->t);
        push_step(s, 0, TOLD_NONE);
    }
}

void
narrate_steps(struct narration *t, const struct model *m,
              const struct refutation *r, const struct dep *d, size_t n)
{
    struct steps s = {t, m, r, mem_calloc(r->steps.n, sizeof *s.number_of)};
    const size_t last = r->steps.n - 1;
    for (size_t i = 0; i < last; i++) {
        const struct refute_step *step = &r->steps.at[i];
        if (!step->needed)
            continue;
        if (step->kind == REFUTE_CLOSE) {
            tell_dead_end(&s, step);
            continue;
        }
        const struct question *q =
            &m->questions.at[m->answers.at[step->answer].question];
        if (step->kind == REFUTE_SUPPOSE)
            tell_supposition(&s, i, q);
        else if (q->kind == QUESTION_ORDER)
            tell_order(&s, i, q);
        else if (q->kind == QUESTION_EFFECT)
            tell_effect(&s, i, q);
        else
            tell_choice(&s, i, q);
        s.number_of[i] = (uint32_t)t->a->steps.n;
    }
    tell_end(&s, &r->steps.at[last]);
    for (size_t i = 0; i < n; i++) {
        const uint32_t edge = add_edge(t, &d[i], is_inferred(&d[i]));
        t->a->edges.at[edge].on_cycle = true;
        vec_push(&t->a->cycle, edge);
    }
    add_sources(t, d, n);
    reject_misses(t, d, n);
    say_edge_kinds(t, d, n);
    mem_free(s.number_of);
}
