/* list_flaws.c -- see list_flaws.h.
 *
 * The lists of a key that are prefixes of its order are sound together when
 * the order is: when it is made of runs, each of them all that one transaction
 * appended to the key, in program order.  That a list ends where a run does,
 * and with the own elements of its reader, resolution and implied_reads.c have
 * seen to.  So a key is looked at once; only where something is wrong with it,
 * each of its lists is judged by itself, to say what.
 *
 * Where the recording was cut, an element of nobody may be of a transaction
 * that is lost.  That explains the element and nothing else: such a list is
 * judged like any other, and only one that is fine otherwise is a read of what
 * is lost.
 *
 * SPDX-License-Identifier: MIT */
#include "history/list/list_flaws.h"

struct lists {
    const struct history *h;
    txn_id *owner;    // by operation
    uint32_t *length; // by key: as much of its order did those see who count
    // By value: the append of it by one who is not aborted, so that it counts
    // where the element is seen, or ID_NONE; its place in the order of its key,
    // from 1; the list that has it, for finding twice.
    op_id *append;
    uint32_t *place, *stamp;
    op_id *before;  // by append: the one before it to the key, in its txn
    uint8_t *wrong; // by key
    size_t most, total;
    flaw_vec *out;
};

/* --- whether a key needs a closer look ------------------------------------ */

static void
find_appends(struct lists *l)
{
    const struct history *h = l->h;
    op_id *last = mem_alloc(h->n_keys, sizeof *last);
    memset(last, 0xff, h->n_keys * sizeof *last); // ID_NONE
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            l->owner[op] = t;
            if (h->txn_status[t] == TXN_ABORTED || !op_is_of_list(h, op))
                continue;
            const key_id k = op_key(h, op);
            if (h->txn_counts[t] && (h->op_key[op] & OP_ASIDE))
                l->wrong[k] = 1;
            if (!op_is_write(h, op))
                continue;
            l->append[h->op_value[op]] = op;
            const bool again = last[k] >= h->txn_begin[t] && last[k] < op;
            l->before[op] = again ? last[k] : ID_NONE;
            last[k] = op;
        }
    mem_free(last);
}

static void
find_lengths(struct lists *l)
{
    const struct history *h = l->h;
    for (size_t i = 0; i < h->list_reads.n; i++) {
        const struct list_read *r = &h->list_reads.at[i];
        const key_id k = op_key(h, r->op);
        if (!h->txn_counts[l->owner[r->op]])
            continue;
        l->wrong[k] |= r->own != ID_NONE;
        if (r->own == ID_NONE && r->length > l->length[k])
            l->length[k] = r->length;
    }
}

/* Whether the element with this append may follow the one with append
 * 'previous', or begin the list. */
static bool
may_follow(const struct lists *l, op_id append, op_id previous)
{
    if (append == ID_NONE)
        return false;
    if (previous != ID_NONE && l->owner[previous] == l->owner[append])
        return l->before[append] == previous;
    return l->before[append] == ID_NONE &&
           (previous == ID_NONE || op_is_final_write(l->h, previous));
}

static void
check_order(struct lists *l, key_id k)
{
    const value_id *items = l->h->order_items.at + l->h->order_first[k];
    op_id previous = ID_NONE;
    for (uint32_t i = 0; i < l->length[k]; i++) {
        const op_id append = l->append[items[i]];
        l->place[items[i]] = i + 1;
        if (!may_follow(l, append, previous))
            l->wrong[k] = 1;
        previous = append;
    }
}

/* Lists that show what their transaction appends only later.  first[k] is the
 * first place of such an element, going backwards. */
static void
check_future(struct lists *l, txn_id t, uint32_t *first, u32_vec *keys)
{
    const struct history *h = l->h;
    vec_clear(keys);
    for (op_id op = h->txn_end[t]; op-- > h->txn_begin[t];) {
        if (!op_is_of_list(h, op))
            continue;
        const key_id k = op_key(h, op);
        if (!op_is_write(h, op)) {
            if (first[k] == UINT32_MAX)
                continue;
            const struct list_read *r = history_list_read(h, op);
            l->wrong[k] |= r && r->own == ID_NONE && first[k] <= r->length;
            continue;
        }
        const uint32_t place = l->place[h->op_value[op]];
        if (place && place < first[k]) {
            first[k] = place;
            vec_push(keys, k);
        }
    }
    for (size_t i = 0; i < keys->n; i++)
        first[keys->at[i]] = UINT32_MAX;
}

/* Fill l->wrong; whether there is any. */
static bool
find_wrong(struct lists *l)
{
    const struct history *h = l->h;
    find_appends(l);
    find_lengths(l);
    for (key_id k = 0; k < h->n_keys; k++)
        check_order(l, k);
    uint32_t *first = mem_alloc(h->n_keys, sizeof *first);
    memset(first, 0xff, h->n_keys * sizeof *first); // UINT32_MAX
    u32_vec keys = {0};
    for (txn_id t = 0; t < h->n_txns; t++)
        if (h->txn_counts[t])
            check_future(l, t, first, &keys);
    vec_free(&keys);
    mem_free(first);
    bool any = false;
    for (key_id k = 0; k < h->n_keys; k++)
        any |= l->wrong[k];
    return any;
}

/* --- what is wrong with a list -------------------------------------------- */

/* A list that is being judged. */
struct judged {
    txn_id txn;
    op_id op;
    struct list_seen seen;
    size_t foreign; // as many elements stand before the own ones
    value_id lost;  // the first one whose author may be lost, or VALUE_INIT
};

static void
blame(const struct lists *l, struct flaw *f, enum flaw_kind kind, op_id other)
{
    f->kind = kind;
    f->other_op = other;
    f->other = other == ID_NONE ? TXN_NONE : l->owner[other];
}

static bool
is_twice(const struct lists *l, const struct judged *j, struct flaw *f)
{
    for (size_t i = 0; i < j->seen.n; i++) {
        uint32_t *stamp = &l->stamp[j->seen.at[i]];
        if (*stamp == j->op + 1) {
            f->value = j->seen.at[i];
            blame(l, f, FLAW_DUPLICATE, ID_NONE);
            return true;
        }
        *stamp = j->op + 1;
    }
    return false;
}

/* An append by one that aborted. */
static op_id
find_aborted(const struct lists *l, value_id v)
{
    const struct history *h = l->h;
    for (op_id op = 0; op < h->n_ops; op++)
        if (op_is_write(h, op) && h->op_value[op] == v)
            return op;
    return ID_NONE;
}

/* An element of nobody who counts, or of the reader's future.  Where the
 * recording was cut, whoever appended what nobody did may be lost. */
static bool
is_unserved(const struct lists *l, struct judged *j, struct flaw *f)
{
    for (size_t i = 0; i < j->seen.n; i++) {
        f->value = j->seen.at[i];
        const op_id append = l->append[f->value];
        const op_id other =
            append == ID_NONE ? find_aborted(l, f->value) : ID_NONE;
        if (append == ID_NONE && other == ID_NONE && l->h->is_cut) {
            j->lost = j->lost == VALUE_INIT ? f->value : j->lost;
            continue;
        }
        if (append == ID_NONE) {
            blame(l, f, other == ID_NONE ? FLAW_THIN_AIR : FLAW_ABORTED, other);
            return true;
        }
        if (l->owner[append] == j->txn && append > j->op) {
            blame(l, f, FLAW_FUTURE, append);
            return true;
        }
    }
    return false;
}

/* The end is not what the reader appended before. */
static bool
is_not_own(const struct lists *l, struct judged *j, struct flaw *f)
{
    const struct history *h = l->h;
    op_id last = ID_NONE;
    for (op_id op = h->txn_begin[j->txn]; op < j->op; op++)
        if (op_is_write(h, op) && op_key(h, op) == op_key(h, j->op))
            last = op;
    j->foreign = j->seen.n;
    for (op_id op = last; op != ID_NONE; op = l->before[op])
        if (!j->foreign || j->seen.at[--j->foreign] != h->op_value[op]) {
            f->value = h->op_value[op];
            blame(l, f, FLAW_NOT_OWN, last);
            return true;
        }
    return false;
}

static bool
has_element(const struct judged *j, value_id v)
{
    for (size_t i = 0; i < j->seen.n; i++)
        if (j->seen.at[i] == v)
            return true;
    return false;
}

/* The next append to the same key after 'append' in its transaction. */
static op_id
next_append(const struct lists *l, op_id append)
{
    for (op_id op = append + 1; op < l->h->txn_end[l->owner[append]]; op++)
        if (op_is_write(l->h, op) && op_key(l->h, op) == op_key(l->h, append))
            return op;
    return ID_NONE;
}

/* The run that begins at *i breaks off before 'append', the next of its
 * transaction. */
static void
tell_broken(const struct lists *l, const struct judged *j, size_t end,
            op_id append, struct flaw *f)
{
    op_id first = append, missing = ID_NONE;
    while (l->before[first] != ID_NONE)
        first = l->before[first];
    bool later = false; // one after the first that is missing is there
    for (op_id op = first; op != ID_NONE; op = next_append(l, op)) {
        const bool has = has_element(j, l->h->op_value[op]);
        later |= has && missing != ID_NONE;
        if (!has && missing == ID_NONE)
            missing = op;
    }
    f->value = l->h->op_value[missing == ID_NONE ? append : missing];
    blame(l, f,
          missing == ID_NONE            ? FLAW_DIRTY_WRITE
          : !later && end == j->foreign ? FLAW_NOT_LATEST
                                        : FLAW_LOST_APPEND,
          missing == ID_NONE ? append : missing);
}

/* Elements of another transaction are not all there, or not together. */
static bool
is_broken(const struct lists *l, const struct judged *j, struct flaw *f)
{
    size_t i = 0;
    while (i < j->foreign) {
        op_id append = l->append[j->seen.at[i]];
        if (append == ID_NONE) { // whose author is lost
            i++;
            continue;
        }
        if (l->before[append] != ID_NONE) {
            tell_broken(l, j, i + 1, append, f);
            return true;
        }
        for (i++; (append = next_append(l, append)) != ID_NONE; i++)
            if (i == j->foreign || l->append[j->seen.at[i]] != append) {
                tell_broken(l, j, i, append, f);
                return true;
            }
    }
    return false;
}

/* A read of the same list, by one who counts, that stands for the key's
 * order. */
static op_id
find_reference(const struct lists *l, op_id op)
{
    const struct history *h = l->h;
    op_id best = ID_NONE;
    uint32_t length = 0;
    for (size_t i = 0; i < h->list_reads.n; i++) {
        const struct list_read *r = &h->list_reads.at[i];
        if (r->own == ID_NONE && r->length > length &&
            op_key(h, r->op) == op_key(h, op) &&
            h->txn_counts[l->owner[r->op]] && !op_is_implied(h, r->op)) {
            best = r->op;
            length = r->length;
        }
    }
    return best;
}

static void
judge_list(struct lists *l, op_id op)
{
    const struct history *h = l->h;
    const txn_id t = l->owner[op];
    struct judged j = {.txn = t, .op = op, .seen = history_list_seen(h, op)};
    struct flaw f = {.txn = t, .op = op, .value = h->op_value[op]};
    if (!is_twice(l, &j, &f) && !is_unserved(l, &j, &f) &&
        !is_not_own(l, &j, &f) && !is_broken(l, &j, &f)) {
        const struct list_read *r = history_list_read(h, op);
        const bool incompatible = r && r->own != ID_NONE;
        if (!incompatible && j.lost == VALUE_INIT)
            return;
        f.value = incompatible ? h->op_value[op] : j.lost;
        blame(l, &f, incompatible ? FLAW_INCOMPATIBLE : FLAW_THIN_AIR,
              incompatible ? find_reference(l, op) : ID_NONE);
    }
    if (l->total++ < l->most)
        vec_push(l->out, f);
}

static void
judge_lists(struct lists *l)
{
    const struct history *h = l->h;
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; h->txn_counts[t] && op < h->txn_end[t];
             op++)
            if (!op_is_write(h, op) && l->wrong[op_key(h, op)] &&
                !op_is_implied(h, op))
                judge_list(l, op);
    assert(l->total);
}

size_t
list_flaws_find(const struct history *h, size_t most, flaw_vec *out)
{
    if (!h->key_is_list)
        return 0;
    struct lists l = {.h = h, .most = most, .out = out};
    l.owner = mem_alloc(h->n_ops, sizeof *l.owner);
    l.before = mem_alloc(h->n_ops, sizeof *l.before);
    l.append = mem_alloc(h->n_values, sizeof *l.append);
    memset(l.append, 0xff, h->n_values * sizeof *l.append); // ID_NONE
    l.place = mem_calloc(h->n_values, sizeof *l.place);
    l.stamp = mem_calloc(h->n_values, sizeof *l.stamp);
    l.length = mem_calloc(h->n_keys, sizeof *l.length);
    l.wrong = mem_calloc(h->n_keys, sizeof *l.wrong);
    if (find_wrong(&l))
        judge_lists(&l);
    mem_free(l.owner);
    mem_free(l.before);
    mem_free(l.append);
    mem_free(l.place);
    mem_free(l.stamp);
    mem_free(l.length);
    mem_free(l.wrong);
    return l.total;
}

/* --- words ---------------------------------------------------------------- */

static void
tell_element(const struct history *h, const struct flaw *f, struct buf *out)
{
    buf_text(out, " with the element ");
    history_show_value(h, f->value, out);
}

void
list_flaws_tell(const struct history *h, const struct flaw *f,
                void (*show_txn)(const struct history *h, txn_id t,
                                 struct buf *out),
                struct buf *out)
{
    switch (f->kind) {
    case FLAW_THIN_AIR:
        tell_element(h, f, out);
        buf_text(out, ", which nobody appended");
        break;
    case FLAW_ABORTED:
        tell_element(h, f, out);
        buf_text(out, ", but ");
        show_txn(h, f->other, out);
        buf_text(out, ", which appended that, aborted");
        break;
    case FLAW_FUTURE:
        tell_element(h, f, out);
        buf_text(out, " before it appended that itself, and nobody else did");
        break;
    case FLAW_NOT_OWN:
        buf_text(out, ", which does not end with what it had appended");
        break;
    case FLAW_NOT_LATEST:
        buf_text(out, ", which ends within what ");
        show_txn(h, f->other, out);
        buf_text(out, " appended: ");
        history_show_value(h, f->value, out);
        buf_text(out, " is missing");
        break;
    case FLAW_LOST_APPEND:
        buf_text(out, ", which has some of what ");
        show_txn(h, f->other, out);
        buf_text(out, " appended, but not ");
        history_show_value(h, f->value, out);
        break;
    case FLAW_DIRTY_WRITE:
        buf_text(out, ", in which the elements that ");
        show_txn(h, f->other, out);
        buf_text(out, " appended do not stand together in its order");
        break;
    case FLAW_DUPLICATE:
        buf_text(out, ", in which ");
        history_show_value(h, f->value, out);
        buf_text(out, " stands twice");
        break;
    case FLAW_INCOMPATIBLE:
        if (f->other == TXN_NONE)
            break;
        buf_text(out, ", and ");
        show_txn(h, f->other, out);
        buf_text(out, " did ");
        history_show_op(h, f->other_op, out);
        buf_text(out, ": neither list begins with the other");
        break;
    default:
        assert(!"a list has no flaw of this kind");
    }
}
