/* brute_committed.c -- all executions at rc; see brute_programs.h.
 *
 * A configuration is the committed state and, for each member, how far it is,
 * what its statements saw, and since when its next one runs.  Configurations
 * that were met before are not looked at again, which leaves some hundreds of
 * the tens of thousands of schedules.
 *
 * These are PostgreSQL's rules.  A statement sees what was committed when it
 * began.  UPDATE, DELETE and locks find the rows that they have chosen as they
 * are now, and not at all where these were deleted, even if there is a new one
 * with the same key.  An INSERT evaluates its rows first, then meets each one's
 * key among the latest rows, and checks references at the end.
 *
 * SPDX-License-Identifier: MIT */
#include "brute_programs.h"

#include "prove/execute/interleaving.h"
#include "prove/program/access.h"
#include "prove/robust/anomaly/dependency.h"

#include <string.h>

struct progress {
    uint32_t run;
    uint32_t since; // the state that its statement sees, which has begun
    uint32_t lost;  // rows that were deleted since then
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
    bool whole; // an INSERT is one step, and a statement begins only to wait
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

static void
commit(struct exploring *x, struct configuration c, uint32_t member)
{
    const uint32_t run = c.members[member].run;
    c.state = world_after(x->world, c.state, run);
    c.members[member].committed = true;
    for (uint32_t j = 0; j < x->k; j++)
        if (c.members[j].since != WORLD_NONE)
            c.members[j].lost = world_lose(x->world, c.members[j].lost, run);
    add(x, &c);
}

/* Do all that is left of an INSERT. */
static uint32_t
finish_insert(struct exploring *x, uint32_t run, struct world_view view)
{
    while (x->whole && x->world->runs.at[run]->between)
        run = world_step(x->world, run, view);
    return run;
}

/* Whether the search lets the statement wait: it reads nothing but its rows. */
static bool
is_simple(const struct statement *s)
{
    bool simple = !expr_has_query(s->where);
    for (uint32_t i = 0; i < s->n_sets; i++)
        simple = simple && !expr_has_query(s->sets[i].value);
    return simple && !(s->query && expr_has_query(s->query->where));
}

/* The statement has begun, and goes on later. */
static void
begin(struct exploring *x, struct configuration c, uint32_t member)
{
    uint32_t others = 0;
    for (uint32_t j = 0; j < x->k; j++)
        others += j != member && !c.members[j].committed;
    c.members[member].since = c.state;
    if (others)
        add(x, &c);
}

/* What happens when the member goes on.  A statement that writes or locks rows
 * need not be done with them in the state that it sees: it can wait, or be
 * slow. */
static void
go_on(struct exploring *x, struct configuration c, uint32_t member)
{
    struct world *w = x->world;
    struct progress *m = &c.members[member];
    const struct world_run *r = w->runs.at[m->run];
    const struct configuration here = c;
    if (!r->next) {
        commit(x, c, member);
        return;
    }
    struct world_view view = {c.state, WORLD_NONE, WORLD_NONE};
    if (m->since != WORLD_NONE) {
        if (m->since == c.state && m->lost == WORLD_NONE)
            return; // nothing has happened
        if (x->whole && m->lost != WORLD_NONE)
            return;
        view.before = m->since;
        view.lost = m->lost;
    }
    const struct statement *const statement = r->next;
    const bool can_begin =
        !r->between && m->since == WORLD_NONE && isolation_can_wait(r->next);
    const uint32_t run = finish_insert(x, world_step(w, m->run, view), view);
    const enum run_end end = w->runs.at[run]->run.end;
    const bool blocked = end != RUN_UNCERTAIN && is_blocked(x, &c, member, run);
    if (can_begin && (!x->whole || (blocked && is_simple(statement))))
        begin(x, here, member);
    if (blocked)
        return;
    m->run = run;
    m->since = m->lost = WORLD_NONE;
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
        first.members[i] =
            (struct progress){run, WORLD_NONE, WORLD_NONE, false};
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

/* A first member that is interrupted: how far it is, and the others. */
struct interruption {
    struct world *world;
    const uint32_t *members;
    uint32_t k, runs[INTERLEAVING_MOST];
    uint32_t states[INTERLEAVING_MOST + 1]; // [i]: before the others from i on
    uint32_t initial;
};

/* Let the first member go on behind the others; whether that is an anomaly. */
static bool
ends_badly(struct interruption *n, struct world_view view)
{
    struct world *w = n->world;
    const uint32_t prefix = n->runs[0], now = n->states[n->k];
    uint32_t run = prefix;
    while (w->runs.at[run]->run.end == RUN_STOPPED && w->runs.at[run]->next) {
        run = world_step(w, run, view);
        view = (struct world_view){now, WORLD_NONE, WORLD_NONE};
    }
    if (w->runs.at[run]->run.end != RUN_STOPPED)
        return false;
    n->runs[0] = run;
    const bool bad = !world_is_serial(w, n->initial, n->members, n->runs, n->k,
                                      world_after(w, now, run));
    n->runs[0] = prefix;
    return bad;
}

/* The same for all states that the statement can have seen when it began. */
static bool
goes_on_badly(struct interruption *n)
{
    const struct world_run *r = n->world->runs.at[n->runs[0]];
    if (ends_badly(
            n, (struct world_view){n->states[n->k], WORLD_NONE, WORLD_NONE}))
        return true;
    if (!r->next || r->between || !isolation_can_wait(r->next))
        return false;
    uint32_t lost = WORLD_NONE;
    for (uint32_t i = n->k; i-- > 1;) {
        lost = world_lose(n->world, lost, n->runs[i]);
        if (ends_badly(
                n, (struct world_view){n->states[n->k], n->states[i], lost}))
            return true;
    }
    return false;
}

/* Whether some way to interrupt the first member is an anomaly. */
static bool
interrupts_badly(struct world *w, uint32_t initial, const uint32_t *members,
                 uint32_t k)
{
    struct interruption n = {
        .world = w, .members = members, .k = k, .initial = initial};
    n.states[1] = initial;
    for (uint32_t i = 1; i < k; i++) {
        n.runs[i] = world_run_on(w, members[i], n.states[i]);
        if (w->runs.at[n.runs[i]]->run.end != RUN_COMMITS)
            return false;
        n.states[i + 1] = world_after(w, n.states[i], n.runs[i]);
    }
    n.runs[0] = world_begin(w, members[0]);
    for (;;) {
        const struct world_run *r = w->runs.at[n.runs[0]];
        if (r->run.end != RUN_STOPPED)
            return false;
        for (uint32_t i = 1; i < k; i++)
            if (world_blocks(w, n.runs[0], n.runs[i]))
                return false; // and also when it has done more
        if (goes_on_badly(&n))
            return true;
        if (!r->next)
            return false;
        n.runs[0] = world_step(
            w, n.runs[0], (struct world_view){initial, WORLD_NONE, WORLD_NONE});
    }
}

void
brute_committed(struct world *w, uint32_t k, uint64_t most,
                struct random *random, bool whole, struct brute_found *out)
{
    const uint64_t all = brute_combinations(w, k);
    const uint64_t n = all < most ? all : most;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t members[INTERLEAVING_MOST];
        struct exploring x = {.world = w, .k = k, .out = out, .whole = whole};
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

/* Whether some way to interrupt the first member has dependencies that form a
 * cycle. */
static bool
interrupts_in_a_cycle(struct world *w, uint32_t state, const uint32_t *members,
                      uint32_t k)
{
    struct finding *f = mem_calloc(1, sizeof *f);
    struct dependency cycle[INTERLEAVING_MOST];
    const struct level_choice levels_of = {.common = LEVEL_RC};
    struct interleaving *e = &f->interleaving;
    f->isolation = &levels_of;
    f->shape = SHAPE_INTERRUPTED;
    f->n = k;
    f->initial = *w->states.all.at[state];
    for (uint32_t i = 0; i < k; i++)
        f->members[i] = w->instances.at[members[i]];
    bool has = false, more = true;
    for (uint32_t split = 0; more && !has; split++)
        for (int waits = 0; waits < 2 && !has; waits++) {
            interleaving_init(e, w->program, &f->initial, f->members, k);
            e->shape = SHAPE_INTERRUPTED;
            e->split = split;
            e->waits = waits;
            has = interleaving_run(e, &levels_of) && dependency_cycle(f, cycle);
            more =
                split < 40 && (waits ? more : e->runs[0].statements >= split);
            interleaving_free(e);
        }
    mem_free(f);
    return has;
}

bool
brute_any_interrupted(struct world *w, uint32_t k, uint64_t most, bool cycle)
{
    const uint32_t states = (uint32_t)w->states.all.n;
    for (uint32_t n = 2; n <= k; n++) {
        const uint64_t all = brute_combinations(w, n) / w->initial * states;
        for (uint64_t i = 0; i < all && i < most; i++) {
            uint32_t members[INTERLEAVING_MOST];
            const uint32_t state = brute_combination(w, n, i, members);
            if (cycle ? interrupts_in_a_cycle(w, state, members, n)
                      : interrupts_badly(w, state, members, n))
                return true;
        }
    }
    return false;
}
