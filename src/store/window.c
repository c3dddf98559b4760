/* window.c -- forgetting old transactions.
 *
 * A store that runs for hours must not remember every version.  The first
 * transaction of the commit order is forgotten once more than a window's worth
 * are remembered: its writes become the base of their keys, and every
 * transaction is taken to have it in its past.  That takes choices away and
 * adds none, with one exception to guard against.  Say r read x from the base,
 * and the transaction t to be forgotten overwrote x.  Then r must never get t
 * into its premise, but t is no longer there to compare with.  So
 *
 *   (1) while such an r runs, t is not forgotten;
 *   (2) where such an r has committed it is frozen: whatever would let its
 *       premise grow is refused (legal.c).
 *
 * SPDX-License-Identifier: MIT */
#include "store/state.h"

static void
clear_txn(struct store *s, slot_id t)
{
    struct txn *txn = &s->txns.at[t];
    for (size_t i = 0; i < txn->writes.n; i++)
        mem_free(txn->writes.at[i].text);
    vec_clear(&txn->writes);
    vec_clear(&txn->reads);
    vec_clear(&txn->past);
    txn->is_running = txn->is_committed = txn->is_frozen = false;
    vec_push(&s->unused, t);
}

void
window_release_slot(struct store *s, slot_id t)
{
    assert(s->txns.at[t].is_running);
    clear_txn(s, t);
}

static bool
writes_key(const struct txn *txn, uint32_t key)
{
    for (size_t i = 0; i < txn->writes.n; i++)
        if (txn->writes.at[i].key == key)
            return true;
    return false;
}

/* Whether r read from the base a key that t overwrote. */
static bool
missed(const struct txn *r, const struct txn *t)
{
    for (size_t i = 0; i < r->reads.n; i++)
        if (r->reads.at[i].from == BASE && writes_key(t, r->reads.at[i].key))
            return true;
    return false;
}

static bool
can_forget(const struct store *s, slot_id t)
{
    for (slot_id r = 0; r < s->txns.n; r++)
        if (s->txns.at[r].is_running && missed(&s->txns.at[r], &s->txns.at[t]))
            return false; // (1)
    return true;
}

/* Make t part of the base for r. */
static void
forget_in(struct txn *r, slot_id t)
{
    for (size_t i = 0; i < r->reads.n; i++)
        if (r->reads.at[i].from == t)
            r->reads.at[i].from = BASE;
    set_remove(&r->past, t);
    r->floor = r->floor == t ? BASE : r->floor;
    r->previous = r->previous == t ? BASE : r->previous;
}

/* Forget the first transaction of the commit order. */
static void
forget_first(struct store *s)
{
    const slot_id t = s->order.at[0];
    struct txn *txn = &s->txns.at[t];
    for (slot_id r = 0; r < s->txns.n; r++) {
        struct txn *other = &s->txns.at[r];
        if (r == t || !(other->is_running || other->is_committed))
            continue;
        other->is_frozen = other->is_frozen || missed(other, txn); // (2)
        forget_in(other, t);
    }
    for (size_t i = 0; i < txn->writes.n; i++) {
        struct written *w = &txn->writes.at[i];
        struct key *key = &s->keys.at[w->key];
        assert(key->versions.at[0] == t);
        memmove(key->versions.at, key->versions.at + 1,
                --key->versions.n * sizeof *key->versions.at);
        mem_free(key->text);
        key->text = w->text;
        key->n = w->n;
        key->writer = txn->name;
        w->text = NULL;
    }
    struct store_session *session = &s->sessions.at[txn->name.session];
    set_remove(&session->committed, t);
    session->last = session->last == t ? BASE : session->last;
    memmove(s->order.at, s->order.at + 1, --s->order.n * sizeof *s->order.at);
    for (size_t i = 0; i < s->order.n; i++)
        s->txns.at[s->order.at[i]].place = (uint32_t)i;
    clear_txn(s, t);
}

void
window_close(struct store *s)
{
    while (s->o.window && s->order.n > s->o.window &&
           can_forget(s, s->order.at[0]))
        forget_first(s);
}
