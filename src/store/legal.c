/* legal.c -- what a transaction may see, given a commit order.
 *
 * The rule of every level has one form: where t reads x from w, no other
 * writer of x behind w in the commit order is in the *premise* of t.  Levels
 * differ in the premise only:
 *
 *   rc    the writers t read from before this read
 *   ra    the writers t read from, and the earlier ones of its session
 *   cc    the same, and their premises
 *   psi   the same, and those that wrote a key of t's writes before t
 *   pc    everything up to the last, in the commit order, that t read from or
 *         follows in its session (its floor)
 *   si    the same, and everything up to the last writer before t of a key
 *         that t writes
 *   ser   everything before t
 *
 * The premises of rc, ra and cc are fixed when a transaction commits, so a
 * newcomer breaks no read wherever it is placed after its own past.  Those of
 * pc and ser, given by places, take in newcomers in front of them; those of
 * si and psi can moreover grow when a newcomer writes a key in front of them.
 * There, all transactions remembered are checked again, which costs
 * O(transactions x reads x versions of a key) and is why there is a window.
 *
 * SPDX-License-Identifier: MIT */
#include "store/state.h"

/* Places of committed slots; BASE is in front of all. */
static int64_t
place_of(const struct store *s, slot_id t)
{
    return t == BASE ? -1 : (int64_t)s->txns.at[t].place;
}

void
legal_add_premise(struct store *s, slot_id t, slot_id other)
{
    if (other == BASE)
        return;
    struct txn *txn = &s->txns.at[t];
    if (place_of(s, other) > place_of(s, txn->floor))
        txn->floor = other;
    set_add(&txn->past, other);
    if (level_is_causal(s->o.level) && !level_sees_prefix(s->o.level))
        set_unite(&txn->past, &s->txns.at[other].past);
}

/* --- premises --------------------------------------------------------------*/

/* The last one that wrote the key before t did, or BASE. */
static slot_id
writer_before(const struct store *s, slot_id t, uint32_t key)
{
    const u32_vec *versions = &s->keys.at[key].versions;
    slot_id before = BASE;
    for (size_t i = 0; i < versions->n && versions->at[i] != t; i++)
        before = versions->at[i];
    return before;
}

/* The place up to which every transaction is in the premise of t. */
static int64_t
floor_place(const struct store *s, slot_id t)
{
    const struct txn *txn = &s->txns.at[t];
    if (level_is_serial(s->o.level) && txn->is_committed)
        return (int64_t)txn->place - 1;
    int64_t floor = place_of(s, txn->floor);
    if (level_separates_writers(s->o.level) && txn->is_committed)
        for (size_t i = 0; i < txn->writes.n; i++) {
            const int64_t before =
                place_of(s, writer_before(s, t, txn->writes.at[i].key));
            floor = before > floor ? before : floor;
        }
    return floor;
}

static bool
read_before(const struct txn *txn, size_t read, slot_id from)
{
    for (size_t i = 0; i < read; i++)
        if (txn->reads.at[i].from == from)
            return true;
    return false;
}

bool
legal_reads_hold(const struct store *s, slot_id t)
{
    const struct txn *txn = &s->txns.at[t];
    const enum level level = s->o.level;
    const bool by_place = level_sees_prefix(level);
    const int64_t floor = by_place ? floor_place(s, t) : -1;
    for (size_t i = 0; i < txn->reads.n; i++) {
        const struct store_seen seen = txn->reads.at[i];
        const u32_vec *versions = &s->keys.at[seen.key].versions;
        for (size_t j = versions->n; j--;) {
            const slot_id missed = versions->at[j];
            const int64_t place = place_of(s, missed);
            if (place <= place_of(s, seen.from))
                break;
            if (missed == t)
                continue;
            if (by_place                    ? place <= floor
                : level_orders_reads(level) ? read_before(txn, i, missed)
                                            : set_has(&txn->past, missed))
                return false;
        }
    }
    return true;
}

/* --- psi: premises that depend on the order of writers ---------------------*/

/* Work out the past of t again; false if that may not grow and has. */
static bool
renew_past(struct store *s, slot_id t)
{
    struct txn *txn = &s->txns.at[t];
    set_copy(&s->spare, &txn->past);
    vec_clear(&txn->past);
    legal_add_premise(s, t, txn->previous);
    for (size_t i = 0; i < txn->reads.n; i++)
        legal_add_premise(s, t, txn->reads.at[i].from);
    for (size_t i = 0; txn->is_committed && i < txn->writes.n; i++) {
        const slot_id before = writer_before(s, t, txn->writes.at[i].key);
        if (before != BASE) {
            set_add(&txn->past, before);
            set_unite(&txn->past, &s->txns.at[before].past);
        }
    }
    return !set_unite(&s->spare, &txn->past) || !txn->is_frozen;
}

/* Renew all pasts from a place on, and of those that run. */
static bool
renew_pasts(struct store *s, size_t place)
{
    bool ok = true;
    for (size_t i = place; i < s->order.n; i++)
        ok = renew_past(s, s->order.at[i]) && ok;
    for (slot_id t = 0; t < s->txns.n; t++)
        if (s->txns.at[t].is_running)
            renew_past(s, t);
    return ok;
}

/* --- placing ---------------------------------------------------------------*/

size_t
legal_first_place(const struct store *s, slot_id t)
{
    return (size_t)(place_of(s, s->txns.at[t].floor) + 1);
}

static void
number_from(struct store *s, size_t place)
{
    for (size_t i = place; i < s->order.n; i++)
        s->txns.at[s->order.at[i]].place = (uint32_t)i;
}

static void
list_insert(u32_vec *list, size_t at, uint32_t x)
{
    vec_push(list, x);
    memmove(list->at + at + 1, list->at + at,
            (list->n - 1 - at) * sizeof *list->at);
    list->at[at] = x;
}

static void
list_remove(u32_vec *list, uint32_t x)
{
    size_t i = 0;
    while (list->at[i] != x)
        i++;
    memmove(list->at + i, list->at + i + 1, (--list->n - i) * sizeof *list->at);
}

static void
enter_order(struct store *s, slot_id t, size_t place)
{
    struct txn *txn = &s->txns.at[t];
    list_insert(&s->order, place, t);
    number_from(s, place);
    txn->is_running = false;
    txn->is_committed = true;
    for (size_t i = 0; i < txn->writes.n; i++) {
        u32_vec *versions = &s->keys.at[txn->writes.at[i].key].versions;
        size_t at = versions->n;
        while (at && s->txns.at[versions->at[at - 1]].place > place)
            at--;
        list_insert(versions, at, t);
    }
}

static void
leave_order(struct store *s, slot_id t)
{
    struct txn *txn = &s->txns.at[t];
    for (size_t i = 0; i < txn->writes.n; i++)
        list_remove(&s->keys.at[txn->writes.at[i].key].versions, t);
    list_remove(&s->order, t);
    number_from(s, txn->place);
    txn->is_running = true;
    txn->is_committed = false;
}

/* si: whether a frozen transaction now follows t as a writer. */
static bool
pushes_frozen(const struct store *s, slot_id t)
{
    const struct txn *txn = &s->txns.at[t];
    for (size_t i = 0; i < txn->writes.n; i++) {
        const u32_vec *versions = &s->keys.at[txn->writes.at[i].key].versions;
        for (size_t j = versions->n; j-- && versions->at[j] != t;)
            if (s->txns.at[versions->at[j]].is_frozen)
                return true;
    }
    return false;
}

/* Whether all reads stay legal with t at its current place. */
static bool
all_reads_hold(struct store *s, slot_id t)
{
    if (level_is_weak(s->o.level))
        return true;
    if (level_is_parallel(s->o.level) && !renew_pasts(s, s->txns.at[t].place))
        return false;
    if (level_separates_writers(s->o.level) && pushes_frozen(s, t))
        return false;
    if (!legal_reads_hold(s, t))
        return false;
    for (slot_id other = 0; other < s->txns.n; other++) {
        const struct txn *txn = &s->txns.at[other];
        if ((txn->is_running || txn->is_committed) &&
            !legal_reads_hold(s, other))
            return false;
    }
    return true;
}

bool
legal_place_txn(struct store *s, slot_id t, size_t place)
{
    enter_order(s, t, place);
    if (all_reads_hold(s, t))
        return true;
    leave_order(s, t);
    if (level_is_parallel(s->o.level))
        renew_pasts(s, place);
    return false;
}
