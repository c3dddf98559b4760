/* observed.c -- see observed.h.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/execution/observed.h"

#include "base/container/sorted.h"
#include "check/check.h"
#include "history/flaw_text.h"

/* --- what is supported ---------------------------------------------------- */

static bool
find_unresolved(const struct history *h, struct err *err)
{
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            if (!h->txn_counts[t] || !op_is_external_read(h, op) ||
                !history_has_several(h, h->op_value[op]))
                continue;
            struct buf who = {0}, what = {0};
            history_show_txn(h, t, &who);
            history_show_op(h, op, &what);
            err_set(err, ERR_FEATURE,
                    "%s of %s may have read from several transactions, and "
                    "prediction needs to know from which",
                    what.at, who.at);
            buf_free(&who);
            buf_free(&what);
            return false;
        }
    return true;
}

static bool
find_flaw(const struct history *h, struct err *err)
{
    flaw_vec flaws = {0};
    if (history_flaws(h, 1, &flaws) || history_lost_reads(h, 1, &flaws)) {
        struct buf text = {0};
        flaw_tell(h, &flaws.at[0], &text);
        err_set(err, ERR_SYNTAX,
                "prediction needs an execution whose reads can be explained, "
                "but %s",
                text.at);
        buf_free(&text);
    }
    const bool ok = !flaws.n;
    vec_free(&flaws);
    return ok;
}

static bool
is_supported(const struct history *h, struct err *err)
{
    if (h->key_is_list)
        return err_set(err, ERR_FEATURE,
                       "prediction works on registers, and this history has "
                       "lists");
    assert(!h->rows); // its rows are registers (history/row/serial_rows.h)
    return find_flaw(h, err) && find_unresolved(h, err);
}

/* --- taking apart --------------------------------------------------------- */

static void
take_txn(struct observed *o, uint32_t t, const uint32_t *index)
{
    const struct history *h = o->h;
    const txn_id id = o->id[t];
    o->read_first[t] = (uint32_t)o->reads.n;
    o->write_first[t] = (uint32_t)o->writes.n;
    for (op_id op = h->txn_begin[id]; op < h->txn_end[id]; op++) {
        const key_id k = op_key(h, op);
        if (op_is_final_write(h, op)) {
            const uint32_t before = (uint32_t)o->reads.n - o->read_first[t];
            vec_push(&o->writes, ((struct obs_write){k, t, before, op}));
        } else if (op_is_external_read(h, op)) {
            const txn_id w = history_writer(h, h->op_value[op]);
            const uint32_t writer = w == TXN_INIT ? OBS_INIT : index[w];
            assert(writer != OBS_NONE); // (H1)
            vec_push(&o->reads, ((struct obs_read){k, writer, t, op}));
        }
    }
}

static bool
is_part(const struct history *h, txn_id t)
{
    return h->txn_counts[t] && h->txn_status[t] != TXN_LOADING;
}

static void
take_txns(struct observed *o)
{
    const struct history *h = o->h;
    uint32_t *index = mem_alloc(h->n_txns + 1, sizeof *index);
    o->id = mem_alloc(h->n_txns + 1, sizeof *o->id);
    for (txn_id t = 0; t < h->n_txns; t++) {
        index[t] = is_part(h, t) ? o->n : OBS_NONE;
        if (is_part(h, t))
            o->id[o->n++] = t;
    }
    o->session = mem_alloc(o->n + 1, sizeof *o->session);
    o->prev = mem_alloc(o->n + 1, sizeof *o->prev);
    o->next = mem_alloc(o->n + 1, sizeof *o->next);
    o->read_first = mem_alloc(o->n + 1, sizeof *o->read_first);
    o->write_first = mem_alloc(o->n + 1, sizeof *o->write_first);
    for (uint32_t t = 0; t < o->n; t++) {
        const bool opens =
            !t || h->txn_session[o->id[t]] != h->txn_session[o->id[t - 1]];
        o->n_sessions += opens;
        o->session[t] = o->n_sessions - 1;
        o->prev[t] = opens ? OBS_NONE : t - 1;
        o->next[t] = OBS_NONE;
        if (!opens)
            o->next[t - 1] = t;
        take_txn(o, t, index);
    }
    o->read_first[o->n] = (uint32_t)o->reads.n;
    o->write_first[o->n] = (uint32_t)o->writes.n;
    mem_free(index);
}

static void
group_writes(struct observed *o)
{
    o->n_keys = o->h->n_keys;
    o->key_first = mem_calloc(o->n_keys + 1, sizeof *o->key_first);
    o->key_write = mem_alloc(o->writes.n + 1, sizeof *o->key_write);
    for (size_t i = 0; i < o->writes.n; i++)
        o->key_first[o->writes.at[i].key]++;
    uint32_t sum = 0;
    for (uint32_t k = 0; k <= o->n_keys; k++) {
        sum += o->key_first[k];
        o->key_first[k] = sum;
    }
    for (size_t i = o->writes.n; i; i--)
        o->key_write[--o->key_first[o->writes.at[i - 1].key]] = (uint32_t)i - 1;
}

/* --- happens before ------------------------------------------------------- */

/* Mark what a topological sort of session order and reads cannot reach. */
static void
find_looped(struct observed *o, const struct chains *all)
{
    uint32_t *waiting = mem_calloc(o->n + 1, sizeof *waiting);
    u32_vec ready = {0};
    for (uint32_t t = 0; t < o->n; t++) {
        waiting[t] = o->prev[t] != OBS_NONE;
        struct chain_walk w = chains_in(all, t);
        for (uint32_t from; chains_next_in(all, &w, &from);)
            waiting[t]++;
        if (!waiting[t])
            vec_push(&ready, t);
    }
    for (size_t i = 0; i < ready.n; i++) {
        const uint32_t t = ready.at[i];
        if (o->next[t] != OBS_NONE && --waiting[o->next[t]] == 0)
            vec_push(&ready, o->next[t]);
        struct chain_walk w = chains_out(all, t);
        for (uint32_t to; chains_next_out(all, &w, &to);)
            if (--waiting[to] == 0)
                vec_push(&ready, to);
    }
    for (uint32_t t = 0; t < o->n; t++)
        o->looped[t] = waiting[t] > 0;
    o->n_looped = o->n - ready.n;
    vec_free(&ready);
    mem_free(waiting);
}

/* A graph of session order and the reads; of looped ones only where wanted. */
static void
make_chains(const struct observed *o, struct chains *g, bool with_looped)
{
    uint32_t *lengths = mem_calloc(o->n_sessions + 1, sizeof *lengths);
    for (uint32_t t = 0; t < o->n; t++)
        lengths[o->session[t]]++;
    chains_init(g, lengths, o->n_sessions);
    mem_free(lengths);
    for (size_t i = 0; i < o->reads.n; i++) {
        const struct obs_read *r = &o->reads.at[i];
        if (r->writer != OBS_INIT && (with_looped || !o->looped[r->txn]))
            chains_add(g, r->writer, r->txn);
    }
}

static void
relate(struct observed *o)
{
    o->looped = mem_calloc(o->n + 1, sizeof *o->looped);
    struct chains all;
    make_chains(o, &all, true);
    find_looped(o, &all);
    chains_free(&all);
    make_chains(o, &o->chains, false);
    o->order = mem_alloc(o->n + 1, sizeof *o->order);
    o->place = mem_alloc(o->n + 1, sizeof *o->place);
    hop_vec none = {0};
    const bool sorted = chains_sort(&o->chains, o->order, &none);
    assert(sorted);
    (void)sorted;
    clocks_init(&o->clocks, &o->chains);
    clocks_update(&o->clocks, o->order);
    vec_free(&none);
}

/* --- the serial order ------------------------------------------------------*/

static bool
find_order(struct observed *o, const struct limit *limit, struct err *err)
{
    struct check_options options = {.levels = level_bit(LEVEL_TARGET),
                                    .threads = 1,
                                    .until = limit,
                                    .verify = true,
                                    .strong = strong_defaults};
    struct check check;
    if (!check_history(o->h, &options, &check, err))
        return false;
    const struct certificate *c = &check.results.at[0].certificate;
    o->is_serial = c->verdict == VERDICT_OK;
    o->is_violated = c->verdict == VERDICT_VIOLATED;
    if (o->is_serial) {
        uint32_t *index = mem_alloc(o->h->n_txns + 1, sizeof *index);
        for (uint32_t t = 0; t < o->n; t++)
            index[o->id[t]] = t;
        uint32_t n = 0;
        for (size_t i = 0; i < c->order.n; i++)
            if (is_part(o->h, c->order.at[i]))
                o->order[n++] = index[c->order.at[i]];
        assert(n == o->n);
        mem_free(index);
    }
    for (uint32_t i = 0; i < o->n; i++)
        o->place[o->order[i]] = i;
    check_free(&check);
    return true;
}

bool
observed_init(struct observed *o, const struct history *h,
              const struct limit *limit, struct err *err)
{
    *o = (struct observed){.h = h};
    if (!is_supported(h, err))
        return false;
    take_txns(o);
    group_writes(o);
    relate(o);
    if (o->n ? find_order(o, limit, err)
             : err_set(err, ERR_SYNTAX,
                       "no transaction that counts, so nothing to predict "
                       "from"))
        return true;
    observed_free(o);
    return false;
}

void
observed_free(struct observed *o)
{
    mem_free(o->id);
    mem_free(o->session);
    mem_free(o->prev);
    mem_free(o->next);
    mem_free(o->read_first);
    mem_free(o->write_first);
    vec_free(&o->reads);
    vec_free(&o->writes);
    mem_free(o->key_first);
    mem_free(o->key_write);
    mem_free(o->looped);
    clocks_free(&o->clocks);
    chains_free(&o->chains);
    mem_free(o->order);
    mem_free(o->place);
}

/* --- looking up ------------------------------------------------------------*/

/* The place among the writes of k of the last one by a transaction up to t, or
 * OBS_NONE. */
static uint32_t
find_write(const struct observed *o, key_id k, uint32_t t)
{
    uint32_t low = o->key_first[k];
    LOWER_BOUND(low, o->key_first[k + 1], middle,
                o->writes.at[o->key_write[middle]].txn <= t);
    return low > o->key_first[k] ? o->key_write[low - 1] : OBS_NONE;
}

uint32_t
observed_read(const struct observed *o, uint32_t t, key_id k)
{
    for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++)
        if (o->reads.at[r].key == k)
            return r;
    return OBS_NONE;
}

uint32_t
observed_write(const struct observed *o, uint32_t t, key_id k)
{
    const uint32_t w = find_write(o, k, t);
    return w != OBS_NONE && o->writes.at[w].txn == t ? w : OBS_NONE;
}

uint32_t
observed_last_writer(const struct observed *o, key_id k, uint32_t t)
{
    const uint32_t w = find_write(o, k, t);
    if (w == OBS_NONE)
        return OBS_NONE;
    const uint32_t txn = o->writes.at[w].txn;
    return o->session[txn] == o->session[t] ? txn : OBS_NONE;
}
