/* tiny.c -- see tiny.h.
 *
 * All orders are tried, and each is judged by the definition of the level: for
 * every read of x by t3 from t1 and every other writer t2 of x with
 * premise(t2, t3), t2 comes before t1.  Parallel snapshot isolation has that
 * form too: an order of all transactions gives the order of each key's
 * writers, and the premise is (so, wr or ww)+.
 *
 * SPDX-License-Identifier: MIT */
#include "tiny.h"

#include <string.h>

/* --- making and running ----------------------------------------------------*/

void
tiny_random(struct tiny *p, unsigned n, unsigned keys, double reads,
            struct random *r)
{
    memset(p, 0, sizeof *p);
    p->n_txns = (uint8_t)n;
    const unsigned sessions = 2 + (unsigned)random_below(r, 3);
    for (unsigned t = 0; t < n; t++) {
        struct tiny_txn *txn = &p->txns[t];
        txn->session = (uint8_t)(t * sessions / n);
        txn->n_ops = (uint8_t)(1 + random_below(r, TINY_OPS));
        for (unsigned i = 0; i < txn->n_ops; i++)
            txn->ops[i] = (struct tiny_op){random_unit(r) >= reads,
                                           (uint8_t)random_below(r, keys)};
    }
}

struct progress {
    int next_txn, end; // of the session
    bool is_begun;
    unsigned op;
    store_txn handle;
};

static void
step(const struct tiny *p, struct store *s, struct progress *at,
     struct tiny_run *out)
{
    const int t = at->next_txn;
    const struct tiny_txn *txn = &p->txns[t];
    if (!at->is_begun) {
        at->handle = store_begin(s, txn->session);
        at->is_begun = true;
        at->op = 0;
    } else if (at->op < txn->n_ops) {
        const struct tiny_op op = txn->ops[at->op];
        const char key = (char)('a' + op.key), value = (char)t;
        if (op.is_write) {
            store_write(s, at->handle, &key, 1, &value, 1);
        } else {
            const struct store_value v = store_read(s, at->handle, &key, 1);
            out->from[t][at->op] = v.is_own              ? TINY_OWN
                                   : v.writer.is_initial ? TINY_INIT
                                                         : (uint8_t)v.text[0];
        }
        at->op++;
    } else {
        out->committed[t] = store_commit(s, at->handle);
        at->is_begun = false;
        at->next_txn++;
    }
}

void
tiny_execute(const struct tiny *p, enum level level, uint32_t window,
             double fresh, uint64_t seed, struct tiny_run *out)
{
    struct random r;
    random_seed(&r, seed);
    struct store_chance chance;
    store_chance_init(&chance, fresh, random_next(&r));
    const struct store_options o = {level, window, &chance.policy};
    struct store *s;
    struct err err = {0};
    if (!store_new(&o, &s, &err))
        return;
    memset(out, 0, sizeof *out);
    struct progress at[TINY_SESSIONS];
    for (int i = 0; i < TINY_SESSIONS; i++) {
        at[i] = (struct progress){0};
        while (at[i].next_txn < p->n_txns &&
               p->txns[at[i].next_txn].session < i)
            at[i].next_txn++;
        at[i].end = at[i].next_txn;
        while (at[i].end < p->n_txns && p->txns[at[i].end].session == i)
            at[i].end++;
    }
    for (;;) {
        int open[TINY_SESSIONS], n = 0;
        for (int i = 0; i < TINY_SESSIONS; i++)
            if (at[i].next_txn < at[i].end)
                open[n++] = i;
        if (!n)
            break;
        step(p, s, &at[open[random_below(&r, (uint64_t)n)]], out);
    }
    store_free(s);
}

/* --- judging ---------------------------------------------------------------*/

struct judge {
    const struct tiny *p;
    const struct tiny_run *run;
    enum level level;
    int order[TINY_TXNS], place[TINY_TXNS], n;
    bool hb[TINY_TXNS][TINY_TXNS];
};

static bool
writes(const struct judge *j, int t, unsigned key)
{
    for (unsigned i = 0; i < j->p->txns[t].n_ops; i++)
        if (j->p->txns[t].ops[i].is_write && j->p->txns[t].ops[i].key == key)
            return true;
    return false;
}

static bool
shares_a_written_key(const struct judge *j, int a, int b)
{
    for (unsigned k = 0; k < TINY_KEYS; k++)
        if (writes(j, a, k) && writes(j, b, k))
            return true;
    return false;
}

static bool
so(const struct judge *j, int a, int b)
{
    return a < b && j->p->txns[a].session == j->p->txns[b].session;
}

static bool
wr_before(const struct judge *j, int a, int b, unsigned op)
{
    for (unsigned i = 0; i < op; i++)
        if (!j->p->txns[b].ops[i].is_write && j->run->from[b][i] == a)
            return true;
    return false;
}

static bool
wr(const struct judge *j, int a, int b)
{
    return wr_before(j, a, b, j->p->txns[b].n_ops);
}

/* t2 co* t4, for some t4 that is so- or wr-before t3. */
static bool
in_prefix(const struct judge *j, int t2, int t3)
{
    for (int i = j->place[t2]; i < j->n; i++)
        if (so(j, j->order[i], t3) || wr(j, j->order[i], t3))
            return true;
    return false;
}

static bool
in_conflict(const struct judge *j, int t2, int t3)
{
    for (int i = j->place[t2]; i < j->place[t3]; i++)
        if (shares_a_written_key(j, j->order[i], t3))
            return true;
    return false;
}

static bool
premise(const struct judge *j, int t2, int t3, unsigned op)
{
    switch (j->level) {
    case LEVEL_RC:
        return wr_before(j, t2, t3, op);
    case LEVEL_RA:
        return so(j, t2, t3) || wr(j, t2, t3);
    case LEVEL_CC:
    case LEVEL_PSI:
        return j->hb[t2][t3];
    case LEVEL_PC:
        return in_prefix(j, t2, t3);
    case LEVEL_SI:
        return in_prefix(j, t2, t3) || in_conflict(j, t2, t3);
    default:
        return j->place[t2] < j->place[t3];
    }
}

static void
close_hb(struct judge *j)
{
    for (int a = 0; a < j->n; a++)
        for (int b = 0; b < j->n; b++) {
            const int t = j->order[a], u = j->order[b];
            j->hb[t][u] = so(j, t, u) || wr(j, t, u) ||
                          (j->level == LEVEL_PSI && a < b &&
                           shares_a_written_key(j, t, u));
        }
    for (int m = 0; m < j->n; m++)
        for (int a = 0; a < j->n; a++)
            for (int b = 0; b < j->n; b++) {
                const int t = j->order[a], u = j->order[b], v = j->order[m];
                j->hb[t][u] = j->hb[t][u] || (j->hb[t][v] && j->hb[v][u]);
            }
}

static bool
read_holds(const struct judge *j, int t3, unsigned op)
{
    const int t1 = j->run->from[t3][op];
    const int place = t1 == TINY_INIT ? -1 : j->place[t1];
    for (int i = place + 1; i < j->n; i++) {
        const int t2 = j->order[i];
        if (t2 != t3 && writes(j, t2, j->p->txns[t3].ops[op].key) &&
            premise(j, t2, t3, op))
            return false;
    }
    return true;
}

static bool
order_holds(struct judge *j)
{
    for (int i = 0; i < j->n; i++)
        j->place[j->order[i]] = i;
    for (int b = 0; b < j->n; b++)
        for (int a = b + 1; a < j->n; a++)
            if (so(j, j->order[a], j->order[b]) ||
                wr(j, j->order[a], j->order[b]))
                return false;
    close_hb(j);
    for (int i = 0; i < j->n; i++) {
        const int t3 = j->order[i];
        for (unsigned op = 0; op < j->p->txns[t3].n_ops; op++)
            if (!j->p->txns[t3].ops[op].is_write &&
                j->run->from[t3][op] != TINY_OWN && !read_holds(j, t3, op))
                return false;
    }
    return true;
}

/* The next permutation in lexical order; false after the last. */
static bool
permute(int *at, int n)
{
    int i = n - 1;
    while (i > 0 && at[i - 1] > at[i])
        i--;
    if (i <= 0)
        return false;
    int k = n - 1;
    while (at[k] < at[i - 1])
        k--;
    const int swapped = at[k];
    at[k] = at[i - 1];
    at[i - 1] = swapped;
    for (int a = i, b = n - 1; a < b; a++, b--) {
        const int x = at[a];
        at[a] = at[b];
        at[b] = x;
    }
    return true;
}

bool
tiny_allowed(const struct tiny *p, const struct tiny_run *run, enum level level)
{
    struct judge j = {.p = p, .run = run, .level = level};
    for (int t = 0; t < p->n_txns; t++)
        if (run->committed[t])
            j.order[j.n++] = t;
    do
        if (order_holds(&j))
            return true;
    while (permute(j.order, j.n));
    return false;
}
