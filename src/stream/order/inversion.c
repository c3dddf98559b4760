/* inversion.c -- see inversion.h.
 *
 * The engine gets the stretch from the state before it, and one transaction
 * more: it reads what each key has to hold behind the stretch.  It has to come
 * last, so every session ends with a write of a key of its own, and that
 * transaction reads all of these.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/order/inversion.h"

#include "stream/order/repair.h"

#include <stdlib.h>

enum {
    PAD = 4,           // transactions on each side of the two writers, at first
    GROWTH = 8,        // of that, from try to try
    TRIES = 4,         // sizes
    LONGEST = 1 << 13, // stretch
};

/* A stretch of the order, and what it has to leave behind. */
struct stretch {
    uint64_t first, last; // places
    uint32_t key;         // whose version has to be another one
    struct atom value;
    stream_txns since; // all that were taken back, in their order
    size_t n;          // of these, in the stretch
    stream_txns extra; // markers, and the reader of all
    u32_vec order;
};

/* --- what to mend ----------------------------------------------------------*/

/* Find a read of t that the current version does not serve, and the places of
 * the version that it saw and of the current one. */
static bool
find_inverted(const struct stream_pass *p, const struct stream_txn *t,
              struct stretch *s)
{
    const struct running_order *o = &p->order;
    for (uint32_t i = 0; i < t->n_ops; i++) {
        const struct stream_op *op = &t->ops[i];
        if (op->is_write || !op->is_main ||
            atom_equal(stream_value(op), running_order_value(o, op->key)))
            continue;
        s->key = op->key;
        s->value = stream_value(op);
        return running_order_find(o, op, &s->first, &s->last);
    }
    return false;
}

/* --- the engine's part -----------------------------------------------------*/

/* A key that no history has. */
static uint32_t
marker_key(struct stream_names *names, uint32_t session)
{
    char text[32];
    const int n = snprintf(text, sizeof text, "marker-%u", session);
    struct atom name = names_text(names, text, (size_t)n);
    name.tag = ATOM_KEYWORD;
    return name_number(&names->keys, name);
}

static struct stream_op
make_op(bool is_write, uint32_t key, struct atom value)
{
    return (struct stream_op){.key = key,
                              .value = value.bits,
                              .tag = (uint8_t)value.tag,
                              .is_write = is_write,
                              .is_main = true};
}

typedef VEC(struct stream_op) op_vec;

static void
add_extra(struct stretch *s, const struct stream_op *ops, size_t n,
          uint32_t session)
{
    struct stream_txn *t = stream_txn_new(ops, n, NULL, 0);
    t->session = session;
    t->began = INT64_MIN;
    t->ended = INT64_MAX;
    vec_push(&s->extra, t);
}

/* The last write of each key in the stretch, in the order as it is, and what
 * the key has to hold behind the stretch. */
struct last_write {
    struct stream_op op;
    bool is_needed; // a transaction behind the stretch has read it
};

struct last_writes {
    struct intmap slots; // by key
    VEC(struct last_write) all;
};

static void
note_last(struct last_writes *w, const struct stream_op *op)
{
    bool added;
    const uint32_t slot =
        intmap_add(&w->slots, op->key, (uint32_t)w->all.n, &added);
    if (added)
        vec_push(&w->all, ((struct last_write){*op, false}));
    else
        w->all.at[slot].op = *op;
}

static struct last_write *
find_last(struct last_writes *w, uint32_t key)
{
    const uint32_t slot = intmap_find(&w->slots, key);
    return slot == UINT32_MAX ? NULL : &w->all.at[slot];
}

/* Find out what the stretch has to leave behind: what was read since, and the
 * value that is to be mended.  The last version of any other key may become
 * another one. */
static void
find_needed(const struct stretch *s, struct last_writes *w)
{
    for (size_t i = 0; i < s->n; i++)
        for (uint32_t j = 0; j < s->since.at[i]->n_ops; j++)
            if (s->since.at[i]->ops[j].is_write &&
                s->since.at[i]->ops[j].is_main)
                note_last(w, &s->since.at[i]->ops[j]);
    for (size_t i = s->n; i < s->since.n; i++)
        for (uint32_t j = 0; j < s->since.at[i]->n_ops; j++) {
            const struct stream_op *op = &s->since.at[i]->ops[j];
            struct last_write *l =
                op->is_write || !op->is_main ? NULL : find_last(w, op->key);
            if (l && l->op.version == op->version)
                l->is_needed = true;
        }
    struct last_write *l = find_last(w, s->key);
    if (l) {
        l->op.value = s->value.bits;
        l->op.tag = (uint8_t)s->value.tag;
        l->is_needed = true;
    }
}

/* Let every session of the stretch end with a marker. */
static void
add_markers(struct stream_pass *p, struct stretch *s, op_vec *reads)
{
    struct intmap sessions = {0};
    uint32_t n_sessions = 0;
    for (size_t i = 0; i < s->n; i++) {
        bool added;
        intmap_add(&sessions, s->since.at[i]->session, n_sessions, &added);
        if (!added)
            continue;
        const struct stream_op mark =
            make_op(true, marker_key(p->names, n_sessions++), atom_int(1));
        add_extra(s, &mark, 1, s->since.at[i]->session);
        vec_push(reads, make_op(false, mark.key, atom_int(1)));
    }
    intmap_free(&sessions);
}

/* Add the transaction that comes last. */
static void
add_last(struct stream_pass *p, struct stretch *s)
{
    struct last_writes w = {0};
    op_vec reads = {0};
    add_markers(p, s, &reads);
    find_needed(s, &w);
    for (size_t i = 0; i < w.all.n; i++)
        if (w.all.at[i].is_needed)
            vec_push(&reads, make_op(false, w.all.at[i].op.key,
                                     stream_value(&w.all.at[i].op)));
    add_extra(s, reads.at, reads.n, (uint32_t)p->names->sessions.all.tags.n);
    vec_free(&reads);
    vec_free(&w.all);
    intmap_free(&w.slots);
}

/* --- mending ---------------------------------------------------------------*/

static void
take_back(struct stream_pass *p, struct stretch *s)
{
    const size_t n = (size_t)(p->order.n - s->first) + 1;
    vec_grow(&s->since, n);
    for (size_t i = n; i-- > 0;)
        s->since.at[i] = running_order_take_back(&p->order);
    s->n = (size_t)(s->last - s->first) + 1;
}

static bool
propose(struct stream_pass *p, struct stretch *s)
{
    stream_txns all = {0};
    add_last(p, s);
    for (size_t i = 0; i < s->n; i++)
        vec_push(&all, s->since.at[i]);
    for (size_t i = 0; i < s->extra.n; i++)
        vec_push(&all, s->extra.at[i]);
    const bool ok = repair_propose(p, all.at, all.n, &s->order);
    vec_free(&all);
    return ok;
}

/* The i-th of the new order: those of the stretch first, then the others. */
static struct stream_txn *
next_of(const struct stretch *s, size_t i)
{
    return i < s->order.n ? s->since.at[s->order.at[i]] : s->since.at[i];
}

static bool
place_all(struct stream_pass *p, const struct stretch *s)
{
    size_t n = 0;
    while (n < s->since.n &&
           running_order_place(&p->order, next_of(s, n), p->level))
        n++;
    if (n == s->since.n &&
        atom_equal(running_order_value(&p->order, s->key), s->value))
        return true;
    while (n--)
        running_order_take_back(&p->order);
    return false;
}

static void
put_back(struct stream_pass *p, const struct stretch *s)
{
    for (size_t i = 0; i < s->since.n; i++)
        running_order_put_back(&p->order, s->since.at[i]);
}

/* Leave only those of the stretch in the order that was proposed. */
static void
drop_extra(struct stretch *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->order.n; i++)
        if (s->order.at[i] < s->n)
            s->order.at[n++] = s->order.at[i];
    s->order.n = n;
}

/* Try with so many transactions on each side. */
static bool
mend(struct stream_pass *p, struct stretch s, uint64_t pad)
{
    const struct running_order *o = &p->order;
    s.first = s.first > o->base + pad ? s.first - pad : o->base + 1;
    s.last = s.last + pad < o->n ? s.last + pad : o->n;
    if (s.last - s.first >= LONGEST)
        return false;
    take_back(p, &s);
    bool ok = propose(p, &s);
    drop_extra(&s);
    ok = ok && s.order.n == s.n && place_all(p, &s);
    if (!ok)
        put_back(p, &s);
    vec_free(&s.since);
    stream_txns_free(&s.extra);
    vec_free(&s.order);
    return ok;
}

/* Mend one read. */
static bool
mend_read(struct stream_pass *p, const struct stretch *s)
{
    uint64_t pad = PAD;
    for (int i = 0; i < TRIES; i++, pad *= GROWTH)
        if (mend(p, *s, pad)) {
            p->stats.inversions++;
            return true;
        }
    return false;
}

bool
inversion_mend(struct stream_pass *p)
{
    struct stream_txn *t = p->ahead.at[p->ahead_at];
    for (uint32_t i = 0; i <= t->n_ops; i++) {
        struct stretch s = {0};
        if (running_order_place(&p->order, t, p->level)) {
            p->ahead_at++;
            return true;
        }
        if (!find_inverted(p, t, &s) || !mend_read(p, &s))
            return false;
    }
    return false;
}
