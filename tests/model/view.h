/* view.h -- what each transaction of a record asks of the others, and offers.
 *
 * Straight from levels.md, sections "Histories" and "Lists".  A view holds the
 * transactions that may count: committed and indeterminate ones, without those
 * that record the loading.  For each it has
 *
 *   - its external reads.  Of a list read after own appends that is what stands
 *     before the own elements, at the place of the first own append;
 *   - what it leaves in each key: the last value written, or all elements
 *     appended, in program order.
 *
 * Reads that no choice of others can explain are judged here: a register that
 * does not show the own last write, a list that does not end with exactly the
 * own elements so far, a list that shows an element twice.  A transaction with
 * such a read cannot count: an indeterminate one is left out, and with a
 * committed one no level holds.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MODEL_VIEW_H
#define MODEL_VIEW_H

#include "record.h"

enum {
    VIEW_TXNS = 64,
    VIEW_KEYS = 64,
    VIEW_INIT = VIEW_TXNS,
    VIEW_NEVER,
    VIEW_PLACES = 64
};

struct view_read {
    uint32_t txn, key;
    uint32_t place; // in program order; a query has VIEW_PLACES of them
    uint32_t after; // reads in places before this one come before it
    bool is_list, is_row;
    int64_t value;        // registers
    uint64_t fits;        // rows: bit v, it may have seen the values v
    const int64_t *items; // lists: n elements of others, then 'own' of its own
    uint32_t n, own;
};

struct view_txn {
    bool optional; // indeterminate
    uint32_t session;
    int64_t began, ended;    // ended is never where nobody learnt it
    uint64_t writes;         // bit k: it writes key k
    int64_t last[VIEW_KEYS]; // registers
    uint32_t appended[VIEW_KEYS], appended_n[VIEW_KEYS]; // view.elements
    uint32_t reads, reads_n;                             // view.reads
};

/* A version of a row that names the one before it. */
struct view_link {
    uint32_t key, after;
    uint32_t before;     // VIEW_INIT; VIEW_NEVER: one that cannot count
    uint32_t version;    // equal where the one before is the same
    bool is_overwritten; // by its own transaction, later
};

struct view {
    bool impossible; // no level holds
    uint32_t n_keys;
    int64_t initial[VIEW_KEYS];
    VEC(struct view_txn) txns; // by session order within each session
    VEC(struct view_read) reads;
    VEC(int64_t) elements;
    VEC(struct view_link) links;
    uint64_t optional; // bit t: it may count or not
};

/* The record must outlive the view.  Without checks, reads of constraint checks
 * are taken as if they were not recorded. */
void view_make(const struct record *r, bool with_checks, struct view *v);
void view_free(struct view *v);

static inline bool
view_writes(const struct view *v, uint32_t t, uint32_t key)
{
    return v->txns.at[t].writes >> key & 1;
}

/* Whether the read can have seen a register or row with this in it. */
static inline bool
view_fits(const struct view_read *r, int64_t value)
{
    return r->is_row ? r->fits >> value & 1 : r->value == value;
}

/* What t appended to key. */
static inline const int64_t *
view_appended(const struct view *v, uint32_t t, uint32_t key, uint32_t *n)
{
    *n = v->txns.at[t].appended_n[key];
    return v->elements.at + v->txns.at[t].appended[key];
}

/* Whether t, which names versions of rows, can come after these others, each a
 * bit, and no more of them. */
bool view_may_follow(const struct view *v, uint32_t t, uint64_t others);

/* Whether s is earlier than t in the same session. */
static inline bool
view_so(const struct view *v, uint32_t s, uint32_t t)
{
    return s < t && v->txns.at[s].session == v->txns.at[t].session;
}

/* Whether a committed transaction besides the loading has an operation.  A
 * level that holds without one is 'unknown' (doc/levels.md). */
bool view_is_tested(const struct record *r);

#endif
