/* initial_assignment.c -- see initial_assignment.h.
 *
 * An input that lists one session after the other does not say how the sessions
 * interleaved, and with duplicate values it does not say who wrote what was
 * read.  Most recorded histories are nearly serializable all the same.  So the
 * sessions are replayed against a store, greedily.  The next transaction of a
 * session is taken if each of its reads finds its value in the store, and if
 * its writes overwrite no value that is still to be read and not written again.
 * The second rule matters because a value that is gone too early never comes
 * back; with unique values it costs nothing.
 *
 * When no session can go on, the least bad transaction is taken: one that
 * overwrites such a value; else one whose values were in the store at some
 * time; else any.
 *
 * A transaction that may count is taken where it fits and writes a value that
 * is still to be read and that no other will write; else it is skipped.
 *
 * 'slot' is a value, or the initial value of one key: value 0 belongs to all
 * keys to which it is not written again.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/choice/initial_assignment.h"

enum fitness { FITS, OVERWRITES, WAS_THERE, MISFITS };

struct replay {
    const struct history *h;
    txn_id *chosen;
    u32_vec *order;
    uint32_t *state;  // by key: the slot in the store
    txn_id *writer;   // by slot: its last writer so far, or TXN_NONE
    uint32_t *reads;  // by slot: external reads that are still to come
    uint32_t *writes; // by slot: final writes that are still to come
    txn_id *next;     // by session
    uint64_t work, budget;
};

static uint32_t
slot_of(const struct replay *p, op_id op)
{
    const value_id v = p->h->op_value[op];
    return v != VALUE_INIT ? v : p->h->n_values + op_key(p->h, op);
}

static void
replay_init(struct replay *p)
{
    const struct history *h = p->h;
    const size_t slots = (size_t)h->n_values + h->n_keys;
    p->state = mem_alloc(h->n_keys, sizeof *p->state);
    p->writer = mem_alloc(slots, sizeof *p->writer);
    memset(p->writer, 0xff, slots * sizeof *p->writer);
    p->reads = mem_calloc(slots, sizeof *p->reads);
    p->writes = mem_calloc(slots, sizeof *p->writes);
    for (key_id k = 0; k < h->n_keys; k++) {
        p->state[k] = h->n_values + k;
        p->writer[h->n_values + k] = TXN_INIT;
    }
    for (value_id v = 1; v < h->n_values; v++)
        if (h->values[v].writer == TXN_INIT ||
            (history_has_several(h, v) &&
             history_candidates(h, v).at[0] == TXN_INIT)) {
            p->state[h->values[v].key & OP_KEY] = v;
            p->writer[v] = TXN_INIT;
        }
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t];
             h->txn_counts[t] == TXN_COUNTS && op < h->txn_end[t]; op++) {
            if (op_is_external_read(h, op))
                p->reads[slot_of(p, op)]++;
            else if (op_is_final_write(h, op))
                p->writes[slot_of(p, op)]++;
        }
    p->next = mem_alloc(h->n_sessions, sizeof *p->next);
    for (session_id s = 0; s < h->n_sessions; s++)
        p->next[s] = h->session_first[s];
}

/* Count the reads of t as done, or as still to come. */
static void
count_reads(struct replay *p, txn_id t, bool done)
{
    const struct history *h = p->h;
    if (h->txn_counts[t] != TXN_COUNTS)
        return; // they were not counted as to come
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_external_read(h, op))
            p->reads[slot_of(p, op)] += done ? (uint32_t)-1 : 1;
}

/* Whether t overwrites a value that is still to be read and not written again.
 */
static bool
overwrites(struct replay *p, txn_id t)
{
    const struct history *h = p->h;
    bool found = false;
    count_reads(p, t, true);
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t] && !found; op++) {
        if (!op_is_final_write(h, op))
            continue;
        const uint32_t old = p->state[op_key(h, op)];
        found = old != slot_of(p, op) && p->reads[old] && !p->writes[old];
    }
    count_reads(p, t, false);
    return found;
}

static enum fitness
find_fitness(struct replay *p, txn_id t)
{
    const struct history *h = p->h;
    enum fitness fitness = FITS;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        p->work++;
        if (!op_is_external_read(h, op))
            continue;
        const uint32_t slot = slot_of(p, op);
        if (p->state[op_key(h, op)] == slot)
            continue;
        fitness = WAS_THERE;
        if (p->writer[slot] == TXN_NONE)
            return MISFITS;
    }
    if (fitness == FITS && overwrites(p, t))
        fitness = OVERWRITES;
    return fitness;
}

/* The candidate that the read op of t is guessed to have read from. */
static txn_id
guess_writer(const struct replay *p, op_id op, txn_id t)
{
    const txn_id w = p->writer[slot_of(p, op)];
    if (w != TXN_NONE && w != t)
        return w;
    const struct txn_range range = history_candidates(p->h, p->h->op_value[op]);
    assert(range.n > 1);
    return range.at[range.at[0] == t];
}

/* Whether t, which may count, fits and writes a value that is needed. */
static bool
is_needed(struct replay *p, txn_id t)
{
    const struct history *h = p->h;
    bool needed = false;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t] && !needed; op++) {
        const uint32_t slot = slot_of(p, op);
        needed = op_is_final_write(h, op) && p->reads[slot] &&
                 !p->writes[slot] && p->state[op_key(h, op)] != slot;
    }
    return needed && find_fitness(p, t) == FITS;
}

static void
take(struct replay *p, session_id s)
{
    const struct history *h = p->h;
    assert(p->next[s] < h->session_first[s + 1]);
    const txn_id t = p->next[s]++;
    if (!h->txn_counts[t])
        return;
    vec_push(p->order, t);
    const bool counts = h->txn_counts[t] == TXN_COUNTS;
    if (!counts && !is_needed(p, t))
        return;
    count_reads(p, t, true);
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (p->chosen && op_is_external_read(h, op) &&
            history_has_several(h, h->op_value[op]))
            p->chosen[op] = guess_writer(p, op, t);
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_final_write(h, op)) {
            const uint32_t slot = slot_of(p, op);
            assert(!counts || p->writes[slot]);
            p->state[op_key(h, op)] = slot;
            p->writer[slot] = t;
            p->writes[slot] -= counts;
        }
}

/* How far session s has come, from 0 to 1. */
static double
progress(const struct replay *p, session_id s)
{
    const txn_id first = p->h->session_first[s];
    return (double)(p->next[s] - first) /
           (double)(p->h->session_first[s + 1] - first);
}

/* Take every transaction that fits, one turn through the sessions; false where
 * there was none. */
static bool
take_turn(struct replay *p)
{
    const struct history *h = p->h;
    bool any = false;
    for (session_id s = 0; s < h->n_sessions; s++)
        while (p->next[s] < h->session_first[s + 1] &&
               (h->txn_counts[p->next[s]] != TXN_COUNTS ||
                find_fitness(p, p->next[s]) == FITS)) {
            take(p, s);
            any = true;
        }
    return any;
}

/* Take the least bad transaction; false when there is none left. */
static bool
take_least_bad(struct replay *p)
{
    const struct history *h = p->h;
    session_id best = ID_NONE;
    enum fitness best_fitness = MISFITS;
    for (session_id s = 0; s < h->n_sessions; s++) {
        if (p->next[s] == h->session_first[s + 1])
            continue;
        const enum fitness fitness = find_fitness(p, p->next[s]);
        if (best == ID_NONE || fitness < best_fitness ||
            (fitness == best_fitness && progress(p, s) < progress(p, best))) {
            best = s;
            best_fitness = fitness;
        }
    }
    if (best == ID_NONE)
        return false;
    take(p, best);
    return true;
}

bool
initial_assignment_guess(const struct history *h, u32_vec *order,
                         txn_id *chosen)
{
    struct replay p = {.h = h, .chosen = chosen, .order = order};
    p.budget = UINT64_C(100000000) + (uint64_t)h->n_ops * 50;
    replay_init(&p);
    do {
        while (p.work < p.budget && take_turn(&p))
            ;
    } while (p.work < p.budget && take_least_bad(&p));
    mem_free(p.state);
    mem_free(p.writer);
    mem_free(p.reads);
    mem_free(p.writes);
    mem_free(p.next);
    return p.work < p.budget;
}
