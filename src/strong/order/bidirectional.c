/* bidirectional.c -- see bidirectional.h.
 *
 * A state of a run is how far each session is and what each key holds.  With
 * few keys and values, many runs lead to the same state.  So the states are
 * enumerated level by level, one transaction at a time: forwards from the
 * beginning, and backwards from the end, where a state says what the rest of
 * the run requires the keys to hold.  The side with fewer states takes the next
 * step, until no transaction is left between them.  An order is found where two
 * states are equally far in all sessions and the keys hold what is required.
 *
 * A side that grows too large is thinned out: it keeps the states whose places
 * in the sessions have a small hash.  Both sides use the same hash, so states
 * that could meet are kept or lost together.  After thinning, a failure says
 * nothing, and another hash is tried.
 *
 * Known edges hold in every order, so leaving out states that contradict one
 * loses nothing.
 *
 *   (B1) all states of a side have the same number of transactions behind them
 *        (forwards) or before them (backwards), and are different.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/order/bidirectional.h"

#include "base/limits/tuning.h"
#include "strong/order/compact_history.h"

enum {
    CHAIN_BITS = 5,
};

/* The states of a side, and how each came about, step by step. */
struct side {
    uint8_t *states; // places of the sessions, then contents of the keys
    size_t n;
    VEC(uint32_t *)
    origins; // by step, by state: state before << CHAIN_BITS,
             // and the chain that took the step
};

struct bidirectional {
    const struct chains *g;
    struct compact_history c;
    struct budget *budget;
    size_t keys_at, stride; // in a state: where the keys begin, where it ends

    struct side forward, backward;
    uint8_t *next; // the states of the next step
    uint32_t *next_origins;
    size_t n_next, room;
    uint32_t *slots;     // indices into 'next' plus 1; twice the room
    uint64_t salt, keep; // states whose hash is above 'keep' are dropped
    bool is_thinned;
};

bool
bidirectional_suits(const struct dependencies *p)
{
    return compact_history_suits(p);
}

/* --- the states of the next step ------------------------------------------ */

/* Mix whole words, which is all that a state is made of. */
static uint64_t
hash_words(uint64_t hash, const uint8_t *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word;
        memcpy(&word, at + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash * UINT64_C(0xd6e8feb86659fd93);
}

static uint64_t
hash_places(const struct bidirectional *m, const uint8_t *state)
{
    return hash_words(m->salt, state, m->keys_at);
}

/* Where a state is, or belongs, whose places have that hash. */
static size_t
find_slot(const struct bidirectional *m, const uint8_t *state, uint64_t places)
{
    const size_t mask = 2 * m->room - 1;
    const uint64_t all =
        hash_words(places, state + m->keys_at, m->stride - m->keys_at);
    size_t i = (all >> 32) & mask;
    while (m->slots[i] && memcmp(m->next + (m->slots[i] - 1) * m->stride, state,
                                 m->stride) != 0)
        i = (i + 1) & mask;
    return i;
}

/* Drop half of the states, or more, until there is room. */
static void
thin_out(struct bidirectional *m)
{
    assert(m->n_next == m->room);
    m->is_thinned = true;
    while (m->n_next == m->room) {
        m->keep /= 2;
        memset(m->slots, 0, 2 * m->room * sizeof *m->slots);
        const size_t n = m->n_next;
        m->n_next = 0;
        for (size_t i = 0; i < n; i++) {
            const uint8_t *state = m->next + i * m->stride;
            const uint64_t places = hash_places(m, state);
            if (places > m->keep)
                continue;
            m->slots[find_slot(m, state, places)] = (uint32_t)m->n_next + 1;
            memmove(m->next + m->n_next * m->stride, state, m->stride);
            m->next_origins[m->n_next] = m->next_origins[i];
            m->n_next++;
        }
    }
}

static void
add_state(struct bidirectional *m, const uint8_t *state, size_t from,
          uint32_t chain)
{
    assert(m->n_next < m->room && chain < m->c.n_chains);
    const uint64_t places = hash_places(m, state);
    if (places > m->keep)
        return;
    const size_t slot = find_slot(m, state, places);
    if (m->slots[slot])
        return;
    memcpy(m->next + m->n_next * m->stride, state, m->stride);
    m->next_origins[m->n_next] = (uint32_t)from << CHAIN_BITS | chain;
    m->slots[slot] = (uint32_t)++m->n_next;
    if (m->n_next == m->room)
        thin_out(m);
}

/* --- steps ----------------------------------------------------------------*/

/* Whether t may run in a state. */
static bool
may_run(const struct bidirectional *m, const uint8_t *state, uint32_t t)
{
    const uint8_t *after = m->c.after + (size_t)t * m->c.n_chains;
    const uint8_t *holds = state + m->keys_at;
    const struct compact_txn d = m->c.txns[t];
    for (uint32_t i = d.reads; i < d.writes; i++)
        if (holds[m->c.cells.at[i].key] != m->c.cells.at[i].value)
            return false;
    for (uint32_t c = 0; c < m->c.n_chains; c++)
        if (state[c] < after[c])
            return false;
    return true;
}

static void
step_forward(struct bidirectional *m, const uint8_t *state, size_t index)
{
    const struct chains *g = m->g;
    uint32_t may[COMPACT_CHAINS], n = 0;
    for (uint32_t c = 0; c < m->c.n_chains; c++) {
        const uint32_t t = g->first[c] + state[c];
        if (t == g->first[c + 1] || !may_run(m, state, t))
            continue;
        may[n++] = c;
        if (m->c.txns[t].writes == m->c.txns[t].end) {
            // It only reads, so running it now excludes nothing.
            may[0] = c;
            n = 1;
            break;
        }
    }
    uint8_t next[COMPACT_CHAINS + COMPACT_KEYS];
    for (uint32_t i = 0; i < n; i++) {
        const struct compact_txn d =
            m->c.txns[g->first[may[i]] + state[may[i]]];
        memcpy(next, state, m->stride);
        next[may[i]]++;
        for (uint32_t j = d.writes; j < d.end; j++)
            next[m->keys_at + m->c.cells.at[j].key] = m->c.cells.at[j].value;
        add_state(m, next, index, may[i]);
    }
}

/* Whether t, which is the last of its session, may be the last of all. */
static bool
may_be_last(const struct bidirectional *m, const uint8_t *state, uint32_t t)
{
    const uint8_t *before = m->c.before + (size_t)t * m->c.n_chains;
    const uint8_t *required = state + m->keys_at;
    const struct compact_txn d = m->c.txns[t];
    // What it reads of keys that it writes does not concern later transactions.
    for (uint32_t i = d.kept; i < d.end; i++) {
        const uint8_t value = required[m->c.cells.at[i].key];
        if (value != HOLDS_ANYTHING && value != m->c.cells.at[i].value)
            return false;
    }
    for (uint32_t c = 0; c < m->c.n_chains; c++)
        if (state[c] > before[c])
            return false;
    return true;
}

static void
step_backward(struct bidirectional *m, const uint8_t *state, size_t index)
{
    const struct chains *g = m->g;
    uint8_t next[COMPACT_CHAINS + COMPACT_KEYS];
    for (uint32_t c = 0; c < m->c.n_chains; c++) {
        const uint32_t t = g->first[c] + state[c] - 1;
        if (!state[c] || !may_be_last(m, state, t))
            continue;
        const struct compact_txn d = m->c.txns[t];
        memcpy(next, state, m->stride);
        next[c]--;
        for (uint32_t i = d.writes; i < d.end; i++)
            next[m->keys_at + m->c.cells.at[i].key] = HOLDS_ANYTHING;
        for (uint32_t i = d.reads; i < d.writes; i++)
            next[m->keys_at + m->c.cells.at[i].key] = m->c.cells.at[i].value;
        add_state(m, next, index, c);
    }
}

/* Advance a side by one step.  Returns false where it has no state left or the
 * budget is spent. */
static bool
advance(struct bidirectional *m, struct side *s)
{
    m->n_next = 0;
    m->keep = UINT64_MAX;
    m->next_origins = mem_alloc(m->room, sizeof *m->next_origins);
    memset(m->slots, 0, 2 * m->room * sizeof *m->slots);
    for (size_t i = 0; i < s->n; i++) {
        if (i % TUNE_BIDIRECTIONAL_SPEND == 0 &&
            !budget_spend(m->budget,
                          TUNE_BIDIRECTIONAL_SPEND * TUNE_BIDIRECTIONAL_STEPS))
            break;
        if (s == &m->forward)
            step_forward(m, s->states + i * m->stride, i);
        else
            step_backward(m, s->states + i * m->stride, i);
    }
    m->next_origins =
        mem_realloc(m->next_origins, m->n_next, sizeof *m->next_origins);
    vec_push(&s->origins, m->next_origins);
    uint8_t *swap = s->states;
    s->states = m->next;
    m->next = swap;
    s->n = m->n_next;
    return s->n && !budget_is_spent(m->budget);
}

/* --- where the sides meet ------------------------------------------------- */

static bool
holds_what_is_required(const struct bidirectional *m, const uint8_t *front,
                       const uint8_t *rear)
{
    bool ok = true;
    for (size_t i = m->keys_at; i < m->keys_at + m->c.n_keys; i++)
        ok &= rear[i] == HOLDS_ANYTHING || rear[i] == front[i];
    return ok;
}

/* Find two states, one of each side, that meet. */
static bool
find_pair(const struct bidirectional *m, size_t *front, size_t *rear)
{
    const size_t mask = 2 * m->room - 1;
    uint32_t *head = mem_calloc(mask + 1, sizeof *head); // plus 1
    uint32_t *next = mem_calloc(m->backward.n, sizeof *next);
    for (size_t i = 0; i < m->backward.n; i++) {
        const uint8_t *state = m->backward.states + i * m->stride;
        uint32_t *place = &head[(hash_places(m, state) >> 32) & mask];
        next[i] = *place;
        *place = (uint32_t)i + 1;
    }
    bool found = false;
    for (size_t i = 0; !found && i < m->forward.n; i++) {
        const uint8_t *a = m->forward.states + i * m->stride;
        for (uint32_t j = head[(hash_places(m, a) >> 32) & mask]; !found && j;
             j = next[j - 1]) {
            const uint8_t *b = m->backward.states + (j - 1) * m->stride;
            found = memcmp(a, b, m->c.n_chains) == 0 &&
                    holds_what_is_required(m, a, b);
            *front = i;
            *rear = j - 1;
        }
    }
    mem_free(head);
    mem_free(next);
    return found;
}

/* The order that leads to the one state and from there, through the other, to
 * the end. */
static void
write_order(const struct bidirectional *m, size_t front, size_t rear,
            uint32_t *out)
{
    const struct chains *g = m->g;
    size_t n = m->forward.origins.n;
    for (size_t i = n; i--;
         front = m->forward.origins.at[i][front] >> CHAIN_BITS)
        out[i] = m->forward.origins.at[i][front] & ((1u << CHAIN_BITS) - 1);
    for (size_t i = m->backward.origins.n; i--;
         rear = m->backward.origins.at[i][rear] >> CHAIN_BITS)
        out[n++] = m->backward.origins.at[i][rear] & ((1u << CHAIN_BITS) - 1);
    assert(n == g->n);
    uint32_t at[COMPACT_CHAINS];
    memcpy(at, g->first, g->n_chains * sizeof *at);
    for (size_t i = 0; i < n; i++) { // from chains to their transactions
        assert(at[out[i]] < g->first[out[i] + 1]);
        out[i] = at[out[i]]++;
    }
}

/* --- all of it ------------------------------------------------------------*/

static void
init_sides(struct bidirectional *m)
{
    const struct chains *g = m->g;
    const size_t bytes = m->room * m->stride;
    m->forward.states = mem_alloc(bytes, 1);
    m->backward.states = mem_alloc(bytes, 1);
    m->next = mem_alloc(bytes, 1);
    m->slots = mem_alloc(2 * m->room, sizeof *m->slots);
    memset(m->forward.states, 0, m->stride);
    memset(m->backward.states, 0, m->stride);
    memset(m->forward.states + m->keys_at, HOLDS_INITIAL, m->c.n_keys);
    for (uint32_t c = 0; c < m->c.n_chains; c++)
        m->backward.states[c] = (uint8_t)(g->first[c + 1] - g->first[c]);
    m->forward.n = m->backward.n = 1;
}

static void
free_side(struct side *s)
{
    for (size_t i = 0; i < s->origins.n; i++)
        mem_free(s->origins.at[i]);
    vec_free(&s->origins);
    mem_free(s->states);
    *s = (struct side){0};
}

/* Try with sides of at most m->room states. */
static bool
try(struct bidirectional *m, uint32_t *out)
{
    init_sides(m);
    bool ok = true;
    while (ok && m->forward.origins.n + m->backward.origins.n < m->g->n)
        ok = advance(m, m->forward.n <= m->backward.n ? &m->forward
                                                      : &m->backward);
    size_t front, rear;
    ok = ok && find_pair(m, &front, &rear);
    if (ok)
        write_order(m, front, rear, out);
    free_side(&m->forward);
    free_side(&m->backward);
    mem_free(m->next);
    mem_free(m->slots);
    return ok;
}

bool
bidirectional_search(const struct dependencies *p, unsigned effort,
                     struct budget *budget, uint32_t *out)
{
    assert(effort < TUNE_BIDIRECTIONAL_EFFORTS);
    struct bidirectional m = {.g = &p->g, .budget = budget};
    compact_history_init(&m.c, p);
    m.keys_at = (m.c.n_chains + 7) / 8 * 8;
    m.stride = m.keys_at + (m.c.n_keys + 7) / 8 * 8;
    const size_t each = p->n_txns * sizeof *m.next_origins + 3 * m.stride;
    m.room = (size_t)TUNE_BIDIRECTIONAL_STATES << 2 * effort;
    while (m.room * each > TUNE_BIDIRECTIONAL_BYTES)
        m.room /= 2;
    assert(m.room && (m.room & (m.room - 1)) == 0); // find_slot masks with it
    assert(m.room <= UINT32_MAX >> CHAIN_BITS);     // states are numbered so
    bool found = false;
    do
        found = try(&m, out);
    while (!found && m.is_thinned && ++m.salt < TUNE_BIDIRECTIONAL_TRIES &&
           !budget_is_spent(budget));
    compact_history_free(&m.c);
    return found;
}
