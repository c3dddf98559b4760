/* forge_order.c -- orders that prove nothing; see forge.h.
 *
 * With few transactions every order of them is tried; starts and commits are
 * interleaved at random.  Sessions and time are mostly respected.  A read is
 * said to be from whoever wrote that value last, or, now and then, from
 * another.
 *
 * SPDX-License-Identifier: MIT */
#include "forge.h"

enum { MOST_ALL = 5, SAMPLES = 120, FORGED_TXNS = 64 };

struct order {
    struct forger *f;
    struct certificate c;
    txn_id txns[FORGED_TXNS];
    uint32_t n;
};

static bool
has_two_points(enum level l)
{
    return l == LEVEL_PC || l == LEVEL_SI || l == LEVEL_STRICT_SI;
}

/* Say whom the reads of t read from, 'done' having run before. */
static void
choose(struct order *o, txn_id t, uint32_t done)
{
    struct forger *f = o->f;
    const struct history *h = &f->h;
    const bool two = has_two_points(o->c.level);
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        const value_id v = h->op_value[op];
        if (op_is_write(h, op) ||
            (!history_has_several(h, v) && !forge_percent(f, 1)))
            continue;
        txn_id writer = TXN_INIT;
        for (uint32_t i = 0; i < done; i++) {
            const point_id p = o->c.order.at[i];
            const txn_id u = two ? p / 2 : p;
            if ((!two || p % 2) && u != t &&
                forge_writes(f, u, op_key(h, op), v))
                writer = u;
        }
        if (forge_percent(f, 10))
            writer = forge_txn(f);
        vec_push(&o->c.choices, ((struct choice){op, writer}));
    }
}

static void
show(struct order *o)
{
    const bool two = has_two_points(o->c.level);
    vec_clear(&o->c.choices);
    for (uint32_t i = 0; i < o->c.order.n; i++) {
        const point_id p = o->c.order.at[i];
        if (!two || p % 2 == 0)
            choose(o, two ? p / 2 : p, i);
    }
    forger_show(o->f, &o->c);
}

/* Every order of the rest, which begins at 'at'. */
static void
permute(struct order *o, uint32_t at)
{
    if (at == o->n) {
        show(o);
        return;
    }
    for (uint32_t i = at; i < o->n && !o->f->lie.n; i++) {
        point_id *p = o->c.order.at;
        const point_id moved = p[i];
        p[i] = p[at];
        p[at] = moved;
        permute(o, at + 1);
        p[at] = p[i];
        p[i] = moved;
    }
}

/* Whether t may run next: those before it in its session have, and those that
 * had ended before it began. */
static bool
may_run(const struct order *o, txn_id t, const uint8_t *phase)
{
    const struct history *h = &o->f->h;
    for (uint32_t i = 0; i < o->n; i++) {
        const txn_id u = o->txns[i];
        const bool before =
            (u < t && h->txn_session[u] == h->txn_session[t]) ||
            (h->txn_began && level_table[o->c.level].needs_times &&
             h->txn_ended[u] < h->txn_began[t]);
        if (before && u != t && phase[u] < 2)
            return false;
    }
    return true;
}

/* Some order of points; careless about sessions and time now and then. */
static void
draw(struct order *o)
{
    const bool two = has_two_points(o->c.level);
    uint8_t phase[FORGED_TXNS] = {0}; // started, committed
    vec_clear(&o->c.order);
    const uint32_t careful = forge_percent(o->f, 90) ? 200 : 0;
    for (uint32_t tries = 0; o->c.order.n < (two ? 2 : 1) * o->n; tries++) {
        const txn_id t = o->txns[forge_below(o->f, o->n)];
        if (phase[t] == 2 ||
            (!phase[t] && tries < careful && !may_run(o, t, phase)))
            continue;
        if (!two)
            phase[t]++;
        vec_push(&o->c.order, two ? 2 * t + phase[t] : t);
        phase[t]++;
    }
}

/* Who is in the order: mostly those who should be. */
static void
draw_txns(struct order *o)
{
    const struct history *h = &o->f->h;
    o->n = 0;
    for (txn_id t = 0; t < h->n_txns; t++) {
        const enum txn_status status = (enum txn_status)h->txn_status[t];
        const uint32_t likely = status == TXN_COMMITTED       ? 98
                                : status == TXN_INDETERMINATE ? 50
                                                              : 3;
        if (forge_percent(o->f, likely))
            o->txns[o->n++] = t;
    }
}

void
forge_orders(struct forger *f, enum level l)
{
    const struct history *h = &f->h;
    if (f->truth[l] != ORACLE_VIOLATED || h->n_txns > FORGED_TXNS)
        return;
    struct order o = {
        .f = f,
        .c = {.level = l, .verdict = VERDICT_OK, .kind = EVIDENCE_ORDER}};
    for (uint32_t sample = 0; sample < SAMPLES && !f->lie.n; sample++) {
        draw_txns(&o);
        if (!o.n)
            continue;
        draw(&o);
        show(&o);
    }
    if (!has_two_points(l) && o.n <= MOST_ALL && o.c.order.n == o.n)
        permute(&o, 0);
    vec_free(&o.c.order);
    vec_free(&o.c.choices);
}
