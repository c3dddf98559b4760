/* repair.c -- see repair.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/repair/repair.h"

#include "prove/program/access.h"
#include "prove/robust/proof/proof.h"

#include <string.h>

enum { MOST_PROOFS = 300, MOST_STEPS = 2000000 };

/* What a change costs the one who makes it: a lock less than a write, a write
 * less than a row that everybody waits for. */
static const uint32_t costs[] = {
    [REPAIR_LOCK] = 10,    [REPAIR_PROMOTE] = 11, [REPAIR_UNIQUE] = 12,
    [REPAIR_FOREIGN] = 12, [REPAIR_GUARD] = 25,   [REPAIR_LEVEL] = 15,
};

struct repairer {
    const struct program *program;
    const struct level_choice *levels;
    enum repair_by by;
    struct access *access;
    struct repair *out;
    VEC(bool *) clauses; // of each cycle: the sites that bear on it
    // The cheapest choice so far.
    bool *choice, *best;
    uint32_t cost;
    uint64_t steps;
};

/* Whether the search may choose the site at all. */
static bool
is_thought_of(const struct repairer *r, const struct repair_site *s)
{
    return (s->kind == REPAIR_LEVEL) == (r->by == REPAIR_BY_LEVELS);
}

static bool
writes(const struct repairer *r, uint32_t function, uint32_t table)
{
    return r->access[function].writes[table] != 0;
}

/* Whether the change can have to do with a cycle of P, X and Y: it is about P
 * and what the others write, or about one of the others and what P writes. */
static bool
bears_on(const struct repairer *r, const struct repair_site *s,
         const struct robust_proof *c)
{
    const uint32_t y = c->y == UINT32_MAX ? c->x : c->y;
    const bool of_p = s->function == c->p;
    const bool of_other = s->function == c->x || s->function == y;
    switch (s->kind) {
    case REPAIR_LOCK:
    case REPAIR_PROMOTE:
        return (of_p &&
                (writes(r, c->x, s->table) || writes(r, y, s->table))) ||
               (of_other && writes(r, c->p, s->table));
    case REPAIR_UNIQUE:
    case REPAIR_FOREIGN:
        return of_p || of_other;
    case REPAIR_GUARD:
        return of_p || of_other;
    case REPAIR_LEVEL:
        return s->level == LEVEL_SI ? of_p : of_p || of_other;
    }
    return false;
}

/* Choose one site of each clause from the i-th on, as cheaply as possible. */
static void
hit(struct repairer *r, size_t i, uint32_t cost)
{
    const size_t n = r->out->sites.n;
    if (cost >= r->cost || r->steps++ > MOST_STEPS)
        return;
    for (; i < r->clauses.n; i++) {
        bool is_hit = false;
        for (size_t k = 0; k < n && !is_hit; k++)
            is_hit = r->choice[k] && r->clauses.at[i][k];
        if (!is_hit)
            break;
    }
    if (i == r->clauses.n) {
        r->cost = cost;
        memcpy(r->best, r->choice, n * sizeof *r->best);
        return;
    }
    for (size_t k = 0; k < n; k++)
        if (r->clauses.at[i][k]) {
            r->choice[k] = true;
            hit(r, i + 1, cost + costs[r->out->sites.at[k].kind]);
            r->choice[k] = false;
        }
}

/* Note the cycle that the changes chosen so far leave.  False where nothing
 * else bears on it. */
static bool
add_clause(struct repairer *r, const struct robust_proof *cycle)
{
    const size_t n = r->out->sites.n;
    bool *clause = mem_calloc(n + 1, sizeof *clause), any = false;
    for (size_t k = 0; k < n; k++) {
        const struct repair_site *s = &r->out->sites.at[k];
        clause[k] =
            !r->out->chosen[k] && is_thought_of(r, s) && bears_on(r, s, cycle);
        any = any || clause[k];
    }
    vec_push(&r->clauses, clause);
    return any;
}

/* Prove the programs with what is chosen, or find out why not. */
static bool
prove(struct repairer *r, const struct search_limits *limits,
      struct robust_proof *proof, struct err *err)
{
    struct repaired c;
    repaired_init(&c, r->program, r->levels, &r->out->sites, r->out->chosen);
    r->out->proofs++;
    const bool ok = proof_try(&c.program, &c.levels, limits, proof, err);
    repaired_free(&c);
    return ok;
}

static bool
improve(struct repairer *r, const struct search_limits *limits, struct err *err)
{
    struct repair *out = r->out;
    for (;;) {
        struct robust_proof proof;
        if (!prove(r, limits, &proof, err))
            return false;
        out->found = proof.end == PROOF_DONE;
        out->why_not =
            proof.end == PROOF_UNABLE
                ? "a function has what proofs do not handle"
            : limit_reached(&limits->all) || out->proofs == MOST_PROOFS
                ? "a limit was reached"
                : NULL;
        if (out->found || out->why_not)
            return true;
        r->cost = UINT32_MAX;
        r->steps = 0;
        if (add_clause(r, &proof))
            hit(r, 0, 0);
        if (r->cost == UINT32_MAX) {
            out->why_not = "a cycle is left that no such change bears on";
            return true;
        }
        memcpy(out->chosen, r->best, out->sites.n * sizeof *r->best);
    }
}

bool
repair_find(const struct program *p, const struct level_choice *levels,
            enum repair_by by, const struct search_limits *limits,
            struct repair *out, struct err *err)
{
    memset(out, 0, sizeof *out);
    repair_sites_find(p, levels, &out->sites);
    const size_t n = out->sites.n;
    struct repairer r = {.program = p, .levels = levels, .by = by, .out = out};
    out->chosen = mem_calloc(n + 1, sizeof *out->chosen);
    r.choice = mem_calloc(n + 1, sizeof *r.choice);
    r.best = mem_calloc(n + 1, sizeof *r.best);
    r.access = mem_calloc(p->functions.n + 1, sizeof *r.access);
    for (size_t i = 0; i < p->functions.n; i++)
        access_init(&r.access[i], p, p->functions.at[i]);
    const bool ok = improve(&r, limits, err);
    for (size_t i = 0; i < p->functions.n; i++)
        access_free(&r.access[i]);
    for (size_t i = 0; i < r.clauses.n; i++)
        mem_free(r.clauses.at[i]);
    vec_free(&r.clauses);
    mem_free(r.access);
    mem_free(r.choice);
    mem_free(r.best);
    return ok;
}

void
repair_free(struct repair *r)
{
    vec_free(&r->sites);
    mem_free(r->chosen);
    memset(r, 0, sizeof *r);
}
