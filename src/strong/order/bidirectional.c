/* bidirectional.c -- see bidirectional.h.
 *
 * Where a run of the history has come to is how far each session is and what
 * each key holds.  With few keys and values, many runs come to the same state.
 * So the states are enumerated, one transaction after the other: forwards from
 * the beginning, and backwards from the end, where a state is what the rest of
 * the history wants to find in the keys.  The side with fewer states goes on,
 * until no transaction is left between them.  There an order is found where two
 * states are equally far in all sessions and the keys hold what is wanted.
 *
 * A side that grows too large is thinned out: it keeps the states whose places
 * in the sessions have a small hash.  Both sides use the same hash, so states
 * that could meet are kept or lost together.  Then a failure says nothing, and
 * another hash is tried.
 *
 * Known edges hold in every order, so they only save states.
 *
 *   (1) all states of a side have as many transactions behind (forwards) or
 *       before them (backwards), and are different.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/order/bidirectional.h"

enum {
    MOST_CHAINS = 32, // sessions
    MOST_KEYS = 32,
    MOST_PLACES = 254, // transactions of a session
    MOST_VALUES = 254, // of a key
    LEAST_STATES = 1 << 14,
    TRIES = 4, // with different hashes
    CHAIN_BITS = 5,
    SPEND_EVERY = 1 << 12,
    STATE_STEPS = 64, // of a budget, for what may run next
};

// What a key may hold or be wanted to hold; the others are written values.
enum { ANYTHING, INITIAL, FIRST_VALUE };

struct cell {
    uint8_t key, value;
};

/* What a transaction does: it reads cells.at[reads .. writes), from 'kept' on
 * of keys that it does not write, and writes [writes .. end). */
struct deed {
    uint32_t reads, kept, writes, end;
};

/* The states of a side, and how each came to be, step by step. */
struct side {
    uint8_t *states; // places of the sessions, then contents of the keys
    size_t n;
    VEC(uint32_t *)
    came; // by step, by state: state before << CHAIN_BITS, chain
};

struct meeting {
    const struct dependencies *p;
    struct budget *budget;
    uint32_t n_chains, n_keys;
    size_t keys_at, stride; // in a state: where the keys begin, where it ends

    struct deed *deeds;
    VEC(struct cell) cells;
    uint8_t *after;  // by transaction and chain: places that must be behind it
    uint8_t *before; // the first place that must be to come

    struct side forth, back;
    uint8_t *next; // the states of the next step
    uint32_t *next_came;
    size_t n_next, room;
    uint32_t *slots;     // indices into 'next' plus 1; twice the room
    uint64_t salt, keep; // hashes of places above 'keep' are dropped
    bool is_thinned;
};

/* --- the history ----------------------------------------------------------*/

/* By value id: what it is called here.  false: too many values of a key. */
static bool
name_values(const struct dependencies *p, uint8_t *name)
{
    for (key_id k = 0; k < p->h->n_keys; k++) {
        uint32_t n = FIRST_VALUE;
        const version_id first = p->key_first[k];
        for (version_id v = first; v < p->key_first[k + 1]; v++) {
            uint8_t *it = &name[p->version_value[v]];
            if (v == first)
                *it = INITIAL;
            else if (!*it && n > MOST_VALUES)
                return false;
            else if (!*it)
                *it = (uint8_t)n++;
        }
    }
    return true;
}

/* Whether some transaction saw two values of a key; then no order will do. */
static bool
has_contradiction(const struct dependencies *p)
{
    for (dense_id t = 0; t < p->n_txns; t++)
        for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++)
            for (read_id q = p->read_first[t]; q < r; q++)
                if (read_key(p, q) == read_key(p, r))
                    return true;
    return false;
}

bool
bidirectional_suits(const struct dependencies *p)
{
    const struct chains *g = &p->g;
    uint32_t keys = 0;
    for (key_id k = 0; k < p->h->n_keys; k++)
        keys += p->key_first[k + 1] > p->key_first[k];
    bool suits = level_is_serial(p->level) && g->n == p->n_txns && g->n &&
                 p->n_txns == p->n_certain && g->n_chains <= MOST_CHAINS &&
                 keys <= MOST_KEYS;
    for (uint32_t c = 0; suits && c < g->n_chains; c++)
        suits = g->first[c + 1] - g->first[c] <= MOST_PLACES;
    uint8_t *name = mem_calloc(p->h->n_values, sizeof *name);
    suits = suits && name_values(p, name) && !has_contradiction(p);
    mem_free(name);
    return suits;
}

static bool
writes_key(const struct dependencies *p, dense_id t, key_id k)
{
    for (uint32_t i = p->write_first[t]; i < p->write_first[t + 1]; i++)
        if (p->version_key[p->write[i]] == k)
            return true;
    return false;
}

/* The reads of t of keys that it writes as well, or of the others. */
static void
note_reads(struct meeting *m, dense_id t, bool written, const uint8_t *key,
           const uint8_t *value)
{
    const struct dependencies *p = m->p;
    for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++) {
        const version_id v = p->read_version[r];
        const uint8_t what =
            v == VERSION_NONE       ? value[p->h->op_value[p->read_op[r]]]
            : version_is_init(p, v) ? INITIAL
                                    : value[p->version_value[v]];
        if (writes_key(p, t, read_key(p, r)) == written)
            vec_push(&m->cells, ((struct cell){key[read_key(p, r)], what}));
    }
}

static void
note_deeds(struct meeting *m)
{
    const struct dependencies *p = m->p;
    uint8_t *value = mem_calloc(p->h->n_values, sizeof *value);
    (void)name_values(p, value);
    uint8_t *key = mem_calloc(p->h->n_keys, sizeof *key);
    for (key_id k = 0; k < p->h->n_keys; k++)
        if (p->key_first[k + 1] > p->key_first[k])
            key[k] = (uint8_t)m->n_keys++;
    m->deeds = mem_alloc(p->n_txns, sizeof *m->deeds);
    for (dense_id t = 0; t < p->n_txns; t++) {
        struct deed *d = &m->deeds[t];
        d->reads = (uint32_t)m->cells.n;
        note_reads(m, t, true, key, value);
        d->kept = (uint32_t)m->cells.n;
        note_reads(m, t, false, key, value);
        d->writes = (uint32_t)m->cells.n;
        for (uint32_t i = p->write_first[t]; i < p->write_first[t + 1]; i++) {
            const version_id v = p->write[i];
            vec_push(&m->cells, ((struct cell){key[p->version_key[v]],
                                               value[p->version_value[v]]}));
        }
        d->end = (uint32_t)m->cells.n;
    }
    mem_free(key);
    mem_free(value);
}

static void
note_edges(struct meeting *m)
{
    const struct chains *g = &m->p->g;
    const size_t n = (size_t)g->n * g->n_chains;
    m->after = mem_calloc(n, sizeof *m->after);
    m->before = mem_alloc(n, sizeof *m->before);
    memset(m->before, 0xff, n);
    for (size_t e = 0; e < g->edges.n; e++) {
        const uint32_t from = g->edges.at[e].from, to = g->edges.at[e].to;
        const struct seat a = g->seat[from], b = g->seat[to];
        uint8_t *after = &m->after[(size_t)to * g->n_chains + a.chain];
        uint8_t *before = &m->before[(size_t)from * g->n_chains + b.chain];
        *after = *after > a.place ? *after : (uint8_t)(a.place + 1);
        *before = *before < b.place ? *before : (uint8_t)b.place;
    }
}

/* --- the states of the next step
 * --------------------------------------------*/

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
hash_places(const struct meeting *m, const uint8_t *state)
{
    return hash_words(m->salt, state, m->keys_at);
}

/* Where a state is, or belongs, whose places have that hash. */
static size_t
find_slot(const struct meeting *m, const uint8_t *state, uint64_t places)
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
thin_out(struct meeting *m)
{
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
            m->next_came[m->n_next] = m->next_came[i];
            m->n_next++;
        }
    }
}

static void
add_state(struct meeting *m, const uint8_t *state, size_t from, uint32_t chain)
{
    const uint64_t places = hash_places(m, state);
    if (places > m->keep)
        return;
    const size_t slot = find_slot(m, state, places);
    if (m->slots[slot])
        return;
    memcpy(m->next + m->n_next * m->stride, state, m->stride);
    m->next_came[m->n_next] = (uint32_t)from << CHAIN_BITS | chain;
    m->slots[slot] = (uint32_t)++m->n_next;
    if (m->n_next == m->room)
        thin_out(m);
}

/* --- steps ----------------------------------------------------------------*/

/* Whether t may run in a state. */
static bool
may_run(const struct meeting *m, const uint8_t *state, uint32_t t)
{
    const uint8_t *after = m->after + (size_t)t * m->n_chains;
    const uint8_t *holds = state + m->keys_at;
    const struct deed d = m->deeds[t];
    for (uint32_t i = d.reads; i < d.writes; i++)
        if (holds[m->cells.at[i].key] != m->cells.at[i].value)
            return false;
    for (uint32_t c = 0; c < m->n_chains; c++)
        if (state[c] < after[c])
            return false;
    return true;
}

static void
step_forth(struct meeting *m, const uint8_t *state, size_t index)
{
    const struct chains *g = &m->p->g;
    uint32_t may[MOST_CHAINS], n = 0;
    for (uint32_t c = 0; c < m->n_chains; c++) {
        const uint32_t t = g->first[c] + state[c];
        if (t == g->first[c + 1] || !may_run(m, state, t))
            continue;
        may[n++] = c;
        if (m->deeds[t].writes == m->deeds[t].end) {
            // It only reads, so it stands in nobody's way.
            may[0] = c;
            n = 1;
            break;
        }
    }
    uint8_t next[MOST_CHAINS + MOST_KEYS];
    for (uint32_t i = 0; i < n; i++) {
        const struct deed d = m->deeds[g->first[may[i]] + state[may[i]]];
        memcpy(next, state, m->stride);
        next[may[i]]++;
        for (uint32_t j = d.writes; j < d.end; j++)
            next[m->keys_at + m->cells.at[j].key] = m->cells.at[j].value;
        add_state(m, next, index, may[i]);
    }
}

/* Whether t, which is the last of its session, may be the last of all. */
static bool
may_be_last(const struct meeting *m, const uint8_t *state, uint32_t t)
{
    const uint8_t *before = m->before + (size_t)t * m->n_chains;
    const uint8_t *wants = state + m->keys_at;
    const struct deed d = m->deeds[t];
    // What it wants of keys that it writes is nobody else's business.
    for (uint32_t i = d.kept; i < d.end; i++) {
        const uint8_t want = wants[m->cells.at[i].key];
        if (want != ANYTHING && want != m->cells.at[i].value)
            return false;
    }
    for (uint32_t c = 0; c < m->n_chains; c++)
        if (state[c] > before[c])
            return false;
    return true;
}

static void
step_back(struct meeting *m, const uint8_t *state, size_t index)
{
    const struct chains *g = &m->p->g;
    uint8_t next[MOST_CHAINS + MOST_KEYS];
    for (uint32_t c = 0; c < m->n_chains; c++) {
        const uint32_t t = g->first[c] + state[c] - 1;
        if (!state[c] || !may_be_last(m, state, t))
            continue;
        const struct deed d = m->deeds[t];
        memcpy(next, state, m->stride);
        next[c]--;
        for (uint32_t i = d.writes; i < d.end; i++)
            next[m->keys_at + m->cells.at[i].key] = ANYTHING;
        for (uint32_t i = d.reads; i < d.writes; i++)
            next[m->keys_at + m->cells.at[i].key] = m->cells.at[i].value;
        add_state(m, next, index, c);
    }
}

/* Make one step with a side; false where it has come to nothing or the
 * budget is spent. */
static bool
advance(struct meeting *m, struct side *s)
{
    m->n_next = 0;
    m->keep = UINT64_MAX;
    m->next_came = mem_alloc(m->room, sizeof *m->next_came);
    memset(m->slots, 0, 2 * m->room * sizeof *m->slots);
    for (size_t i = 0; i < s->n; i++) {
        if (i % SPEND_EVERY == 0 &&
            !budget_spend(m->budget, SPEND_EVERY * STATE_STEPS))
            break;
        if (s == &m->forth)
            step_forth(m, s->states + i * m->stride, i);
        else
            step_back(m, s->states + i * m->stride, i);
    }
    m->next_came = mem_realloc(m->next_came, m->n_next, sizeof *m->next_came);
    vec_push(&s->came, m->next_came);
    uint8_t *swap = s->states;
    s->states = m->next;
    m->next = swap;
    s->n = m->n_next;
    return s->n && !budget_is_spent(m->budget);
}

/* --- where they meet ------------------------------------------------------*/

static bool
holds_what_is_wanted(const struct meeting *m, const uint8_t *forth,
                     const uint8_t *back)
{
    bool ok = true;
    for (size_t i = m->keys_at; i < m->keys_at + m->n_keys; i++)
        ok &= back[i] == ANYTHING || back[i] == forth[i];
    return ok;
}

/* Find states of the two sides that meet. */
static bool
find_pair(const struct meeting *m, size_t *forth, size_t *back)
{
    const size_t mask = 2 * m->room - 1;
    uint32_t *head = mem_calloc(mask + 1, sizeof *head); // plus 1
    uint32_t *next = mem_calloc(m->back.n, sizeof *next);
    for (size_t i = 0; i < m->back.n; i++) {
        const uint8_t *state = m->back.states + i * m->stride;
        uint32_t *place = &head[(hash_places(m, state) >> 32) & mask];
        next[i] = *place;
        *place = (uint32_t)i + 1;
    }
    bool found = false;
    for (size_t i = 0; !found && i < m->forth.n; i++) {
        const uint8_t *a = m->forth.states + i * m->stride;
        for (uint32_t j = head[(hash_places(m, a) >> 32) & mask]; !found && j;
             j = next[j - 1]) {
            const uint8_t *b = m->back.states + (j - 1) * m->stride;
            found =
                memcmp(a, b, m->n_chains) == 0 && holds_what_is_wanted(m, a, b);
            *forth = i;
            *back = j - 1;
        }
    }
    mem_free(head);
    mem_free(next);
    return found;
}

/* The order that leads to the one state and from there, through the other, to
 * the end. */
static void
tell_order(const struct meeting *m, size_t forth, size_t back, uint32_t *out)
{
    const struct chains *g = &m->p->g;
    size_t n = m->forth.came.n;
    for (size_t i = n; i--; forth = m->forth.came.at[i][forth] >> CHAIN_BITS)
        out[i] = m->forth.came.at[i][forth] & ((1u << CHAIN_BITS) - 1);
    for (size_t i = m->back.came.n; i--;
         back = m->back.came.at[i][back] >> CHAIN_BITS)
        out[n++] = m->back.came.at[i][back] & ((1u << CHAIN_BITS) - 1);
    uint32_t at[MOST_CHAINS];
    memcpy(at, g->first, g->n_chains * sizeof *at);
    for (size_t i = 0; i < n; i++) // from chains to their transactions
        out[i] = at[out[i]]++;
}

/* --- all of it ------------------------------------------------------------*/

static void
begin_sides(struct meeting *m)
{
    const struct chains *g = &m->p->g;
    const size_t bytes = m->room * m->stride;
    m->forth.states = mem_alloc(bytes, 1);
    m->back.states = mem_alloc(bytes, 1);
    m->next = mem_alloc(bytes, 1);
    m->slots = mem_alloc(2 * m->room, sizeof *m->slots);
    memset(m->forth.states, 0, m->stride);
    memset(m->back.states, 0, m->stride);
    memset(m->forth.states + m->keys_at, INITIAL, m->n_keys);
    for (uint32_t c = 0; c < m->n_chains; c++)
        m->back.states[c] = (uint8_t)(g->first[c + 1] - g->first[c]);
    m->forth.n = m->back.n = 1;
}

static void
end_side(struct side *s)
{
    for (size_t i = 0; i < s->came.n; i++)
        mem_free(s->came.at[i]);
    vec_free(&s->came);
    mem_free(s->states);
    *s = (struct side){0};
}

/* Try with sides of at most m->room states. */
static bool
try(struct meeting *m, uint32_t *out)
{
    begin_sides(m);
    bool ok = true;
    while (ok && m->forth.came.n + m->back.came.n < m->p->n_txns)
        ok = advance(m, m->forth.n <= m->back.n ? &m->forth : &m->back);
    size_t forth, back;
    ok = ok && find_pair(m, &forth, &back);
    if (ok)
        tell_order(m, forth, back, out);
    end_side(&m->forth);
    end_side(&m->back);
    mem_free(m->next);
    mem_free(m->slots);
    return ok;
}

bool
bidirectional_search(const struct dependencies *p, unsigned effort,
                     struct budget *budget, uint32_t *out)
{
    struct meeting m = {.p = p, .budget = budget, .n_chains = p->g.n_chains};
    note_deeds(&m);
    note_edges(&m);
    m.keys_at = (m.n_chains + 7) / 8 * 8;
    m.stride = m.keys_at + (m.n_keys + 7) / 8 * 8;
    const size_t each = p->n_txns * sizeof *m.next_came + 3 * m.stride;
    m.room = (size_t)LEAST_STATES << 2 * effort;
    while (m.room * each > BIDIRECTIONAL_BYTES)
        m.room /= 2;
    assert(m.room <= UINT32_MAX >> CHAIN_BITS); // states are numbered so
    bool found = false;
    do
        found = try(&m, out);
    while (!found && m.is_thinned && ++m.salt < TRIES &&
           !budget_is_spent(budget));
    mem_free(m.deeds);
    vec_free(&m.cells);
    mem_free(m.after);
    mem_free(m.before);
    return found;
}
