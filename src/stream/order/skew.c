/* skew.c -- see skew.h.
 *
 * The bounds are a system of difference constraints.  Relaxation from offsets
 * of 0 that only lowers them gives its greatest solution below 0, one that only
 * raises them gives the least solution above 0.  The mean of two solutions is a
 * solution; it keeps a distance from the bounds, and is 0 where 0 is one.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/order/skew.h"

#include <assert.h>

enum {
    MOST_CLOCKS = 256,
    FIRST_ROOM = 8,
    EVENTS = 1 << 15,     // slots of 'writes' and 'reads'
    GENERATION = 1 << 17, // transactions after which bounds are old
};

#define FAR (INT64_C(1) << 61)       // no time is larger
#define FAR_APART (INT64_C(1) << 50) // no two clocks are, in nanoseconds

void
skew_free(struct skew *c)
{
    mem_free(c->bounds[0]);
    mem_free(c->bounds[1]);
    mem_free(c->offsets);
    mem_free(c->writes);
    mem_free(c->reads);
}

/* --- tables ----------------------------------------------------------------*/

static struct clock_bound *
widen(const struct clock_bound *old, uint32_t from, uint32_t to)
{
    struct clock_bound *wide = mem_calloc((size_t)to * to, sizeof *wide);
    for (uint32_t a = 0; a < from; a++)
        memcpy(wide + (size_t)a * to, old + (size_t)a * from,
               from * sizeof *wide);
    return wide;
}

static void
grow(struct skew *c, uint32_t n)
{
    uint32_t room = c->room ? c->room : FIRST_ROOM;
    while (room < n)
        room *= 2;
    if (room == c->room)
        return;
    for (int i = 0; i < 2; i++) {
        struct clock_bound *wide = widen(c->bounds[i], c->room, room);
        mem_free(c->bounds[i]);
        c->bounds[i] = wide;
    }
    c->offsets = mem_realloc(c->offsets, room, sizeof *c->offsets);
    if (!c->writes) {
        c->writes = mem_calloc(EVENTS, sizeof *c->writes);
        c->reads = mem_calloc(EVENTS, sizeof *c->reads);
    }
    c->room = room;
}

static void
add_clocks(struct skew *c, uint32_t n)
{
    if (n > MOST_CLOCKS) {
        c->is_over = true;
        return;
    }
    grow(c, n);
    while (c->n < n)
        c->offsets[c->n++] = 0;
}

/* --- bounds ----------------------------------------------------------------*/

/* The writer at clock a began, and the reader at clock b ended. */
static void
bound(struct skew *c, uint32_t a, int64_t began, uint32_t b, int64_t ended)
{
    const int64_t most = ended - began;
    if (a == b || most <= -FAR_APART || most >= FAR_APART)
        return;
    struct clock_bound *at = &c->bounds[0][(size_t)a * c->room + b];
    if (at->is_set && at->most <= most)
        return;
    *at = (struct clock_bound){most, true};
    c->is_wrong |= c->offsets[b] - c->offsets[a] > most;
}

static void
note_read(struct skew *c, const struct stream_txn *t, uint64_t hash)
{
    const struct clock_event *w = &c->writes[hash % EVENTS];
    if (w->hash == hash)
        bound(c, w->clock, w->time, t->clock, t->ended);
    c->reads[hash % EVENTS] = (struct clock_event){hash, t->ended, t->clock};
}

static void
note_write(struct skew *c, const struct stream_txn *t, uint64_t hash)
{
    const struct clock_event *r = &c->reads[hash % EVENTS];
    if (r->hash == hash)
        bound(c, t->clock, t->began, r->clock, r->time);
    c->writes[hash % EVENTS] = (struct clock_event){hash, t->began, t->clock};
}

static bool
has_times(const struct stream_txn *t)
{
    return t->status == TXN_COMMITTED && t->began > -FAR && t->began < FAR &&
           t->ended > -FAR && t->ended < FAR;
}

/* Make the recent bounds the older ones. */
static void
age(struct skew *c)
{
    struct clock_bound *old = c->bounds[1];
    c->bounds[1] = c->bounds[0];
    c->bounds[0] = old;
    memset(old, 0, (size_t)c->room * c->room * sizeof *old);
}

void
skew_note(struct skew *c, const struct stream_txn *t)
{
    if (c->is_over || !has_times(t))
        return;
    if (t->clock >= c->n)
        add_clocks(c, t->clock + 1);
    if (c->is_over)
        return;
    if (++c->noted % GENERATION == 0)
        age(c);
    for (uint32_t i = 0; i < t->n_ops; i++) {
        const struct stream_op *op = &t->ops[i];
        if (!op->is_main || atom_equal(stream_value(op), c->names->initial))
            continue;
        const uint64_t hash = names_hash(c->names, op->key, stream_value(op));
        if (op->is_write)
            note_write(c, t, hash);
        else
            note_read(c, t, hash);
    }
}

/* --- offsets ---------------------------------------------------------------*/

/* The bound for a pair of clocks; FAR: none. */
static int64_t
bound_of(const struct skew *c, uint32_t a, uint32_t b)
{
    int64_t most = FAR;
    for (int i = 0; i < 2; i++) {
        const struct clock_bound *at = &c->bounds[i][(size_t)a * c->room + b];
        if (at->is_set && at->most < most)
            most = at->most;
    }
    return most;
}

/* Move one of two clocks until their bound holds; whether it did not. */
static bool
relax(const struct skew *c, uint32_t a, uint32_t b, bool lowers, int64_t *x)
{
    const int64_t most = bound_of(c, a, b);
    if (most == FAR || x[b] - x[a] <= most)
        return false;
    if (lowers)
        x[b] = x[a] + most;
    else
        x[a] = x[b] - most;
    return true;
}

/* The solution that is next to 0 from below or from above; false: there is
 * none. */
static bool
solve(const struct skew *c, bool lowers, int64_t *x)
{
    memset(x, 0, c->n * sizeof *x);
    for (uint32_t round = 0; round <= c->n; round++) {
        bool any = false;
        for (uint32_t a = 0; a < c->n; a++)
            for (uint32_t b = 0; b < c->n; b++)
                any |= relax(c, a, b, lowers, x);
        if (!any)
            return true;
    }
    return false;
}

void
skew_adjust(struct stream_txn *t, int64_t offset)
{
    if (t->rank > -FAR && t->rank < FAR)
        t->rank -= offset;
}

bool
skew_estimate(struct skew *c, int64_t **changes)
{
    if (!c->is_wrong || c->is_over)
        return false;
    int64_t *low = mem_alloc(c->n, sizeof *low);
    int64_t *high = mem_alloc(c->n, sizeof *high);
    const bool ok = solve(c, true, low) && solve(c, false, high);
    c->is_wrong = false;
    for (uint32_t i = 0; ok && i < c->n; i++) {
        const int64_t offset = low[i] + (high[i] - low[i]) / 2;
        low[i] = offset - c->offsets[i];
        c->offsets[i] = offset;
    }
    mem_free(high);
    if (!ok) {
        age(c); // a clock has moved: what is left of the old bounds goes
        mem_free(low);
        return false;
    }
    *changes = low;
    return true;
}
