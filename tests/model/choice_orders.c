/* choice_orders.c -- psi by the order of versions, and the axiom on commit
 * orders by trying them all; see choice.h.
 *
 * SPDX-License-Identifier: MIT */
#include "choice.h"

/* --- psi ------------------------------------------------------------------*/

/* (so | wr | ww)+ ; rw? is irreflexive, as far as ww is known. */
static bool
psi_may_hold(const struct choice_state *c)
{
    const uint32_t n = (uint32_t)c->v->txns.n;
    uint64_t d[VIEW_TXNS];
    choice_so_wr(c, d);
    for (uint32_t k = 0; k < c->v->n_keys; k++)
        for (uint32_t t = 0; t < n; t++)
            d[t] |= c->later[k][t];
    if (!choice_close(n, d))
        return false;
    for (uint32_t i = 0; i < c->n_reads; i++) {
        const struct view_read *r = choice_read(c, i);
        const uint32_t w = c->writer[i];
        for (uint32_t t = 0; t < n; t++) {
            if (!choice_counts(c, t) || t == r->txn || t == w ||
                !view_writes(c->v, t, r->key))
                continue;
            const bool overwrites =
                w == VIEW_INIT || c->later[r->key][w] >> t & 1;
            if (overwrites && d[t] >> r->txn & 1)
                return false;
        }
    }
    return true;
}

static bool
reads_are_repeatable(const struct choice_state *c)
{
    for (uint32_t i = 0; i < c->n_reads; i++)
        for (uint32_t j = 0; j < i; j++)
            if (choice_read(c, i)->txn == choice_read(c, j)->txn &&
                choice_read(c, i)->key == choice_read(c, j)->key &&
                c->writer[i] != c->writer[j])
                return false;
    return true;
}

/* Two versions whose order is open; false where there are none. */
static bool
find_open(const struct choice_state *c, uint32_t *key, uint32_t *a, uint32_t *b)
{
    const uint32_t n = (uint32_t)c->v->txns.n;
    for (*key = 0; *key < c->v->n_keys; ++*key)
        for (*a = 0; *a < n; ++*a)
            for (*b = 0; *b < *a; ++*b)
                if (choice_counts(c, *a) && choice_counts(c, *b) &&
                    view_writes(c->v, *a, *key) &&
                    view_writes(c->v, *b, *key) &&
                    !(c->later[*key][*a] >> *b & 1) &&
                    !(c->later[*key][*b] >> *a & 1))
                    return true;
    return false;
}

static bool
order_versions(struct choice_state *c)
{
    if (c->steps-- <= 0 || !psi_may_hold(c))
        return false;
    uint32_t key, a, b;
    if (!find_open(c, &key, &a, &b))
        return true;
    c->later[key][a] |= UINT64_C(1) << b;
    const bool ok = order_versions(c);
    c->later[key][a] &= ~(UINT64_C(1) << b);
    if (ok)
        return true;
    c->later[key][b] |= UINT64_C(1) << a;
    const bool other = order_versions(c);
    c->later[key][b] &= ~(UINT64_C(1) << a);
    return other;
}

bool
choice_psi(struct choice_state *c)
{
    return reads_are_repeatable(c) && order_versions(c);
}

/* --- the axiom ------------------------------------------------------------*/

struct order {
    struct choice_state *c;
    uint64_t direct[VIEW_TXNS], happens[VIEW_TXNS]; // so | wr, and closed
    uint32_t place[VIEW_TXNS];                      // in the commit order
    uint32_t n;
};

static bool
co(const struct order *o, uint32_t s, uint32_t t)
{
    return t != VIEW_INIT && o->place[s] < o->place[t];
}

static bool
co_or_same(const struct order *o, uint32_t s, uint32_t t)
{
    return s == t || co(o, s, t);
}

/* Whether the premise of levels.md holds between t2 and the reader of r. */
static bool
premise(const struct order *o, uint32_t t2, const struct view_read *r)
{
    const struct choice_state *c = o->c;
    const uint32_t t3 = r->txn;
    bool found = false;
    switch (c->level) {
    case LEVEL_RC:
        for (uint32_t i = 0; i < c->n_reads; i++)
            found |= choice_read(c, i)->txn == t3 &&
                     choice_read(c, i)->place < r->after && c->writer[i] == t2;
        return found;
    case LEVEL_RA:
        return o->direct[t2] >> t3 & 1;
    case LEVEL_CC:
        return o->happens[t2] >> t3 & 1;
    case LEVEL_SER:
        return co(o, t2, t3);
    default: // pc and si
        for (uint32_t t4 = 0; t4 < c->v->txns.n; t4++) {
            if (!choice_counts(c, t4) || !co_or_same(o, t2, t4))
                continue;
            found |= o->direct[t4] >> t3 & 1;
            found |= c->level == LEVEL_SI && co(o, t4, t3) &&
                     (c->v->txns.at[t4].writes & c->v->txns.at[t3].writes);
        }
        return found;
    }
}

static bool
axiom_holds(const struct order *o)
{
    const struct choice_state *c = o->c;
    for (uint32_t i = 0; i < c->n_reads; i++) {
        const struct view_read *r = choice_read(c, i);
        for (uint32_t t2 = 0; t2 < c->v->txns.n; t2++)
            if (choice_counts(c, t2) && t2 != c->writer[i] && t2 != r->txn &&
                view_writes(c->v, t2, r->key) && premise(o, t2, r) &&
                !co(o, t2, c->writer[i]))
                return false;
    }
    return true;
}

/* Extend the order by each transaction that so, wr and lists let come next. */
static bool
try_orders(struct order *o, uint64_t placed)
{
    const struct choice_state *c = o->c;
    if (o->c->steps-- <= 0)
        return false;
    if (placed == c->counts)
        return axiom_holds(o);
    for (uint32_t t = 0; t < c->v->txns.n; t++) {
        if (!choice_counts(c, t) || placed >> t & 1)
            continue;
        bool next = true;
        for (uint32_t s = 0; s < c->v->txns.n; s++) {
            uint64_t later = o->direct[s];
            for (uint32_t k = 0; k < c->v->n_keys; k++)
                later |= c->later[k][s];
            next &= !(later >> t & 1) || placed >> s & 1;
        }
        if (!next)
            continue;
        o->place[t] = o->n++;
        const bool ok = try_orders(o, placed | UINT64_C(1) << t);
        o->n--;
        if (ok)
            return true;
    }
    return false;
}

bool
choice_axiom(struct choice_state *c)
{
    struct order o = {.c = c};
    choice_so_wr(c, o.direct);
    memcpy(o.happens, o.direct, sizeof o.happens);
    return choice_close((uint32_t)c->v->txns.n, o.happens) && try_orders(&o, 0);
}
