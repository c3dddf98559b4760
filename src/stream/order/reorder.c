/* reorder.c -- see reorder.h.
 *
 * A stretch of the order is divided into what depends on some of its
 * transactions, and the rest.  The rest comes first, the others follow, each in
 * the order they had.  Dependencies are those of a serial order: sessions,
 * reads, versions that overwrite others, and reads of what is overwritten; all
 * of them lead from a place to a later one, so one scan finds what depends.
 *
 *   (Q1) the versions of each key keep their order, except those of the key at
 *        hand that are moved.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/order/reorder.h"

/* A read of t that the current version does not serve. */
struct stale_read {
    uint32_t key;
    uint64_t source;      // the version that was read
    uint64_t first, last; // places of those that overwrote it
};

struct stretch {
    struct stream_pass *pass;
    uint64_t first, last;      // places
    uint64_t v_first;          // number of its first version
    VEC(bool) follows;         // by place: depends on what is to come later
    VEC(bool) is_held;         // by version: its overwriter has to come later
    struct intmap held_keys;   // likewise the version before the stretch
    struct intmap sessions;    // that have transactions which follow
    uint32_t moved_key;        // its versions
    uint64_t moved_after;      // after this one are moved
    stream_txns since;         // all that were taken back, in their order
    stream_txns order;         // as they are placed again
    struct stream_txn *middle; // between the two halves; or NULL
};

static void
free_stretch(struct stretch *s)
{
    vec_free(&s->follows);
    vec_free(&s->is_held);
    intmap_free(&s->held_keys);
    intmap_free(&s->sessions);
    vec_free(&s->since);
    vec_free(&s->order);
}

/* --- what depends ----------------------------------------------------------*/

static void
begin_stretch(struct stretch *s)
{
    const struct running_order *o = &s->pass->order;
    const size_t n = (size_t)(s->last - s->first) + 1;
    s->v_first = running_order_at(o, s->first)->first_version;
    vec_grow(&s->follows, n);
    memset(s->follows.at, 0, n);
    const size_t n_versions = (size_t)(o->n_versions - s->v_first) + 1;
    vec_grow(&s->is_held, n_versions);
    memset(s->is_held.at, 0, n_versions);
}

static bool
follows(const struct stretch *s, uint64_t place)
{
    return place >= s->first && place <= s->last &&
           s->follows.at[place - s->first];
}

/* Whether the writer of a version comes later. */
static bool
made_later(const struct stretch *s, uint64_t version)
{
    const struct placed_version *v =
        running_order_version(&s->pass->order, version);
    return v && follows(s, v->place);
}

/* Whether a version that op overwrites has to be read or made later. */
static bool
overwrites_held(const struct stretch *s, const struct stream_op *op)
{
    if (op->key == s->moved_key && op->version > s->moved_after)
        return false; // (Q1)
    const uint64_t before =
        running_order_version(&s->pass->order, op->version)->before;
    return before >= s->v_first
               ? s->is_held.at[before - s->v_first]
               : intmap_find(&s->held_keys, op->key) != UINT32_MAX;
}

static bool
depends(const struct stretch *s, const struct stream_txn *t)
{
    if (intmap_find(&s->sessions, t->session) != UINT32_MAX)
        return true;
    for (uint32_t i = 0; i < t->n_ops; i++) {
        const struct stream_op *op = &t->ops[i];
        if (op->is_main && (op->is_write ? overwrites_held(s, op)
                                         : made_later(s, op->version)))
            return true;
    }
    return false;
}

/* Let the transaction at a place come later. */
static void
hold(struct stretch *s, uint64_t place)
{
    const struct stream_txn *t = running_order_at(&s->pass->order, place);
    bool added;
    s->follows.at[place - s->first] = true;
    intmap_add(&s->sessions, t->session, 0, &added);
    for (uint32_t i = 0; i < t->n_ops; i++) {
        const struct stream_op *op = &t->ops[i];
        if (op->is_main && op->version >= s->v_first)
            s->is_held.at[op->version - s->v_first] = true;
        else if (op->is_main)
            intmap_add(&s->held_keys, op->key, 0, &added);
    }
}

/* Hold all that depend on those that are held. */
static void
hold_dependent(struct stretch *s)
{
    for (uint64_t p = s->first; p <= s->last; p++)
        if (!follows(s, p) && depends(s, running_order_at(&s->pass->order, p)))
            hold(s, p);
}

/* --- the new order ---------------------------------------------------------*/

static void
take_back(struct stretch *s)
{
    struct running_order *o = &s->pass->order;
    const size_t n = (size_t)(o->n - s->first) + 1;
    vec_grow(&s->since, n);
    for (size_t i = n; i-- > 0;)
        s->since.at[i] = running_order_take_back(o);
}

/* Add the transactions of the stretch that follow, or the others. */
static void
add_half(struct stretch *s, bool those)
{
    for (size_t i = 0; i < s->follows.n; i++)
        if (s->follows.at[i] == those)
            vec_push(&s->order, s->since.at[i]);
}

static bool
place_all(struct stretch *s)
{
    struct running_order *o = &s->pass->order;
    size_t n = 0;
    add_half(s, false);
    if (s->middle)
        vec_push(&s->order, s->middle);
    add_half(s, true);
    for (size_t i = s->follows.n; i < s->since.n; i++)
        vec_push(&s->order, s->since.at[i]);
    while (n < s->order.n &&
           running_order_place(o, s->order.at[n], s->pass->level))
        n++;
    if (n == s->order.n)
        return true;
    while (n--)
        running_order_take_back(o);
    return false;
}

/* Place the stretch in two halves, and all that came since again. */
static bool
divide(struct stretch *s)
{
    take_back(s);
    const bool ok = place_all(s);
    s->pass->stats.moves += ok;
    for (size_t i = 0; !ok && i < s->since.n; i++)
        running_order_put_back(&s->pass->order, s->since.at[i]);
    return ok;
}

/* --- what to move ----------------------------------------------------------*/

static uint64_t
place_of(const struct running_order *o, uint64_t version)
{
    const struct placed_version *v = running_order_version(o, version);
    return v ? v->place : 0;
}

/* Find out who overwrote what a read of t saw; false: it is current. */
static bool
find_stale(const struct running_order *o, const struct stream_op *op,
           struct stale_read *r)
{
    uint64_t v = o->keys.at[op->key].version;
    if (v == op->version)
        return false;
    *r = (struct stale_read){
        .key = op->key, .source = op->version, .last = place_of(o, v)};
    for (; v != op->version; v = running_order_version(o, v)->before)
        r->first = place_of(o, v);
    return true;
}

static bool
reads_key(const struct stream_txn *t, uint32_t key)
{
    for (uint32_t i = 0; i < t->n_ops; i++)
        if (t->ops[i].key == key && t->ops[i].is_main && !t->ops[i].is_write)
            return true;
    return false;
}

/* The version before which overwriters have to come, if they come before the
 * one that was read: a writer that read the key stays behind what it read. */
static uint64_t
find_target(const struct running_order *o, const struct stale_read *r)
{
    uint64_t v = r->source;
    while (place_of(o, v) &&
           reads_key(running_order_at(o, place_of(o, v)), r->key))
        v = running_order_version(o, v)->before;
    return v;
}

/* Move those that overwrote what was read before its writer. */
static bool
move_overwriters(struct stream_pass *p, const struct stale_read *r)
{
    const uint64_t target = find_target(&p->order, r);
    struct stretch s = {.pass = p,
                        .first = place_of(&p->order, target),
                        .last = r->last,
                        .moved_key = r->key,
                        .moved_after = r->source};
    if (!s.first)
        return false;
    begin_stretch(&s);
    hold(&s, s.first);
    hold_dependent(&s);
    const bool ok =
        !follows(&s, r->first) && !follows(&s, r->last) && divide(&s);
    free_stretch(&s);
    return ok;
}

/* Whether t can come before all that are held. */
static bool
can_precede(const struct stretch *s, const struct stream_txn *t)
{
    for (uint32_t i = 0; i < t->n_ops; i++)
        if (t->ops[i].is_main && !t->ops[i].is_write &&
            made_later(s, t->ops[i].version))
            return false;
    return intmap_find(&s->sessions, t->session) == UINT32_MAX;
}

/* Place t before all that overwrote what it read. */
static bool
move_reader(struct stream_pass *p, struct stream_txn *t, uint64_t first)
{
    struct stretch s = {.pass = p,
                        .first = first,
                        .last = p->order.n,
                        .moved_after = UINT64_MAX,
                        .middle = t};
    struct stale_read r;
    begin_stretch(&s);
    for (uint32_t i = 0; i < t->n_ops; i++)
        if (t->ops[i].is_main && !t->ops[i].is_write &&
            find_stale(&p->order, &t->ops[i], &r))
            hold(&s, r.first);
    hold_dependent(&s);
    const bool ok = can_precede(&s, t) && divide(&s);
    free_stretch(&s);
    return ok;
}

/* Whether the overwriters are closer to the writer than to the reader. */
static bool
is_closer_to_writer(const struct running_order *o, const struct stale_read *r)
{
    const uint64_t target = place_of(o, find_target(o, r));
    return target && r->last - target < o->n + 1 - r->first;
}

enum reordered
reorder(struct stream_pass *p, struct stream_txn *t)
{
    struct running_order *o = &p->order;
    struct stale_read r, last = {0};
    uint64_t first = UINT64_MAX;
    if (!running_order_resolve(o, t))
        return REORDERED_NOTHING;
    for (uint32_t i = 0; i < t->n_ops; i++) {
        if (!t->ops[i].is_main || t->ops[i].is_write ||
            !find_stale(o, &t->ops[i], &r))
            continue;
        if (is_closer_to_writer(o, &r) && move_overwriters(p, &r))
            return REORDERED_OTHERS;
        first = r.first < first ? r.first : first;
        last = r;
    }
    if (first == UINT64_MAX)
        return REORDERED_NOTHING;
    if (move_reader(p, t, first))
        return REORDERED_ALL;
    return !is_closer_to_writer(o, &last) && move_overwriters(p, &last)
               ? REORDERED_OTHERS
               : REORDERED_NOTHING;
}
