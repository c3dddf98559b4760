/* brute_visible.c -- all executions at levels of visibility; see
 * brute_programs.h.
 *
 * Members stand in the order of their commits.  A bit says for each pair
 * whether the later one sees the earlier one.
 *
 * SPDX-License-Identifier: MIT */
#include "brute_programs.h"

#include "prove/execute/interleaving.h"
#include "prove/robust/anomaly/dependency.h"

static const enum level levels[] = {LEVEL_RA, LEVEL_CC, LEVEL_PSI, LEVEL_PC,
                                    LEVEL_SI};

struct execution {
    uint32_t k, state;
    uint32_t members[INTERLEAVING_MOST], runs[INTERLEAVING_MOST];
    bool sees[INTERLEAVING_MOST][INTERLEAVING_MOST]; // [later][earlier]
    uint32_t final;
};

uint64_t
brute_combinations(const struct world *w, uint32_t k)
{
    uint64_t n = w->initial;
    for (uint32_t i = 0; i < k; i++)
        n *= w->instances.n;
    return n;
}

uint32_t
brute_combination(const struct world *w, uint32_t k, uint64_t n,
                  uint32_t *members)
{
    for (uint32_t i = 0; i < k; i++, n /= w->instances.n)
        members[i] = (uint32_t)(n % w->instances.n);
    return (uint32_t)n;
}

/* Set who sees whom; false behind the last possibility. */
static bool
choose_visibility(struct execution *e, uint32_t n)
{
    for (uint32_t b = 0; b < e->k; b++)
        for (uint32_t a = 0; a < b; a++, n >>= 1)
            e->sees[b][a] = n & 1;
    return n == 0;
}

static bool
runs_through(struct world *w, struct execution *e)
{
    for (uint32_t b = 0; b < e->k; b++) {
        uint32_t view = e->state;
        for (uint32_t a = 0; a < b; a++)
            if (e->sees[b][a])
                view = world_after(w, view, e->runs[a]);
        e->runs[b] = world_run_on(w, e->members[b], view);
        if (w->runs.at[e->runs[b]]->run.end != RUN_COMMITS)
            return false;
    }
    e->final = e->state;
    for (uint32_t a = 0; a < e->k; a++)
        e->final = world_after(w, e->final, e->runs[a]);
    return true;
}

/* The table of levels, as the specification of 'prove' has it. */
static bool
allows(struct world *w, const struct execution *e, enum level level)
{
    const bool prefix = level == LEVEL_PC || level == LEVEL_SI;
    const bool conflicts = level == LEVEL_PSI || level == LEVEL_SI;
    for (uint32_t c = 0; c < e->k; c++)
        for (uint32_t b = 0; b < c; b++) {
            if (conflicts && !e->sees[c][b] &&
                world_conflict(w, e->runs[b], e->runs[c]))
                return false;
            for (uint32_t a = 0; a < b; a++)
                if (level != LEVEL_RA && e->sees[c][b] && !e->sees[c][a] &&
                    (prefix || e->sees[b][a]))
                    return false;
        }
    return true;
}

static bool
is_delayed(const struct execution *e)
{
    for (uint32_t b = 0; b < e->k; b++)
        for (uint32_t a = 0; a < b; a++)
            if (e->sees[b][a] != (b + 1 < e->k))
                return false;
    return true;
}

static void
look_at(struct world *w, struct execution *e, struct brute_found *out)
{
    for (uint32_t n = 0; choose_visibility(e, n); n++) {
        if (!runs_through(w, e))
            continue;
        bool known = false, serial = true;
        for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
            if (!allows(w, e, levels[i]))
                continue;
            out->executions[levels[i]]++;
            // One of each kind is enough.
            if (out->bad[levels[i]] && out->shaped[levels[i]])
                continue;
            if (!known)
                serial = world_is_serial(w, e->state, e->members, e->runs, e->k,
                                         e->final);
            known = true;
            out->bad[levels[i]] += !serial;
            out->shaped[levels[i]] += !serial && is_delayed(e);
        }
    }
}

void
brute_visible(struct world *w, uint32_t k, uint64_t most, struct random *random,
              struct brute_found *out)
{
    const uint64_t all = brute_combinations(w, k);
    const uint64_t n = all < most ? all : most;
    for (uint64_t i = 0; i < n; i++) {
        struct execution e = {.k = k};
        e.state = brute_combination(
            w, k, n < all ? random_below(random, all) : i, e.members);
        look_at(w, &e, out);
    }
}

/* Whether the dependencies of a delayed execution form a cycle. */
static bool
has_cycle(struct world *w, const struct execution *e, enum level level)
{
    struct finding *f = mem_calloc(1, sizeof *f);
    struct dependency cycle[INTERLEAVING_MOST];
    const struct level_choice levels_of = {.common = level};
    f->isolation = &levels_of;
    f->shape = SHAPE_DELAYED;
    f->n = e->k;
    f->initial = *w->states.all.at[e->state];
    for (uint32_t i = 0; i < e->k; i++)
        f->members[i] = w->instances.at[e->members[i]];
    interleaving_init(&f->interleaving, w->program, &f->initial, f->members,
                      e->k);
    f->interleaving.shape = SHAPE_DELAYED;
    const bool has = interleaving_run(&f->interleaving, &levels_of) &&
                     dependency_cycle(f, cycle);
    interleaving_free(&f->interleaving);
    mem_free(f);
    return has;
}

bool
brute_any_delayed(struct world *w, uint32_t k, enum level level, bool cycle)
{
    const uint32_t states = (uint32_t)w->states.all.n;
    for (uint32_t n = 2; n <= k; n++) {
        const uint64_t all = brute_combinations(w, n) / w->initial * states;
        for (uint64_t i = 0; i < all; i++) {
            struct execution e = {.k = n};
            e.state = brute_combination(w, n, i, e.members);
            for (uint32_t b = 0; b < INTERLEAVING_MOST; b++)
                for (uint32_t a = 0; a < b; a++)
                    e.sees[b][a] = b + 1 < n;
            if (runs_through(w, &e) && allows(w, &e, level) &&
                (cycle ? has_cycle(w, &e, level)
                       : !world_is_serial(w, e.state, e.members, e.runs, n,
                                          e.final)))
                return true;
        }
    }
    return false;
}
