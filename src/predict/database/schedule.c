/* schedule.c -- an execution run moment by moment; see database_level.h.
 *
 * It knows no formula: it keeps what is committed and who holds which lock, and
 * looks at what each read would see.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/database/database_level.h"

/* A version of a key, by the number of its commit. */
struct committed {
    key_id key;
    uint32_t writer, number;
};

struct running {
    const struct moments *m;
    const struct execution *x;
    VEC(struct committed) versions; // in the order of commits
    uint32_t commits;
    uint32_t *snapshot; // by transaction: commits at its snapshot
    uint32_t *next;     // by transaction: its next moment
    uint32_t *commit;   // by transaction: its number, or 0
};

/* Who wrote the last version of a key at commit 'number' or before. */
static uint32_t
last_writer(const struct running *g, key_id k, uint32_t number)
{
    for (size_t i = g->versions.n; i; i--)
        if (g->versions.at[i - 1].key == k &&
            g->versions.at[i - 1].number <= number)
            return g->versions.at[i - 1].writer;
    return OBS_INIT;
}

/* Whether t may take a lock at its moment: no other transaction holds one that
 * conflicts, and (S4). */
static bool
may_lock(const struct running *g, uint32_t t, const struct moment_lock *l)
{
    const struct moments *m = g->m;
    for (size_t i = 0; i < m->locks.n; i++) {
        const struct moment_lock *k = &m->locks.at[i];
        if (k->row != l->row || k->txn == t || k->point >= g->next[k->txn])
            continue;
        const bool holds = !g->commit[k->txn];
        if (holds ? database_level_conflicts(k->mode, l->mode)
                  : moments_fails(m, t) && k->writes &&
                        g->commit[k->txn] > g->snapshot[t])
            return false;
    }
    return true;
}

static bool
run_statement(struct running *g, uint32_t t, uint32_t point)
{
    const struct observed *o = g->m->o;
    if (point == g->m->snapshot[t])
        g->snapshot[t] = g->commits;
    g->next[t] = point + 1;
    for (size_t i = 0; i < g->m->locks.n; i++) {
        const struct moment_lock *l = &g->m->locks.at[i];
        if (l->txn == t && l->point == point && !may_lock(g, t, l))
            return false;
    }
    for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++) {
        if (g->m->of_read[r] != point)
            continue;
        const bool is_old = moments_snapshot(g->m, r) != point;
        if (last_writer(g, o->reads.at[r].key,
                        is_old ? g->snapshot[t] : g->commits) !=
            g->x->writer[r])
            return false;
    }
    return true;
}

static void
run_commit(struct running *g, uint32_t t)
{
    const struct observed *o = g->m->o;
    g->commits++;
    for (uint32_t w = o->write_first[t]; w < o->write_first[t + 1]; w++)
        vec_push(&g->versions,
                 ((struct committed){o->writes.at[w].key, t, g->commits}));
    g->commit[t] = g->commits;
    g->next[t] = g->m->first[t + 1];
}

bool
schedule_runs(const struct moments *m, const struct execution *x,
              const u32_vec *order)
{
    const struct observed *o = m->o;
    struct running g = {.m = m, .x = x};
    uint32_t *txn = mem_alloc(m->n + 1, sizeof *txn); // by moment
    g.snapshot = mem_calloc(o->n + 1, sizeof *g.snapshot);
    g.next = mem_alloc(o->n + 1, sizeof *g.next);
    g.commit = mem_calloc(o->n + 1, sizeof *g.commit);
    for (uint32_t t = 0; t < o->n; t++) {
        g.next[t] = m->first[t];
        for (uint32_t p = m->first[t]; p < m->first[t + 1]; p++)
            txn[p] = t;
    }
    bool ok = true;
    for (size_t i = 0; ok && i < order->n; i++) {
        const uint32_t p = order->at[i], t = txn[p];
        const uint32_t prev = o->prev[t];
        ok = x->role[t] != ROLE_OUT && p == g.next[t] &&
             (prev == OBS_NONE || g.commit[prev]);
        if (ok && p == moments_commit(m, t))
            run_commit(&g, t);
        else if (ok)
            ok = run_statement(&g, t, p);
    }
    for (uint32_t t = 0; t < o->n; t++)
        ok = ok && (x->role[t] == ROLE_OUT || g.commit[t]);
    mem_free(txn);
    mem_free(g.snapshot);
    mem_free(g.next);
    mem_free(g.commit);
    vec_free(&g.versions);
    return ok;
}
