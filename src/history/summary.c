/* summary.c -- see summary.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/summary.h"

#include "base/limits/context.h"
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
    s->inconsistent_reads += (h->op_key[op] & OP_REJECTED) != 0;
    if (!op_is_external_read(h, op))
        return;
    s->external_reads++;
    // Without repeated values the id alone suffices; do not load the value.
    if (!h->several.n) {
        s->initial_reads += v == VALUE_INIT;
        return;
    }
    s->initial_reads += history_writer(h, v) == TXN_INIT;
    s->ambiguous_reads += history_has_several(h, v);
}

/* What a key was used for. */
struct key_use {
    uint32_t n;
    op_id last;
};

/* Some of the transactions, in order of arrival, some of the operations, and
 * what was counted. */
struct summary_range {
    const struct history *h;
    txn_id begin, end;         // places in h->arrival
    op_id first_op, after_ops; // not those of the transactions
    struct key_use *use;       // by key
    struct flags {
        uint32_t writes, rejected, external, initial;
    } flags;
    uint64_t blind;
};

/* Count the flags of operations.  The loop is one that compilers turn into
 * vector instructions. */
static struct flags
count_flags(const struct history *h, op_id begin, op_id end)
{
    assert(begin <= end && end <= h->n_ops);
    const uint32_t *const keys = h->op_key;
    const value_id *const values = h->op_value;
    struct flags sum = {0}; // none exceeds the number of operations
    for (op_id op = begin; op < end; op++) {
        const uint32_t flags =
            keys[op] & (OP_WRITE | OP_EXTERNAL | OP_REJECTED);
        const uint32_t is_external = flags == OP_EXTERNAL;
        sum.writes += flags >> 31;
        sum.rejected += (flags & (OP_WRITE | OP_REJECTED)) == OP_REJECTED;
        sum.external += is_external;
        sum.initial += is_external & (values[op] == VALUE_INIT);
    }
    return sum;
}

/* Take away the reads of a transaction that does not count. */
static void
uncount(const struct history *h, txn_id t, struct flags *sum)
{
    const struct flags own = count_flags(h, h->txn_begin[t], h->txn_end[t]);
    // Modulo 2^32: the operations may be those of another part.
    sum->rejected -= own.rejected;
    sum->external -= own.external;
    sum->initial -= own.initial;
}

/* The usual case, without lists and repeated values.  Reads and writes
 * alternate unpredictably, so there is no branch that depends on which it is.
 */
static void
count_part(void *parts, size_t number)
{
    struct summary_range *const p = (struct summary_range *)parts + number;
    const struct history *const h = p->h;
    const uint32_t n_ops = h->n_ops, *const keys = h->op_key;
    struct key_use *const use = p->use;
    struct flags sum = count_flags(h, p->first_op, p->after_ops);
    uint64_t blind = 0;
    for (txn_id i = p->begin; i < p->end; i++) {
        context_poll_at(i);
        const txn_id t = h->arrival[i];
        const op_id begin = h->txn_begin[t], end = h->txn_end[t];
        if (!h->txn_counts[t])
            uncount(h, t, &sum);
        for (op_id op = begin; op < end; op++) {
            const op_id later = op + AHEAD < n_ops ? op + AHEAD : op;
            __builtin_prefetch(&use[keys[later] & OP_KEY]);
            struct key_use *const u = &use[keys[op] & OP_KEY];
            // Whether 'last' is from 'begin' on and before 'op'.
            const bool is_seen = u->last - begin < op - begin;
            blind += (keys[op] >> 31) & !is_seen;
            *u = (struct key_use){u->n + 1, op};
        }
    }
    p->flags = sum;
    p->blind = blind;
}

static struct key_use *
new_use(const struct history *h)
{
    struct key_use *use = mem_alloc(h->n_keys, sizeof *use);
    for (key_id k = 0; k < h->n_keys; k++)
        use[k] = (struct key_use){0, ID_NONE};
    return use;
}

static void
count_plain_ops(const struct history *h, unsigned threads, struct key_use *use,
                struct summary *s)
{
    struct summary_range parts[PARALLEL_MOST];
    // A thread has to be worth its table of keys.
    size_t n = h->n_ops / PER_PART + 1;
    n = n < threads ? n : threads;
    n = n < PARALLEL_MOST ? n : PARALLEL_MOST;
    assert(n > 0);
    for (size_t i = 0; i < n; i++)
        parts[i] = (struct summary_range){
            .h = h,
            .begin = (txn_id)((uint64_t)h->n_txns * i / n),
            .end = (txn_id)((uint64_t)h->n_txns * (i + 1) / n),
            .first_op = (op_id)((uint64_t)h->n_ops * i / n),
            .after_ops = (op_id)((uint64_t)h->n_ops * (i + 1) / n),
            .use = i ? new_use(h) : use};
    parallel_for((unsigned)n, n, count_part, parts);
    struct flags sum = {0};
    for (size_t i = 0; i < n; i++) {
        sum.writes += parts[i].flags.writes;
        sum.rejected += parts[i].flags.rejected;
        sum.external += parts[i].flags.external;
        sum.initial += parts[i].flags.initial;
        s->blind_writes += parts[i].blind;
        if (!i)
            continue;
        for (key_id k = 0; k < h->n_keys; k++)
            use[k].n += parts[i].use[k].n;
        mem_free(parts[i].use);
    }
    assert(sum.writes <= h->n_ops && sum.initial <= sum.external);
    s->writes = sum.writes;
    s->inconsistent_reads = sum.rejected;
    s->external_reads = sum.external;
    s->initial_reads = sum.initial;
    s->reads = h->n_ops - s->writes;
}

static void
count_any_ops(const struct history *h, struct key_use *use, struct summary *s)
{
    for (txn_id i = 0; i < h->n_txns; i++) {
        context_poll_at(i);
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
    struct key_use *use = new_use(h);
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

/* Row 0 is the initial value, and a key whose initial value is written again
 * has a row for it.  Neither counts as a value. */
static void
count_values(const struct history *h, struct summary *out)
{
    const uint32_t n = h->n_values, *const narrow = h->value_bits.narrow.at;
    const uint64_t bits = h->initial.bits;
    uint32_t same = 0; // values with the bits of the initial one
    if (h->value_bits.is_wide)
        same = n;
    else
        for (value_id v = 1; v < n; v++)
            same += narrow[v] == bits;
    out->values = n ? n - 1 : 0;
    for (value_id v = 1; same && v < n; v++)
        out->values -= atom_equal(history_value_atom(h, v), h->initial);
}

void
summary_of(const struct history *h, unsigned threads, struct summary *out)
{
    summary_sizes(h, out);
    count_values(h, out);
    assert(out->values >= h->renamed_from.n);
    out->values -= h->renamed_from.n;
    for (key_id k = 0; h->key_is_list && k < h->n_keys; k++)
        out->list_keys += h->key_is_list[k];
    count_txns(h, out);
    count_ops(h, threads, out);
}
