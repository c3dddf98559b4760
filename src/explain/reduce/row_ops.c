/* row_ops.c -- see row_ops.h.
 *
 * Entries and operations are gone through side by side, as row_registers.c has
 * made the latter of the former:
 *
 *   (1) a write is the writes of all registers of its row, that of the row
 *       itself last; a read of the row may come first (row_links.h);
 *   (2) a query is a read of each row that it returned, and then of rows that
 *       it missed, in ascending order.  A query after it for the same
 *       condition, if it returned nothing, misses the first of these rows
 *       again, or one that this query returned.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/reduce/row_ops.h"

#include "history/row/row_text.h"

struct row_walk {
    const struct history *h;
    struct row_ops *r;
    op_id *next;       // by transaction
    uint8_t *returned; // by row, during a query
};

/* The next operation of t on a row, or ID_NONE. */
static op_id
next_op(const struct row_walk *w, txn_id t)
{
    while (w->next[t] < w->h->txn_end[t] && !op_is_of_row(w->h, w->next[t]))
        w->next[t]++;
    return w->next[t] < w->h->txn_end[t] ? w->next[t] : ID_NONE;
}

static op_id
take_op(struct row_walk *w, txn_id t, uint32_t entry)
{
    const op_id op = next_op(w, t);
    assert(op != ID_NONE);
    w->r->entry[op] = entry;
    w->next[t]++;
    return op;
}

/* (1) */
static void
take_write(struct row_walk *w, txn_id t, uint32_t entry)
{
    const struct history *h = w->h;
    op_id op;
    do
        op = take_op(w, t, entry);
    while (!op_is_write(h, op) || h->key_rows[op_key(h, op)].where != ID_NONE);
}

/* (2) */
static void
take_query(struct row_walk *w, txn_id t, uint32_t entry)
{
    const struct history *h = w->h;
    const struct row_log *l = h->rows;
    const struct row_query *q = &l->queries.at[l->entries.at[entry].about];
    const struct row_condition *c = &l->conditions.at[q->condition];
    const struct row_entry *found = &l->entries.at[entry - q->returned];
    struct buf asked = {0};
    buf_text(&asked, c->is_named ? "#" : "");
    buf_text(&asked, strings_get(&l->names, c->text).text);
    for (uint32_t i = 0; i < q->returned; i++) {
        w->r->returned[take_op(w, t, entry)] = entry - q->returned + i;
        w->returned[found[i].row] = 1;
    }
    row_id least = 0;
    for (op_id op; (op = next_op(w, t)) != ID_NONE; take_op(w, t, entry)) {
        const char *condition = row_text_condition(h, op_key(h, op));
        const row_id row = w->r->row[op_key(h, op)];
        if (op_is_write(h, op) || !condition || row < least ||
            strcmp(condition, asked.at) != 0 || w->returned[row] ||
            l->rows.at[row].table != q->table)
            break;
        least = row + 1;
    }
    for (uint32_t i = 0; i < q->returned; i++)
        w->returned[found[i].row] = 0;
    buf_free(&asked);
}

static void
find_rows(struct row_ops *r, const struct history *h)
{
    const struct row_log *l = h->rows;
    struct strings names = {0}; // numbered like the rows
    for (row_id row = 0; row < l->rows.n; row++) {
        const struct string s = strings_get(&l->names, l->rows.at[row].name);
        strings_add(&names, s.text, s.len);
    }
    for (key_id k = 0; k < h->n_keys; k++) {
        r->row[k] = ID_NONE;
        if (!history_key_is_row(h, k))
            continue;
        const struct atom name = history_key_atom(h, h->key_rows[k].row);
        const struct string s = strings_get(&h->strings, (uint32_t)name.bits);
        r->row[k] = strings_add(&names, s.text, s.len);
        assert(r->row[k] < l->rows.n);
    }
    strings_free(&names);
}

void
row_ops_init(struct row_ops *r, const struct history *h)
{
    const struct row_log *l = h->rows;
    r->row = mem_alloc(h->n_keys, sizeof *r->row);
    r->entry = mem_alloc(h->n_ops, sizeof *r->entry);
    r->returned = mem_alloc(h->n_ops, sizeof *r->returned);
    for (op_id op = 0; op < h->n_ops; op++)
        r->entry[op] = r->returned[op] = ID_NONE;
    find_rows(r, h);
    struct row_walk w = {.h = h, .r = r};
    w.next = mem_alloc(h->n_txns, sizeof *w.next);
    w.returned = mem_calloc(l->rows.n, sizeof *w.returned);
    for (txn_id t = 0; t < h->n_txns; t++)
        w.next[t] = h->txn_begin[t];
    for (uint32_t i = 0; i < l->entries.n; i++) {
        const txn_id t = h->arrival[l->entries.at[i].txn];
        if (l->entries.at[i].kind == ROW_WRITE)
            take_write(&w, t, i);
        else if (l->entries.at[i].kind == ROW_READ)
            take_op(&w, t, i);
        else if (l->entries.at[i].kind == ROW_QUERY)
            take_query(&w, t, i);
    }
    mem_free(w.next);
    mem_free(w.returned);
}

void
row_ops_free(struct row_ops *r)
{
    mem_free(r->row);
    mem_free(r->entry);
    mem_free(r->returned);
}
