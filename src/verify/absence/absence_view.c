/* absence_view.c -- see absence_view.h.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/absence/absence_view.h"

#include "base/container/hash.h"

/* --- the execution -------------------------------------------------------- */

static bool
is_part(const struct history *h, txn_id t)
{
    return h->txn_counts[t] && h->txn_status[t] != TXN_LOADING;
}

static bool
take_op(struct absence_view *v, op_id op, uint32_t t, const uint32_t *index,
        struct err *err)
{
    const struct history *h = v->h;
    const key_id k = op_key(h, op);
    assert(t < v->n && k < h->n_keys);
    if (op_is_final_write(h, op)) {
        const uint32_t before = (uint32_t)v->reads.n - v->read_first[t];
        vec_push(&v->writes, ((struct view_write){k, t, before}));
    } else if (!op_is_write(h, op) && (h->op_key[op] & OP_REJECTED)) {
        return err_set(err, ERR_SYNTAX, "the history has inconsistent reads");
    } else if (op_is_external_read(h, op)) {
        if (history_has_several(h, h->op_value[op]))
            return err_set(err, ERR_SYNTAX,
                           "a read of the history has several writers");
        const txn_id w = history_writer(h, h->op_value[op]);
        vec_push(&v->reads,
                 ((struct view_read){k, t,
                                     w == TXN_INIT ? ABSENCE_INIT : index[w]}));
    }
    return true;
}

static bool
take_history(struct absence_view *v, struct err *err)
{
    const struct history *h = v->h;
    uint32_t *index = mem_alloc(h->n_txns + 1, sizeof *index);
    for (txn_id t = 0; t < h->n_txns; t++)
        if (is_part(h, t))
            index[t] = v->n++;
    v->session = mem_calloc(v->n + 1, sizeof *v->session);
    v->read_first = mem_calloc(v->n + 1, sizeof *v->read_first);
    v->write_first = mem_calloc(v->n + 1, sizeof *v->write_first);
    bool ok =
        !h->key_is_list || err_set(err, ERR_SYNTAX, "the history has lists");
    for (txn_id t = 0; ok && t < h->n_txns; t++) {
        if (!is_part(h, t))
            continue;
        v->session[index[t]] = h->txn_session[t];
        v->read_first[index[t]] = (uint32_t)v->reads.n;
        v->write_first[index[t]] = (uint32_t)v->writes.n;
        for (op_id op = h->txn_begin[t]; ok && op < h->txn_end[t]; op++)
            ok = take_op(v, op, index[t], index, err);
    }
    v->read_first[v->n] = (uint32_t)v->reads.n;
    assert(!v->n || v->read_first[0] == 0);
    v->write_first[v->n] = (uint32_t)v->writes.n;
    v->writes_of = mem_calloc(h->n_keys + 1, sizeof *v->writes_of);
    for (uint32_t w = 0; w < v->writes.n; w++)
        vec_push(&v->writes_of[v->writes.at[w].key], w);
    mem_free(index);
    return ok;
}

static void
relate(struct absence_view *v)
{
    v->words = v->n / 64 + 1;
    v->before = mem_calloc(v->n * v->words + 1, sizeof *v->before);
    for (uint32_t t = 0; t < v->n; t++)
        if (view_prev(v, t) != ABSENCE_NONE)
            v->before[(t - 1) * v->words + t / 64] |= UINT64_C(1) << t % 64;
    for (size_t r = 0; r < v->reads.n; r++) {
        const struct view_read *read = &v->reads.at[r];
        if (read->writer != ABSENCE_INIT)
            v->before[read->writer * v->words + read->txn / 64] |=
                UINT64_C(1) << read->txn % 64;
    }
    for (uint32_t k = 0; k < v->n; k++)
        for (uint32_t i = 0; i < v->n; i++)
            if (v->before[i * v->words + k / 64] >> k % 64 & 1)
                for (size_t w = 0; w < v->words; w++)
                    v->before[i * v->words + w] |= v->before[k * v->words + w];
    v->looped = mem_calloc(v->n + 1, sizeof *v->looped);
    for (uint32_t u = 0; u < v->n; u++)
        for (uint32_t t = 0; view_before(v, u, u) && t < v->n; t++)
            v->looped[t] |= view_before(v, u, t);
}

bool
view_before(const struct absence_view *v, uint32_t a, uint32_t b)
{
    if (a == ABSENCE_INIT || b == ABSENCE_INIT)
        return a == ABSENCE_INIT && b != ABSENCE_INIT;
    assert(a < v->n && b < v->n);
    return v->before[a * v->words + b / 64] >> b % 64 & 1;
}

uint32_t
view_prev(const struct absence_view *v, uint32_t t)
{
    return t && v->session[t - 1] == v->session[t] ? t - 1 : ABSENCE_NONE;
}

uint32_t
view_next(const struct absence_view *v, uint32_t t)
{
    return t + 1 < v->n && v->session[t + 1] == v->session[t] ? t + 1
                                                              : ABSENCE_NONE;
}

uint32_t
view_write_of(const struct absence_view *v, uint32_t t, key_id k)
{
    assert(t < v->n);
    for (uint32_t w = v->write_first[t]; w < v->write_first[t + 1]; w++)
        if (v->writes.at[w].key == k)
            return w;
    return ABSENCE_NONE;
}

bool
view_reads_key(const struct absence_view *v, uint32_t t, key_id k)
{
    assert(t < v->n);
    for (uint32_t r = v->read_first[t]; r < v->read_first[t + 1]; r++)
        if (v->reads.at[r].key == k)
            return true;
    return false;
}

/* --- the evidence --------------------------------------------------------- */

static uint64_t
hash_fact(const struct fact_row *f)
{
    return hash_pair(hash_pair(f->kind, f->a),
                     hash_pair(hash_pair(f->b, f->c), f->d));
}

static bool
same_fact(const struct fact_row *x, const struct fact_row *y)
{
    return x->kind == y->kind && x->a == y->a && x->b == y->b && x->c == y->c &&
           x->d == y->d;
}

static void
index_facts(struct absence_view *v)
{
    v->slots_n = 16;
    while (v->slots_n < 2 * v->a->facts.n)
        v->slots_n *= 2;
    assert(v->slots_n > v->a->facts.n); // a free slot ends every search
    v->slots = mem_calloc(v->slots_n, sizeof *v->slots);
    for (uint32_t i = 0; i < v->a->facts.n; i++) {
        size_t at = hash_fact(&v->a->facts.at[i]) & (v->slots_n - 1);
        while (v->slots[at])
            at = (at + 1) & (v->slots_n - 1);
        v->slots[at] = i + 1;
    }
}

bool
view_lit(struct absence_view *v, bool value, enum absence_fact kind, uint32_t a,
         uint32_t b, uint32_t c, uint32_t d)
{
    const struct fact_row f = {kind, a, b, c, d};
    size_t at = hash_fact(&f) & (v->slots_n - 1);
    for (; v->slots[at]; at = (at + 1) & (v->slots_n - 1))
        if (same_fact(&v->a->facts.at[v->slots[at] - 1], &f)) {
            vec_push(&v->clause, 2 * (v->slots[at] - 1) + !value);
            return true;
        }
    return false;
}

/* The sizes and numbers in the evidence fit the history. */
static bool
check_sizes(struct absence_view *v, struct err *err)
{
    const struct absence *a = v->a;
    if (a->n_txns != v->n || a->pick_first.n != v->reads.n + 1)
        return err_set(err, ERR_SYNTAX,
                       "the evidence is about %zu transactions and %zu reads, "
                       "the history has %u and %zu",
                       a->n_txns, a->pick_first.n - 1, v->n, v->reads.n);
    for (size_t i = 0; i < a->picks.n; i++)
        if (a->picks.at[i] != ABSENCE_INIT && a->picks.at[i] >= v->n)
            return err_set(err, ERR_SYNTAX,
                           "transaction %u is picked, and the "
                           "history has %u",
                           a->picks.at[i], v->n);
    return true;
}

bool
view_init(struct absence_view *v, const struct history *h,
          const struct absence *a, struct err *err)
{
    *v = (struct absence_view){.h = h, .a = a};
    v->orders = mem_calloc(a->orders.n + 1, sizeof *v->orders);
    if (!take_history(v, err) || !check_sizes(v, err)) {
        view_free(v);
        return false;
    }
    relate(v);
    v->candidate = mem_calloc(v->n + 1, sizeof *v->candidate);
    for (size_t r = 0; r < v->reads.n; r++)
        if (a->pick_first.at[r + 1] > a->pick_first.at[r])
            v->candidate[v->reads.at[r].txn] = 1;
    index_facts(v);
    assert(v->read_first[v->n] == v->reads.n);
    assert(v->write_first[v->n] == v->writes.n);
    return true;
}

void
view_free(struct absence_view *v)
{
    mem_free(v->session);
    mem_free(v->read_first);
    mem_free(v->write_first);
    vec_free(&v->reads);
    vec_free(&v->writes);
    for (key_id k = 0; v->writes_of && k < v->h->n_keys; k++)
        vec_free(&v->writes_of[k]);
    mem_free(v->writes_of);
    mem_free(v->before);
    mem_free(v->looped);
    mem_free(v->candidate);
    for (size_t i = 0; i < v->a->orders.n; i++) {
        vec_free(&v->orders[i].versions);
        mem_free(v->orders[i].first);
    }
    mem_free(v->orders);
    mem_free(v->slots);
    vec_free(&v->clause);
}
