/* gen_schedule.c -- see gen_schedule.h.
 *
 * Each session makes its share of the transactions, one after the other.  An
 * anomaly is injected when everything before it has ended; what follows begins
 * when the anomaly has ended.
 *
 * SPDX-License-Identifier: MIT */
#include "gen/gen_schedule.h"

#include "base/container/sorted.h"

#include <stdlib.h>

enum {
    PAUSE = 20,      // between two transactions of a session, at most
    RUNNING = 100,   // from the begin to the commit
    ANSWERING = 100, // from the commit to the end
    SCRIPTED = 4,    // from begin to end of a transaction of an anomaly
};

struct planner {
    struct gen_schedule *s;
    const struct gen_shape *shape;
    struct random random;
    int64_t now;      // everything so far has ended
    uint32_t commits; // so far
};

static int64_t
draw(struct planner *p, uint64_t most)
{
    return 1 + (int64_t)random_below(&p->random, most);
}

static int
compare_commits(const void *a, const void *b)
{
    const struct gen_slot *x = a, *y = b;
    if (x->committed != y->committed)
        return x->committed < y->committed ? -1 : 1;
    return x->session < y->session ? -1 : x->session > y->session;
}

static void
add_slot(struct planner *p, struct gen_slot slot)
{
    vec_push(&p->s->slots, slot);
    if (slot.ended > p->now)
        p->now = slot.ended;
}

/* Plan n transactions of all sessions, from now on. */
static void
plan_part(struct planner *p, uint64_t n)
{
    const size_t first = p->s->slots.n;
    const int64_t begin = p->now;
    for (session_id s = 0; s < p->shape->sessions; s++) {
        int64_t time = begin;
        uint64_t share = n / p->shape->sessions;
        share += s < n % p->shape->sessions;
        for (uint64_t i = 0; i < share; i++) {
            struct gen_slot slot = {.session = s};
            slot.began = time + draw(p, PAUSE);
            slot.committed = slot.began + draw(p, RUNNING);
            slot.ended = slot.committed + draw(p, ANSWERING);
            time = slot.ended;
            add_slot(p, slot);
        }
    }
    if (n)
        qsort(p->s->slots.at + first, p->s->slots.n - first,
              sizeof *p->s->slots.at, compare_commits);
    for (size_t i = first; i < p->s->slots.n; i++)
        p->s->slots.at[i].number = ++p->commits;
}

/* Plan the transactions of a script: concurrent, but for those of a session. */
static void
plan_script(struct planner *p, const struct gen_anomaly *a)
{
    int64_t next[26]; // by letter: when its session is free
    const int64_t begin = p->now + 1;
    const uint64_t first = random_below(&p->random, p->shape->sessions);
    p->s->script_session = first;
    p->commits++;
    for (int i = 0; i < 26; i++)
        next[i] = begin;
    for (const char *c = a->script; *c; c++) {
        if (*c < 'A' || *c > 'Z')
            continue;
        const int i = *c - 'A';
        struct gen_slot slot = {.number = p->commits};
        slot.session = (session_id)((first + (uint64_t)i) % p->shape->sessions);
        slot.began = next[i];
        slot.ended = slot.began + SCRIPTED;
        slot.committed = slot.ended - 1;
        next[i] = slot.ended + 1;
        add_slot(p, slot);
    }
}

/* --- the order of the output -----------------------------------------------*/

struct placed {
    int64_t key, then;
    uint32_t slot;
};

static int
compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->then != y->then)
        return x->then < y->then ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static void
sort_output(struct gen_schedule *s, enum gen_order order)
{
    const uint32_t n = capacity_index(CAPACITY_TXNS, s->slots.n);
    struct placed *places = mem_alloc(n, sizeof *places);
    for (uint32_t i = 0; i < n; i++) {
        const struct gen_slot *slot = &s->slots.at[i];
        places[i] = (struct placed){order == GEN_ORDER_END ? slot->ended
                                                           : slot->session,
                                    slot->began, i};
    }
    if (n)
        qsort(places, n, sizeof *places, compare_placed);
    for (uint32_t i = 0; i < n; i++)
        vec_push(&s->order, places[i].slot);
    mem_free(places);
}

void
gen_schedule_make(struct gen_schedule *s, const struct gen_shape *shape,
                  const struct gen_anomaly *anomaly)
{
    struct planner p = {.s = s, .shape = shape};
    const uint64_t n = shape->transactions;
    const uint64_t before =
        anomaly ? (uint64_t)((double)n * shape->at) : shape->transactions;
    *s = (struct gen_schedule){0};
    random_seed(&p.random, ~shape->seed);
    plan_part(&p, before);
    if (anomaly)
        plan_script(&p, anomaly);
    plan_part(&p, n - before);
    sort_output(s, shape->order);
}

void
gen_schedule_free(struct gen_schedule *s)
{
    vec_free(&s->slots);
    vec_free(&s->order);
}

uint32_t
gen_schedule_commits_before(const struct gen_schedule *s, int64_t time)
{
    size_t low = 0;
    LOWER_BOUND(low, s->slots.n, middle, s->slots.at[middle].committed < time);
    return low ? s->slots.at[low - 1].number : 0;
}
