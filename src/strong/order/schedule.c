/* schedule.c -- see schedule.h.
 *
 * The history is run like a store would run it.  Points run one by one, each
 * after all that must precede it.  Of those that could run, the one of least
 * depth in the graph runs that breaks nothing:
 *
 *   - a writer waits while the current version of a key has readers to come;
 *   - an ambiguous read waits until the current value is the one it saw;
 *   - where writers are separate (si), a start takes the locks of its writes
 *     and the commit releases them.
 *
 * When everything waits, the point of least depth runs regardless.  A start
 * runs when its commit can follow at once, and by itself only when nothing else
 * can run: transactions left unfinished hold locks and block each other.
 *
 * Depth comes for free: sorting first in, first out puts points in order of
 * depth, so the rank in that order is the priority.
 *
 * An open transaction is run, and so counts, when everything waits, some read
 * waits for a value that it writes, and it could run without breaking anything.
 * Those that are not needed come last.
 *
 * A point waits on one key and is tried again when something happens there.  On
 * a hot key many may wait repeatedly without success, so the number of trials
 * is bounded.  Beyond the bound no point waits any more.
 *
 * After saturation this order breaks nothing in most histories that hold
 * (doc/design/strong.md has the figures).
 *
 * SPDX-License-Identifier: MIT */
#include "strong/order/schedule.h"

#include "base/limits/tuning.h"
#include "base/paranoid.h"
#include "strong/order/schedule_state.h"

static uint64_t
most_trials(const struct schedule_state *s)
{
    return (uint64_t)TUNE_SCHEDULE_TRIALS * s->p->g.n;
}

/* Run a point or let it wait.  A start also waits for its commit, unless 'half'
 * is set because no other point can run. */
static void
try_point(struct schedule_state *s, uint32_t point, bool half)
{
    const bool pair =
        !schedule_is_commit(s, point); // the commit is another point
    if (schedule_is_instant(s, point) || s->trials++ > most_trials(s)) {
        schedule_state_run(s, point);
        return;
    }
    const dense_id t = point_txn(s->p, point);
    key_id k = schedule_is_start(s, point) ? schedule_state_start_waits_on(s, t)
                                           : ID_NONE;
    if (k != ID_NONE) {
        schedule_state_wait(s, point, STATE_WAITING, k);
        return;
    }
    if (!half)
        k = schedule_state_commit_waits_on(s, t, schedule_is_start(s, point));
    if (half || (k == ID_NONE && !(pair && s->missing[point + 1] > 1)))
        schedule_state_run(s, point);
    else
        schedule_state_wait(s, point, pair ? STATE_HALF : STATE_WAITING, k);
}

/* --- optional transactions -------------------------------------------------
 */

/* Whether t, which is open, can run now as if it counted. */
static bool
can_count(struct schedule_state *s, dense_id t)
{
    const struct dependencies *p = s->p;
    const uint32_t start = point_start(p, t);
    assert(depend_is_open(p, t));
    s->trials++;
    if (s->state[start] != STATE_EARLY || s->missing[start] ||
        (p->two_points && s->missing[start + 1] > 1))
        return false;
    for (dense_id next = depend_follower(p, t, DENSE_INIT); next != DENSE_INIT;
         next = depend_follower(p, t, next))
        if (s->state[point_start(p, next)] == STATE_DONE)
            return false;
    return schedule_state_start_waits_on(s, t) == ID_NONE &&
           schedule_state_commit_waits_on(s, t, true) == ID_NONE;
}

/* Run an open transaction that writes what t waits to read. */
static bool
help(struct schedule_state *s, dense_id t)
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
            assert(!s->counting[w - p->n_certain]);
            s->counting[w - p->n_certain] = 1;
            schedule_state_run(s, point_start(p, w));
            if (p->two_points)
                schedule_state_run(s, point_commit(p, w));
            return true;
        }
    }
    return false;
}

/* Help one of those that wait. */
static bool
help_first(struct schedule_state *s)
{
    for (size_t i = 0; i < s->blocked.at.n && i < TUNE_SCHEDULE_HELPED; i++) {
        const uint32_t point = s->f->order[s->blocked.at.at[i]];
        if (s->state[point] == STATE_WAITING && schedule_is_start(s, point) &&
            help(s, point_txn(s->p, point)))
            return true;
    }
    return false;
}

/* Those that were not needed come last, where they break nothing. */
static void
append_unused(struct schedule_state *s)
{
    for (uint32_t i = 0; s->place && i < s->p->g.n; i++)
        if (s->state[i] != STATE_DONE)
            s->out[s->n++] = i;
    assert(s->n == s->p->g.n && !s->left);
}

static void
run_all(struct schedule_state *s)
{
    while (s->left) {
        if (s->place && !s->urgent.at.n && !s->ready.at.n &&
            s->trials <= most_trials(s) && help_first(s))
            continue;
        struct rank_heap *h = s->urgent.at.n  ? &s->urgent
                              : s->ready.at.n ? &s->ready
                              : s->half.at.n  ? &s->half
                                              : &s->blocked;
        const uint32_t point = s->f->order[rank_heap_pop(h)];
        if (h == &s->blocked) {
            if (s->state[point] == STATE_WAITING)
                schedule_state_run(s, point);
        } else if (s->state[point] ==
                   (h == &s->half ? STATE_HALF : STATE_READY)) {
            try_point(s, point, h == &s->half);
        }
    }
}

void
schedule_run(const struct inference *f, uint32_t *out, uint8_t *counting)
{
    assert(!f->unsorted && (counting || f->p->n_txns == f->p->n_certain));
    struct schedule_state s;
    schedule_state_init(&s, f, out, counting);
    run_all(&s);
    PARANOID(schedule_state_check(&s));
    append_unused(&s);
    schedule_state_free(&s);
}
