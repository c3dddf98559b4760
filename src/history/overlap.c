/* overlap.c -- see overlap.h.
 *
 * A sweep in the order of the beginnings.  'active' holds the transactions that
 * have begun and not ended before the current one begins; as a session runs one
 * transaction at a time, these are at most as many as there are sessions, and
 * those whose end is not known.  Each is compared with the current one by
 * merging their keys, which are sorted.
 *
 * SPDX-License-Identifier: MIT */
#include "history/overlap.h"

#include "history/tested.h"

#include <stdlib.h>

enum {
    USE_READ = 1,        // from another transaction
    USE_WRITE = 2,       // at all
    USE_WRITE_TWICE = 4, // so that there is an intermediate value
};

struct key_use {
    key_id key;
    uint32_t flags;
};

/* A transaction that is compared with others. */
struct member {
    txn_id txn;
    int64_t began, ended;
    uint32_t first, n; // in 'uses'
    bool is_aborted;
    bool has_fork;
    key_id fork_key; // of a read that an overlapping transaction overwrote
    txn_id fork_writer;
};

struct sweep {
    const struct history *h;
    VEC(struct key_use) uses;
    VEC(struct member) members;
    u32_vec active;
    uint64_t work;
    struct overlap *out;
};

/* --- members ---------------------------------------------------------------*/

static int
compare_uses(const void *a, const void *b)
{
    const struct key_use *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

/* Sort the uses of a member, and make one of those of the same key. */
static void
merge_uses(struct sweep *s, struct member *m)
{
    struct key_use *at = s->uses.at + m->first;
    uint32_t n = 0;
    qsort(at, m->n, sizeof *at, compare_uses);
    for (uint32_t i = 0; i < m->n; i++) {
        if (n && at[n - 1].key == at[i].key) {
            const uint32_t both = at[n - 1].flags & at[i].flags & USE_WRITE;
            at[n - 1].flags |= at[i].flags | (both ? USE_WRITE_TWICE : 0);
        } else {
            at[n++] = at[i];
        }
    }
    m->n = n;
    s->uses.n = m->first + n;
}

static void
add_member(struct sweep *s, txn_id t)
{
    const struct history *h = s->h;
    const bool is_aborted = h->txn_status[t] == TXN_ABORTED;
    if (h->txn_status[t] == TXN_LOADING || h->txn_begin[t] == h->txn_end[t] ||
        (!is_aborted && !h->txn_counts[t]))
        return;
    struct member m = {
        .txn = t, .first = (uint32_t)s->uses.n, .is_aborted = is_aborted};
    if (h->txn_began) {
        m.began = h->txn_began[t];
        m.ended = h->txn_ended[t];
    }
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        const bool is_write = op_is_write(h, op);
        // Which reads of an aborted transaction are external is not known.
        if (is_write || is_aborted || op_is_external_read(h, op) ||
            h->op_key[op] & OP_REJECTED)
            vec_push(&s->uses,
                     ((struct key_use){op_key(h, op),
                                       is_write ? USE_WRITE : USE_READ}));
    }
    m.n = (uint32_t)s->uses.n - m.first;
    merge_uses(s, &m);
    vec_push(&s->members, m);
}

static int
compare_members(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->began != y->began)
        return x->began < y->began ? -1 : 1;
    return x->txn < y->txn ? -1 : x->txn > y->txn;
}

/* --- pairs -----------------------------------------------------------------*/

/* What the keys of two transactions have in common. */
struct meeting {
    uint32_t a_reads, b_reads; // keys that it read and the other one wrote
    uint32_t both_read_and_wrote;
    bool both_wrote;
    bool intermediate; // one wrote a key twice that the other one read
};

/* Note that the reader overlaps a writer of a key that it read. */
static void
note_fork(struct member *reader, key_id key, txn_id writer)
{
    if (reader->fork_writer == TXN_NONE) {
        reader->fork_writer = writer;
        reader->fork_key = key;
    } else if (reader->fork_writer != writer && reader->fork_key != key) {
        reader->has_fork = true;
    }
}

static void
meet_at_key(struct member *a, uint32_t fa, struct member *b, uint32_t fb,
            key_id key, struct meeting *out)
{
    const bool b_overwrote = fa & USE_READ && fb & USE_WRITE;
    const bool a_overwrote = fb & USE_READ && fa & USE_WRITE;
    out->a_reads += b_overwrote;
    out->b_reads += a_overwrote;
    out->both_read_and_wrote += a_overwrote && b_overwrote;
    out->both_wrote |= fa & fb & USE_WRITE;
    out->intermediate |= (b_overwrote && fb & USE_WRITE_TWICE) ||
                         (a_overwrote && fa & USE_WRITE_TWICE);
    if (b_overwrote)
        note_fork(a, key, b->txn);
    if (a_overwrote)
        note_fork(b, key, a->txn);
}

static struct meeting
meet(struct sweep *s, struct member *a, struct member *b)
{
    const struct key_use *x = s->uses.at + a->first, *y = s->uses.at + b->first;
    struct meeting m = {0};
    uint32_t i = 0, j = 0;
    while (i < a->n && j < b->n) {
        if (x[i].key == y[j].key) {
            meet_at_key(a, x[i].flags, b, y[j].flags, x[i].key, &m);
            i++, j++;
        } else if (x[i].key < y[j].key) {
            i++;
        } else {
            j++;
        }
    }
    const uint64_t steps = i + j + 1;
    s->work -= steps < s->work ? steps : s->work;
    return m;
}

static void
count_pair(struct sweep *s, struct member *a, struct member *b)
{
    uint64_t *chances = s->out->chances;
    const struct meeting m = meet(s, a, b);
    s->out->pairs++;
    s->out->conflicts += m.a_reads || m.b_reads || m.both_wrote;
    chances[CHANCE_ABORTED_READ] +=
        (b->is_aborted && !a->is_aborted && m.a_reads) ||
        (a->is_aborted && !b->is_aborted && m.b_reads);
    chances[CHANCE_INTERMEDIATE] += m.intermediate;
    chances[CHANCE_FRACTURED] += m.a_reads > 1 || m.b_reads > 1;
    chances[CHANCE_LOST_UPDATE] += m.both_read_and_wrote > 0;
    // Each read a key that the other one wrote, and not only the same key.
    chances[CHANCE_WRITE_SKEW] +=
        m.a_reads && m.b_reads &&
        !(m.a_reads == 1 && m.b_reads == 1 && m.both_read_and_wrote);
}

/* Forget those that ended before the transaction begins. */
static void
retire(struct sweep *s, int64_t began)
{
    size_t n = 0;
    for (size_t i = 0; i < s->active.n; i++)
        if (s->members.at[s->active.at[i]].ended >= began)
            s->active.at[n++] = s->active.at[i];
    s->active.n = n;
}

static void
sweep_members(struct sweep *s)
{
    const struct history *h = s->h;
    for (uint32_t i = 0; i < s->members.n && s->work; i++) {
        struct member *m = &s->members.at[i];
        if (h->txn_began)
            retire(s, m->began);
        for (size_t j = 0; j < s->active.n && s->work; j++) {
            struct member *other = &s->members.at[s->active.at[j]];
            if (h->txn_session[other->txn] != h->txn_session[m->txn])
                count_pair(s, other, m);
        }
        vec_push(&s->active, i);
    }
    s->out->is_partial = !s->work;
    for (size_t i = 0; i < s->members.n; i++)
        s->out->chances[CHANCE_LONG_FORK] += s->members.at[i].has_fork;
}

/* --- sessions --------------------------------------------------------------*/

/* Reads of a key that an earlier transaction of the session read or wrote. */
static void
count_sessions(const struct history *h, struct overlap *out)
{
    txn_id *last = mem_alloc(h->n_keys, sizeof *last); // that used the key
    for (key_id k = 0; k < h->n_keys; k++)
        last[k] = TXN_NONE;
    for (txn_id t = 0; t < h->n_txns; t++) {
        const txn_id first = h->session_first[h->txn_session[t]];
        if (!h->txn_counts[t])
            continue;
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            const key_id k = op_key(h, op);
            if (op_is_external_read(h, op))
                out->chances[CHANCE_SESSION] +=
                    last[k] != TXN_NONE && last[k] >= first && last[k] < t;
            last[k] = t;
        }
    }
    mem_free(last);
}

void
overlap_count(const struct history *h, uint64_t work, struct overlap *out)
{
    *out = (struct overlap){.has_times = h->txn_began != NULL,
                            .committed = history_tested_count(h)};
    struct sweep s = {.h = h, .work = work, .out = out};
    assert(work);
    for (txn_id i = 0; i < h->n_txns; i++)
        add_member(&s, h->arrival[i]);
    for (size_t i = 0; i < s.members.n; i++)
        s.members.at[i].fork_writer = TXN_NONE;
    if (h->txn_began && s.members.n)
        qsort(s.members.at, s.members.n, sizeof *s.members.at, compare_members);
    out->transactions = s.members.n;
    sweep_members(&s);
    count_sessions(h, out);
    assert(out->conflicts <= out->pairs);
    vec_free(&s.uses);
    vec_free(&s.members);
    vec_free(&s.active);
}
