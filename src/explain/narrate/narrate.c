/* narrate.c -- names, clauses and headlines; see narrate.h.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/narrate/narrate.h"

#include "history/row/row_text.h"

#include "base/container/sorted.h"
#include "explain/reduce/reduced_history.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ELEMENTS = 6, LAST_ELEMENTS = 4, MOST_KEYS = 3 };

const char *
narrate_keep(struct narration *t)
{
    const char *kept = arena_copy(&t->a->arena, t->b.n ? t->b.at : "", t->b.n);
    buf_clear(&t->b);
    return kept;
}

void
narrate_name(const struct history *whole, txn_id txn, struct buf *out)
{
    // A bare number would look like a value in a sentence.
    if (txn != TXN_INIT && !atom_is_text(history_txn_atom(whole, txn)) &&
        history_txn_atom(whole, txn).tag != ATOM_NIL)
        buf_char(out, 'T');
    history_show_txn(whole, txn, out);
}

void
narrate_txn(struct narration *t, txn_id txn)
{
    narrate_name(t->whole, txn == TXN_INIT ? txn : t->origin[txn], &t->b);
}

void
narrate_key(struct narration *t, key_id k)
{
    if (!atom_is_text(history_key_atom(t->h, k)))
        buf_text(&t->b, "key ");
    history_show_key(t->h, k, &t->b);
}

bool
narrate_same_value(const struct narration *t, value_id whole, value_id v)
{
    const struct atom a = history_value_atom(t->whole, whole);
    const struct atom b = history_value_atom(t->h, v);
    if (!atom_is_text(a) || !atom_is_text(b))
        return atom_equal(a, b);
    const struct string x = strings_get(&t->whole->strings, (uint32_t)a.bits);
    const struct string y = strings_get(&t->h->strings, (uint32_t)b.bits);
    return a.tag == b.tag && x.len == y.len &&
           memcmp(x.text, y.text, x.len) == 0;
}

void
narrate_list(struct narration *t, op_id whole_op, op_id op)
{
    const struct list_seen all = history_list_seen(t->whole, whole_op);
    const struct list_seen few =
        op == ID_NONE ? (struct list_seen){0} : history_list_seen(t->h, op);
    size_t next = 0;
    bool gap = false;
    buf_char(&t->b, '[');
    for (size_t i = 0; i < all.n; i++) {
        const bool matters =
            next < few.n && narrate_same_value(t, all.at[i], few.at[next]);
        next += matters;
        if (!matters && all.n > MOST_ELEMENTS &&
            (few.n || i + LAST_ELEMENTS < all.n)) {
            buf_text(&t->b, gap ? "" : i ? " ..." : "...");
            gap = true;
            continue;
        }
        gap = false;
        buf_text(&t->b, i ? " " : "");
        history_show_value(t->whole, all.at[i], &t->b);
    }
    buf_char(&t->b, ']');
}

void
narrate_check(struct narration *t, op_id read)
{
    if (op_is_check(t->h, read))
        buf_text(&t->b, " (constraint check)");
}

void
narrate_seen(struct narration *t, op_id read)
{
    const struct history *h = t->h;
    const key_id k = op_key(h, read);
    narrate_key(t, k);
    buf_text(&t->b, " = ");
    if (!h->key_is_list || !h->key_is_list[k]) {
        row_text_value(h, read, &t->b);
        narrate_check(t, read);
        return;
    }
    const op_id recorded = history_recorded(h, read);
    narrate_list(t, t->whole_op[recorded], recorded);
    if (recorded == read)
        return;
    const size_t own =
        history_list_seen(h, recorded).n - history_list_seen(h, read).n;
    if (own == 1)
        buf_text(&t->b, " (the last element its own)");
    else
        buf_printf(&t->b, " (the last %zu elements its own)", own);
}

void
narrate_overwrote(struct narration *t, key_id k)
{
    buf_text(&t->b, t->h->key_is_list && t->h->key_is_list[k] ? "appended to"
                                                              : "overwrote");
}

void
narrate_clause(struct narration *t, const struct dep *d)
{
    struct buf *b = &t->b;
    if (d->kind == EDGE_WR) {
        narrate_txn(t, d->to);
        buf_text(b, " read ");
        narrate_seen(t, d->read);
        buf_text(b, " from ");
        narrate_txn(t, d->from);
        return;
    }
    narrate_txn(t, d->from);
    switch (d->kind) {
    case EDGE_SO:
        buf_text(b, " precedes ");
        narrate_txn(t, d->to);
        buf_text(b, " in its session");
        break;
    case EDGE_TIME:
        buf_text(b, " had ended when ");
        narrate_txn(t, d->to);
        buf_text(b, " began");
        break;
    case EDGE_WW:
        buf_text(b, " wrote ");
        narrate_written(t, d->key);
        buf_text(b, " before ");
        narrate_txn(t, d->to);
        break;
    default:
        buf_text(b, " read ");
        narrate_seen(t, d->read);
        if (d->writer != TXN_INIT) {
            buf_text(b, " from ");
            narrate_txn(t, d->writer);
        } else {
            buf_text(b, ", the initial state");
        }
        buf_text(b, ", which ");
        narrate_txn(t, d->to);
        buf_char(b, ' ');
        narrate_overwrote(t, d->key);
        break;
    }
}

void
narrate_ring(struct narration *t, const struct dep *d, size_t n)
{
    static const char *const arrows[] = {
        [EDGE_SO] = " -so-> ", [EDGE_WR] = " -wr-> ",     [EDGE_WW] = " -ww-> ",
        [EDGE_RW] = " -rw-> ", [EDGE_TIME] = " -time-> ",
    };
    for (size_t i = 0; i < n; i++) {
        narrate_txn(t, d[i].from);
        buf_text(&t->b, arrows[d[i].kind]);
    }
    narrate_txn(t, d[0].from);
}

void
narrate_size(struct narration *t)
{
    buf_printf(&t->b, ", %zu transaction%s", t->a->involved,
               t->a->involved == 1 ? "" : "s");
    if (*t->a->places)
        buf_printf(&t->b, " of %s", t->a->place_names);
}

void
narrate_headline(struct narration *t, const key_id *keys, size_t n)
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
    narrate_size(t);
    t->a->headline = narrate_keep(t);
}

bool
narrate_reduced(struct narration *t, struct err *err)
{
    const struct history *h = t->h;
    u32_vec ops = {0}, txns = {0};
    for (txn_id i = 0; i < h->n_txns; i++) {
        vec_push(&txns, t->origin[i]);
        for (op_id op = h->txn_begin[i]; op < h->txn_end[i]; op++)
            if (t->whole_op[op] != ID_NONE)
                vec_push(&ops, t->whole_op[op]);
    }
    sorted_unique(&ops);
    const bool ok = reduced_history_make(t->whole, ops.at, ops.n, &txns, false,
                                         &t->a->reduced, err);
    vec_free(&txns);
    vec_free(&ops);
    return ok;
}
