/* oracle_choose.c -- reads, rc, ra, cc and psi: every choice in turn.
 *
 * First which indeterminate transactions count, then how the lists grew, then
 * the writer of each read of a register.  After each writer the edges that
 * are certain by then must be acyclic: more writers only add edges.
 *
 * SPDX-License-Identifier: MIT */
#include "choice.h"

bool
choice_close(uint32_t n, uint64_t rows[VIEW_TXNS])
{
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            if (rows[i] >> k & 1)
                rows[i] |= rows[k];
    for (uint32_t i = 0; i < n; i++)
        if (rows[i] >> i & 1)
            return false;
    return true;
}

void
choice_so_wr(const struct choice_state *c, uint64_t rows[VIEW_TXNS])
{
    const uint32_t n = (uint32_t)c->v->txns.n;
    for (uint32_t s = 0; s < n; s++) {
        rows[s] = 0;
        for (uint32_t t = 0; t < n; t++)
            if (choice_counts(c, s) && choice_counts(c, t) &&
                view_so(c->v, s, t))
                rows[s] |= UINT64_C(1) << t;
    }
    for (uint32_t i = 0; i < c->n_chosen; i++)
        if (c->writer[i] != VIEW_INIT)
            rows[c->writer[i]] |= UINT64_C(1) << choice_read(c, i)->txn;
}

/* Whom the i-th read's transaction read from before that read. */
static uint64_t
read_before(const struct choice_state *c, uint32_t i)
{
    uint64_t from = 0;
    for (uint32_t j = 0; j < c->n_chosen; j++)
        if (choice_read(c, j)->txn == choice_read(c, i)->txn &&
            choice_read(c, j)->place < choice_read(c, i)->after &&
            c->writer[j] != VIEW_INIT)
            from |= UINT64_C(1) << c->writer[j];
    return from;
}

bool
choice_weak(const struct choice_state *c)
{
    const uint32_t n = (uint32_t)c->v->txns.n;
    uint64_t direct[VIEW_TXNS], happens[VIEW_TXNS], co[VIEW_TXNS];
    choice_so_wr(c, direct);
    memcpy(happens, direct, sizeof happens);
    memcpy(co, direct, sizeof co);
    if (!choice_close(n, happens))
        return false;
    for (uint32_t k = 0; k < c->v->n_keys; k++)
        for (uint32_t t = 0; t < n; t++)
            co[t] |= c->later[k][t];
    for (uint32_t i = 0; i < c->n_chosen; i++) {
        const struct view_read *r = choice_read(c, i);
        const uint32_t t1 = c->writer[i], t3 = r->txn;
        const uint64_t before = read_before(c, i);
        for (uint32_t t2 = 0; t2 < n; t2++) {
            const bool premise = c->level == LEVEL_RC   ? before >> t2 & 1
                                 : c->level == LEVEL_RA ? direct[t2] >> t3 & 1
                                 : c->level == LEVEL_CC ? happens[t2] >> t3 & 1
                                                        : false;
            if (!premise || t2 == t1 || t2 == t3 ||
                !view_writes(c->v, t2, r->key))
                continue;
            if (t1 == VIEW_INIT)
                return false;
            co[t2] |= UINT64_C(1) << t1;
        }
    }
    return choice_close(n, co);
}

/* --- the writers of registers --------------------------------------------*/

static bool
leaf_holds(struct choice_state *c)
{
    return c->by_axiom             ? choice_axiom(c)
           : c->level == LEVEL_PSI ? choice_psi(c)
                                   : true;
}

static bool
choose_writers(struct choice_state *c)
{
    if (c->steps-- <= 0 || (c->level != LEVEL_READS && !choice_weak(c)))
        return false;
    if (c->n_chosen == c->n_reads)
        return leaf_holds(c);
    const struct view_read *r = choice_read(c, c->n_chosen);
    uint32_t *writer = &c->writer[c->n_chosen++];
    bool ok = false;
    for (uint32_t t = 0; !ok && t < c->v->txns.n; t++)
        if (choice_counts(c, t) && t != r->txn &&
            view_writes(c->v, t, r->key) &&
            view_fits(r, c->v->txns.at[t].last[r->key])) {
            *writer = t;
            ok = choose_writers(c);
        }
    if (!ok && view_fits(r, c->v->initial[r->key])) {
        *writer = VIEW_INIT;
        ok = choose_writers(c);
    }
    c->n_chosen--;
    return ok;
}

/* --- who counts ------------------------------------------------------------*/

/* Whether the versions of rows that counting transactions name can be. */
static bool
links_may_be(const struct choice_state *c)
{
    for (size_t i = 0; i < c->v->links.n; i++) {
        const struct view_link *link = &c->v->links.at[i];
        if (!choice_counts(c, link->after))
            continue;
        if (link->before == VIEW_NEVER ||
            (link->before < VIEW_TXNS && !choice_counts(c, link->before)))
            return false;
        if (c->level != LEVEL_READS &&
            !view_may_follow(c->v, link->after,
                             c->counts & ~(UINT64_C(1) << link->after)))
            return false;
    }
    return true;
}

static bool
try_counting(struct choice_state *c)
{
    if (!links_may_be(c))
        return false;
    c->n_reads = 0;
    for (int lists = 1; lists >= 0; lists--) {
        for (uint32_t i = 0; i < c->v->reads.n; i++)
            if (choice_counts(c, c->v->reads.at[i].txn) &&
                c->v->reads.at[i].is_list == lists) {
                assert(c->n_reads < CHOICE_READS);
                c->reads[c->n_reads++] = i;
            }
        if (lists)
            c->n_chosen = c->n_reads; // choice_lists fills these
    }
    return choice_lists(c, choose_writers);
}

enum oracle_answer
oracle_choose(const struct view *v, enum level l, bool by_axiom)
{
    struct choice_state *c = mem_calloc(1, sizeof *c);
    c->v = v;
    c->level = l;
    c->by_axiom = by_axiom;
    c->steps = ORACLE_STEPS;
    const uint64_t all =
        v->txns.n < 64 ? (UINT64_C(1) << v->txns.n) - 1 : UINT64_MAX;
    bool ok = false;
    uint64_t chosen =
        0; // every subset of the optional ones, the empty one first
    do {
        c->counts = (all & ~v->optional) | chosen;
        ok = try_counting(c);
        chosen = (chosen - v->optional) & v->optional;
    } while (!ok && chosen && c->steps > 0);
    const enum oracle_answer answer = ok             ? ORACLE_OK
                                      : c->steps > 0 ? ORACLE_VIOLATED
                                                     : ORACLE_TOO_LONG;
    mem_free(c);
    return answer;
}
