/* decide.c -- see decide.h.
 *
 * Variables are in a binary heap by activity (VSIDS: Moskewicz et al., "Chaff",
 * DAC 2001).  Those that the theory advises to leave open are in a list outside
 * the heap.  When the heap is empty, the theory advises on each of them again,
 * and the first that it no longer leaves open is decided.  A variable that had
 * to be decided OPEN_MAX times becomes an ordinary one, because the theory does
 * not hold it by itself.
 *
 * SPDX-License-Identifier: MIT */
#include "sat/decide.h"

#include "sat/propagate.h"

enum { OPEN_MAX = 255 };

static bool
before(const struct sat *s, uint32_t a, uint32_t b)
{
    return s->activity.at[a] > s->activity.at[b];
}

static void
put(struct sat *s, size_t i, uint32_t var)
{
    s->heap.at[i] = var;
    s->heap_at.at[var] = (uint32_t)i;
}

static void
sift_up(struct sat *s, size_t i)
{
    const uint32_t var = s->heap.at[i];
    for (; i && before(s, var, s->heap.at[(i - 1) / 2]); i = (i - 1) / 2)
        put(s, i, s->heap.at[(i - 1) / 2]);
    put(s, i, var);
}

static void
sift_down(struct sat *s, size_t i)
{
    const uint32_t var = s->heap.at[i];
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= s->heap.n)
            break;
        if (child + 1 < s->heap.n &&
            before(s, s->heap.at[child + 1], s->heap.at[child]))
            child++;
        if (!before(s, s->heap.at[child], var))
            break;
        put(s, i, s->heap.at[child]);
        i = child;
    }
    put(s, i, var);
}

void
sat_heap_insert(struct sat *s, uint32_t var)
{
    assert(var < s->vars.n && !s->is_open.at[var]);
    if (s->heap_at.at[var] != UINT32_MAX)
        return;
    vec_push(&s->heap, var);
    put(s, s->heap.n - 1, var);
    sift_up(s, s->heap.n - 1);
}

void
sat_heap_bump(struct sat *s, uint32_t var)
{
    s->activity.at[var] += s->bump;
    if (s->activity.at[var] > 1e100) {
        for (size_t v = 0; v < s->activity.n; v++)
            s->activity.at[v] *= 1e-100;
        s->bump *= 1e-100;
    }
    if (s->heap_at.at[var] != UINT32_MAX)
        sift_up(s, s->heap_at.at[var]);
}

static uint32_t
heap_pop(struct sat *s)
{
    assert(s->heap.n);
    const uint32_t var = s->heap.at[0], last = vec_pop(&s->heap);
    assert(s->heap_at.at[var] == 0);
    s->heap_at.at[var] = UINT32_MAX;
    if (s->heap.n) {
        put(s, 0, last);
        sift_down(s, 0);
    }
    return var;
}

static enum advice
ask(struct sat *s, uint32_t var)
{
    s->stats.asked++;
    return s->has_theory && s->theory.advise
               ? s->theory.advise(s->theory.self, var)
               : ADVICE_NONE;
}

static void
open_level(struct sat *s)
{
    assert(s->head == s->trail.n);
    vec_push(&s->levels, (uint32_t)s->trail.n);
    if (s->has_theory)
        s->theory.decide(s->theory.self);
}

static void
decide_var(struct sat *s, uint32_t var, enum advice advice)
{
    s->stats.decisions++;
    open_level(s);
    const bool value = advice == ADVICE_TRUE    ? true
                       : advice == ADVICE_FALSE ? false
                                                : s->phase.at[var];
    sat_assign(s, lit_make(var, !value), REF_NONE, sat_level(s));
}

/* The next open variable that has to be decided now, or UINT32_MAX. */
static uint32_t
find_open(struct sat *s, enum advice *advice)
{
    for (size_t n = s->open.n; n; n--) {
        if (s->open_next >= s->open.n)
            s->open_next = 0;
        const size_t i = s->open_next++;
        const uint32_t var = s->open.at[i];
        if (s->value.at[lit_make(var, false)])
            continue;
        *advice = ask(s, var);
        if (*advice == ADVICE_OPEN || *advice == ADVICE_LATER)
            continue;
        if (++s->open_times.at[var] >= OPEN_MAX) {
            s->is_open.at[var] = 0;
            s->open.at[i] = vec_top(&s->open);
            s->open.n--;
        }
        return var;
    }
    return UINT32_MAX;
}

bool
sat_decide(struct sat *s)
{
    enum advice advice = ADVICE_NONE;
    while (s->heap.n) {
        const uint32_t var = heap_pop(s);
        if (s->value.at[lit_make(var, false)])
            continue;
        advice = ask(s, var);
        if (advice == ADVICE_LATER ||
            (advice == ADVICE_OPEN && s->open_times.at[var] < OPEN_MAX)) {
            s->is_open.at[var] = 1;
            vec_push(&s->open, var);
            continue;
        }
        decide_var(s, var, advice);
        return true;
    }
    const uint32_t var = find_open(s, &advice);
    if (var == UINT32_MAX)
        return false;
    decide_var(s, var, advice);
    return true;
}

bool
sat_assume(struct sat *s)
{
    const lit l = s->assumed.at[sat_level(s)];
    if (s->value.at[l] < 0)
        return false;
    open_level(s); // also where it holds already: levels count assumptions
    if (!s->value.at[l])
        sat_assign(s, l, REF_NONE, sat_level(s));
    return true;
}
