/* weak_order.c -- see weak_order.h.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/weak_order.h"

#include "base/limits/context.h"

bool
weak_order_wrong(const struct weak_order *w, txn_id t, const char *what)
{
    struct buf name = {0};
    history_show_txn(w->h, t, &name);
    err_set(w->err, ERR_SYNTAX, "the order: transaction %s %s", name.at, what);
    buf_free(&name);
    return false;
}

static bool
read_positions(struct weak_order *w, const u32_vec *order)
{
    const struct history *h = w->h;
    w->position = mem_calloc(h->n_txns, sizeof *w->position);
    for (size_t i = 0; i < order->n; i++) {
        const txn_id t = order->at[i];
        if (t >= h->n_txns)
            return err_set(w->err, ERR_SYNTAX,
                           "the order: there is no transaction number %u", t);
        if (h->txn_counts[t] == TXN_LEFT_OUT)
            return weak_order_wrong(w, t, "does not count");
        if (w->position[t])
            return weak_order_wrong(w, t, "is in it twice");
        w->position[t] = (uint32_t)i + 1;
        assert(w->position[t]);
    }
    txn_id before = TXN_NONE;
    for (txn_id t = 0; t < h->n_txns; t++) {
        if (h->txn_counts[t] == TXN_COUNTS && !w->position[t])
            return weak_order_wrong(w, t, "is missing");
        if (!w->position[t])
            continue;
        if (before != TXN_NONE && h->txn_session[before] == h->txn_session[t] &&
            w->position[before] > w->position[t])
            return weak_order_wrong(w, t, "contradicts session order");
        before = t;
    }
    return true;
}

static bool
is_candidate(const struct history *h, value_id v, txn_id writer)
{
    const struct txn_range range = history_candidates(h, v);
    for (size_t i = 0; i < range.n; i++)
        if (range.at[i] == writer)
            return true;
    return false;
}

static bool
read_choices(struct weak_order *w, const struct certificate *c)
{
    const struct history *h = w->h;
    if (!h->several.n)
        return !c->choices.n ||
               err_set(w->err, ERR_SYNTAX,
                       "there are choices, but no read has several candidates");
    assert(!w->chosen);
    w->chosen = mem_alloc(h->n_ops, sizeof *w->chosen);
    memset(w->chosen, 0xff, h->n_ops * sizeof *w->chosen); // TXN_NONE
    for (size_t i = 0; i < c->choices.n; i++) {
        const struct choice choice = c->choices.at[i];
        if (choice.read >= h->n_ops || !op_is_external_read(h, choice.read) ||
            !history_has_several(h, h->op_value[choice.read]) ||
            !is_candidate(h, h->op_value[choice.read], choice.writer))
            return err_set(w->err, ERR_SYNTAX,
                           "choice %zu is not one of the candidates", i + 1);
        w->chosen[choice.read] = choice.writer;
    }
    return true;
}

void
weak_order_collect_versions(struct weak_order *w)
{
    struct versions *v = &w->versions;
    const struct history *h = w->h;
    assert(!v->first && w->position);
    v->first = mem_calloc((size_t)h->n_keys + 2, sizeof *v->first);
    uint32_t *next = v->first + 1;
    for (txn_id t = 0; t < h->n_txns; t++) {
        context_poll_at(t);
        for (op_id op = h->txn_begin[t]; w->position[t] && op < h->txn_end[t];
             op++)
            if (op_is_final_write(h, op))
                next[op_key(h, op) + 1]++;
    }
    for (key_id k = 0; k < h->n_keys; k++)
        next[k + 1] += next[k];
    v->at = mem_alloc(next[h->n_keys], sizeof *v->at);
    for (size_t i = 0; i < w->order->n; i++) {
        const txn_id t = w->order->at[i];
        context_poll_at(i);
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (op_is_final_write(h, op))
                v->at[next[op_key(h, op)]++] = t;
    }
    assert(v->first[0] == 0);
}

uint32_t
weak_order_after(const struct weak_order *w, key_id x, uint32_t position)
{
    assert(w->versions.first && x < w->h->n_keys);
    uint32_t low = w->versions.first[x], high = w->versions.first[x + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (w->position[w->versions.at[middle]] <= position)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low >= w->versions.first[x] && low <= w->versions.first[x + 1]);
    return low;
}

bool
weak_order_refuted(const struct weak_order *w, txn_id t3, txn_id t2)
{
    struct buf name = {0};
    assert(t2 != t3 && w->position[t2] && w->position[t3]);
    history_show_txn(w->h, t2, &name);
    buf_text(&name, ", and reads what that had overwritten in the order");
    struct buf what = {0};
    buf_printf(&what, "has to see %s", name.at);
    weak_order_wrong(w, t3, what.at);
    buf_free(&what);
    buf_free(&name);
    return false;
}

bool
weak_order_init(struct weak_order *w, const struct history *h,
                const struct certificate *c, struct err *err)
{
    assert(level_is_weak(c->level));
    *w = (struct weak_order){.h = h,
                             .premise = level_table[c->level].premise,
                             .order = &c->order,
                             .err = err};
    return read_positions(w, &c->order) && read_choices(w, c);
}

void
weak_order_free(struct weak_order *w)
{
    mem_free(w->position);
    mem_free(w->chosen);
    vec_free(&w->stale);
    mem_free(w->versions.first);
    mem_free(w->versions.at);
}
