/* schedule_state.c -- see schedule_state.h.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/order/schedule_state.h"

#include "base/paranoid.h"

/* --- who waits ------------------------------------------------------------ */

/* Whether a point belongs to an open transaction, which runs only if another
 * needs it. */
static bool
is_spare(const struct schedule_state *s, uint32_t point)
{
    return s->place && !schedule_is_instant(s, point) &&
           !depend_is_certain(s->p, point_txn(s->p, point));
}

static void
make_ready(struct schedule_state *s, uint32_t point)
{
    if (is_spare(s, point))
        return;
    s->state[point] = STATE_READY;
    const bool urgent = schedule_is_instant(s, point) ||
                        (s->p->two_points && schedule_is_commit(s, point));
    rank_heap_push(urgent ? &s->urgent : &s->ready, s->f->rank[point]);
}

key_id
schedule_state_start_waits_on(const struct schedule_state *s, dense_id t)
{
    const struct dependencies *p = s->p;
    for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++)
        if (p->read_version[r] == VERSION_NONE &&
            !version_serves(p, s->now[read_key(p, r)], r))
            return read_key(p, r);
    if (p->separates_writers)
        for (version_id w = p->write_first[t]; w < p->write_first[t + 1]; w++)
            if (s->locked[p->version_key[w]] != UINT32_MAX)
                return p->version_key[w];
    return ID_NONE;
}

key_id
schedule_state_commit_waits_on(struct schedule_state *s, dense_id t,
                               bool with_start)
{
    const struct dependencies *p = s->p;
    if (with_start) // its own reads come with it and do not hold it up
        for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++)
            if (p->read_version[r] != VERSION_NONE)
                s->mine[read_key(p, r)] =
                    (struct schedule_own){t, p->read_version[r]};
    for (version_id w = p->write_first[t]; w < p->write_first[t + 1]; w++) {
        const key_id k = p->version_key[w];
        const version_id v = s->now[k];
        const bool own =
            with_start && s->mine[k].txn == t && s->mine[k].version == v;
        if (s->to_come[v] > own)
            return k;
    }
    return ID_NONE;
}

/* Try again those that wait on k. */
static void
wake(struct schedule_state *s, key_id k)
{
    while (s->waiting[k] != UINT32_MAX) {
        const uint32_t i = s->waiting[k];
        struct schedule_waiter *w = &s->waiters.at[i];
        if (s->state[w->point] == STATE_WAITING ||
            s->state[w->point] == STATE_HALF)
            make_ready(s, w->point);
        s->waiting[k] = w->next;
        w->next = s->unused;
        s->unused = i;
    }
}

static void
enlist(struct schedule_state *s, uint32_t point, key_id k)
{
    if (s->unused == UINT32_MAX) {
        s->unused = (uint32_t)s->waiters.n;
        vec_push(&s->waiters, ((struct schedule_waiter){0, UINT32_MAX}));
    }
    const uint32_t i = s->unused;
    s->unused = s->waiters.at[i].next;
    s->waiters.at[i] = (struct schedule_waiter){point, s->waiting[k]};
    s->waiting[k] = i;
}

void
schedule_state_wait(struct schedule_state *s, uint32_t point,
                    enum schedule_point_state as, key_id k)
{
    assert(as == STATE_HALF || as == STATE_WAITING);
    assert(s->state[point] == STATE_READY || s->state[point] == STATE_HALF);
    s->state[point] = as;
    if (k != ID_NONE)
        enlist(s, point, k);
    rank_heap_push(as == STATE_HALF ? &s->half : &s->blocked,
                   s->f->rank[point]);
}

/* --- running -------------------------------------------------------------- */

static void
start(struct schedule_state *s, dense_id t)
{
    const struct dependencies *p = s->p;
    for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++) {
        const version_id v = p->read_version[r];
        assert(v == VERSION_NONE || s->to_come[v]);
        if (v != VERSION_NONE && --s->to_come[v] == 0)
            wake(s, p->version_key[v]);
    }
    if (p->separates_writers)
        for (version_id w = p->write_first[t]; w < p->write_first[t + 1]; w++)
            s->locked[p->version_key[w]] = t;
}

static void
commit(struct schedule_state *s, dense_id t)
{
    const struct dependencies *p = s->p;
    for (version_id w = p->write_first[t]; w < p->write_first[t + 1]; w++) {
        const key_id k = p->version_key[w];
        s->now[k] = w;
        if (p->separates_writers && s->locked[k] == t)
            s->locked[k] = UINT32_MAX;
        wake(s, k);
    }
}

void
schedule_state_run(struct schedule_state *s, uint32_t point)
{
    const struct chains *g = &s->p->g;
    assert(s->state[point] != STATE_DONE && !s->missing[point]); // (S1), (S2)
    s->state[point] = STATE_DONE;
    s->out[s->n++] = point;
    assert(is_spare(s, point) || s->left);
    s->left -= !is_spare(s, point);
    if (!schedule_is_instant(s, point)) {
        const dense_id t = point_txn(s->p, point);
        if (schedule_is_start(s, point))
            start(s, t);
        if (schedule_is_commit(s, point))
            commit(s, t);
    }
    if (chains_has_next(g, point) && --s->missing[point + 1] == 0)
        make_ready(s, point + 1);
    struct chain_walk w = chains_out(g, point);
    for (uint32_t to; chains_next_out(g, &w, &to);)
        if (--s->missing[to] == 0)
            make_ready(s, to);
        else if (s->missing[to] == 1 && !schedule_is_instant(s, to) &&
                 !schedule_is_start(s, to) && s->state[to - 1] == STATE_HALF)
            make_ready(s, to - 1); // its commit waits for nothing else now
}

/* --- all of it ------------------------------------------------------------ */

void
schedule_state_init(struct schedule_state *s, const struct inference *f,
                    uint32_t *out, uint8_t *counting)
{
    const struct dependencies *p = f->p;
    *s = (struct schedule_state){
        .f = f, .p = p, .out = out, .counting = counting};
    const uint32_t n_keys = p->h->n_keys;
    s->missing = mem_alloc(p->g.n, sizeof *s->missing);
    s->state = mem_calloc(p->g.n, sizeof *s->state);
    s->unused = UINT32_MAX;
    s->waiting = mem_alloc(n_keys, sizeof *s->waiting);
    memset(s->waiting, 0xff, n_keys * sizeof *s->waiting);
    s->now = mem_alloc(n_keys, sizeof *s->now);
    depend_begin(p, s->now);
    s->locked = mem_alloc(n_keys, sizeof *s->locked);
    memset(s->locked, 0xff, n_keys * sizeof *s->locked);
    s->to_come = mem_calloc(p->n_versions, sizeof *s->to_come);
    s->mine = mem_alloc(n_keys, sizeof *s->mine);
    memset(s->mine, 0xff, n_keys * sizeof *s->mine);
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
schedule_state_free(struct schedule_state *s)
{
    mem_free(s->missing);
    mem_free(s->state);
    vec_free(&s->waiters);
    mem_free(s->waiting);
    mem_free(s->now);
    mem_free(s->locked);
    mem_free(s->to_come);
    mem_free(s->mine);
    mem_free(s->place);
    vec_free(&s->urgent.at);
    vec_free(&s->ready.at);
    vec_free(&s->half.at);
    vec_free(&s->blocked.at);
}

void
schedule_state_check(const struct schedule_state *s)
{
    const struct chains *g = &s->p->g;
    if (g->n > PARANOID_SIZE)
        return;
    uint32_t *missing = mem_calloc(g->n, sizeof *missing);
    uint32_t done = 0;
    for (uint32_t p = 0; p < g->n; p++) {
        done += s->state[p] == STATE_DONE;
        missing[p] +=
            chains_has_previous(g, p) && s->state[p - 1] != STATE_DONE;
    }
    for (size_t e = 0; e < g->edges.n; e++)
        missing[g->edges.at[e].to] +=
            s->state[g->edges.at[e].from] != STATE_DONE;
    ENSURE(done == s->n); // (S1)
    for (uint32_t i = 0; i < s->n; i++)
        ENSURE(s->state[s->out[i]] == STATE_DONE);
    for (uint32_t p = 0; p < g->n; p++)
        ENSURE(missing[p] == s->missing[p]); // (S2)
    mem_free(missing);
}
