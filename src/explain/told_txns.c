/* told_txns.c -- the transactions of an anomaly and some around it; see told.h.
 *
 * A transaction of few operations is told with all of them, so that a reader
 * recognises it, and those that matter are marked; of a long one only those
 * that matter are told.  They are found by going through both transactions,
 * the reduced and the whole one, side by side: the first is a subsequence of
 * the second, except that lists may be shorter.
 *
 * Neighbours are what the sessions did right before and after, which is where
 * one looks next in a log.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/told.h"

#include <string.h>

enum { FEW_OPS = 8, MOST_TXNS = 64 };

static const char *
raw_atom(struct told *t, const struct history *h, struct atom a)
{
    if (atom_is_text(a)) {
        const struct string s = strings_get(&h->strings, (uint32_t)a.bits);
        return arena_copy(&t->a->arena, s.text, s.len);
    }
    atom_show(&h->strings, a, &t->b);
    return told_keep(t);
}

static const char *
id_of(struct told *t, txn_id whole)
{
    const struct atom name = history_txn_atom(t->whole, whole);
    if (name.tag != ATOM_NIL)
        return raw_atom(t, t->whole, name);
    history_show_txn(t->whole, whole, &t->b);
    return told_keep(t);
}

static struct told_op
op_told(struct told *t, const struct history *h, op_id op, bool matters)
{
    struct told_op o = {.is_write = op_is_write(h, op), .matters = matters};
    history_show_op(h, op, &t->b);
    o.text = told_keep(t);
    history_show_key(h, op_key(h, op), &t->b);
    o.key = told_keep(t);
    return o;
}

/* Everything about a transaction of the whole but its operations. */
static struct told_txn
head_of(struct told *t, txn_id whole)
{
    const struct history *h = t->whole;
    const session_id s = h->txn_session[whole];
    struct told_txn out = {.id = id_of(t, whole),
                           .position = whole - h->session_first[s] + 1,
                           .status = (enum txn_status)h->txn_status[whole]};
    told_name(h, whole, &t->b);
    out.name = told_keep(t);
    history_show_session(h, s, &t->b);
    out.session = told_keep(t);
    if (h->txn_began && h->txn_began[whole] != INT64_MIN &&
        h->txn_ended[whole] != INT64_MAX) {
        out.has_times = true;
        out.began = h->txn_began[whole];
        out.ended = h->txn_ended[whole];
    }
    if (h->txn_meta && h->txn_meta[whole] != ID_NONE) {
        const struct string meta = strings_get(&h->strings, h->txn_meta[whole]);
        // As one JSON string and without its quotes it is harmless anywhere;
        // the quotes inside come back.
        struct buf safe = {0};
        buf_json(&safe, meta.text, meta.len);
        for (size_t i = 1; i + 1 < safe.n; i++) {
            if (safe.at[i] == '\\' &&
                (safe.at[i + 1] == '"' || safe.at[i + 1] == '\\'))
                i++;
            buf_char(&t->b, safe.at[i]);
        }
        buf_free(&safe);
        out.meta = told_keep(t);
    }
    return out;
}

/* Whether the operation of the whole is the same as that of h. */
static bool
same_op(struct told *t, op_id whole, op_id op)
{
    const bool write = op_is_write(t->h, op);
    if (op_is_write(t->whole, whole) != write)
        return false;
    const key_id k = op_key(t->h, op);
    const bool list = t->h->key_is_list && t->h->key_is_list[k];
    struct buf a = {0}, b = {0};
    history_show_key(t->whole, op_key(t->whole, whole), &a);
    history_show_key(t->h, k, &b);
    if (write || !list) {
        history_show_value(t->whole, t->whole->op_value[whole], &a);
        history_show_value(t->h, t->h->op_value[op], &b);
    }
    const bool same = strcmp(a.at, b.at) == 0;
    buf_free(&a);
    buf_free(&b);
    return same;
}

static void
tell_ops(struct told *t, txn_id txn, struct told_txn *out)
{
    const struct history *w = t->whole;
    const txn_id origin = t->origin[txn];
    const size_t all = w->txn_end[origin] - w->txn_begin[origin];
    const size_t matter = t->h->txn_end[txn] - t->h->txn_begin[txn];
    out->ops = arena_alloc(&t->a->arena,
                           (all > matter ? all : matter) * sizeof *out->ops);
    op_id next = t->h->txn_begin[txn];
    for (op_id op = w->txn_begin[origin]; op < w->txn_end[origin]; op++) {
        const bool matters = next < t->h->txn_end[txn] && same_op(t, op, next);
        if (matters)
            out->ops[out->n_ops++] = op_told(t, t->h, next++, true);
        else if (all <= FEW_OPS)
            out->ops[out->n_ops++] = op_told(t, w, op, false);
    }
    out->elided = all - out->n_ops;
}

uint32_t
told_place(const struct told *t, txn_id txn, op_id op)
{
    if (op == ID_NONE || txn >= t->a->txns.n)
        return TOLD_NONE;
    const struct told_txn *told = &t->a->txns.at[txn];
    uint32_t wanted = op - t->h->txn_begin[txn];
    for (uint32_t i = 0; i < told->n_ops; i++)
        if (told->ops[i].matters && wanted-- == 0)
            return i;
    return TOLD_NONE;
}

/* --- neighbours
 * -------------------------------------------------------------*/

static bool
is_told(const struct told *t, txn_id whole)
{
    for (txn_id i = 0; i < t->h->n_txns; i++)
        if (t->origin[i] == whole)
            return true;
    return false;
}

static void
tell_neighbour(struct told *t, txn_id whole, u32_vec *seen)
{
    if (is_told(t, whole))
        return;
    for (size_t i = 0; i < seen->n; i++)
        if (seen->at[i] == whole)
            return;
    vec_push(seen, whole);
    const struct history *w = t->whole;
    struct told_txn out = head_of(t, whole);
    out.is_context = true;
    const size_t all = w->txn_end[whole] - w->txn_begin[whole];
    out.ops = arena_alloc(&t->a->arena, FEW_OPS * sizeof *out.ops);
    for (op_id op = w->txn_begin[whole];
         op < w->txn_end[whole] && out.n_ops < FEW_OPS; op++)
        out.ops[out.n_ops++] = op_told(t, w, op, false);
    out.elided = all - out.n_ops;
    vec_push(&t->a->txns, out);
}

static void
tell_neighbours(struct told *t, size_t most)
{
    u32_vec seen = {0};
    const struct history *w = t->whole;
    for (txn_id i = 0; i < t->h->n_txns && i < MOST_TXNS; i++) {
        const txn_id whole = t->origin[i];
        const session_id s = w->txn_session[whole];
        if (seen.n < most && whole > w->session_first[s])
            tell_neighbour(t, whole - 1, &seen);
        if (seen.n < most && whole + 1 < w->session_first[s + 1])
            tell_neighbour(t, whole + 1, &seen);
    }
    vec_free(&seen);
}

void
told_txns(struct told *t, bool with_init, size_t context)
{
    for (txn_id i = 0; i < t->h->n_txns && i < MOST_TXNS; i++) {
        struct told_txn out = head_of(t, t->origin[i]);
        tell_ops(t, i, &out);
        vec_push(&t->a->txns, out);
    }
    t->a->blamed = t->h->n_txns;
    if (with_init)
        vec_push(&t->a->txns, ((struct told_txn){.id = "init",
                                                 .name = "init",
                                                 .session = "",
                                                 .is_init = true,
                                                 .status = TXN_COMMITTED}));
    tell_neighbours(t, context);
}
