/* read_checks.c -- see read_checks.h.
 *
 * Most histories have no flaw, and then one scan of the marks suffices.  To
 * classify flaws, a second scan looks up the writes of the values concerned.
 * The kind of a flaw depends on which other transaction wrote its value, so two
 * different writers are kept per value: one of them is not the reader.
 *
 * SPDX-License-Identifier: MIT */
#include "history/read_checks.h"

#include "history/list/list_flaws.h"

/* The writers of a value that was read inconsistently. */
struct evidence {
    struct {
        txn_id txn;
        op_id op;
    } counting[2], aborted; // two different transactions; any one
};

struct lookup {
    const struct history *h;
    uint32_t *index; // by value: 1 + its place in 'found', 0 = not there
    VEC(struct evidence) found;
};

static void
add_value(struct lookup *l, value_id v)
{
    if (v == VALUE_INIT || l->index[v])
        return;
    struct evidence none;
    memset(&none, 0xff, sizeof none); // ID_NONE everywhere
    vec_push(&l->found, none);
    l->index[v] = (uint32_t)l->found.n;
}

static void
find_writes(struct lookup *l)
{
    const struct history *h = l->h;
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            const uint32_t i = l->index[h->op_value[op]];
            if (!i || !op_is_write(h, op))
                continue;
            struct evidence *e = &l->found.at[i - 1];
            if (h->txn_status[t] == TXN_ABORTED) {
                e->aborted.txn = t;
                e->aborted.op = op;
            } else if (e->counting[0].txn == TXN_NONE) {
                e->counting[0].txn = t;
                e->counting[0].op = op;
            } else if (e->counting[0].txn != t) {
                e->counting[1].txn = t;
                e->counting[1].op = op;
            }
        }
}

/* The last write of the key of op before it in its transaction, whatever its
 * value; and the nearest write of the value of op, before it or else after. */
struct own_writes {
    op_id last, same_before, same_after;
};

static struct own_writes
find_own(const struct history *h, const struct flaw *f)
{
    struct own_writes own = {ID_NONE, ID_NONE, ID_NONE};
    for (op_id op = h->txn_begin[f->txn]; op < h->txn_end[f->txn]; op++) {
        if (!op_is_write(h, op) || op_key(h, op) != op_key(h, f->op))
            continue;
        const bool same = h->op_value[op] == h->op_value[f->op];
        if (op < f->op) {
            own.last = op;
            if (same)
                own.same_before = op;
        } else if (same && own.same_after == ID_NONE) {
            own.same_after = op;
        }
    }
    return own;
}

static void
blame(struct flaw *f, enum flaw_kind kind, txn_id other, op_id other_op)
{
    f->kind = kind;
    f->other = other;
    f->other_op = other_op;
}

/* Find the kind of the flaw f, a read that was rejected. */
static void
classify(const struct lookup *l, struct flaw *f)
{
    const struct history *h = l->h;
    assert(!op_is_write(h, f->op) && f->value == h->op_value[f->op]);
    const uint32_t i = l->index[f->value];
    struct evidence none;
    memset(&none, 0xff, sizeof none);
    const struct evidence *e = i ? &l->found.at[i - 1] : &none;
    const int o = e->counting[0].txn == f->txn; // the one that is another's
    const struct own_writes own = find_own(h, f);
    const bool others = e->counting[o].txn != TXN_NONE || !i;

    if (own.same_before != ID_NONE)
        blame(f, FLAW_NOT_LATEST, f->txn, own.last);
    else if (own.last != ID_NONE && others)
        blame(f, FLAW_NOT_OWN, f->txn, own.last);
    else if (e->counting[o].txn != TXN_NONE)
        blame(f, FLAW_NOT_LATEST, e->counting[o].txn, e->counting[o].op);
    else if (own.same_after != ID_NONE)
        blame(f, FLAW_FUTURE, f->txn, own.same_after);
    else if (e->aborted.txn != TXN_NONE)
        blame(f, FLAW_ABORTED, e->aborted.txn, e->aborted.op);
    else
        blame(f, FLAW_THIN_AIR, TXN_NONE, ID_NONE);
}

/* --- all of them ----------------------------------------------------------*/

/* Whether any operation at all was rejected: one pass in memory order. */
static bool
any_rejected(const struct history *h)
{
    uint32_t marks = 0;
    for (op_id op = 0; op < h->n_ops; op++)
        marks |= h->op_key[op];
    return marks & OP_REJECTED;
}

static size_t
find_flaws(const struct history *h, size_t most, flaw_vec *out)
{
    size_t total = 0;
    const size_t first = out->n;
    const bool any = any_rejected(h);
    for (txn_id t = 0; any && t < h->n_txns; t++) {
        if (!h->txn_counts[t])
            continue;
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if ((h->op_key[op] & OP_REJECTED) && !op_is_of_list(h, op) &&
                total++ < most)
                vec_push(out,
                         ((struct flaw){
                             .txn = t, .op = op, .value = h->op_value[op]}));
    }
    if (out->n > first) {
        struct lookup l = {.h = h};
        l.index = mem_calloc(h->n_values, sizeof *l.index);
        for (size_t i = first; i < out->n; i++)
            add_value(&l, out->at[i].value);
        find_writes(&l);
        for (size_t i = first; i < out->n; i++)
            classify(&l, &out->at[i]);
        vec_free(&l.found);
        mem_free(l.index);
    }
    if (h->key_is_list)
        total += list_flaws_find(h, most - (out->n - first), out);
    return total;
}

/* Of a history that was cut, find the reads whose writers may be lost, or all
 * other flaws. */
static size_t
filter_flaws(const struct history *h, bool are_lost, size_t most, flaw_vec *out)
{
    flaw_vec all = {0};
    size_t total = 0;
    find_flaws(h, SIZE_MAX, &all);
    for (size_t i = 0; i < all.n; i++)
        if ((all.at[i].kind == FLAW_THIN_AIR) == are_lost && total++ < most)
            vec_push(out, all.at[i]);
    vec_free(&all);
    return total;
}

size_t
history_flaws(const struct history *h, size_t most, flaw_vec *out)
{
    return h->is_cut ? filter_flaws(h, false, most, out)
                     : find_flaws(h, most, out);
}

size_t
history_lost_reads(const struct history *h, size_t most, flaw_vec *out)
{
    return h->is_cut ? filter_flaws(h, true, most, out) : 0;
}
