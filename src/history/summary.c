/* summary.c -- see summary.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/summary.h"

#include "base/parallel.h"

enum {
    AHEAD = 16,         // operations between a prefetch and its use
    PER_PART = 1 << 18, // operations that are worth a thread
};

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

/* Some of the transactions, in order of arrival, and what was counted. */
struct part {
    const struct history *h;
    txn_id begin, end; // places in h->arrival
    struct use *use;   // by key
    uint64_t writes, blind, aside, external, initial;
};

/* The usual case, without lists and repeated values.  Reads and writes
 * alternate unpredictably, so there is no branch that depends on which it is.
 */
static void
count_part(void *parts, size_t number)
{
    struct part *const p = (struct part *)parts + number;
    const struct history *const h = p->h;
    const uint32_t n_ops = h->n_ops, *const keys = h->op_key;
    const value_id *const values = h->op_value;
    struct part sum = *p;
    for (txn_id i = p->begin; i < p->end; i++) {
        const txn_id t = h->arrival[i];
        const op_id begin = h->txn_begin[t], end = h->txn_end[t];
        const bool counts = h->txn_counts[t];
        for (op_id op = begin; op < end; op++) {
            const op_id later = op + AHEAD < n_ops ? op + AHEAD : op;
            __builtin_prefetch(&sum.use[keys[later] & OP_KEY]);
            const uint32_t flags = keys[op];
            struct use *const u = &sum.use[flags & OP_KEY];
            const bool is_write = (flags & OP_WRITE) != 0;
            const bool is_external =
                (flags & (OP_WRITE | OP_MAIN | OP_ASIDE)) == OP_MAIN;
            sum.writes += is_write;
            sum.blind += is_write & ((u->last < begin) | (u->last >= op));
            sum.aside += !is_write & counts & ((flags & OP_ASIDE) != 0);
            sum.external += counts & is_external;
            sum.initial += counts & is_external & (values[op] == VALUE_INIT);
            u->n++;
            u->last = op;
        }
    }
    *p = sum;
}

static struct use *
new_use(const struct history *h)
{
    struct use *use = mem_alloc(h->n_keys, sizeof *use);
    for (key_id k = 0; k < h->n_keys; k++)
        use[k] = (struct use){0, ID_NONE};
    return use;
}

static void
count_plain_ops(const struct history *h, unsigned threads, struct use *use,
                struct summary *s)
{
    struct part parts[PARALLEL_MOST];
    // A thread has to be worth its table of keys.
    size_t n = h->n_ops / PER_PART + 1;
    n = n < threads ? n : threads;
    n = n < PARALLEL_MOST ? n : PARALLEL_MOST;
    assert(n > 0);
    for (size_t i = 0; i < n; i++)
        parts[i] =
            (struct part){.h = h,
                          .begin = (txn_id)((uint64_t)h->n_txns * i / n),
                          .end = (txn_id)((uint64_t)h->n_txns * (i + 1) / n),
                          .use = i ? new_use(h) : use};
    parallel_for((unsigned)n, n, count_part, parts);
    for (size_t i = 0; i < n; i++) {
        s->writes += parts[i].writes;
        s->blind_writes += parts[i].blind;
        s->inconsistent_reads += parts[i].aside;
        s->external_reads += parts[i].external;
        s->initial_reads += parts[i].initial;
        if (!i)
            continue;
        for (key_id k = 0; k < h->n_keys; k++)
            use[k].n += parts[i].use[k].n;
        mem_free(parts[i].use);
    }
    s->reads = h->n_ops - s->writes;
}

static void
count_any_ops(const struct history *h, struct use *use, struct summary *s)
{
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
}

static void
count_ops(const struct history *h, unsigned threads, struct summary *s)
{
    struct use *use = new_use(h);
    if (h->several.n || h->implied.n)
        count_any_ops(h, use, s);
    else
        count_plain_ops(h, threads, use, s);
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
        .is_recording = h->is_recording,
    };
}

void
summary_of(const struct history *h, unsigned threads, struct summary *out)
{
    summary_sizes(h, out);
    // Row 0 is the initial value, and a key whose initial value is written
    // again has a row for it.  Neither counts as a value.
    const uint64_t bits = h->initial.bits;
    for (value_id v = 1; v < h->n_values; v++)
        out->values += column_get(&h->value_bits, v) != bits ||
                       !atom_equal(history_value_atom(h, v), h->initial);
    assert(out->values >= h->renamed_from.n);
    out->values -= h->renamed_from.n;
    for (key_id k = 0; h->key_is_list && k < h->n_keys; k++)
        out->list_keys += h->key_is_list[k];
    count_txns(h, out);
    count_ops(h, threads, out);
}
