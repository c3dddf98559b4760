/* oracle_run.c -- pc, si, ser and the strict levels: every way to run the
 * transactions on a store.
 *
 * levels.md gives each transaction a start and a commit, and places edges on
 * them.  An order of all points that respects the edges is a run of a
 * multi-version store, and the other way round:
 *
 *   - a transaction starts when all earlier ones of its session have committed
 *     (SO), and at the strict levels all that had ended before it began;
 *   - at its start it reads what was last committed (WR, RW);
 *   - at its commit it installs its writes (WW); at si nobody may have
 * committed a write of a common key since its start;
 *   - at ser, start and commit are one.
 *
 * Values decide, so writers of repeated values need no choice.  An
 * indeterminate transaction may be run or not; one that never commits does not
 * count.  When a later one of its session starts, it never will.
 *
 * A version of a row that names the one before it commits after that one, and
 * no two name the same one.
 *
 * A list is the concatenation of what those appended that have committed.  A
 * list read after own appends fixes where in the order of the list its
 * transaction stands: directly behind what it saw.  So at the commit the list
 * must still be that.
 *
 * States that were reached before are not tried again.
 *
 * SPDX-License-Identifier: MIT */
#include "oracle.h"

enum { RUN_KEYS = 8 };

enum phase { WAITING, STARTED, COMMITTED, SKIPPED };

/* Compared as bytes: all-zero before it is filled, without padding. */
struct state {
    uint8_t phase[ORACLE_RUN_TXNS];
    uint8_t late[ORACLE_RUN_TXNS]; // si: may not commit any more
    uint8_t appended[ORACLE_RUN_TXNS], n_appended; // who appended, in order
    uint8_t unused[3];
    int32_t value[RUN_KEYS]; // registers
};

struct runs {
    const struct view *v;
    enum level level;
    VEC(struct state) states; // all that were reached, to be tried in turn
    uint32_t *slots;          // index of states: number + 1; 0 = empty
    size_t slots_n;
};

/* --- states that were reached ---------------------------------------------*/

static uint64_t
hash(const struct state *s)
{
    const uint8_t *p = (const uint8_t *)s;
    uint64_t x = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < sizeof *s; i++)
        x = (x ^ p[i]) * UINT64_C(0x100000001b3);
    return x ^ x >> 29;
}

static void
index_state(struct runs *r, size_t i)
{
    size_t slot = hash(&r->states.at[i]) & (r->slots_n - 1);
    while (r->slots[slot])
        slot = (slot + 1) & (r->slots_n - 1);
    r->slots[slot] = (uint32_t)i + 1;
}

static void
reach(struct runs *r, const struct state *s)
{
    size_t slot = hash(s) & (r->slots_n - 1);
    for (; r->slots[slot]; slot = (slot + 1) & (r->slots_n - 1))
        if (memcmp(&r->states.at[r->slots[slot] - 1], s, sizeof *s) == 0)
            return;
    vec_push(&r->states, *s);
    if (r->states.n * 2 < r->slots_n) {
        r->slots[slot] = (uint32_t)r->states.n;
        return;
    }
    mem_free(r->slots);
    r->slots_n *= 4;
    r->slots = mem_calloc(r->slots_n, sizeof *r->slots);
    for (size_t i = 0; i < r->states.n; i++)
        index_state(r, i);
}

/* --- one step -------------------------------------------------------------*/

/* Whether the list of that key is exactly these n elements. */
static bool
list_is(const struct runs *r, const struct state *s, uint32_t key,
        const int64_t *items, uint32_t n)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < s->n_appended; i++) {
        uint32_t more;
        const int64_t *elements =
            view_appended(r->v, s->appended[i], key, &more);
        for (uint32_t j = 0; j < more; j++, at++)
            if (at >= n || items[at] != elements[j])
                return false;
    }
    return at == n;
}

static bool
sees(const struct runs *r, const struct state *s, const struct view_read *read)
{
    return read->is_list ? list_is(r, s, read->key, read->items, read->n)
                         : view_fits(read, s->value[read->key]);
}

static uint64_t
committed(const struct state *s)
{
    uint64_t bits = 0;
    for (uint32_t t = 0; t < ORACLE_RUN_TXNS; t++)
        bits |= (uint64_t)(s->phase[t] == COMMITTED) << t;
    return bits;
}

/* Who writes nothing may as well commit at once. */
static bool
commits_at_once(const struct runs *r, uint32_t t)
{
    return r->level == LEVEL_SER || r->level == LEVEL_STRICT_SER ||
           !r->v->txns.at[t].writes;
}

static bool
may_start(const struct runs *r, const struct state *s, uint32_t t)
{
    const struct view_txn *txn = &r->v->txns.at[t];
    const bool strict =
        r->level == LEVEL_STRICT_SI || r->level == LEVEL_STRICT_SER;
    if (s->phase[t] != WAITING)
        return false;
    for (uint32_t u = 0; u < r->v->txns.n; u++) {
        const struct view_txn *other = &r->v->txns.at[u];
        if (other->optional || s->phase[u] == COMMITTED)
            continue;
        if (view_so(r->v, u, t) || (strict && other->ended < txn->began))
            return false;
    }
    for (uint32_t i = 0; i < txn->reads_n; i++)
        if (!sees(r, s, &r->v->reads.at[txn->reads + i]))
            return false;
    return !commits_at_once(r, t) || view_may_follow(r->v, t, committed(s));
}

static bool
may_commit(const struct runs *r, const struct state *s, uint32_t t)
{
    const struct view_txn *txn = &r->v->txns.at[t];
    if (s->phase[t] != STARTED || s->late[t] ||
        !view_may_follow(r->v, t, committed(s)))
        return false;
    for (uint32_t i = 0; i < txn->reads_n; i++) {
        const struct view_read *read = &r->v->reads.at[txn->reads + i];
        if (read->own && !sees(r, s, read))
            return false;
    }
    return true;
}

static void
commit(const struct runs *r, struct state *s, uint32_t t)
{
    const struct view_txn *txn = &r->v->txns.at[t];
    const bool si = r->level == LEVEL_SI || r->level == LEVEL_STRICT_SI;
    bool appends = false;
    s->phase[t] = COMMITTED;
    s->late[t] = 0;
    for (uint32_t k = 0; k < r->v->n_keys; k++) {
        if (!view_writes(r->v, t, k))
            continue;
        if (txn->appended_n[k])
            appends = true;
        else
            s->value[k] = (int32_t)txn->last[k];
    }
    if (appends)
        s->appended[s->n_appended++] = (uint8_t)t;
    for (uint32_t u = 0; si && u < r->v->txns.n; u++)
        if (s->phase[u] == STARTED && (r->v->txns.at[u].writes & txn->writes))
            s->late[u] = 1;
}

static void
start(const struct runs *r, struct state *s, uint32_t t)
{
    s->phase[t] = STARTED;
    for (uint32_t u = 0; u < t; u++)
        if (view_so(r->v, u, t) && s->phase[u] != COMMITTED) {
            s->phase[u] = SKIPPED;
            s->late[u] = 0;
        }
    if (commits_at_once(r, t))
        commit(r, s, t);
}

/* --- all steps ------------------------------------------------------------*/

static bool
is_done(const struct runs *r, const struct state *s)
{
    for (uint32_t t = 0; t < r->v->txns.n; t++)
        if (!r->v->txns.at[t].optional && s->phase[t] != COMMITTED)
            return false;
    return true;
}

static void
step(struct runs *r, size_t i)
{
    for (uint32_t t = 0; t < r->v->txns.n; t++) {
        struct state s = r->states.at[i];
        if (may_start(r, &s, t))
            start(r, &s, t);
        else if (may_commit(r, &s, t))
            commit(r, &s, t);
        else
            continue;
        reach(r, &s);
    }
}

enum oracle_answer
oracle_run(const struct view *v, enum level l)
{
    if (v->txns.n > ORACLE_RUN_TXNS || v->n_keys > RUN_KEYS)
        return ORACLE_TOO_LONG;
    struct runs r = {.v = v, .level = l, .slots_n = 256};
    r.slots = mem_calloc(r.slots_n, sizeof *r.slots);
    struct state first;
    memset(&first, 0, sizeof first);
    for (uint32_t k = 0; k < v->n_keys; k++)
        first.value[k] = (int32_t)v->initial[k];
    reach(&r, &first);
    enum oracle_answer answer = ORACLE_VIOLATED;
    // The newest first: a run that works is found sooner than by width.
    u32_vec waiting = {0};
    vec_push(&waiting, 0);
    while (waiting.n && answer == ORACLE_VIOLATED) {
        const uint32_t i = vec_pop(&waiting);
        if (is_done(&r, &r.states.at[i]))
            answer = ORACLE_OK;
        const size_t before = r.states.n;
        step(&r, i);
        for (size_t j = before; j < r.states.n; j++)
            vec_push(&waiting, (uint32_t)j);
        if (answer != ORACLE_OK && r.states.n > ORACLE_STEPS)
            answer = ORACLE_TOO_LONG;
    }
    vec_free(&waiting);
    vec_free(&r.states);
    mem_free(r.slots);
    return answer;
}
