/* timed_order.c -- see timed_order.h.
 *
 * Begins and ends are entries of a list that is sorted by time.  A transaction
 * that is committed leaves the list with both its entries.  So the open
 * transactions, of which one commits next, are those whose begins stand before
 * the first end.
 *
 *   - One that is served and writes nothing commits at once: no other choice
 *     can be better.  (A write of the value that is there waits like others: it
 *     may be needed to write that value again.)
 *   - Of the others, one is preferred whose writes hide nothing that an open
 *     transaction has read, and then the one that ends first.
 *   - If an open transaction reads what neither is there nor can be written
 *     before it ends, or if no transaction can commit, the search goes back to
 *     the last choice.
 *   - A set of commits that was reached before, with the same state, is not
 *     tried again.
 *
 * States are compared by hashes, so the search may miss an order.  It ends when
 * it has not come further for a while: it is for few keys, and with many of
 * them it goes through combinations of transactions that do not concern each
 * other.
 *
 *   (1) the versions of a key are linked from the latest to the earliest; those
 *       of the last commit are the last ones of 'versions'.
 *   (2) transactions are numbered by their begins.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/order/timed_order.h"

#include "base/container/hash.h"
#include "base/container/intmap.h"
#include "base/container/sorted.h"
#include "base/limits/tuning.h"

#include <stdlib.h>

struct timed_version {
    value_id value;
    uint32_t writer;
    uint32_t position; // of the commit, from 1
    uint32_t before;   // 1 + index of the version before it; 0 = INIT's
};

/* A commit, and what else could have been committed there. */
struct timed_level {
    uint32_t committed;
    uint32_t first, n; // of 'choices'
    uint32_t next;     // choice to try
};

struct timed_search {
    const struct history *h;
    enum timed_reads reads;
    struct budget *budget;
    uint32_t n;   // transactions that count
    txn_id *txn;  // (2)
    uint32_t *at; // by transaction of h: its number

    // The list.  Entries 2i and 2i + 1 are begin and end of i; 2n is its head.
    uint32_t *next, *previous;

    uint32_t *writer_first, *writers; // by value: those who write it, by number
    uint32_t *position;               // by number: of its commit, or 0
    uint32_t *before; // by number: the one before it in its session, or ID_NONE
    uint32_t commits, deepest;
    uint64_t stalled;                   // steps since 'deepest' rose
    VEC(struct timed_version) versions; // (1)
    uint32_t *latest;                   // by key: 1 + index of its last version
    uint64_t hash;                      // of who has committed, and the state
    struct intmap seen;                 // hashes that were reached by a choice
    VEC(struct timed_level) levels;     // by commit
    u32_vec choices;                    // of all levels
    u32_vec found;                      // choices of the next one
    uint32_t *wanted; // by key: open reads of its value, for 'stamp'
    uint32_t *stamp, now;
    u32_vec damage; // of the choices that are sorted
};

/* --- served reads ----------------------------------------------------------*/

static bool
holds(const struct timed_search *s, uint32_t version, value_id v)
{
    if (version)
        return s->versions.at[version - 1].value == v;
    if (history_has_several(s->h, v))
        return history_candidates(s->h, v).at[0] == TXN_INIT;
    return history_writer(s->h, v) == TXN_INIT;
}

/* Whether the current state serves the read op. */
static bool
holds_now(const struct timed_search *s, op_id op)
{
    return holds(s, s->latest[op_key(s->h, op)], s->h->op_value[op]);
}

/* The earliest snapshot that i may have. */
static uint32_t
least_snapshot(const struct timed_search *s, uint32_t i)
{
    const struct history *h = s->h;
    const txn_id t = s->txn[i];
    uint32_t least = s->before[i] == ID_NONE ? 0 : s->position[s->before[i]];
    if (s->reads != TIMED_SNAPSHOT)
        return least;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        const uint32_t v =
            op_is_final_write(h, op) ? s->latest[op_key(h, op)] : 0;
        if (v && s->versions.at[v - 1].position > least)
            least = s->versions.at[v - 1].position;
    }
    return least;
}

/* Reduce the snapshot until it serves the read op. */
static bool
serve(const struct timed_search *s, op_id op, uint32_t least,
      uint32_t *snapshot)
{
    uint32_t v = s->latest[op_key(s->h, op)];
    for (;; v = s->versions.at[v - 1].before) {
        if (v && s->versions.at[v - 1].position > *snapshot)
            continue;
        if (holds(s, v, s->h->op_value[op]))
            return true;
        if (!v || s->versions.at[v - 1].position <= least)
            return false;
        *snapshot = s->versions.at[v - 1].position - 1;
    }
}

static bool
has_snapshot(const struct timed_search *s, uint32_t i)
{
    const struct history *h = s->h;
    const txn_id t = s->txn[i];
    const uint32_t least = least_snapshot(s, i);
    uint32_t snapshot = s->commits, before;
    do {
        before = snapshot;
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (op_is_external_read(h, op) && !serve(s, op, least, &snapshot))
                return false;
    } while (snapshot != before);
    return snapshot >= least;
}

/* The first read of i that the current state does not serve, or ID_NONE. */
static op_id
find_unserved(const struct timed_search *s, uint32_t i)
{
    const struct history *h = s->h;
    const txn_id t = s->txn[i];
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_external_read(h, op) && !holds_now(s, op))
            return op;
    return ID_NONE;
}

static bool
is_read_only(const struct timed_search *s, uint32_t i)
{
    const struct history *h = s->h;
    const txn_id t = s->txn[i];
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_final_write(h, op))
            return false;
    return true;
}

/* Whether somebody who has not committed may write the value before i ends. */
static bool
may_be_written(const struct timed_search *s, value_id v, uint32_t i)
{
    const uint32_t oldest = s->next[2 * s->n] / 2;
    const int64_t ended = s->h->txn_ended[s->txn[i]];
    size_t low = s->writer_first[v];
    const size_t end = s->writer_first[v + 1];
    LOWER_BOUND(low, end, middle, s->writers[middle] < oldest);
    for (; low < end; low++) {
        const uint32_t w = s->writers[low];
        if (s->h->txn_began[s->txn[w]] > ended)
            return false;
        if (!s->position[w] && w != i)
            return true;
    }
    return false;
}

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

static void
commit(struct timed_search *s, uint32_t i)
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

static void
undo(struct timed_search *s, uint32_t i)
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

/* --- choices ---------------------------------------------------------------*/

/* Count what the open transaction i reads and finds now. */
static void
want(struct timed_search *s, uint32_t i)
{
    const struct history *h = s->h;
    const txn_id t = s->txn[i];
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (!op_is_external_read(h, op) || !holds_now(s, op))
            continue;
        const key_id k = op_key(h, op);
        s->wanted[k] = s->stamp[k] == s->now ? s->wanted[k] + 1 : 1;
        s->stamp[k] = s->now;
    }
}

/* How many reads of others the writes of i would hide. */
static uint32_t
count_hidden(const struct timed_search *s, uint32_t i)
{
    const struct history *h = s->h;
    const txn_id t = s->txn[i];
    uint32_t n = 0;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        const key_id k = op_key(h, op);
        if (op_is_final_write(h, op) && s->stamp[k] == s->now &&
            !holds_now(s, op))
            n += s->wanted[k];
    }
    for (op_id op = h->txn_begin[t]; n && op < h->txn_end[t]; op++)
        if (op_is_external_read(h, op) && holds_now(s, op))
            for (op_id w = op + 1; w < h->txn_end[t]; w++)
                if (op_is_final_write(h, w) && op_key(h, w) == op_key(h, op) &&
                    !holds_now(s, w))
                    n--; // its own
    return n;
}

static bool
is_better(const struct timed_search *s, uint32_t a, uint32_t b)
{
    const struct timed_level *l = &vec_top(&s->levels);
    if (s->damage.at[a] != s->damage.at[b])
        return s->damage.at[a] < s->damage.at[b];
    const uint32_t x = s->choices.at[l->first + a],
                   y = s->choices.at[l->first + b];
    return s->h->txn_ended[s->txn[x]] < s->h->txn_ended[s->txn[y]];
}

/* Sort the choices of the last level: they are few. */
static void
sort_choices(struct timed_search *s)
{
    const struct timed_level *l = &vec_top(&s->levels);
    vec_clear(&s->damage);
    for (uint32_t a = 0; a < l->n; a++)
        vec_push(&s->damage, count_hidden(s, s->choices.at[l->first + a]));
    for (uint32_t a = 1; a < l->n; a++)
        for (uint32_t b = a; b > 0 && is_better(s, b, b - 1); b--) {
            uint32_t *c = &s->choices.at[l->first + b], *d = &s->damage.at[b];
            const uint32_t choice = c[0], damage = d[0];
            c[0] = c[-1], c[-1] = choice;
            d[0] = d[-1], d[-1] = damage;
        }
}

/* Commit i without an alternative. */
static void
commit_at_once(struct timed_search *s, uint32_t i)
{
    vec_push(&s->levels, ((struct timed_level){
                             .committed = i, .first = (uint32_t)s->choices.n}));
    commit(s, i);
}

/* Open a level with the choices that were found. */
static void
open_level(struct timed_search *s)
{
    vec_push(&s->levels, ((struct timed_level){.first = (uint32_t)s->choices.n,
                                               .n = (uint32_t)s->found.n}));
    for (size_t i = 0; i < s->found.n; i++)
        vec_push(&s->choices, s->found.at[i]);
    sort_choices(s);
}

/* Whether i, which is open, can commit now. */
static bool
may_commit(const struct timed_search *s, uint32_t i)
{
    if (s->before[i] != ID_NONE && !s->position[s->before[i]])
        return false;
    return s->reads == TIMED_SERIAL ? find_unserved(s, i) == ID_NONE
                                    : has_snapshot(s, i);
}

/* Whether i, which cannot commit now, never can. */
static bool
is_lost(const struct timed_search *s, uint32_t i)
{
    const struct history *h = s->h;
    const txn_id t = s->txn[i];
    if (s->before[i] != ID_NONE && !s->position[s->before[i]])
        return false;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_external_read(h, op) && !holds_now(s, op) &&
            !may_be_written(s, h->op_value[op], i))
            return true;
    return false;
}

enum step { STEP_CHOICES, STEP_LOST, STEP_SPENT };

/* Look at the open transactions: commit those that write nothing, and find the
 * others that can commit.  False where that leads nowhere. */
static bool
look_at_open(struct timed_search *s, uint32_t *steps)
{
    const uint32_t head = 2 * s->n;
    uint32_t last = head, e; // 'last' stays in the list
    vec_clear(&s->found);
    s->now++;
    for (; e = s->next[last], !(e & 1) && e != head && *steps < TUNE_TIMED_OPEN;
         ++*steps) {
        const uint32_t i = e / 2;
        if (may_commit(s, i)) {
            if (is_read_only(s, i)) {
                commit_at_once(s, i);
                continue;
            }
            vec_push(&s->found, i);
        } else if (is_lost(s, i)) {
            return false;
        }
        want(s, i);
        last = e;
    }
    return s->found.n;
}

/* Open a level with the choices that there are now. */
static enum step
find_choices(struct timed_search *s)
{
    uint32_t steps = 0;
    const bool found = look_at_open(s, &steps);
    s->stalled = s->commits > s->deepest ? 0 : s->stalled + steps + 1;
    if (s->commits > s->deepest)
        s->deepest = s->commits;
    if (!budget_spend(s->budget, steps + 1) || s->stalled > TUNE_TIMED_STALLED)
        return STEP_SPENT;
    if (!found)
        return STEP_LOST;
    open_level(s);
    return STEP_CHOICES;
}

/* --- the search ------------------------------------------------------------*/

/* Commit the next choice of the last level; false where all were tried. */
static bool
take_choice(struct timed_search *s)
{
    struct timed_level *l = &vec_top(&s->levels);
    while (l->next < l->n) {
        const uint32_t i = s->choices.at[l->first + l->next++];
        bool added;
        commit(s, i);
        l->committed = i;
        (void)intmap_add(&s->seen, s->hash, 0, &added);
        if (added)
            return true;
        undo(s, i);
    }
    return false;
}

static void
close_level(struct timed_search *s)
{
    s->choices.n = vec_pop(&s->levels).first;
}

/* Go back to the last choice and commit something else there; false where there
 * is none. */
static bool
go_back(struct timed_search *s)
{
    uint64_t steps = 0;
    for (; s->levels.n; close_level(s)) {
        steps++;
        undo(s, vec_top(&s->levels).committed);
        if (take_choice(s))
            return budget_spend(s->budget, steps);
    }
    return false;
}

static bool
search(struct timed_search *s)
{
    while (s->commits < s->n) {
        const enum step step = find_choices(s);
        if (step == STEP_SPENT)
            return false;
        if (step == STEP_CHOICES && take_choice(s))
            continue;
        if (step == STEP_CHOICES)
            close_level(s); // all of them lead to states that have failed
        if (s->commits < s->n && !go_back(s))
            return false;
    }
    return true;
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

static void
set_up(struct timed_search *s)
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

static void
tear_down(struct timed_search *s)
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

bool
timed_order_find(const struct history *h, enum timed_reads reads,
                 struct budget *budget, u32_vec *order)
{
    struct timed_search s = {.h = h, .reads = reads, .budget = budget};
    assert(h->txn_began && h->txn_counts && !history_has_orders(h));
    set_up(&s);
    const bool found = s.n && search(&s);
    for (size_t i = 0; found && i < s.levels.n; i++)
        vec_push(order, s.txn[s.levels.at[i].committed]);
    tear_down(&s);
    return found;
}
