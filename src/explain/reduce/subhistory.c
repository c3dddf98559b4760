/* subhistory.c -- see subhistory.h.
 *
 * The part is built like any other history.  Sizes are those of the part:
 * nothing here is proportional to the whole, whose writers are found by
 * binary search among those that stay.  Only where inconsistent reads stay, it
 * takes a look at all writes, because resolution has not said who wrote what
 * they saw.
 *
 * Names and metadata are text in the pool of the whole and move to the new
 * one.  Transactions come in the order of their ids, which is the order of
 * sessions and within sessions, so the new ids are 0, 1, 2, ... in the order
 * of 'txns'.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/reduce/subhistory.h"

#include "base/container/intmap.h"
#include "base/container/sorted.h"
#include "history/builder/builder.h"

#include <stdlib.h>

struct cut {
    const struct history *h;
    const struct subhistory_selection *selection;
    struct builder *b;
    u32_vec appended; // elements by those that stay, in ascending order
    // Where inconsistent reads stay, of the values that these saw, in ascending
    // order: all; by place in it, whether a transaction that goes wrote it.
    u32_vec seen;
    VEC(uint8_t) lost;
    VEC(struct atom) elements;
    // By value with several writers, once it was asked for: the one writer that
    // goes, or one of the two below.
    struct intmap *gone;
};

#define NONE_GO TXN_INIT // which always stays
#define SEVERAL_GO TXN_UNCHOSEN

static bool
has(const uint32_t *sorted, size_t n, uint32_t id)
{
    return n && bsearch(&id, sorted, n, sizeof *sorted, sorted_compare);
}

static bool
stays(const struct cut *c, txn_id t)
{
    return t == TXN_INIT || has(c->selection->txns, c->selection->n, t);
}

/* Find out which of the writers of v go.  There may be as many of them as
 * reads, so it is done once. */
static uint32_t
find_gone(const struct cut *c, value_id v)
{
    uint32_t gone = intmap_find(c->gone, v);
    if (gone != UINT32_MAX)
        return gone;
    gone = NONE_GO;
    const struct txn_range all = history_candidates(c->h, v);
    for (size_t i = 0; i < all.n && gone != SEVERAL_GO; i++)
        if (!stays(c, all.at[i]))
            gone = gone == NONE_GO ? all.at[i] : SEVERAL_GO;
    bool added;
    intmap_add(c->gone, v, gone, &added);
    assert(added);
    (void)added;
    return gone;
}

/* Whether all that may have written v for the reader t stay. */
static bool
writers_stay(const struct cut *c, value_id v, txn_id t)
{
    const txn_id w = history_writer(c->h, v);
    if (w == TXN_NONE)
        return false;
    if (!history_has_several(c->h, v))
        return stays(c, w);
    const uint32_t gone = find_gone(c, v);
    return gone == NONE_GO || gone == t;
}

/* Whether no transaction that goes wrote a value that an inconsistent read saw.
 */
static bool
keeps_writers(const struct cut *c, value_id v)
{
    const uint32_t *found =
        c->seen.n ? bsearch(&v, c->seen.at, c->seen.n, sizeof v, sorted_compare)
                  : NULL;
    return found && !c->lost.at[found - c->seen.at];
}

/* An element of a list stays when a transaction that stays appended it; where
 * inconsistent reads are the point, also when none did. */
static bool
element_stays(const struct cut *c, value_id v)
{
    if (c->selection->whole_lists)
        return true;
    if (c->selection->elements)
        return has(c->selection->elements, c->selection->n_elements, v);
    return has(c->appended.at, c->appended.n, v) ||
           (c->selection->inconsistent && keeps_writers(c, v));
}

/* Whether the read saw a list that contradicts another. */
static bool
is_own_list(const struct history *h, struct list_seen seen)
{
    return seen.at && h->list_items.n && seen.at >= h->list_items.at &&
           seen.at < h->list_items.at + h->list_items.n;
}

/* The implied read of t from what the list had before its own elements, of
 * which op is a read; ID_NONE where op is none of a list. */
static op_id
find_implied(const struct history *h, txn_id t, op_id op)
{
    if (!op_is_of_list(h, op))
        return ID_NONE;
    for (op_id i = h->txn_begin[t]; i < op; i++)
        if (op_key(h, i) == op_key(h, op) && op_is_implied(h, i))
            return i;
    return ID_NONE;
}

static bool
read_stays(const struct cut *c, txn_id t, op_id op)
{
    const struct history *h = c->h;
    if (c->selection->only)
        return true;
    const struct list_seen seen = history_list_seen(h, op);
    if (is_own_list(h, seen))
        return c->selection->inconsistent &&
               element_stays(c, seen.at[seen.n - 1]);
    if (h->op_key[op] & OP_REJECTED)
        return c->selection->inconsistent && keeps_writers(c, h->op_value[op]);
    op_id external = op;
    if (!(h->op_key[op] & OP_FINAL)) {
        external = find_implied(h, t, op);
        if (external == ID_NONE)
            return true; // of its own write
        if (h->op_key[external] & OP_REJECTED)
            return c->selection->inconsistent;
    }
    return h->op_value[external] == VALUE_INIT || !h->txn_counts[t] ||
           writers_stay(c, h->op_value[external], t);
}

static bool
op_stays(const struct cut *c, txn_id t, op_id op)
{
    const struct subhistory_selection *w = c->selection;
    return !op_is_inserted(c->h, op) && !op_is_ignored(c->h, op) &&
           !has(w->without, w->n_without, op) &&
           (!w->only || has(w->only, w->n_only, op)) &&
           (op_is_write(c->h, op) || read_stays(c, t, op));
}

/* --- copying --------------------------------------------------------------*/

static struct atom
copy_atom(struct cut *c, struct atom a)
{
    if (!atom_is_text(a))
        return a;
    const struct string s = strings_get(&c->h->strings, (uint32_t)a.bits);
    return builder_text(c->b, a.tag, s.text, s.len);
}

static bool
copy_list_read(struct cut *c, txn_id to, op_id op, struct err *err)
{
    const struct list_seen seen = history_list_seen(c->h, op);
    vec_clear(&c->elements);
    for (size_t i = 0; i < seen.n; i++)
        if (element_stays(c, seen.at[i]))
            vec_push(&c->elements,
                     copy_atom(c, history_value_atom(c->h, seen.at[i])));
    const struct atom key =
        copy_atom(c, history_key_atom(c->h, op_key(c->h, op)));
    return builder_read_list(c->b, to, key, c->elements.at, c->elements.n, err);
}

static bool
copy_op(struct cut *c, txn_id to, op_id op, struct err *err)
{
    const struct history *h = c->h;
    const key_id k = op_key(h, op);
    const bool list = h->key_is_list && h->key_is_list[k];
    if (list && !op_is_write(h, op))
        return copy_list_read(c, to, op, err);
    if (!builder_copy_row(c->b, h, k, err))
        return false;
    const struct atom key = copy_atom(c, history_key_atom(h, k));
    const struct atom value =
        copy_atom(c, history_value_atom(h, h->op_value[op]));
    if (!op_is_write(h, op))
        return builder_read(c->b, to, key, value, err);
    return list ? builder_append(c->b, to, key, value, err)
                : builder_write(c->b, to, key, value, err);
}

/* Copy the operations of a transaction that stay, with their marks.  One is of
 * the same query as the one before it if all between them were. */
static bool
copy_ops(struct cut *c, txn_id from, txn_id to, struct err *err)
{
    const struct history *h = c->h;
    bool joins = false; // an operation of the present query has been copied
    for (op_id op = h->txn_begin[from]; op < h->txn_end[from]; op++) {
        const unsigned marks = h->op_marks ? h->op_marks[op] : 0;
        const size_t first = builder_ops(c->b);
        joins = joins && marks & OP_MARK_IN_QUERY;
        if (!op_stays(c, from, op))
            continue;
        if (!copy_op(c, to, op, err))
            return false;
        builder_mark(c->b, first,
                     (marks & ~(unsigned)OP_MARK_IN_QUERY) |
                         (joins ? OP_MARK_IN_QUERY : 0));
        joins = true;
    }
    return true;
}

static void
copy_name(struct cut *c, txn_id from, txn_id to)
{
    const struct atom name = history_txn_atom(c->h, from);
    if (name.tag != ATOM_NIL) {
        builder_name(c->b, to, copy_atom(c, name));
        return;
    }
    struct buf shown = {0};
    history_show_txn(c->h, from, &shown);
    builder_name(c->b, to, builder_text(c->b, ATOM_STRING, shown.at, shown.n));
    buf_free(&shown);
}

static bool
copy_txn(struct cut *c, txn_id from, struct err *err)
{
    const struct history *h = c->h;
    const session_id s = builder_session(
        c->b, copy_atom(c, h->session_name[h->txn_session[from]]));
    txn_id to;
    if (!builder_txn(c->b, s, &to, err))
        return false;
    enum txn_status status = (enum txn_status)h->txn_status[from];
    if (status == TXN_LOADING ||
        (c->selection->count && h->txn_counts[from] == TXN_COUNTS))
        status = TXN_COMMITTED;
    builder_status(c->b, to, status);
    copy_name(c, from, to);
    if (h->txn_began)
        builder_times(c->b, to, h->txn_began[from], h->txn_ended[from]);
    if (h->txn_meta && h->txn_meta[from] != ID_NONE) {
        const struct string meta = strings_get(&h->strings, h->txn_meta[from]);
        builder_meta(c->b, to, meta.text, meta.len);
    }
    if (h->txn_partial && h->txn_partial[from] != ID_NONE) {
        const struct string partial =
            strings_get(&h->strings, h->txn_partial[from]);
        builder_partial(c->b, to, partial.text, partial.len);
    }
    return copy_ops(c, from, to, err);
}

/* The place of t among those that stay; TXN_INIT has none and stays the same.
 * ID_NONE: it goes, or its last write of k does. */
static txn_id
place_of(const struct cut *c, txn_id t, key_id k)
{
    const struct history *h = c->h;
    if (t == TXN_INIT)
        return t;
    const txn_id *found = bsearch(&t, c->selection->txns, c->selection->n,
                                  sizeof t, sorted_compare);
    bool writes = false;
    for (op_id op = h->txn_begin[t]; found && op < h->txn_end[t]; op++)
        writes |= op_is_final_write(h, op) && op_key(h, op) == k &&
                  op_stays(c, t, op);
    return writes ? (txn_id)(found - c->selection->txns) : ID_NONE;
}

/* The versions of rows that name others, as far as both stay. */
static bool
copy_links(struct cut *c, struct err *err)
{
    const struct history *h = c->h;
    for (size_t i = 0; i < h->links.n; i++) {
        struct version_link link = h->links.at[i];
        link.before = place_of(c, link.before, link.key);
        link.after = place_of(c, link.after, link.key);
        if (link.before == ID_NONE || link.after == ID_NONE)
            continue;
        const struct atom row = copy_atom(c, history_key_atom(h, link.key));
        if (!builder_link(c->b, row, link, err))
            return false;
    }
    return true;
}

/* Where the whole has decided which writers are seen and which transactions
 * count, so has the part. */
static bool
copy_authors(struct cut *c, struct err *err)
{
    const struct history *h = c->h;
    for (size_t i = 0; i < c->selection->n; i++) {
        const txn_id t = c->selection->txns[i];
        if (h->txn_status[t] == TXN_INDETERMINATE &&
            h->txn_counts[t] == TXN_COUNTS)
            builder_outcome(c->b, (txn_id)i);
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            bool repeated = false;
            for (size_t j = 0; j < h->renamed_from.n; j++)
                repeated |= h->renamed_from.at[j] == h->op_value[op];
            if (!repeated || !op_is_write(h, op))
                continue;
            const struct atom key =
                copy_atom(c, history_key_atom(h, op_key(h, op)));
            const struct atom element =
                copy_atom(c, history_value_atom(h, h->op_value[op]));
            if (!builder_author(c->b, (txn_id)i, key, element, err))
                return false;
        }
    }
    return true;
}

static void
note_appended(struct cut *c)
{
    const struct history *h = c->h;
    for (size_t i = 0; i < c->selection->n; i++) {
        const txn_id t = c->selection->txns[i];
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (op_is_write(h, op) && h->key_is_list[op_key(h, op)])
                vec_push(&c->appended, h->op_value[op]);
    }
    if (c->appended.n)
        qsort(c->appended.at, c->appended.n, sizeof *c->appended.at,
              sorted_compare);
}

static void
note_seen(struct cut *c, txn_id t)
{
    const struct history *h = c->h;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (op_is_write(h, op))
            continue;
        if (h->op_key[op] & OP_REJECTED)
            vec_push(&c->seen, h->op_value[op]);
        const struct list_seen seen = history_list_seen(h, op);
        for (size_t i = 0; i < seen.n; i++)
            if (!has(c->appended.at, c->appended.n, seen.at[i]))
                vec_push(&c->seen, seen.at[i]);
    }
}

/* Fill 'seen' and 'lost'.  This looks at the whole history. */
static void
find_lost(struct cut *c)
{
    const struct history *h = c->h;
    for (size_t i = 0; i < c->selection->n; i++)
        note_seen(c, c->selection->txns[i]);
    if (!c->seen.n)
        return;
    sorted_unique(&c->seen);
    const size_t n = c->seen.n;
    for (size_t i = 0; i < n; i++)
        vec_push(&c->lost, 0);
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; !stays(c, t) && op < h->txn_end[t];
             op++) {
            const uint32_t *found =
                op_is_write(h, op) ? bsearch(&h->op_value[op], c->seen.at, n,
                                             sizeof *c->seen.at, sorted_compare)
                                   : NULL;
            if (found)
                c->lost.at[found - c->seen.at] = 1;
        }
}

bool
subhistory_make(const struct history *h,
                const struct subhistory_selection *selection,
                struct history *out, txn_id *origin, struct err *err)
{
    assert(!atom_is_text(h->initial)); // whose text would have to move
    struct intmap gone = {0};
    struct cut c = {.h = h,
                    .selection = selection,
                    .b = builder_new(h->initial),
                    .gone = &gone};
    if (h->is_cut)
        builder_cut(c.b);
    if (h->key_is_list)
        note_appended(&c);
    if (selection->inconsistent)
        find_lost(&c);
    bool ok = true;
    for (size_t i = 0; ok && i < selection->n; i++) {
        ok = copy_txn(&c, selection->txns[i], err);
        origin[i] = selection->txns[i];
    }
    ok = ok && copy_links(&c, err) && copy_authors(&c, err);
    vec_free(&c.appended);
    vec_free(&c.seen);
    vec_free(&c.lost);
    vec_free(&c.elements);
    intmap_free(&gone);
    if (!ok) {
        builder_free(c.b);
        return false;
    }
    if (!builder_finish(c.b, out, err))
        return false;
    if (!h->authors.n)
        vec_clear(&out->authors);
    return true;
}
