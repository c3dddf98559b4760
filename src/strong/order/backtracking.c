/* backtracking.c -- see backtracking.h.
 *
 * Where few values are written again and again, nearly every read is ambiguous
 * and clauses say little.  But then many orders work, and depth-first search
 * finds one: run the history point by point (run_state.h) and go back at a dead
 * end.  A harmless point runs at once, without alternatives.
 *
 * States that were left as hopeless are remembered by a hash, in a table that
 * forgets.  A collision only loses solutions, and an order that is found is
 * checked like any other.  A few walks are made, each with its own preferences.
 *
 *   (W1) steps.at[i].point ran as the i-th, except that of the last step, which
 *        is still to be chosen.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/order/backtracking.h"

#include "base/limits/tuning.h"
#include "base/random.h"
#include "strong/order/run_state.h"

/* A step that was taken, and what else could be done instead: the points
 * choices.at[first .. end), of which those below 'next' were tried. */
struct step {
    uint32_t point;
    uint32_t first, next, end;
};

struct backtracking {
    const struct dependencies *p;
    const struct inference *f;
    struct run_state state;
    struct random random;
    uint64_t *seen; // hashes of states, by their leading bits
    VEC(struct step) steps;
    u32_vec choices;
};

/* Whether a runs before b among the points that may run: commits first, then by
 * depth. */
static bool
is_preferred(const struct backtracking *w, uint32_t a, uint32_t b)
{
    const bool commits_a = w->p->two_points && run_state_commits(&w->state, a);
    const bool commits_b = w->p->two_points && run_state_commits(&w->state, b);
    if (commits_a != commits_b)
        return commits_a;
    return w->f->rank[a] < w->f->rank[b];
}

/* Sort the choices of a step by preference, with some noise so that walks
 * differ. */
static void
sort_choices(struct backtracking *w, const struct step *s)
{
    for (uint32_t i = s->first; i < s->end; i++)
        for (uint32_t j = i; j > s->first; j--) {
            uint32_t *a = &w->choices.at[j - 1], *b = &w->choices.at[j];
            const bool differ =
                w->p->two_points && run_state_commits(&w->state, *a) !=
                                        run_state_commits(&w->state, *b);
            if (!is_preferred(w, *b, *a) ||
                (!differ && random_below(&w->random, 4) == 0))
                break;
            const uint32_t swap = *a;
            *a = *b;
            *b = swap;
        }
}

/* Collect what may run now, in the order to try it; one harmless point is
 * enough. */
static void
collect(struct backtracking *w, struct step *s)
{
    const struct chains *g = &w->p->g;
    // A step adds at most one point of each chain, and problems are small.
    assert(w->choices.n <= UINT32_MAX - g->n_chains);
    s->first = s->next = (uint32_t)w->choices.n;
    for (uint32_t c = 0; c < g->n_chains; c++) {
        const uint32_t point = w->state.front[c];
        if (point == g->first[c + 1] || !run_state_may_run(&w->state, point))
            continue;
        if (run_state_is_harmless(&w->state, point)) {
            w->choices.n = s->first;
            vec_push(&w->choices, point);
            break;
        }
        vec_push(&w->choices, point);
    }
    s->end = (uint32_t)w->choices.n;
    assert(s->end - s->first <= g->n_chains);
    sort_choices(w, s);
}

/* Remember the present state.  Returns false if it was reached before. */
static bool
is_new(struct backtracking *w)
{
    uint64_t *slot = &w->seen[w->state.hash >> (64 - TUNE_BACKTRACK_SEEN_BITS)];
    if (*slot == w->state.hash)
        return false;
    *slot = w->state.hash;
    return true;
}

static void
step_back(struct backtracking *w)
{
    const struct step s = vec_pop(&w->steps);
    w->choices.n = s.first;
    if (w->steps.n)
        run_state_undo(&w->state, vec_top(&w->steps).point);
}

/* Walk for so many steps.  Returns true with an order in w->steps (W1). */
static bool
walk(struct backtracking *w, uint64_t budget)
{
    assert(!w->steps.n);
    struct step s = {0};
    collect(w, &s);
    vec_push(&w->steps, s);
    while (w->steps.n && budget--) {
        struct step *top = &vec_top(&w->steps);
        if (budget % TUNE_BACKTRACK_SPEND == 0 &&
            !budget_spend(w->f->context->budget,
                          TUNE_BACKTRACK_SPEND * (uint64_t)w->p->g.n_chains))
            return false;
        if (top->next == top->end) {
            step_back(w);
            continue;
        }
        top->point = w->choices.at[top->next++];
        run_state_run(&w->state, top->point);
        if (!w->state.left)
            return true;
        if (!is_new(w)) {
            run_state_undo(&w->state, top->point);
            continue;
        }
        collect(w, &s);
        vec_push(&w->steps, s);
    }
    return false;
}

static void
init(struct backtracking *w, const struct inference *f, uint64_t seed)
{
    *w = (struct backtracking){.p = f->p, .f = f};
    random_seed(&w->random, seed);
    run_state_init(&w->state, f->p);
    w->seen =
        mem_calloc((size_t)1 << TUNE_BACKTRACK_SEEN_BITS, sizeof *w->seen);
}

static void
finish(struct backtracking *w)
{
    run_state_free(&w->state);
    mem_free(w->seen);
    vec_free(&w->steps);
    vec_free(&w->choices);
}

/* Write the order that the walk has found, and which open transactions count
 * in it. */
static void
write_order(const struct backtracking *w, uint32_t *out, uint8_t *counting)
{
    const struct dependencies *p = w->p;
    uint32_t n = 0;
    for (size_t i = 0; i < w->steps.n; i++) // (W1)
        out[n++] = w->steps.at[i].point;
    for (uint32_t i = 0; n < p->g.n && i < p->g.n; i++)
        if (!run_state_has_run(&w->state, i))
            out[n++] = i;
    assert(n == p->g.n);
    for (dense_id t = p->n_certain; t < p->n_txns; t++)
        counting[t - p->n_certain] =
            run_state_has_run(&w->state, point_commit(p, t));
}

bool
backtracking_search(const struct inference *f, struct walks walks,
                    uint32_t *out, uint8_t *counting)
{
    const struct dependencies *p = f->p;
    assert(counting || p->n_txns == p->n_certain);
    bool found = false, exhausted = false;
    for (unsigned i = 0; !found && !exhausted && p->g.n && i < walks.n; i++) {
        struct backtracking w;
        init(&w, f, walks.first + i);
        found = walk(&w, walks.steps);
        exhausted = !found && !w.steps.n; // every state was tried
        if (found)
            write_order(&w, out, counting);
        finish(&w);
        if (budget_is_spent(f->context->budget))
            break;
    }
    return found;
}
