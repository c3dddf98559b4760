/* told.c -- names, clauses and headlines; see told.h.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/told.h"

enum { MOST_ELEMENTS = 4, MOST_KEYS = 3 };

const char *
told_keep(struct told *t)
{
    const char *kept = arena_copy(&t->a->arena, t->b.n ? t->b.at : "", t->b.n);
    buf_clear(&t->b);
    return kept;
}

void
told_name(const struct history *whole, txn_id txn, struct buf *out)
{
    // A bare number would look like a value in a sentence.
    if (txn != TXN_INIT && !atom_is_text(history_txn_atom(whole, txn)) &&
        history_txn_atom(whole, txn).tag != ATOM_NIL)
        buf_char(out, 'T');
    history_show_txn(whole, txn, out);
}

void
told_txn(struct told *t, txn_id txn)
{
    told_name(t->whole, txn == TXN_INIT ? txn : t->origin[txn], &t->b);
}

void
told_key(struct told *t, key_id k)
{
    if (!atom_is_text(history_key_atom(t->h, k)))
        buf_text(&t->b, "key ");
    history_show_key(t->h, k, &t->b);
}

void
told_seen(struct told *t, op_id read)
{
    const struct history *h = t->h;
    const key_id k = op_key(h, read);
    told_key(t, k);
    buf_text(&t->b, " = ");
    if (!h->key_is_list || !h->key_is_list[k]) {
        history_show_value(h, h->op_value[read], &t->b);
        return;
    }
    const struct list_seen seen = history_list_seen(h, read);
    const size_t shown = seen.n > MOST_ELEMENTS + 1 ? MOST_ELEMENTS : seen.n;
    buf_text(&t->b, shown < seen.n ? "[... " : "[");
    for (size_t i = seen.n - shown; i < seen.n; i++) {
        history_show_value(h, seen.at[i], &t->b);
        buf_text(&t->b, i + 1 < seen.n ? " " : "");
    }
    buf_char(&t->b, ']');
}

void
told_overwrote(struct told *t, key_id k)
{
    buf_text(&t->b, t->h->key_is_list && t->h->key_is_list[k] ? "appended to"
                                                              : "overwrote");
}

void
told_clause(struct told *t, const struct dep *d)
{
    struct buf *b = &t->b;
    if (d->kind == EDGE_WR) {
        told_txn(t, d->to);
        buf_text(b, " read ");
        told_seen(t, d->read);
        buf_text(b, " from ");
        told_txn(t, d->from);
        return;
    }
    told_txn(t, d->from);
    switch (d->kind) {
    case EDGE_SO:
        buf_text(b, " precedes ");
        told_txn(t, d->to);
        buf_text(b, " in its session");
        break;
    case EDGE_TIME:
        buf_text(b, " had ended when ");
        told_txn(t, d->to);
        buf_text(b, " began");
        break;
    case EDGE_WW:
        buf_text(b, " wrote ");
        told_key(t, d->key);
        buf_text(b, " before ");
        told_txn(t, d->to);
        break;
    default:
        buf_text(b, " read ");
        told_seen(t, d->read);
        if (d->writer != TXN_INIT) {
            buf_text(b, " from ");
            told_txn(t, d->writer);
        } else {
            buf_text(b, ", the initial state");
        }
        buf_text(b, ", which ");
        told_txn(t, d->to);
        buf_char(b, ' ');
        told_overwrote(t, d->key);
        break;
    }
}

void
told_ring(struct told *t, const struct dep *d, size_t n)
{
    static const char *const arrows[] = {
        [EDGE_SO] = " -so-> ", [EDGE_WR] = " -wr-> ",     [EDGE_WW] = " -ww-> ",
        [EDGE_RW] = " -rw-> ", [EDGE_TIME] = " -time-> ",
    };
    for (size_t i = 0; i < n; i++) {
        told_txn(t, d[i].from);
        buf_text(&t->b, arrows[d[i].kind]);
    }
    told_txn(t, d[0].from);
}

void
told_headline(struct told *t, const key_id *keys, size_t n)
{
    struct buf *b = &t->b;
    buf_text(b, anomaly_table[t->a->kind].title);
    if (t->a->kind == ANOMALY_CYCLE && *t->a->edges_in_words)
        buf_printf(b, " (%s)", t->a->edges_in_words);
    if (n > MOST_KEYS)
        buf_printf(b, " on %zu keys", n);
    else if (n)
        buf_text(b, n == 1 ? " on key " : " on keys ");
    for (size_t i = 0; n <= MOST_KEYS && i < n; i++) {
        history_show_key(t->h, keys[i], b);
        buf_text(b, i + 2 < n ? ", " : i + 1 < n ? " and " : "");
    }
    buf_printf(b, ", %zu transaction%s", t->a->blamed,
               t->a->blamed == 1 ? "" : "s");
    t->a->headline = told_keep(t);
}
