/* brute_committed.c -- all executions at rc; see brute_programs.h.
 *
 * A configuration is the committed state and, for each member, how far it is,
 * what its statements saw, and since when its next one waits.  Configurations
 * that were met before are not looked at again, which leaves some hundreds of
 * the tens of thousands of schedules.
 *
 * SPDX-License-Identifier: MIT */
#include "brute_programs.h"

#include "execute/interleaving.h"

#include <string.h>

struct progress {
    uint32_t run;
    uint32_t since; // the state in which its statement began to wait
    uint32_t committed;
};

struct configuration {
    uint32_t state;
    struct progress members[INTERLEAVING_MOST];
};

struct exploring {
    struct world *world;
    uint32_t k, initial;
    const uint32_t *members;
    struct strings met;
    VEC(struct configuration) pending;
    struct brute_found *out;
};

static void
add(struct exploring *x, const struct configuration *c)
{
    const size_t known = x->met.all.n;
    if (strings_add(&x->met, (const char *)c, sizeof *c) == known)
        vec_push(&x->pending, *c);
}

static bool
is_blocked(struct exploring *x, const struct configuration *c, uint32_t member,
           uint32_t run)
{
    for (uint32_t j = 0; j < x->k; j++)
        if (j != member && !c->members[j].committed &&
            world_blocks(x->world, c->members[j].run, run))
            return true;
    return false;
}

/* Whether a row was replaced by one that is done, which a statement that waited
 * may not find again: such executions are left out. */
static bool
is_replaced(const struct exploring *x, const struct configuration *c)
{
    for (uint32_t j = 0; j < x->k; j++)
        if (c->members[j].committed &&
            changes_replace(&x->world->runs.at[c->members[j].run]->run.changes))
            return true;
    return false;
}

/* What happens when the member goes on. */
static void
go_on(struct exploring *x, struct configuration c, uint32_t member)
{
    struct world *w = x->world;
    struct progress *m = &c.members[member];
    const struct statement *next = w->runs.at[m->run]->next;
    if (!next) {
        c.state = world_after(w, c.state, m->run);
        m->committed = true;
        add(x, &c);
        return;
    }
    const bool mixes = m->since != WORLD_NONE && isolation_can_wait(next);
    if (mixes && is_replaced(x, &c))
        return;
    const uint32_t run =
        world_step(w, m->run, c.state, mixes ? m->since : WORLD_NONE);
    const enum run_end end = w->runs.at[run]->run.end;
    if (end != RUN_UNCERTAIN && is_blocked(x, &c, member, run)) {
        if (m->since == WORLD_NONE) {
            m->since = c.state;
            add(x, &c);
        }
        return;
    }
    m->run = run;
    m->since = WORLD_NONE;
    if (end == RUN_STOPPED)
        add(x, &c);
}

static void
judge(struct exploring *x, const struct configuration *c)
{
    uint32_t runs[INTERLEAVING_MOST];
    for (uint32_t i = 0; i < x->k; i++)
        runs[i] = c->members[i].run;
    x->out->executions[LEVEL_RC]++;
    x->out->bad[LEVEL_RC] += !world_is_serial(x->world, x->initial, x->members,
                                              runs, x->k, c->state);
}

static void
explore(struct exploring *x)
{
    struct configuration first;
    memset(&first, 0, sizeof first);
    first.state = x->initial;
    for (uint32_t i = 0; i < x->k; i++) {
        const uint32_t run = world_begin(x->world, x->members[i]);
        if (x->world->runs.at[run]->run.end != RUN_STOPPED)
            return;
        first.members[i] = (struct progress){run, WORLD_NONE, false};
    }
    add(x, &first);
    while (x->pending.n) {
        const struct configuration c = x->pending.at[--x->pending.n];
        uint32_t committed = 0;
        for (uint32_t i = 0; i < x->k; i++) {
            committed += c.members[i].committed;
            if (!c.members[i].committed)
                go_on(x, c, i);
        }
        if (committed == x->k)
            judge(x, &c);
    }
}

/* Whether some way to interrupt the first member is an anomaly. */
static bool
interrupts_badly(struct world *w, uint32_t initial, const uint32_t *members,
                 uint32_t k)
{
    struct instance instances[INTERLEAVING_MOST] = {{0}};
    const struct level_choice at_rc = {.common = LEVEL_RC};
    bool bad = false;
    for (uint32_t i = 0; i < k; i++)
        instances[i] = w->instances.at[members[i]];
    for (uint32_t n = 0, more = true; more && !bad; n++) {
        struct interleaving e;
        uint32_t order[INTERLEAVING_MOST];
        interleaving_init(&e, w->program, w->states.at[initial], instances, k);
        e.shape = SHAPE_INTERRUPTED;
        e.split = n / 2;
        e.waits = n % 2;
        bad = interleaving_run(&e, &at_rc) &&
              interleaving_explain(&e, order) == SERIAL_NONE;
        // A loop has at most three iterations.
        more = n / 2 < 2 + 4 * instances[0].function->n_statements;
        interleaving_free(&e);
    }
    return bad;
}

void
brute_committed(struct world *w, uint32_t k, uint64_t most,
                struct random *random, struct brute_found *out)
{
    const uint64_t all = brute_combinations(w, k);
    const uint64_t n = all < most ? all : most;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t members[INTERLEAVING_MOST];
        struct exploring x = {.world = w, .k = k, .out = out};
        x.members = members;
        x.initial = brute_combination(
            w, k, n < all ? random_below(random, all) : i, members);
        bool sorted = true;
        for (uint32_t j = 1; j < k; j++)
            sorted = sorted && members[j - 1] <= members[j];
        if (sorted || n < all)
            explore(&x);
        strings_free(&x.met);
        vec_free(&x.pending);
    }
}

bool
brute_any_interrupted(struct world *w, uint32_t k, uint64_t most)
{
    const uint32_t states = (uint32_t)w->states.n;
    for (uint32_t n = 2; n <= k; n++) {
        const uint64_t all = brute_combinations(w, n) / w->initial * states;
        for (uint64_t i = 0; i < all && i < most; i++) {
            uint32_t members[INTERLEAVING_MOST];
            const uint32_t state = brute_combination(w, n, i, members);
            if (interrupts_badly(w, state, members, n))
                return true;
        }
    }
    return false;
}
