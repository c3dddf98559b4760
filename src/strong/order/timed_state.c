/* timed_state.c -- see timed_state.h.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/order/timed_state.h"

#include "base/container/hash.h"

#include <stdlib.h>

/* --- commits ---------------------------------------------------------------*/

static void
unlink_entry(struct timed_search *s, uint32_t e)
{
    s->next[s->previous[e]] = s->next[e];
    s->previous[s->next[e]] = s->previous[e];
}

static void
link_entry(struct timed_search *s, uint32_t e)
{
    s->next[s->previous[e]] = e;
    s->previous[s->next[e]] = e;
}

/* The part of a key in the hash of the state.  With snapshots, the versions
 * before the latest one are part of the state, too. */
static uint64_t
hash_key(const struct timed_search *s, key_id k)
{
    const uint32_t v = s->latest[k];
    if (!v)
        return 0;
    if (s->reads == TIMED_SERIAL)
        return hash_pair(k, s->versions.at[v - 1].value);
    const uint32_t before = s->versions.at[v - 1].before;
    return hash_pair(hash_pair(k, s->versions.at[v - 1].writer),
                     before ? s->versions.at[before - 1].writer : ID_NONE);
}

/* The hash after the commit of i. */
static uint64_t
hash_commit(struct timed_search *s, uint32_t i)
{
    return s->hash ^ hash_u64(i + 1);
}

static void
write_version(struct timed_search *s, uint32_t i, op_id op)
{
    const key_id k = op_key(s->h, op);
    if (s->reads == TIMED_SERIAL)
        s->hash ^= hash_key(s, k);
    vec_push(&s->versions, ((struct timed_version){s->h->op_value[op], i,
                                                   s->commits, s->latest[k]}));
    s->latest[k] = capacity_index(CAPACITY_OPS, s->versions.n);
    s->hash ^= hash_key(s, k);
}

static void
remove_version(struct timed_search *s, op_id op)
{
    const key_id k = op_key(s->h, op);
    s->hash ^= hash_key(s, k);
    s->latest[k] = vec_pop(&s->versions).before; // (1)
    if (s->reads == TIMED_SERIAL)
        s->hash ^= hash_key(s, k);
}

void
timed_state_commit(struct timed_search *s, uint32_t i)
{
    const struct history *h = s->h;
    const txn_id t = s->txn[i];
    s->position[i] = ++s->commits;
    s->hash = hash_commit(s, i);
    unlink_entry(s, 2 * i);
    unlink_entry(s, 2 * i + 1);
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_final_write(h, op))
            write_version(s, i, op);
}

void
timed_state_undo(struct timed_search *s, uint32_t i)
{
    const struct history *h = s->h;
    const txn_id t = s->txn[i];
    for (op_id op = h->txn_end[t]; op-- > h->txn_begin[t];)
        if (op_is_final_write(h, op))
            remove_version(s, op);
    link_entry(s, 2 * i + 1);
    link_entry(s, 2 * i);
    s->hash = hash_commit(s, i);
    s->position[i] = 0;
    s->commits--;
}

/* --- setting up ------------------------------------------------------------*/

struct timed_event {
    int64_t time;
    uint32_t entry;
};

/* What begins when something ends overlaps it. */
static int
compare_events(const void *a, const void *b)
{
    const struct timed_event *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if ((x->entry & 1) != (y->entry & 1))
        return x->entry & 1 ? 1 : -1;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

/* Number the transactions that count by their begins. */
static void
number(struct timed_search *s)
{
    const struct history *h = s->h;
    struct timed_event *begins = mem_alloc(h->n_txns, sizeof *begins);
    for (uint32_t i = 0; i < h->n_txns; i++) {
        const txn_id t = h->arrival[i];
        if (h->txn_counts[t] == TXN_COUNTS)
            begins[s->n++] = (struct timed_event){h->txn_began[t], 2 * t};
    }
    if (s->n)
        qsort(begins, s->n, sizeof *begins, compare_events);
    s->txn = mem_alloc(s->n, sizeof *s->txn);
    s->at = mem_alloc(h->n_txns, sizeof *s->at);
    memset(s->at, 0xff, h->n_txns * sizeof *s->at);
    for (uint32_t i = 0; i < s->n; i++) {
        s->txn[i] = begins[i].entry / 2;
        s->at[s->txn[i]] = i;
    }
    mem_free(begins);
}

static void
list_events(struct timed_search *s)
{
    const struct history *h = s->h;
    const uint32_t head = 2 * s->n;
    struct timed_event *events = mem_alloc(head, sizeof *events);
    s->next = mem_alloc((size_t)head + 1, sizeof *s->next);
    s->previous = mem_alloc((size_t)head + 1, sizeof *s->previous);
    for (uint32_t i = 0; i < s->n; i++) {
        const txn_id t = s->txn[i];
        events[2 * i] = (struct timed_event){h->txn_began[t], 2 * i};
        events[2 * i + 1] = (struct timed_event){
            h->txn_ended[t] < h->txn_began[t] ? h->txn_began[t]
                                              : h->txn_ended[t],
            2 * i + 1};
    }
    qsort(events, head, sizeof *events, compare_events);
    for (uint32_t i = 0; i < head; i++) {
        s->previous[events[i].entry] = i ? events[i - 1].entry : head;
        s->next[events[i].entry] = i + 1 < head ? events[i + 1].entry : head;
    }
    s->next[head] = events[0].entry;
    s->previous[head] = events[head - 1].entry;
    mem_free(events);
}

/* The writers of each value, and the order of each session. */
static void
list_writers(struct timed_search *s)
{
    const struct history *h = s->h;
    uint32_t *first = mem_calloc((size_t)h->n_values + 2, sizeof *first);
    size_t n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        for (op_id op = h->txn_begin[s->txn[i]]; op < h->txn_end[s->txn[i]];
             op++)
            if (op_is_final_write(h, op)) {
                first[h->op_value[op] + 2]++;
                n++;
            }
    for (value_id v = 0; v < h->n_values; v++)
        first[v + 2] += first[v + 1];
    s->writers = mem_alloc(n, sizeof *s->writers);
    for (uint32_t i = 0; i < s->n; i++)
        for (op_id op = h->txn_begin[s->txn[i]]; op < h->txn_end[s->txn[i]];
             op++)
            if (op_is_final_write(h, op))
                s->writers[first[h->op_value[op] + 1]++] = i;
    s->writer_first = first;
}

static void
list_sessions(struct timed_search *s)
{
    const struct history *h = s->h;
    uint32_t last = ID_NONE;
    s->before = mem_alloc(s->n, sizeof *s->before);
    for (txn_id t = 0; t < h->n_txns; t++) { // by session
        if (t == h->session_first[h->txn_session[t]])
            last = ID_NONE;
        if (s->at[t] == ID_NONE)
            continue;
        s->before[s->at[t]] = last;
        last = s->at[t];
    }
}

void
timed_state_init(struct timed_search *s)
{
    const struct history *h = s->h;
    number(s);
    if (!s->n)
        return;
    list_events(s);
    list_writers(s);
    list_sessions(s);
    s->position = mem_calloc(s->n, sizeof *s->position);
    s->latest = mem_calloc(h->n_keys, sizeof *s->latest);
    s->wanted = mem_calloc(h->n_keys, sizeof *s->wanted);
    s->stamp = mem_calloc(h->n_keys, sizeof *s->stamp);
}

void
timed_state_free(struct timed_search *s)
{
    mem_free(s->txn);
    mem_free(s->at);
    mem_free(s->next);
    mem_free(s->previous);
    mem_free(s->writer_first);
    mem_free(s->writers);
    mem_free(s->position);
    mem_free(s->before);
    mem_free(s->latest);
    mem_free(s->wanted);
    mem_free(s->stamp);
    vec_free(&s->versions);
    vec_free(&s->levels);
    vec_free(&s->choices);
    vec_free(&s->found);
    vec_free(&s->damage);
    intmap_free(&s->seen);
}
