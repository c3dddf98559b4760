/* view.c -- see view.h.
 *
 * SPDX-License-Identifier: MIT */
#include "view.h"

#include "record_rows.h"

void
view_free(struct view *v)
{
    vec_free(&v->txns);
    vec_free(&v->reads);
    vec_free(&v->elements);
    vec_free(&v->links);
}

/* The first of its session, committed, and it only writes initial values. */
static bool
is_loading(const struct record *r, size_t i)
{
    const struct record_txn *t = &r->txns.at[i];
    for (size_t j = 0; j < i; j++)
        if (r->txns.at[j].session == t->session)
            return false;
    for (uint32_t j = 0; j < t->ops_n; j++) {
        const struct record_op *op = &r->ops.at[t->ops + j];
        if (!op->is_write || op->value || r->keys.at[op->key].is_list ||
            r->keys.at[op->key].is_row)
            return false;
    }
    return t->status == TXN_COMMITTED && t->ops_n;
}

bool
view_is_tested(const struct record *r)
{
    for (size_t i = 0; i < r->txns.n; i++)
        if (r->txns.at[i].status == TXN_COMMITTED && r->txns.at[i].ops_n &&
            !is_loading(r, i))
            return true;
    return false;
}

static bool
shows_twice(const int64_t *items, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++)
            if (items[i] == items[j])
                return true;
    return false;
}

/* The j-th operation of t reads a list: take it apart.  False where it does
 * not end with the own elements so far. */
static bool
split_list(const struct record *r, const struct record_txn *t, uint32_t j,
           struct view_read *read)
{
    const struct record_op *op = &r->ops.at[t->ops + j];
    read->is_list = true;
    read->items = r->items.at + op->items;
    for (uint32_t i = 0; i < j; i++) {
        const struct record_op *other = &r->ops.at[t->ops + i];
        if (!other->is_write || other->key != op->key)
            continue;
        if (!read->own++)
            read->place = i;
    }
    if (read->own > op->items_n || shows_twice(read->items, op->items_n))
        return false;
    read->n = op->items_n - read->own;
    uint32_t at = read->n;
    for (uint32_t i = 0; i < j; i++) {
        const struct record_op *other = &r->ops.at[t->ops + i];
        if (other->is_write && other->key == op->key &&
            read->items[at++] != other->value)
            return false;
    }
    return true;
}

/* Take one row of the j-th operation, its part'th: the values that it may have
 * seen are those that fit.  A row that an unordered query missed was read after
 * what came before the query, and nothing else is known. */
static bool
take_row(const struct record *r, const struct record_txn *t, uint32_t j,
         struct view_read read, uint32_t part, bool is_missed, struct view *v)
{
    for (uint32_t i = j; i-- > 0;) {
        const struct record_op *own = &r->ops.at[t->ops + i];
        if (own->is_write && own->key == read.key)
            return read.fits >> own->value & 1; // an internal read
    }
    assert(part < VIEW_PLACES);
    read.is_row = true;
    read.place = j * VIEW_PLACES + part;
    read.after = is_missed && r->ops.at[t->ops + j].is_unordered
                     ? j * VIEW_PLACES
                     : read.place;
    vec_push(&v->reads, read);
    return true;
}

/* Take the j-th operation, a read of a row, or a query: of each row that it
 * returned some version that matches and has the values that it showed, and
 * then of each row that it did not return some version that does not match. */
static bool
take_rows(const struct record *r, const struct record_txn *t, uint32_t j,
          uint32_t number, struct view *v)
{
    const struct record_op *op = &r->ops.at[t->ops + j];
    struct view_read read = {.txn = number, .key = op->key};
    if (op->asks != ASKS_QUERY) {
        read.fits = record_rows_fit(op->asks, op->value);
        return take_row(r, t, j, read, 0, false, v);
    }
    uint64_t returned = 0;
    uint32_t part = 0;
    for (uint32_t i = 0; i < op->items_n; i++) {
        const int64_t item = r->items.at[op->items + i];
        read.key = record_rows_key(item);
        read.fits = record_rows_fit(record_rows_shows(r, op, item),
                                    record_rows_value(item)) &
                    record_rows_matches(op->condition);
        returned |= UINT64_C(1) << read.key;
        if (!take_row(r, t, j, read, part++, false, v))
            return false;
    }
    uint32_t order[VIEW_KEYS];
    const uint32_t n = record_rows_order(r, order);
    for (uint32_t i = 0; i < n; i++) {
        read.key = order[i];
        read.fits = ~record_rows_matches(op->condition);
        if (!(returned >> read.key & 1) &&
            !take_row(r, t, j, read, part++, true, v))
            return false;
    }
    return true;
}

/* Take the j-th operation, a read.  False where nobody can explain it. */
static bool
take_read(const struct record *r, const struct record_txn *t, uint32_t j,
          uint32_t number, struct view *v)
{
    const struct record_op *op = &r->ops.at[t->ops + j];
    if (r->keys.at[op->key].is_row)
        return take_rows(r, t, j, number, v);
    struct view_read read = {
        .txn = number, .key = op->key, .place = j, .value = op->value};
    if (r->keys.at[op->key].is_list) {
        if (!split_list(r, t, j, &read))
            return false;
    } else {
        for (uint32_t i = j; i-- > 0;) {
            const struct record_op *own = &r->ops.at[t->ops + i];
            if (own->is_write && own->key == op->key)
                return own->value == op->value; // an internal read
        }
    }
    read.place *= VIEW_PLACES;
    read.after = read.place;
    vec_push(&v->reads, read);
    return true;
}

static void
take_writes(const struct record *r, const struct record_txn *t, struct view *v,
            struct view_txn *out)
{
    for (uint32_t k = 0; k < r->keys.n; k++) {
        out->appended[k] = (uint32_t)v->elements.n;
        for (uint32_t j = 0; j < t->ops_n; j++) {
            const struct record_op *op = &r->ops.at[t->ops + j];
            if (!op->is_write || op->key != k)
                continue;
            out->writes |= UINT64_C(1) << k;
            out->last[k] = op->value;
            if (r->keys.at[k].is_list)
                vec_push(&v->elements, op->value);
        }
        out->appended_n[k] = (uint32_t)v->elements.n - out->appended[k];
    }
}

/* Take a transaction; false where it cannot count. */
static bool
take_txn(const struct record *r, const struct record_txn *t, bool with_checks,
         struct view *v)
{
    const uint32_t number = (uint32_t)v->txns.n;
    const size_t before = v->reads.n;
    struct view_txn out = {.optional = t->status == TXN_INDETERMINATE,
                           .session = t->session,
                           .began = t->began,
                           .ended = t->ended,
                           .reads = (uint32_t)before};
    if (out.optional)
        out.ended = INT64_MAX;
    for (uint32_t j = 0; j < t->ops_n; j++) {
        const struct record_op *op = &r->ops.at[t->ops + j];
        if (op->is_write || (op->is_check && !with_checks))
            continue;
        if (!take_read(r, t, j, number, v)) {
            v->reads.n = before;
            return false;
        }
    }
    out.reads_n = (uint32_t)(v->reads.n - before);
    take_writes(r, t, v, &out);
    assert(number < VIEW_TXNS);
    vec_push(&v->txns, out);
    if (out.optional)
        v->optional |= UINT64_C(1) << number;
    return true;
}

static bool
is_overwritten(const struct record *r, uint32_t write)
{
    for (size_t i = 0; i < r->txns.n; i++) {
        const struct record_txn *t = &r->txns.at[i];
        for (uint32_t j = write + 1; write >= t->ops && j < t->ops + t->ops_n;
             j++)
            if (r->ops.at[j].is_write &&
                r->ops.at[j].key == r->ops.at[write].key)
                return true;
    }
    return false;
}

/* Take the versions that t names; number[i] is the i-th transaction's. */
static void
take_links(const struct record *r, size_t t, const uint32_t *number,
           struct view *v)
{
    const struct record_txn *txn = &r->txns.at[t];
    for (uint32_t j = 0; j < txn->ops_n; j++) {
        const uint32_t named = record_rows_prev(r, txn, j);
        const uint32_t key = r->ops.at[txn->ops + j].key;
        struct view_link link = {.key = key,
                                 .after = number[t],
                                 .before = VIEW_INIT,
                                 .version = named};
        if (named == ID_NONE)
            continue;
        if (named == PREV_OF_INITIAL) {
            link.version = (uint32_t)r->ops.n + key;
        } else {
            for (size_t i = 0; i < r->txns.n; i++)
                if (named >= r->txns.at[i].ops &&
                    named < r->txns.at[i].ops + r->txns.at[i].ops_n)
                    link.before = number[i];
            link.is_overwritten = is_overwritten(r, named);
        }
        if (link.before != link.after)
            vec_push(&v->links, link);
    }
}

bool
view_may_follow(const struct view *v, uint32_t t, uint64_t others)
{
    for (size_t i = 0; i < v->links.n; i++) {
        const struct view_link *link = &v->links.at[i];
        if (link->after != t)
            continue;
        if (link->is_overwritten || link->before == VIEW_NEVER ||
            (link->before < VIEW_TXNS && !(others >> link->before & 1)))
            return false;
        for (size_t j = 0; j < v->links.n; j++)
            if (j != i && v->links.at[j].version == link->version &&
                others >> v->links.at[j].after & 1)
                return false;
    }
    return true;
}

void
view_make(const struct record *r, bool with_checks, struct view *v)
{
    uint32_t number[VIEW_TXNS];
    assert(r->txns.n <= VIEW_TXNS);
    assert(r->keys.n <= VIEW_KEYS);
    *v = (struct view){.n_keys = (uint32_t)r->keys.n};
    for (size_t k = 0; k < r->keys.n; k++)
        v->initial[k] = r->keys.at[k].initial;
    for (size_t i = 0; i < r->txns.n; i++) {
        const struct record_txn *t = &r->txns.at[i];
        number[i] = VIEW_NEVER;
        if (t->status == TXN_ABORTED || is_loading(r, i))
            continue;
        if (take_txn(r, t, with_checks, v))
            number[i] = (uint32_t)v->txns.n - 1;
        else if (t->status == TXN_COMMITTED)
            v->impossible = true;
    }
    for (size_t i = 0; i < r->txns.n; i++)
        if (number[i] != VIEW_NEVER)
            take_links(r, i, number, v);
}
