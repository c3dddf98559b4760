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
 * SPDX-License-Identifier: MIT */
#include "strong/order/timed_order.h"

#include "base/container/sorted.h"
#include "base/limits/tuning.h"
#include "strong/order/timed_state.h"

/* --- served reads ----------------------------------------------------------*/

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
        if (timed_state_holds(s, v, s->h->op_value[op]))
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
        if (op_is_external_read(h, op) && !timed_state_serves(s, op))
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

/* Whether a transaction that has not committed may write the value before i
 * ends. */
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

/* --- choices ---------------------------------------------------------------*/

/* Count what the open transaction i reads and finds now. */
static void
want(struct timed_search *s, uint32_t i)
{
    const struct history *h = s->h;
    const txn_id t = s->txn[i];
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (!op_is_external_read(h, op) || !timed_state_serves(s, op))
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
            !timed_state_serves(s, op))
            n += s->wanted[k];
    }
    for (op_id op = h->txn_begin[t]; n && op < h->txn_end[t]; op++)
        if (op_is_external_read(h, op) && timed_state_serves(s, op))
            for (op_id w = op + 1; w < h->txn_end[t]; w++)
                if (op_is_final_write(h, w) && op_key(h, w) == op_key(h, op) &&
                    !timed_state_serves(s, w))
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
    timed_state_commit(s, i);
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
        if (op_is_external_read(h, op) && !timed_state_serves(s, op) &&
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
        timed_state_commit(s, i);
        l->committed = i;
        (void)intmap_add(&s->seen, s->hash, 0, &added);
        if (added)
            return true;
        timed_state_undo(s, i);
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
        timed_state_undo(s, vec_top(&s->levels).committed);
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

bool
timed_order_find(const struct history *h, enum timed_reads reads,
                 struct budget *budget, u32_vec *order)
{
    struct timed_search s = {.h = h, .reads = reads, .budget = budget};
    assert(h->txn_began && h->txn_counts && !history_has_orders(h));
    timed_state_init(&s);
    const bool found = s.n && search(&s);
    for (size_t i = 0; found && i < s.levels.n; i++)
        vec_push(order, s.txn[s.levels.at[i].committed]);
    timed_state_free(&s);
    return found;
}
