/* summary.c -- see summary.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/summary.h"

enum { AHEAD = 16 }; // operations between a prefetch and its use

static void
count_txns(const struct history *h, struct summary *s)
{
    s->smallest_txn = s->shortest_session = UINT64_MAX;
    for (txn_id t = 0; t < h->n_txns; t++) {
        const uint64_t n = history_txn_ops(h, t);
        s->smallest_txn = n < s->smallest_txn ? n : s->smallest_txn;
        s->largest_txn = n > s->largest_txn ? n : s->largest_txn;
        switch ((enum txn_status)h->txn_status[t]) {
        case TXN_COMMITTED:
            s->committed++;
            break;
        case TXN_ABORTED:
            s->aborted++;
            break;
        case TXN_INDETERMINATE:
            s->indeterminate++;
            s->indeterminate_read += h->txn_counts[t] == TXN_COUNTS;
            s->indeterminate_open += h->txn_counts[t] == TXN_MAY_COUNT;
            break;
        case TXN_LOADING:
            s->loading++;
            break;
        }
    }
    for (session_id i = 0; i < h->n_sessions; i++) {
        const uint64_t n = h->session_first[i + 1] - h->session_first[i];
        s->shortest_session = n < s->shortest_session ? n : s->shortest_session;
        s->longest_session = n > s->longest_session ? n : s->longest_session;
    }
    if (!h->n_txns)
        s->smallest_txn = 0;
    if (!h->n_sessions)
        s->shortest_session = 0;
}

static void
count_read(const struct history *h, txn_id t, op_id op, struct summary *s)
{
    const value_id v = h->op_value[op];
    s->reads++;
    if (!h->txn_counts[t])
        return;
    s->inconsistent_reads += (h->op_key[op] & OP_ASIDE) != 0;
    if (!op_is_external_read(h, op))
        return;
    s->external_reads++;
    // Without repeated values the id alone tells; do not load the value.
    if (!h->several.n) {
        s->initial_reads += v == VALUE_INIT;
        return;
    }
    s->initial_reads += history_writer(h, v) == TXN_INIT;
    s->ambiguous_reads += history_has_several(h, v);
}

/* What a key was used for. */
struct use {
    uint32_t n;
    op_id last;
};

static void
count_ops(const struct history *h, struct summary *s)
{
    struct use *use = mem_alloc(h->n_keys, sizeof *use);
    for (key_id k = 0; k < h->n_keys; k++)
        use[k] = (struct use){0, ID_NONE};
    for (txn_id i = 0; i < h->n_txns; i++) {
        const txn_id t = h->arrival[i];
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            const key_id k = op_key(h, op);
            if (op + AHEAD < h->n_ops)
                __builtin_prefetch(&use[op_key(h, op + AHEAD)]);
            if (op_is_implied(h, op))
                continue;
            use[k].n++;
            if (op_is_write(h, op)) {
                s->writes++;
                s->blind_writes +=
                    use[k].last < h->txn_begin[t] || use[k].last >= op;
            } else {
                count_read(h, t, op, s);
            }
            use[k].last = op;
        }
    }
    s->hottest_key = ID_NONE;
    for (key_id k = 0; k < h->n_keys; k++)
        if (use[k].n > s->hottest_ops) {
            s->hottest_ops = use[k].n;
            s->hottest_key = k;
        }
    mem_free(use);
}

void
summary_sizes(const struct history *h, struct summary *out)
{
    *out = (struct summary){
        .sessions = h->n_sessions,
        .transactions = h->n_txns,
        .operations = history_ops(h),
        .keys = h->n_keys,
        .several_writers = h->several_first.n ? h->several_first.n - 1 : 0,
        .hottest_key = ID_NONE,
        .has_times = h->txn_began != NULL,
        .has_names = history_has_names(h),
    };
}

void
summary_of(const struct history *h, struct summary *out)
{
    summary_sizes(h, out);
    // Row 0 is the initial value, and a key whose initial value is written
    // again has a row for it.  Neither counts as a value.
    for (value_id v = 1; v < h->n_values; v++)
        out->values += !atom_equal(history_value_atom(h, v), h->initial);
    assert(out->values >= h->renamed_from.n);
    out->values -= h->renamed_from.n;
    for (key_id k = 0; h->key_is_list && k < h->n_keys; k++)
        out->list_keys += h->key_is_list[k];
    count_txns(h, out);
    count_ops(h, out);
}
