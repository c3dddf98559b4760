/* list_flaw_kind.c -- see list_flaw_kind.h.
 *
 * The kinds are tried in a fixed order, and the first that applies is reported:
 * an element twice; an element without an append that counts; an end that is
 * not the reader's own; elements of one transaction that are not all there or
 * not together; and a list that contradicts the order of its key.
 *
 * Where the recording was cut, an element without an append may be of a
 * transaction that is lost.  That explains the element and nothing else: the
 * list is examined like any other, and only a list without another flaw is
 * reported as a read of a lost value.
 *
 * SPDX-License-Identifier: MIT */
#include "history/list/list_flaw_kind.h"

/* A read of a list. */
struct judged_list {
    txn_id txn;
    op_id op;
    struct list_seen seen;
    size_t foreign; // how many elements stand before the reader's own
    value_id lost;  // the first one whose author may be lost, or VALUE_INIT
};

static void
set_flaw(const struct list_appends *l, struct flaw *f, enum flaw_kind kind,
         op_id other)
{
    f->kind = kind;
    f->other_op = other;
    f->other = other == ID_NONE ? TXN_NONE : l->owner[other];
}

static bool
is_twice(const struct list_appends *l, const struct judged_list *j,
         struct flaw *f)
{
    for (size_t i = 0; i < j->seen.n; i++) {
        uint32_t *stamp = &l->stamp[j->seen.at[i]];
        if (*stamp == j->op + 1) {
            f->value = j->seen.at[i];
            set_flaw(l, f, FLAW_DUPLICATE, ID_NONE);
            return true;
        }
        *stamp = j->op + 1;
    }
    return false;
}

/* An append of v, by a transaction that aborted. */
static op_id
find_aborted(const struct list_appends *l, value_id v)
{
    const struct history *h = l->h;
    for (op_id op = 0; op < h->n_ops; op++)
        if (op_is_write(h, op) && h->op_value[op] == v)
            return op;
    return ID_NONE;
}

/* Whether the list has an element that was not appended by a transaction that
 * counts, or that the reader appends later.  Where the recording was cut, an
 * element without an append may be of a transaction that is lost. */
static bool
is_unserved(const struct list_appends *l, struct judged_list *j, struct flaw *f)
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
            set_flaw(l, f, other == ID_NONE ? FLAW_THIN_AIR : FLAW_ABORTED,
                     other);
            return true;
        }
        if (l->owner[append] == j->txn && append > j->op) {
            set_flaw(l, f, FLAW_FUTURE, append);
            return true;
        }
    }
    return false;
}

/* Whether the list does not end with what the reader appended before. */
static bool
is_not_own(const struct list_appends *l, struct judged_list *j, struct flaw *f)
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
            set_flaw(l, f, FLAW_NOT_OWN, last);
            return true;
        }
    return false;
}

static bool
has_element(const struct judged_list *j, value_id v)
{
    for (size_t i = 0; i < j->seen.n; i++)
        if (j->seen.at[i] == v)
            return true;
    return false;
}

/* The next append to the same key after 'append' in its transaction. */
static op_id
next_append(const struct list_appends *l, op_id append)
{
    for (op_id op = append + 1; op < l->h->txn_end[l->owner[append]]; op++)
        if (op_is_write(l->h, op) && op_key(l->h, op) == op_key(l->h, append))
            return op;
    return ID_NONE;
}

/* Find the flaw of a run of elements of one transaction that ends at place
 * 'end', before the element of 'append', the next of that transaction. */
static void
find_broken_run(const struct list_appends *l, const struct judged_list *j,
                size_t end, op_id append, struct flaw *f)
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
    set_flaw(l, f,
             missing == ID_NONE            ? FLAW_DIRTY_WRITE
             : !later && end == j->foreign ? FLAW_NOT_LATEST
                                           : FLAW_LOST_APPEND,
             missing == ID_NONE ? append : missing);
}

/* Whether the elements of another transaction are not all there, or not
 * together. */
static bool
is_broken(const struct list_appends *l, const struct judged_list *j,
          struct flaw *f)
{
    size_t i = 0;
    while (i < j->foreign) {
        op_id append = l->append[j->seen.at[i]];
        if (append == ID_NONE) { // whose author is lost
            i++;
            continue;
        }
        if (l->before[append] != ID_NONE) {
            find_broken_run(l, j, i + 1, append, f);
            return true;
        }
        for (i++; (append = next_append(l, append)) != ID_NONE; i++)
            if (i == j->foreign || l->append[j->seen.at[i]] != append) {
                find_broken_run(l, j, i, append, f);
                return true;
            }
    }
    return false;
}

/* The longest read of the same list, by a transaction that counts, that agrees
 * with the order of the key. */
static op_id
find_reference(const struct list_appends *l, op_id op)
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

bool
list_flaw_kind_find(const struct list_appends *l, op_id op, struct flaw *f)
{
    const struct history *h = l->h;
    const txn_id t = l->owner[op];
    assert(op_is_of_list(h, op) && !op_is_write(h, op) && h->txn_counts[t]);
    struct judged_list j = {
        .txn = t, .op = op, .seen = history_list_seen(h, op)};
    *f = (struct flaw){.txn = t, .op = op, .value = h->op_value[op]};
    if (is_twice(l, &j, f) || is_unserved(l, &j, f) || is_not_own(l, &j, f) ||
        is_broken(l, &j, f))
        return true;
    const struct list_read *r = history_list_read(h, op);
    if (r && r->own != ID_NONE) {
        f->value = h->op_value[op];
        set_flaw(l, f, FLAW_INCOMPATIBLE, find_reference(l, op));
        return true;
    }
    f->value = j.lost;
    set_flaw(l, f, FLAW_THIN_AIR, ID_NONE);
    return j.lost != VALUE_INIT;
}
