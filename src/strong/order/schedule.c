/* schedule.c -- see schedule.h.
 *
 * Points run one by one, each after all that must precede it; of those that
 * could, the one of least depth in the graph that breaks nothing:
 *
 *   - a writer waits while the present version of a key has readers to come;
 *   - an ambiguous read waits until the present value is the one it saw;
 *   - at si a start takes the locks of its writes and the commit releases them.
 *
 * When everything waits, the one of least depth goes on regardless.  A start
 * runs when its commit can follow at once, and by itself only when nothing else
 * can run: transactions left unfinished hold locks and get in each other's way.
 *
 * Depth comes for free: sorting first in, first out puts points in order of
 * depth, so the rank in that order is the priority.
 *
 * An optional transaction is run, and so counts, when everything waits,
 * somebody waits for a value that it writes, and it could run without breaking
 * anything. Those that are not needed come last.
 *
 * Those that wait do so on one key each and are tried again when something
 * happens there.  On a hot key many may wait in vain again and again, so the
 * number of trials is bounded; beyond the bound nobody waits any more.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/order/schedule.h"

enum {
    TRIALS_PER_POINT = 8,
    HELPED_MAX = 64, // of those that wait, so many are looked at
};

enum state {
    STATE_EARLY,   // something that must precede it has not run
    STATE_READY,   // to be looked at
    STATE_HALF,    // a start could run, but its commit not right after it
    STATE_WAITING, // running it would break something
    STATE_DONE,
};

struct rank_heap {
    u32_vec at; // ranks, smallest first
};

/* A point that waits on a key, or did before it was tried again. */
struct waiter {
    uint32_t point, next;
};

struct schedule {
    const struct inference *f;
    const struct dependencies *p;
    uint32_t *missing; // by point: predecessors that have not run
    uint8_t *state;    // by point
    VEC(struct waiter) waiters;
    uint32_t unused;   // of 'waiters': a list, as below
    uint32_t *waiting; // by key: the first of 'waiters', or UINT32_MAX
    version_id *now;   // by key: the present version
    uint32_t *to_come; // by version: readers that have not started
    uint32_t *locked;  // by key, at si: the transaction that holds it
    dense_id *mine;    // by version: stamp of the transaction that read it
    struct rank_heap urgent, ready, half, blocked;
    uint64_t trials;
    uint32_t *out, n;
    uint32_t left; // points to come that have to run

    // Where transactions are optional:
    uint32_t *place; // by read: 1 + its place in p->ambiguous, or 0
    uint8_t *counting;
};

static void
heap_push(struct rank_heap *h, uint32_t rank)
{
    vec_push(&h->at, rank);
    size_t i = h->at.n - 1;
    for (; i && h->at.at[(i - 1) / 2] > rank; i = (i - 1) / 2)
        h->at.at[i] = h->at.at[(i - 1) / 2];
    h->at.at[i] = rank;
}

static uint32_t
heap_pop(struct rank_heap *h)
{
    const uint32_t top = h->at.at[0], last = vec_pop(&h->at);
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= h->at.n)
            break;
        if (child + 1 < h->at.n && h->at.at[child + 1] < h->at.at[child])
            child++;
        if (h->at.at[child] >= last)
            break;
        h->at.at[i] = h->at.at[child];
        i = child;
    }
    if (h->at.n)
        h->at.at[i] = last;
    return top;
}

/* --- what a point is to the store ------------------------------------------
 */

static bool
is_instant(const struct schedule *s, uint32_t point)
{
    return point >= depend_txn_points(s->p);
}

static bool
is_start(const struct schedule *s, uint32_t point)
{
    return !s->p->two_points || point % 2 == 0;
}

static bool
is_commit(const struct schedule *s, uint32_t point)
{
    return !s->p->two_points || point % 2 == 1;
}

/* Whether a point runs only if it is needed. */
static bool
is_spare(const struct schedule *s, uint32_t point)
{
    return s->place && !is_instant(s, point) &&
           !depend_is_certain(s->p, point_txn(s->p, point));
}

static void
make_ready(struct schedule *s, uint32_t point)
{
    if (is_spare(s, point))
        return;
    s->state[point] = STATE_READY;
    const bool urgent =
        is_instant(s, point) || (s->p->two_points && is_commit(s, point));
    heap_push(urgent ? &s->urgent : &s->ready, s->f->rank[point]);
}

/* A key on which the start of t has to wait, or ID_NONE. */
static key_id
start_waits_on(const struct schedule *s, dense_id t)
{
    const struct dependencies *p = s->p;
    for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++)
        if (p->read_version[r] == VERSION_NONE &&
            !version_serves(p, s->now[read_key(p, r)], r))
            return read_key(p, r);
    if (p->separates_writers)
        for (uint32_t i = p->write_first[t]; i < p->write_first[t + 1]; i++)
            if (s->locked[p->version_key[p->write[i]]] != UINT32_MAX)
                return p->version_key[p->write[i]];
    return ID_NONE;
}

/* The same for its commit; 'with_start' where both would run together. */
static key_id
commit_waits_on(struct schedule *s, dense_id t, bool with_start)
{
    const struct dependencies *p = s->p;
    if (with_start) // its own reads come with it and do not hold it up
        for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++)
            if (p->read_version[r] != VERSION_NONE)
                s->mine[p->read_version[r]] = t;
    for (uint32_t i = p->write_first[t]; i < p->write_first[t + 1]; i++) {
        const key_id k = p->version_key[p->write[i]];
        const version_id v = s->now[k];
        const bool own = with_start && s->mine[v] == t;
        if (s->to_come[v] > own)
            return k;
    }
    return ID_NONE;
}

/* Whether so much was tried in vain that nobody waits any more. */
static bool
is_tired(struct schedule *s)
{
    return s->trials++ > (uint64_t)TRIALS_PER_POINT * s->p->g.n;
}

static void
wake(struct schedule *s, key_id k)
{
    while (s->waiting[k] != UINT32_MAX) {
        const uint32_t i = s->waiting[k];
        struct waiter *w = &s->waiters.at[i];
        if (s->state[w->point] == STATE_WAITING ||
            s->state[w->point] == STATE_HALF)
            make_ready(s, w->point);
        s->waiting[k] = w->next;
        w->next = s->unused;
        s->unused = i;
    }
}

static void
enlist(struct schedule *s, uint32_t point, key_id k)
{
    if (s->unused == UINT32_MAX) {
        s->unused = (uint32_t)s->waiters.n;
        vec_push(&s->waiters, ((struct waiter){0, UINT32_MAX}));
    }
    const uint32_t i = s->unused;
    s->unused = s->waiters.at[i].next;
    s->waiters.at[i] = (struct waiter){point, s->waiting[k]};
    s->waiting[k] = i;
}

static void
start(struct schedule *s, dense_id t)
{
    const struct dependencies *p = s->p;
    for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++) {
        const version_id v = p->read_version[r];
        if (v != VERSION_NONE && --s->to_come[v] == 0)
            wake(s, p->version_key[v]);
    }
    if (p->separates_writers)
        for (uint32_t i = p->write_first[t]; i < p->write_first[t + 1]; i++)
            s->locked[p->version_key[p->write[i]]] = t;
}

static void
commit(struct schedule *s, dense_id t)
{
    const struct dependencies *p = s->p;
    for (uint32_t i = p->write_first[t]; i < p->write_first[t + 1]; i++) {
        const key_id k = p->version_key[p->write[i]];
        s->now[k] = p->write[i];
        if (p->separates_writers && s->locked[k] == t)
            s->locked[k] = UINT32_MAX;
        wake(s, k);
    }
}

static void
run_point(struct schedule *s, uint32_t point)
{
    const struct chains *g = &s->p->g;
    s->state[point] = STATE_DONE;
    s->out[s->n++] = point;
    s->left -= !is_spare(s, point);
    if (!is_instant(s, point)) {
        const dense_id t = point_txn(s->p, point);
        if (is_start(s, point))
            start(s, t);
        if (is_commit(s, point))
            commit(s, t);
    }
    if (chains_has_next(g, point) && --s->missing[point + 1] == 0)
        make_ready(s, point + 1);
    struct chain_walk w = chains_out(g, point);
    for (uint32_t to; chains_next_out(g, &w, &to);)
        if (--s->missing[to] == 0)
            make_ready(s, to);
        else if (s->missing[to] == 1 && !is_instant(s, to) &&
                 !is_start(s, to) && s->state[to - 1] == STATE_HALF)
            make_ready(s, to - 1); // its commit waits for nothing else now
}

static void
let_wait(struct schedule *s, uint32_t point, enum state as, key_id k)
{
    s->state[point] = as;
    if (k != ID_NONE)
        enlist(s, point, k);
    heap_push(as == STATE_HALF ? &s->half : &s->blocked, s->f->rank[point]);
}

/* Run a point or let it wait.  A start waits for its commit too, as long as
 * others can do something better than leave a transaction unfinished. */
static void
try_point(struct schedule *s, uint32_t point, bool half)
{
    const bool pair = !is_commit(s, point); // the commit is another point
    if (is_instant(s, point) || is_tired(s)) {
        run_point(s, point);
        return;
    }
    const dense_id t = point_txn(s->p, point);
    key_id k = is_start(s, point) ? start_waits_on(s, t) : ID_NONE;
    if (k != ID_NONE) {
        let_wait(s, point, STATE_WAITING, k);
        return;
    }
    if (!half)
        k = commit_waits_on(s, t, is_start(s, point));
    if (half || (k == ID_NONE && !(pair && s->missing[point + 1] > 1)))
        run_point(s, point);
    else
        let_wait(s, point, pair ? STATE_HALF : STATE_WAITING, k);
}

/* --- optional transactions -------------------------------------------------
 */

/* Whether t, which is open, can run now as if it counted. */
static bool
can_count(struct schedule *s, dense_id t)
{
    const struct dependencies *p = s->p;
    const uint32_t start = point_start(p, t);
    s->trials++;
    if (s->state[start] != STATE_EARLY || s->missing[start] ||
        (p->two_points && s->missing[start + 1] > 1))
        return false;
    for (dense_id next = depend_follower(p, t, DENSE_INIT); next != DENSE_INIT;
         next = depend_follower(p, t, next))
        if (s->state[point_start(p, next)] == STATE_DONE)
            return false;
    return start_waits_on(s, t) == ID_NONE &&
           commit_waits_on(s, t, true) == ID_NONE;
}

/* Run an open transaction that writes what t waits to read. */
static bool
help(struct schedule *s, dense_id t)
{
    const struct dependencies *p = s->p;
    for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++) {
        if (p->read_version[r] != VERSION_NONE || !s->place[r] ||
            version_serves(p, s->now[read_key(p, r)], r))
            continue;
        const struct candidates c = p->ambiguous.at[s->place[r] - 1];
        for (uint32_t i = 0; i < c.n; i++) {
            const dense_id w = p->version_txn[p->pool.items.at[c.first + i]];
            if (!depend_is_open(p, w) || w == t || !can_count(s, w))
                continue;
            s->counting[w - p->n_certain] = 1;
            run_point(s, point_start(p, w));
            if (p->two_points)
                run_point(s, point_commit(p, w));
            return true;
        }
    }
    return false;
}

/* Help one of those that wait. */
static bool
help_anybody(struct schedule *s)
{
    for (size_t i = 0; i < s->blocked.at.n && i < HELPED_MAX; i++) {
        const uint32_t point = s->f->order[s->blocked.at.at[i]];
        if (s->state[point] == STATE_WAITING && is_start(s, point) &&
            help(s, point_txn(s->p, point)))
            return true;
    }
    return false;
}

/* Those that were not needed come last, where they are in nobody's way. */
static void
append_unused(struct schedule *s)
{
    for (uint32_t i = 0; s->place && i < s->p->g.n; i++)
        if (s->state[i] != STATE_DONE)
            s->out[s->n++] = i;
    assert(s->n == s->p->g.n);
}

static void
run_all(struct schedule *s)
{
    while (s->left) {
        if (s->place && !s->urgent.at.n && !s->ready.at.n &&
            s->trials <= (uint64_t)TRIALS_PER_POINT * s->p->g.n &&
            help_anybody(s))
            continue;
        struct rank_heap *h = s->urgent.at.n  ? &s->urgent
                              : s->ready.at.n ? &s->ready
                              : s->half.at.n  ? &s->half
                                              : &s->blocked;
        const uint32_t point = s->f->order[heap_pop(h)];
        if (h == &s->blocked) {
            if (s->state[point] == STATE_WAITING)
                run_point(s, point);
        } else if (s->state[point] ==
                   (h == &s->half ? STATE_HALF : STATE_READY)) {
            try_point(s, point, h == &s->half);
        }
    }
}

static void
prepare(struct schedule *s)
{
    const struct dependencies *p = s->p;
    const uint32_t n_keys = p->h->n_keys;
    s->missing = mem_alloc(p->g.n, sizeof *s->missing);
    s->state = mem_calloc(p->g.n, sizeof *s->state);
    s->unused = UINT32_MAX;
    s->waiting = mem_alloc(n_keys, sizeof *s->waiting);
    memset(s->waiting, 0xff, n_keys * sizeof *s->waiting);
    s->now = mem_alloc(n_keys, sizeof *s->now);
    memcpy(s->now, p->key_first, n_keys * sizeof *s->now);
    s->locked = mem_alloc(n_keys, sizeof *s->locked);
    memset(s->locked, 0xff, n_keys * sizeof *s->locked);
    s->to_come = mem_calloc(p->n_versions, sizeof *s->to_come);
    s->mine = mem_alloc(p->n_versions, sizeof *s->mine);
    memset(s->mine, 0xff, p->n_versions * sizeof *s->mine);
    for (read_id r = 0; r < p->n_reads; r++)
        if (p->read_version[r] != VERSION_NONE)
            s->to_come[p->read_version[r]]++;
    for (uint32_t i = 0; i < p->g.n; i++)
        s->missing[i] = chains_has_previous(&p->g, i);
    for (size_t e = 0; e < p->g.edges.n; e++)
        s->missing[p->g.edges.at[e].to]++;
    s->left = p->g.n;
    if (p->n_txns > p->n_certain) {
        s->place = mem_calloc(p->n_reads, sizeof *s->place);
        for (uint32_t i = 0; i < p->ambiguous.n; i++)
            s->place[p->ambiguous.at[i].read] = i + 1;
        for (dense_id t = p->n_certain; t < p->n_txns; t++)
            s->left -= depend_is_certain(p, t) ? 0 : 1 + p->two_points;
    }
    for (uint32_t i = 0; i < p->g.n; i++)
        if (!s->missing[i])
            make_ready(s, i);
}

void
schedule_run(const struct inference *f, uint32_t *out, uint8_t *counting)
{
    struct schedule s = {.f = f, .p = f->p, .out = out, .counting = counting};
    prepare(&s);
    run_all(&s);
    append_unused(&s);
    mem_free(s.missing);
    mem_free(s.state);
    vec_free(&s.waiters);
    mem_free(s.waiting);
    mem_free(s.now);
    mem_free(s.locked);
    mem_free(s.to_come);
    mem_free(s.mine);
    mem_free(s.place);
    vec_free(&s.urgent.at);
    vec_free(&s.ready.at);
    vec_free(&s.half.at);
    vec_free(&s.blocked.at);
}
