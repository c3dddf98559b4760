/* reader_outcomes.c -- see reader_outcomes.h.
 *
 * Which transactions may count is decided later, and depends on the authors of
 * elements.  Here it suffices to find all that possibly may: those that write
 * a value that another one writes too, or that one of them reads.
 *
 * SPDX-License-Identifier: MIT */
#include "history/list/reader_outcomes.h"

struct outcomes {
    struct history *h;
    txn_id *writer;   // by value: one that did not abort, or TXN_NONE
    uint8_t *many;    // by value: there are several, or it is the initial one
    uint8_t *read;    // by value: a transaction in 'choices' reads it
    uint8_t *choices; // by transaction: it can be a choice
};

static void
find_writers(struct outcomes *o)
{
    const struct history *h = o->h;
    memset(o->writer, 0xff, h->n_values * sizeof *o->writer); // TXN_NONE
    o->many[VALUE_INIT] = 1;
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t];
             h->txn_status[t] != TXN_ABORTED && op < h->txn_end[t]; op++) {
            if (!op_is_write(h, op))
                continue;
            txn_id *w = &o->writer[h->op_value[op]];
            o->many[h->op_value[op]] |= *w != TXN_NONE && *w != t;
            *w = t;
        }
}

/* Add t to the choices, and note what it reads. */
static void
note_reads(struct outcomes *o, txn_id t)
{
    const struct history *h = o->h;
    assert(h->txn_status[t] == TXN_INDETERMINATE && !o->choices[t]);
    o->choices[t] = 1;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (op_is_write(h, op))
            continue;
        o->read[h->op_value[op]] = 1;
        const struct list_seen seen = history_list_seen(h, op);
        for (size_t i = 0; i < seen.n; i++)
            o->read[seen.at[i]] = 1;
    }
}

static bool
can_be_choice(const struct outcomes *o, txn_id t)
{
    const struct history *h = o->h;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_write(h, op) &&
            (o->many[h->op_value[op]] || o->read[h->op_value[op]]))
            return true;
    return false;
}

static void
find_choices(struct outcomes *o)
{
    const struct history *h = o->h;
    for (bool changed = true; changed;) {
        changed = false;
        for (txn_id t = 0; t < h->n_txns; t++)
            if (h->txn_status[t] == TXN_INDETERMINATE && !o->choices[t] &&
                can_be_choice(o, t)) {
                note_reads(o, t);
                changed = true;
            }
    }
}

static bool
reads_list(const struct history *h, txn_id t)
{
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (!op_is_write(h, op) && history_list_seen(h, op).n)
            return true;
    return false;
}

static void
add_row(struct history *h, txn_id t, const struct list_author *wanted, size_t n)
{
    struct list_author row = {VALUE_INIT, TXN_NONE, (uint32_t)h->author_items.n,
                              2};
    for (size_t i = 0; i < n; i++)
        if (reader_outcomes_is(&wanted[i]) && wanted[i].seen == t)
            row.seen = t;
    vec_push(&h->authors, row);
    vec_push(&h->author_items, t);
    vec_push(&h->author_items, TXN_NONE);
}

void
reader_outcomes_choose(struct history *h, const struct list_author *wanted,
                       size_t n)
{
    bool any = false;
    const bool orders = h->list_reads.n || h->links.n;
    for (txn_id t = 0; orders && t < h->n_txns; t++)
        any |= h->txn_status[t] == TXN_INDETERMINATE;
    if (!any)
        return;
    struct outcomes o = {.h = h};
    o.writer = mem_alloc(h->n_values, sizeof *o.writer);
    o.many = mem_calloc(h->n_values, sizeof *o.many);
    o.read = mem_calloc(h->n_values, sizeof *o.read);
    o.choices = mem_calloc(h->n_txns, sizeof *o.choices);
    find_writers(&o);
    find_choices(&o);
    uint8_t *links = mem_calloc(h->n_txns, sizeof *links);
    for (size_t i = 0; i < h->links.n; i++)
        links[h->links.at[i].after] = 1;
    for (txn_id t = 0; t < h->n_txns; t++)
        if (o.choices[t] && (links[t] || reads_list(h, t)))
            add_row(h, t, wanted, n);
    mem_free(links);
    mem_free(o.writer);
    mem_free(o.many);
    mem_free(o.read);
    mem_free(o.choices);
}
