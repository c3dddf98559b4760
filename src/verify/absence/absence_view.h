/* absence_view.h -- an execution and evidence of absence, as the verifier sees
 * them: everything is looked up or computed naively.
 *
 * SPDX-License-Identifier: MIT */
#ifndef VERIFY_ABSENCE_ABSENCE_VIEW_H
#define VERIFY_ABSENCE_ABSENCE_VIEW_H

#include "evidence/absence.h"

struct view_read {
    key_id key;
    uint32_t txn, writer;
};

struct view_write {
    key_id key;
    uint32_t txn, reads_before;
};

/* A version under an order, in place. */
struct view_version {
    uint64_t place;
    uint32_t write, tag;
};

struct absence_view {
    const struct history *h;
    const struct absence *a;
    uint32_t n; // transactions
    uint32_t *session, *read_first, *write_first;
    VEC(struct view_read) reads;
    VEC(struct view_write) writes;
    u32_vec *writes_of; // by key
    size_t words;       // of a row of 'before'
    uint64_t *before;   // bit v of row u: u happens before v
    uint8_t *looped;
    uint8_t *candidate; // may be a boundary transaction, as the evidence says

    // By order: its versions, sorted by key and place; built when needed.
    struct view_order {
        VEC(struct view_version) versions;
        uint32_t *first; // by key
    } * orders;

    uint32_t *slots; // facts by hash: index + 1
    size_t slots_n;

    VEC(absence_lit) clause; // the one being made
};

bool view_init(struct absence_view *v, const struct history *h,
               const struct absence *a, struct err *err);
void view_free(struct absence_view *v);

/* Whether a happens before b; a transaction not before itself, unless it is on
 * a cycle. */
bool view_before(const struct absence_view *v, uint32_t a, uint32_t b);

uint32_t view_prev(const struct absence_view *v, uint32_t t);
uint32_t view_next(const struct absence_view *v, uint32_t t);
uint32_t view_write_of(const struct absence_view *v, uint32_t t, key_id k);
bool view_reads_key(const struct absence_view *v, uint32_t t, key_id k);

/* Append a literal to the clause; false where the evidence has no such fact. */
bool view_lit(struct absence_view *v, bool value, enum absence_fact kind,
              uint32_t a, uint32_t b, uint32_t c, uint32_t d);

static inline bool
view_base(struct absence_view *v, bool value, uint32_t t)
{
    return view_lit(v, value, FACT_BASE, t, 0, 0, 0);
}

static inline bool
view_boundary(struct absence_view *v, bool value, uint32_t t)
{
    return view_lit(v, value, FACT_BOUNDARY, t, 0, 0, 0);
}

/* Read r of a boundary transaction takes place; the first one always does. */
static inline bool
view_reaches(struct absence_view *v, bool value, uint32_t r)
{
    const uint32_t t = v->reads.at[r].txn;
    return r == v->read_first[t] ? view_boundary(v, value, t)
                                 : view_lit(v, value, FACT_REACHES, r, 0, 0, 0);
}

static inline bool
view_is_last_read(const struct absence_view *v, uint32_t r)
{
    return r + 1 == v->read_first[v->reads.at[r].txn + 1];
}

/* --- the levels (absence_level.c) ------------------------------------------
 */

/* Whether a boundary transaction can have its read r from w, at the level; and
 * while its read 'other' is from u. */
bool absence_view_may_read(const struct absence_view *v, uint32_t r,
                           uint32_t w);
bool absence_view_may_read_with(const struct absence_view *v, uint32_t r,
                                uint32_t w, uint32_t other, uint32_t u);

/* Whether who is no candidate cannot be a boundary transaction, and the writers
 * left out of the lists cannot be picked. */
bool absence_view_check_candidates(const struct absence_view *v,
                                   struct err *err);

/* --- versions (absence_versions.c) ------------------------------------------
 */

/* A way in which a boundary transaction reads something, kept or picked, and
 * who is first to overwrite that in the base. */
struct view_way {
    uint32_t read, writer, next;
    bool is_kept;
};
typedef VEC(struct view_way) view_way_vec;

void absence_view_find_ways(const struct absence_view *v, const uint64_t *place,
                            uint32_t b, view_way_vec *out);

/* Where the writer just before 'next' is; at the end for ABSENCE_NONE. */
uint64_t absence_view_place_before(const uint64_t *place, uint32_t next);

/* The versions under order n; the index of one, or ABSENCE_NONE. */
const struct view_order *view_versions(struct absence_view *v, uint32_t n);
uint32_t absence_view_find_version(struct absence_view *v, uint32_t n,
                                   uint32_t write, uint32_t tag);

/* --- rules: make the clause (absence_*.c) ------------
 */

bool absence_view_make_choice(struct absence_view *v,
                              const struct rule_row *rule);
bool absence_view_make_pivot(struct absence_view *v,
                             const struct rule_row *rule);
bool absence_view_make_cycle(struct absence_view *v,
                             const struct rule_row *rule);

#endif
