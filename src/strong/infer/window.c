/* window.c -- see window.h.
 *
 * The versions of each key are sorted by the present order, and the rules of
 * saturate.h are tried key by key.  A read is compared with the few versions
 * just before its own and with those between its own and the reader; a version
 * is compared with the next few.  The clocks stay as they are for the whole
 * round.  Later rounds leave out keys where the round before found nothing.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/infer/window.h"

#include "base/limits/tuning.h"

/* Add an inferred edge unless a path implies it; false with a conflict where
 * the clocks know a path back. */
static bool
add(struct inference *f, uint32_t from, uint32_t to, struct label label)
{
    if (inference_reach(f, from, to))
        return true;
    if (inference_reach(f, to, from)) {
        inference_contradict(f, from, to, label);
        return false;
    }
    inference_add(f, from, to, label);
    return true;
}

/* R1 for r, which read from t1, against the writer t2. */
static bool
apply_r1(struct inference *f, read_id r, dense_id t1, dense_id t2)
{
    const struct dependencies *p = f->p;
    const dense_id t3 = p->read_txn[r];
    const uint32_t commit = point_commit(p, t2);
    assert(t1 != t2 && t1 != t3);
    if (t2 == t3 || !inference_reach(f, commit, point_start(p, t3)))
        return true;
    if (t1 != DENSE_INIT)
        return add(f, commit, point_ww_to(p, t1),
                   (struct label){EDGE_WW, r, WW_READ});
    // Nothing is before INIT.  Where the graph has rw edges, there is one from
    // t3 to t2, and the graph had a cycle before we came here.
    assert(p->one_rw);
    inference_contradict(f, point_start(p, t3), commit,
                         (struct label){EDGE_RW, r, p->read_version[r]});
    return false;
}

/* R3 for r, which read from t1 and whose transaction writes the key, against
 * the writer t2. */
static bool
apply_r3(struct inference *f, read_id r, dense_id t1, dense_id t2)
{
    const dense_id t3 = f->p->read_txn[r];
    assert(f->p->one_rw && t1 != t2 && t1 != t3); // points are transactions
    if (t2 == t3 || (t1 != DENSE_INIT && !inference_reach(f, t1, t2)))
        return true;
    return add(f, t3, t2, (struct label){EDGE_WW, r, WW_UPDATE});
}

/* R1 for r, which read the version at place i among those of its key, which are
 * at[0 .. n), INIT's first.  R3, too, where r's transaction writes the key. */
static bool
infer_from_reader(struct inference *f, const version_id *at, uint32_t n,
                  uint32_t i, read_id r, bool updates)
{
    const struct dependencies *p = f->p;
    const dense_id t1 = p->version_txn[at[i]];
    const uint32_t d = f->context->options->window;
    for (uint32_t j = i; i && j-- > 1 && j + d >= i;)
        if (!apply_r1(f, r, t1, p->version_txn[at[j]]))
            return false;
    if (!i && !p->one_rw)
        return true; // the graph has these edges
    const uint32_t start = f->rank[point_start(p, p->read_txn[r])];
    for (uint32_t j = i + 1; j < n && j <= i + TUNE_VERSIONS_BETWEEN; j++) {
        const dense_id t2 = p->version_txn[at[j]];
        const bool after = f->rank[point_commit(p, t2)] > start;
        if (updates && !apply_r3(f, r, t1, t2))
            return false;
        if (after)
            break;
        if (!apply_r1(f, r, t1, t2))
            return false;
    }
    return true;
}

/* The same for all readers of the version at place i. */
static bool
infer_from_readers(struct inference *f, const version_id *at, uint32_t n,
                   uint32_t i)
{
    const struct dependencies *p = f->p;
    const dense_id t1 = p->version_txn[at[i]];
    read_id other = READ_NONE; // whose transaction writes the key, too
    assert(i < n && (i == 0) == version_is_init(p, at[i]));
    for (read_id r = p->reader[at[i]]; r != READ_NONE; r = p->next_reader[r]) {
        const bool updates = p->one_rw && depend_writes(p, p->read_txn[r],
                                                        p->version_key[at[i]]);
        if (!infer_from_reader(f, at, n, i, r, updates))
            return false;
        if (updates && other != READ_NONE &&
            (!apply_r3(f, r, t1, p->read_txn[other]) ||
             !apply_r3(f, other, t1, p->read_txn[r])))
            return false;
        other = updates ? r : other;
    }
    return true;
}

/* R2 for the version at place i: find the next one that it reaches. */
static bool
infer_from_writer(struct inference *f, const version_id *at, uint32_t n,
                  uint32_t i)
{
    const struct dependencies *p = f->p;
    const dense_id t1 = p->version_txn[at[i]];
    assert(i && i < n && !p->one_rw);
    const uint32_t from = point_ww_from(p, t1);
    const uint32_t end = i + f->context->options->window + 1;
    for (uint32_t j = i + 1; j < n && j < end; j++) {
        const dense_id t2 = p->version_txn[at[j]];
        const uint32_t commit = point_commit(p, t2);
        if (!inference_reach(f, from, commit))
            continue;
        if (p->separates_writers &&
            !add(f, point_commit(p, t1), point_start(p, t2),
                 (struct label){EDGE_WW, READ_NONE, WW_PATH}))
            return false;
        for (read_id r = p->reader[at[i]]; r != READ_NONE;
             r = p->next_reader[r])
            if (p->read_txn[r] != t2 &&
                !add(f, point_start(p, p->read_txn[r]), commit,
                     (struct label){EDGE_RW, r, at[i]}))
                return false;
        return true;
    }
    return true;
}

/* All rules for the version at place i among those of its key. */
static bool
infer_from_version(struct inference *f, const version_id *at, uint32_t n,
                   uint32_t i)
{
    return infer_from_readers(f, at, n, i) &&
           (!i || f->p->one_rw || infer_from_writer(f, at, n, i));
}

/* The same for all versions of key k. */
static bool
infer_from_key(struct window *w, key_id k)
{
    const uint32_t *start = w->f->p->key_first;
    const uint32_t n = start[k + 1] - start[k];
    bool ok = true;
    for (uint32_t i = 0; ok && i < n; i++)
        ok = infer_from_version(w->f, w->sorted + start[k], n, i);
    return ok;
}

bool
window_round(struct window *w)
{
    const struct inference *f = w->f;
    bool ok = true;
    depend_arrange(f->p, f->order, w->sorted);
    for (key_id k = 0; ok && k < f->p->h->n_keys; k++) {
        const uint64_t added = f->added;
        if (!w->busy[k])
            continue;
        ok = infer_from_key(w, k);
        w->busy[k] = f->added > added;
    }
    return ok;
}

void
window_init(struct window *w, struct inference *f)
{
    assert(f->has_clocks);
    *w = (struct window){.f = f};
    w->sorted = mem_alloc(f->p->n_versions, sizeof *w->sorted);
    w->busy = mem_alloc(f->p->h->n_keys, sizeof *w->busy);
    memset(w->busy, 1, f->p->h->n_keys);
}

void
window_free(struct window *w)
{
    mem_free(w->sorted);
    mem_free(w->busy);
}
