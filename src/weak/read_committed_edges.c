/* read_committed_edges.c -- the commit-order edges of read committed and read
 * atomic.
 *
 * For a transaction t3 and each other t2 that it read from, the keys that t2
 * writes and t3 reads matter: a read of such a key from t1 forces t2 -> t1 (at
 * rc only where it comes after a read from t2).  That is an intersection of two
 * sets of keys.  Visiting the smaller set keeps the whole within O(n^1.5):
 * AWDIT, "An Optimal Weak Database Isolation Tester", PLDI 2025,
 * sections 3.1 and 3.2.
 *
 * No set is built.  The keys that t3 reads are marked in an array by key.  A
 * mark is the number of the transaction that made it, so marks are never
 * cleared.  The keys that t2 writes stand in its operations; where t2 is much
 * larger than t3, each key of t3 is looked up instead (writers.h).
 *
 * Not every edge of the definition is added, but the others follow:
 *
 *   rc  Going backwards through the reads of t3, a key remembers the writer of
 *       its next read, and the next writer other than that.  Edges to the
 *       writers of later reads follow: t3 has read from the former before
 *       them, and the former writes the key.
 *   ra  One writer per key is enough where all reads of the key agree; where
 *       they do not, two edges make a cycle at once.  Of the earlier writers
 *       of a key in the session only the last matters.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/read_committed_edges.h"

#include "base/limits/tuning.h"
#include "base/parallel.h"

/* From whom the current transaction reads a key. */
struct key_mark {
    uint32_t reader; // 1 + the transaction that made the mark
    txn_id writer;   // rc: of the next read; ra: of the first
    txn_id other;    // rc: of the read after that from another; or TXN_NONE
};

struct external {
    key_id key;
    txn_id writer;
    bool first;     // no read before it is from this writer
    uint32_t place; // of reads before this one (op_place)
};

/* What one thread needs. */
struct worker {
    const struct writer_assignment *r;
    enum level level;
    const u32_vec *readers;
    size_t begin, end; // readers, or transactions
    const struct writers *writers;

    struct edges edges;
    struct key_mark *marks; // by key
    uint32_t *met; // by transaction: 1 + the one that last read from it
    VEC(struct external) reads;
    u32_vec keys; // distinct keys marked
};

static void
collect_reads(struct worker *w, txn_id t)
{
    const struct history *h = w->r->h;
    vec_clear(&w->reads);
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (op + TUNE_PREFETCH_OPS < h->n_ops)
            __builtin_prefetch(&h->values[h->op_value[op + TUNE_PREFETCH_OPS]]);
        if (!op_is_external_read(h, op))
            continue;
        const txn_id from = assigned_writer(w->r, op);
        const bool first = from != TXN_INIT && w->met[from] != t + 1;
        if (first) {
            w->met[from] = t + 1;
            __builtin_prefetch(&h->op_key[h->txn_begin[from]]);
        }
        vec_push(&w->reads, ((struct external){op_key(h, op), from, first,
                                               (uint32_t)w->reads.n}));
    }
}

/* Give reads of rows that unordered queries missed the place of the first read
 * of their query: what that query read before them does not count. */
static void
place_unordered(struct worker *w, txn_id t)
{
    const struct history *h = w->r->h;
    uint32_t i = 0, begin = 0; // the present read, and the first of its query
    for (op_id op = h->txn_begin[t]; h->op_marks && op < h->txn_end[t]; op++) {
        if (!(h->op_marks[op] & OP_MARK_IN_QUERY))
            begin = i;
        if (!op_is_external_read(h, op))
            continue;
        if (h->op_marks[op] & OP_MARK_UNORDERED)
            w->reads.at[i].place = begin;
        i++;
    }
}

/* Add the edge that follows from t2 writing a key that the current transaction
 * reads from the writers in m. */
static void
add_edge_to(struct worker *w, const struct key_mark *m, txn_id t2)
{
    assert(m->reader);
    const txn_id t3 = m->reader - 1;
    if (m->writer != t2)
        edges_add(&w->edges, w->r->h, t2, m->writer, t3);
    else if (m->other != TXN_NONE)
        edges_add(&w->edges, w->r->h, t2, m->other, t3);
}

/* Add the edges of every marked key that t2 writes. */
static void
intersect(struct worker *w, txn_id t3, txn_id t2)
{
    const struct history *h = w->r->h;
    assert(t2 != t3 && t2 < h->n_txns);
    const size_t size = h->txn_end[t2] - h->txn_begin[t2];
    if (size > TUNE_FEW_OPS && size / TUNE_LOOKUP_FACTOR > w->keys.n) {
        for (size_t i = 0; i < w->keys.n; i++)
            if (writers_has(w->writers, w->keys.at[i], t2))
                add_edge_to(w, &w->marks[w->keys.at[i]], t2);
        return;
    }
    for (op_id op = h->txn_begin[t2]; op < h->txn_end[t2]; op++) {
        if (!op_is_final_write(h, op))
            continue;
        const struct key_mark *m = &w->marks[op_key(h, op)];
        if (m->reader == t3 + 1)
            add_edge_to(w, m, t2);
    }
}

/* Mark the key of a read, which comes before all that are marked. */
static void
mark_read(struct worker *w, txn_id t3, const struct external *read)
{
    struct key_mark *m = &w->marks[read->key];
    if (m->reader != t3 + 1) {
        *m = (struct key_mark){t3 + 1, read->writer, TXN_NONE};
        vec_push(&w->keys, read->key);
    } else if (m->writer != read->writer) {
        m->other = m->writer;
        m->writer = read->writer;
    }
}

/* Reads are marked when the walk has come to their place: then all that are
 * before them are still to come. */
static void
infer_committed(struct worker *w, txn_id t3)
{
    collect_reads(w, t3);
    place_unordered(w, t3);
    vec_clear(&w->keys);
    size_t first = 0, end = 0; // the reads that wait for their place
    for (size_t i = w->reads.n; i-- > 0;) {
        const struct external read = w->reads.at[i];
        if (read.first && w->keys.n)
            intersect(w, t3, read.writer);
        if (read.place < i) {
            end = first < end ? end : i + 1;
            first = i;
            continue;
        }
        mark_read(w, t3, &read);
        if (first < end && w->reads.at[first].place == i) {
            for (size_t j = first; j < end; j++)
                mark_read(w, t3, &w->reads.at[j]);
            first = end = 0;
        }
    }
}

static void
infer_atomic(struct worker *w, txn_id t3)
{
    collect_reads(w, t3);
    vec_clear(&w->keys);
    for (size_t i = 0; i < w->reads.n; i++) {
        const struct external read = w->reads.at[i];
        struct key_mark *m = &w->marks[read.key];
        if (m->reader != t3 + 1) {
            *m = (struct key_mark){t3 + 1, read.writer, TXN_NONE};
            vec_push(&w->keys, read.key);
        } else if (m->writer != read.writer) {
            edges_add(&w->edges, w->r->h, m->writer, read.writer, t3);
            edges_add(&w->edges, w->r->h, read.writer, m->writer, t3);
        }
    }
    for (size_t i = 0; i < w->reads.n; i++)
        if (w->reads.at[i].first)
            intersect(w, t3, w->reads.at[i].writer);
}

static void
work(void *workers, size_t number)
{
    struct worker *w = (struct worker *)workers + number;
    const struct history *h = w->r->h;
    w->marks = mem_calloc(h->n_keys, sizeof *w->marks);
    w->met = mem_calloc(h->n_txns, sizeof *w->met);
    for (size_t i = w->begin; i < w->end; i++) {
        const txn_id t = w->readers ? w->readers->at[i] : (txn_id)i;
        if (!w->r->counts[t])
            continue;
        if (level_orders_reads(w->level))
            infer_committed(w, t);
        else
            infer_atomic(w, t);
        if (w->edges.broken && !w->edges.store)
            break;
    }
    vec_free(&w->reads);
    vec_free(&w->keys);
    mem_free(w->met);
    mem_free(w->marks);
}

/* ra: the session's own last write of a key, as t2.  Transactions are in
 * session order, so a write of another session has a smaller number than the
 * first of this one. */
static void
infer_session(const struct writer_assignment *r, struct edges *out)
{
    const struct history *h = r->h;
    txn_id *last = mem_calloc(h->n_keys, sizeof *last); // 1 + transaction
    for (txn_id t = 0; t < h->n_txns; t++) {
        if (!r->counts[t])
            continue;
        const txn_id first = h->session_first[h->txn_session[t]];
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            const txn_id t2 = last[op_key(h, op)]; // plus 1
            if (!op_is_external_read(h, op) || t2 <= first)
                continue;
            const txn_id t1 = assigned_writer(r, op);
            if (t1 != t2 - 1)
                edges_add(out, h, t2 - 1, t1, t);
        }
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (op_is_write(h, op))
                last[op_key(h, op)] = t + 1;
        if (out->broken && !out->store)
            break;
    }
    mem_free(last);
}

/* Whether some transaction is so large that its writes may be looked up. */
static bool
has_large_txn(const struct history *h)
{
    for (txn_id t = 0; t < h->n_txns; t++)
        if (h->txn_end[t] - h->txn_begin[t] > TUNE_FEW_OPS)
            return true;
    return false;
}

void
read_committed_edges_infer(const struct writer_assignment *r, enum level level,
                           const u32_vec *readers, unsigned threads,
                           struct edges *out)
{
    assert(level_is_weak(level) && !level_is_causal(level));
    const size_t n = readers ? readers->n : r->h->n_txns;
    unsigned n_workers = threads < 1               ? 1
                         : threads > PARALLEL_MOST ? PARALLEL_MOST
                                                   : threads;
    if (n < (size_t)TUNE_TXNS_PER_THREAD * n_workers)
        n_workers = 1;
    struct writers writers = {0};
    if (n && has_large_txn(r->h))
        writers_init(&writers, r->h, r->counts);

    struct worker workers[PARALLEL_MOST];
    for (unsigned i = 0; i < n_workers; i++) {
        workers[i] = (struct worker){.r = r,
                                     .level = level,
                                     .readers = readers,
                                     .begin = n * i / n_workers,
                                     .end = n * (i + 1) / n_workers,
                                     .writers = &writers};
        workers[i].edges.sequence = out->sequence;
        workers[i].edges.store = out->store;
    }
    parallel_for(n_workers, n_workers, work, workers);
    for (unsigned i = 0; i < n_workers; i++)
        edges_join(out, &workers[i].edges);
    writers_free(&writers);
    if (level_sees_session(level) && (out->store || !out->broken))
        infer_session(r, out);
}
