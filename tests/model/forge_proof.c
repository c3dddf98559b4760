/* forge_proof.c -- proofs at pc, psi, si, ser and the strict levels of what is
 * not so; see forge.h.
 *
 * Steps are drawn like true ones: choices, who is ahead of whom, and cycles of
 * two to four edges.  What verify accepts of them is put together; where the
 * level holds, it must not contradict itself, whatever follows from it.
 *
 * SPDX-License-Identifier: MIT */
#include "forge.h"

enum { STEPS = 200, LONGEST = 4, MOST_FACTS = 120 };

/* Who could have served a read; mostly one who writes the value. */
static txn_id
draw_writer(struct forger *f, op_id read)
{
    const struct history *h = &f->h;
    if (read == ID_NONE)
        return TXN_NONE;
    for (int i = 0; i < 10; i++) {
        const txn_id w = forge_below(f, h->n_txns + 1);
        const value_id v = h->op_value[read];
        if (w == h->n_txns) {
            if (atom_equal(history_value_atom(h, v), h->initial))
                return TXN_INIT;
        } else if (forge_writes(f, w, op_key(h, read), v)) {
            return w;
        }
    }
    return forge_txn(f);
}

/* An edge that could be, or not. */
static struct proof_edge
draw_edge(struct forger *f, txn_id from, txn_id to)
{
    static const enum edge_kind kinds[] = {EDGE_SO, EDGE_WR,   EDGE_WR,
                                           EDGE_WW, EDGE_WW,   EDGE_RW,
                                           EDGE_RW, EDGE_TIME, EDGE_COMMIT};
    struct proof_edge e = {kinds[forge_below(f, 9)], from, to, ID_NONE,
                           TXN_NONE};
    if (e.kind == EDGE_WR)
        e.read = forge_read(f, to, from);
    if (e.kind == EDGE_RW && forge_percent(f, 75)) {
        e.read = forge_read(f, from, forge_txn(f));
        e.writer = draw_writer(f, e.read);
    }
    return e;
}

/* Whether an edge looks right at first sight. */
static bool
is_likely(const struct forger *f, const struct proof_edge *e)
{
    const struct history *h = &f->h;
    const bool so =
        e->from < e->to && h->txn_session[e->from] == h->txn_session[e->to];
    bool common = false;
    for (key_id k = 0; k < h->n_keys; k++)
        common |= forge_writes(f, e->from, k, ID_NONE) &&
                  forge_writes(f, e->to, k, ID_NONE);
    switch (e->kind) {
    case EDGE_SO:
        return so;
    case EDGE_WW:
        return common;
    case EDGE_WR:
        return e->read != ID_NONE &&
               forge_writes(f, e->from, op_key(h, e->read),
                            h->op_value[e->read]);
    case EDGE_RW:
        return e->read == ID_NONE ||
               forge_writes(f, e->to, op_key(h, e->read), ID_NONE);
    case EDGE_TIME:
        return h->txn_began && h->txn_ended[e->from] < h->txn_began[e->to];
    default:
        return false;
    }
}

static void
put_edge(const struct proof_edge *e, struct buf *out)
{
    static const char *const names[] = {"so",   "wr",     "ww", "rw",
                                        "time", "commit", "co"};
    buf_printf(out, "\nlink %s %u %u", names[e->kind], e->from, e->to);
    forge_put_id(out, e->read);
    forge_put_id(out, e->writer);
}

static void
put_cycle(struct forger *f, struct buf *out)
{
    const uint32_t n = 2 + forge_below(f, LONGEST - 1);
    txn_id at[LONGEST];
    for (uint32_t i = 0; i < n; i++)
        at[i] = forge_txn(f);
    // All edges look right, or all but one.
    const uint32_t doubtful = forge_percent(f, 50) ? n : forge_below(f, n);
    buf_printf(out, "cycle %u", n);
    for (uint32_t i = 0; i < n; i++) {
        struct proof_edge e = draw_edge(f, at[i], at[(i + 1) % n]);
        for (int j = 0; j < 30 && i != doubtful && !is_likely(f, &e); j++) {
            if (i + 1 < n && j % 5 == 4)
                at[i + 1] = forge_txn(f);
            e = draw_edge(f, at[i], at[(i + 1) % n]);
        }
        put_edge(&e, out);
    }
}

static void
put_ahead(struct forger *f, struct buf *out)
{
    const op_id read = forge_read(f, forge_txn(f), forge_txn(f));
    if (read == ID_NONE)
        return;
    buf_printf(out, "ahead %u", read);
    forge_put_id(out, draw_writer(f, read));
    forge_put_id(out, forge_txn(f));
}

static void
learn_units(struct forger *f, struct forged_proof *p)
{
    const uint32_t n = f->h.n_txns;
    VEC(char *) facts = {0};
    for (txn_id t = 0; t < n; t++)
        if (f->h.txn_status[t] == TXN_INDETERMINATE) {
            struct buf fact = {0};
            buf_printf(&fact, "counts %u", t);
            vec_push(&facts, fact.at);
        }
    for (txn_id a = 0; a < n; a++)
        for (txn_id b = 0; b < n; b++) {
            struct buf fact = {0};
            if (a == b)
                continue;
            buf_printf(&fact, "%s %u %u", a < b ? "before" : "ahead", a, b);
            vec_push(&facts, fact.at);
            if (a < b) {
                struct buf other = {0};
                buf_printf(&other, "ahead %u %u", a, b);
                vec_push(&facts, other.at);
            }
        }
    for (op_id op = 0; op < f->h.n_ops; op++)
        for (txn_id w = 0; w <= n; w++) {
            struct buf fact = {0};
            if (op_is_write(&f->h, op) ||
                !history_has_several(&f->h, f->h.op_value[op]))
                continue;
            buf_printf(&fact, "choice %u", op);
            forge_put_id(&fact, w < n ? w : TXN_INIT);
            vec_push(&facts, fact.at);
        }
    const size_t most = facts.n < MOST_FACTS ? facts.n : MOST_FACTS;
    forge_units(f, p, (const char *const *)facts.at, most);
    for (size_t i = 0; i < facts.n; i++)
        mem_free(facts.at[i]);
    vec_free(&facts);
}

void
forge_proofs(struct forger *f, enum level l)
{
    if (f->truth[l] != ORACLE_OK || f->h.n_txns < 2)
        return;
    struct forged_proof p = {.level = l};
    forge_choices(f, &p);
    for (int i = 0; i < STEPS && !f->lie.n; i++) {
        struct buf text = {0};
        if (forge_percent(f, 20))
            put_ahead(f, &text);
        else
            put_cycle(f, &text);
        if (text.n)
            forge_step(f, &p, text.at);
        buf_free(&text);
    }
    if (p.n)
        learn_units(f, &p);
    buf_free(&p.steps);
}
