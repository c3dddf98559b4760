/* refute.c -- see refute.h.
 *
 * The aim is an argument that is short to read, so before anything is supposed
 * every open answer is tried, and the one whose cycle is easiest to tell is
 * struck; overwritten reads make a cycle harder to tell, so that orders of
 * versions that are plain from reading and writing come first.  Only then are
 * cases distinguished.
 *
 * Invariants while the search runs:
 *   (1) 'struck' lists the struck answers in order, with the step that did it;
 *   (2) 'supposed' lists the SUPPOSE steps that are not closed, and how long
 *       'struck' was then;
 *   (3) every STRIKE and WRONG step follows from steps before it that are not
 *       undone, and from its own cycle or deeper steps.
 *
 * At the end, steps that nothing rests on are marked as not needed.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/refute.h"

#include "explain/model_cycle.h"

#define TOO_DEAR UINT32_MAX

struct strike {
    answer_id answer;
    uint32_t step; // SUPPOSE strikes the other answers of its question
};

struct supposition {
    uint32_t step;
    size_t strikes; // before it
};

struct refuter {
    struct model *m;
    struct refutation *out;
    VEC(struct strike) struck;
    VEC(struct supposition) supposed;
    size_t effort; // left
    dep_vec cycle, best;
};

void
refutation_free(struct refutation *r)
{
    vec_free(&r->steps);
    vec_free(&r->cycles);
}

static uint32_t
add_step(struct refuter *r, enum refute_kind kind, answer_id answer,
         uint32_t question, const dep_vec *cycle)
{
    struct refute_step s = {.kind = kind,
                            .answer = answer,
                            .because = ID_NONE,
                            .question = question,
                            .first = (uint32_t)r->out->cycles.n,
                            .n = cycle ? (uint32_t)cycle->n : 0,
                            .depth = (uint32_t)r->supposed.n};
    for (size_t i = 0; cycle && i < cycle->n; i++)
        vec_push(&r->out->cycles, cycle->at[i]);
    vec_push(&r->out->steps, s);
    return (uint32_t)r->out->steps.n - 1;
}

static void
strike(struct refuter *r, answer_id a, uint32_t step)
{
    model_strike(r->m, a);
    vec_push(&r->struck, ((struct strike){a, step}));
}

static uint32_t
find_cycle(struct refuter *r, answer_id assumed, uint32_t below, dep_vec *out)
{
    size_t looks = 0;
    const uint32_t cost = model_cycle(r->m, assumed, below, out, &looks);
    r->effort -= looks < r->effort ? looks : r->effort;
    return cost;
}

static uint32_t
find_unanswerable(const struct model *m)
{
    for (uint32_t q = 0; q < m->questions.n; q++)
        if (!m->questions.at[q].left && m->questions.at[q].guard == ID_NONE)
            return q;
    return ID_NONE;
}

static void
strike_because(struct refuter *r, answer_id a, answer_id because,
               uint32_t question)
{
    const uint32_t step = add_step(r, REFUTE_STRIKE, a, question, NULL);
    r->out->steps.at[step].because = because;
    strike(r, a, step);
}

/* Strike what contradicts which transactions took effect: one that was seen
 * did; one that did not was not seen; and one with a read that has no writer
 * did not.  False where there is nothing of that kind. */
static bool
strike_implied(struct refuter *r)
{
    const struct model *m = r->m;
    for (answer_id a = 0; a < m->answers.n; a++) {
        const answer_id took = m->answers.at[a].implies;
        if (took == ID_NONE || m->answers.at[a].struck)
            continue;
        if (m->answers.at[took].struck) {
            strike_because(r, a, took + 1, ID_NONE);
            return true;
        }
        if (model_is_taken(m, a) && !m->answers.at[took + 1].struck) {
            strike_because(r, took + 1, a, ID_NONE);
            return true;
        }
    }
    for (uint32_t q = 0; q < m->questions.n; q++) {
        const struct question *question = &m->questions.at[q];
        if (question->guard != ID_NONE && !question->left &&
            !m->answers.at[question->guard].struck) {
            strike_because(r, question->guard, ID_NONE, q);
            return true;
        }
    }
    return false;
}

/* Whether it is settled that q is a question. */
static bool
is_asked(const struct model *m, const struct question *q)
{
    return q->guard == ID_NONE || model_is_taken(m, q->guard);
}

/* Whether it is settled that it is none. */
static bool
is_moot(const struct model *m, const struct question *q)
{
    return q->guard != ID_NONE && m->answers.at[q->guard].struck;
}

/* Strike the open answer with the cheapest cycle; false where none has one. */
static bool
strike_cheapest(struct refuter *r)
{
    answer_id found = ID_NONE;
    uint32_t least = TOO_DEAR;
    for (answer_id a = 0; a < r->m->answers.n && r->effort; a++) {
        if (r->m->answers.at[a].struck || model_is_taken(r->m, a) ||
            is_moot(r->m, model_question(r->m, a)))
            continue;
        const uint32_t cost = find_cycle(r, a, least, &r->cycle);
        if (!cost)
            continue;
        found = a;
        least = cost;
        const dep_vec better = r->cycle;
        r->cycle = r->best;
        r->best = better;
    }
    if (found != ID_NONE)
        strike(r, found, add_step(r, REFUTE_STRIKE, found, ID_NONE, &r->best));
    return found != ID_NONE;
}

/* Suppose an answer to an open question: one with few answers. */
static bool
suppose(struct refuter *r)
{
    const struct model *m = r->m;
    uint32_t open = ID_NONE;
    for (uint32_t q = 0; q < m->questions.n; q++)
        if (m->questions.at[q].left > 1 && is_asked(m, &m->questions.at[q]) &&
            (open == ID_NONE ||
             m->questions.at[q].left < m->questions.at[open].left))
            open = q;
    if (open == ID_NONE)
        return false;
    const struct question *q = &m->questions.at[open];
    answer_id a = q->first;
    while (m->answers.at[a].struck)
        a++;
    const size_t strikes = r->struck.n;
    const uint32_t step = add_step(r, REFUTE_SUPPOSE, a, ID_NONE, NULL);
    vec_push(&r->supposed, ((struct supposition){step, strikes}));
    for (answer_id b = q->first; b < q->first + q->n; b++)
        if (b != a && !m->answers.at[b].struck)
            strike(r, b, step);
    return true;
}

/* A contradiction was reached: end the case, or everything. */
static bool
close_case(struct refuter *r, uint32_t question, const dep_vec *cycle)
{
    add_step(r, REFUTE_CLOSE, ID_NONE, question, cycle);
    if (!r->supposed.n)
        return true;
    const struct supposition s = vec_pop(&r->supposed);
    while (r->struck.n > s.strikes)
        model_restore(r->m, vec_pop(&r->struck).answer);
    const answer_id wrong = r->out->steps.at[s.step].answer;
    strike(r, wrong, add_step(r, REFUTE_WRONG, wrong, ID_NONE, NULL));
    return false;
}

/* --- what is needed ---------------------------------------------------------
 *
 * Walked backwards: a step is needed when a needed one rests on it.  The
 * strikes in force at a step are recovered by undoing, in the walk, what the
 * search did. */

struct refutation_walk {
    const struct model *m;
    struct refutation *r;
    uint32_t *striker; // by answer: the step that struck it, where in force
};

/* The steps that struck the other answers to the question of a. */
static void
need_others(struct refutation_walk *w, answer_id a)
{
    const struct question *q = model_question(w->m, a);
    for (answer_id b = q->first; b < q->first + q->n; b++)
        if (b != a && w->striker[b] != ID_NONE)
            w->r->steps.at[w->striker[b]].needed = true;
}

/* What it takes for a to be taken. */
static void
need_answer(struct refutation_walk *w, answer_id a)
{
    const answer_id guard = model_question(w->m, a)->guard;
    if (guard != ID_NONE)
        need_others(w, guard);
    need_others(w, a);
}

static void
need_causes(struct refutation_walk *w, const struct refute_step *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const struct dep *d = &w->r->cycles.at[s->first + i];
        for (int j = 0; j < 2; j++)
            if (d->needs[j] != ID_NONE && d->needs[j] != s->answer)
                need_answer(w, d->needs[j]);
    }
    if (s->because != ID_NONE)
        need_answer(w, s->because);
    if (s->question == ID_NONE)
        return;
    const struct question *q = &w->m->questions.at[s->question];
    for (answer_id b = q->first; b < q->first + q->n; b++)
        if (w->striker[b] != ID_NONE)
            w->r->steps.at[w->striker[b]].needed = true;
}

/* The SUPPOSE that the WRONG or CLOSE at i ends. */
static uint32_t
supposition_of(const struct refutation *r, uint32_t i)
{
    const uint32_t depth =
        r->steps.at[i].depth + (r->steps.at[i].kind == REFUTE_WRONG);
    while (i-- > 0)
        if (r->steps.at[i].kind == REFUTE_SUPPOSE &&
            r->steps.at[i].depth + 1 == depth)
            return i;
    return ID_NONE;
}

/* What was in force just before step i: replay the steps up to it. */
static void
replay(struct refutation_walk *w, uint32_t i)
{
    for (size_t a = 0; a < w->m->answers.n; a++)
        w->striker[a] = ID_NONE;
    for (uint32_t j = 0; j < i; j++) {
        const struct refute_step *s = &w->r->steps.at[j];
        if (s->kind == REFUTE_STRIKE || s->kind == REFUTE_WRONG)
            w->striker[s->answer] = j;
        if (s->kind == REFUTE_WRONG) {
            const uint32_t begin = supposition_of(w->r, j);
            for (size_t a = 0; a < w->m->answers.n; a++)
                if (w->striker[a] != ID_NONE && w->striker[a] >= begin &&
                    w->striker[a] != j)
                    w->striker[a] = ID_NONE;
        }
        if (s->kind == REFUTE_SUPPOSE) {
            const struct question *q =
                &w->m->questions.at[w->m->answers.at[s->answer].question];
            for (answer_id b = q->first; b < q->first + q->n; b++)
                if (b != s->answer && w->striker[b] == ID_NONE)
                    w->striker[b] = j;
        }
    }
}

static void
mark_needed(const struct model *m, struct refutation *r)
{
    struct refutation_walk w = {m, r,
                                mem_alloc(m->answers.n, sizeof *w.striker)};
    r->steps.at[r->steps.n - 1].needed = true;
    for (uint32_t i = (uint32_t)r->steps.n; i-- > 0;) {
        struct refute_step *s = &r->steps.at[i];
        if (!s->needed)
            continue;
        if (s->kind == REFUTE_WRONG) {
            s[-1].needed = true; // its CLOSE
            r->steps.at[supposition_of(r, i)].needed = true;
        }
        replay(&w, i);
        need_causes(&w, s);
    }
    mem_free(w.striker);
}

enum refute_verdict
refute_model(struct model *m, size_t effort, struct refutation *out)
{
    *out = (struct refutation){0};
    struct refuter r = {.m = m, .out = out, .effort = effort};
    enum refute_verdict verdict = REFUTE_TOO_LONG;
    while (r.effort) {
        bool closed = false;
        const uint32_t unanswerable = find_unanswerable(m);
        if (unanswerable != ID_NONE)
            closed = close_case(&r, unanswerable, NULL);
        else if (find_cycle(&r, ID_NONE, TOO_DEAR, &r.cycle))
            closed = close_case(&r, ID_NONE, &r.cycle);
        else if (!strike_implied(&r) && !strike_cheapest(&r) && !suppose(&r)) {
            verdict = r.effort ? REFUTE_NO : REFUTE_TOO_LONG;
            break;
        }
        if (closed) {
            verdict = REFUTE_YES;
            break;
        }
    }
    if (verdict == REFUTE_YES)
        mark_needed(m, out);
    else
        refutation_free(out);
    vec_free(&r.struck);
    vec_free(&r.supposed);
    vec_free(&r.cycle);
    vec_free(&r.best);
    return verdict;
}
