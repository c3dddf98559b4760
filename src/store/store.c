/* store.c -- sessions, transactions, reads and writes; see store.h.
 *
 * Method.  The store keeps one total order of the committed transactions, the
 * commit order whose existence the level's definition asks for.  A read may
 * return any version with which everything the transaction has read so far
 * stays right in that order; a transaction that commits may enter the order at
 * any place behind those it must follow, as long as all reads stay
 * legal.  So every history that is produced satisfies the level: the order is
 * the proof.
 *
 * And every history that satisfies the level can be produced.  Take an order
 * that proves it, and run the transactions in any interleaving without
 * reads of uncommitted writes.  Whatever has committed so far, ordered as in
 * that proof, is a proof for the history so far: leaving out transactions that
 * no one has read from yet takes premises away and adds none.  So each read,
 * and each place, is among the choices when its turn comes.
 *
 * The premises of the levels are in legal.c, and forgetting in window.c.
 *
 * Invariants between calls:
 *   (1) order.at[p] has place p, and a key's versions are those of its writers
 *       that are in 'order', in that order;
 *   (2) legal_reads_hold for every transaction that runs or is in 'order';
 *   (3) in 'order' a transaction stands behind the earlier ones of its session
 *       and behind those that it read from.
 *
 * SPDX-License-Identifier: MIT */
#include "store/store.h"

#include "store/state.h"

bool
store_new(const struct store_options *o, struct store **out, struct err *err)
{
    if (!level_is_used_by(o->level, USED_BY_STORE))
        return err_set(err, ERR_USAGE,
                       "the store offers rc, ra, cc, pc, psi, si and ser, "
                       "not %s",
                       level_table[o->level].brief);
    *out = mem_calloc(1, sizeof **out);
    (*out)->o = *o;
    return true;
}

void
store_free(struct store *s)
{
    if (!s)
        return;
    for (size_t t = 0; t < s->txns.n; t++) {
        struct txn *txn = &s->txns.at[t];
        for (size_t i = 0; i < txn->writes.n; i++)
            mem_free(txn->writes.at[i].text);
        vec_free(&txn->writes);
        vec_free(&txn->reads);
        vec_free(&txn->past);
    }
    for (size_t k = 0; k < s->keys.n; k++) {
        vec_free(&s->keys.at[k].versions);
        mem_free(s->keys.at[k].text);
    }
    for (size_t i = 0; i < s->sessions.n; i++)
        vec_free(&s->sessions.at[i].committed);
    strings_free(&s->names);
    vec_free(&s->keys);
    vec_free(&s->sessions);
    vec_free(&s->txns);
    vec_free(&s->unused);
    vec_free(&s->order);
    vec_free(&s->choice);
    vec_free(&s->legal);
    vec_free(&s->spare);
    mem_free(s);
}

/* --- begin, write ----------------------------------------------------------*/

static slot_id
take_slot(struct store *s)
{
    if (s->unused.n)
        return vec_pop(&s->unused);
    vec_push(&s->txns, (struct txn){0});
    return (slot_id)(s->txns.n - 1);
}

store_txn
store_begin(struct store *s, uint32_t session)
{
    while (s->sessions.n <= session)
        vec_push(&s->sessions, (struct store_session){.last = BASE});
    const slot_id t = take_slot(s);
    struct store_session *from = &s->sessions.at[session];
    struct txn *txn = &s->txns.at[t];
    txn->name = (struct store_writer){false, session, from->begun++};
    txn->is_running = true;
    txn->previous = from->last;
    txn->floor = BASE;
    // Where premises are closed the last one stands for all before it.
    if (level_sees_session(s->o.level) && !level_is_causal(s->o.level))
        set_copy(&txn->past, &from->committed);
    legal_add_premise(s, t, from->last);
    return t;
}

static uint32_t
find_key(struct store *s, const char *key, size_t len)
{
    const uint32_t k = strings_add(&s->names, key, len);
    if (k == s->keys.n)
        vec_push(&s->keys, (struct key){.writer = {.is_initial = true}});
    return k;
}

static struct written *
find_write(struct txn *txn, uint32_t key)
{
    for (size_t i = 0; i < txn->writes.n; i++)
        if (txn->writes.at[i].key == key)
            return &txn->writes.at[i];
    return NULL;
}

void
store_write(struct store *s, store_txn t, const char *key, size_t len,
            const char *value, size_t n)
{
    const uint32_t k = find_key(s, key, len);
    struct txn *txn = &s->txns.at[t];
    assert(txn->is_running);
    struct written *w = find_write(txn, k);
    if (!w) {
        vec_push(&txn->writes, (struct written){.key = k});
        w = &vec_top(&txn->writes);
    }
    char *text = mem_alloc(n + 1, 1);
    memcpy(text, value, n);
    text[n] = 0;
    mem_free(w->text);
    w->text = text;
    w->n = n;
}

/* --- read ------------------------------------------------------------------*/

/* Whether t may read the key from there: try it. */
static bool
may_read(struct store *s, slot_id t, uint32_t key, slot_id from)
{
    struct txn *txn = &s->txns.at[t];
    const slot_id floor = txn->floor;
    set_copy(&s->spare, &txn->past);
    vec_push(&txn->reads, ((struct store_seen){key, from}));
    legal_add_premise(s, t, from);
    const bool ok = legal_reads_hold(s, t);
    txn->reads.n--;
    txn->floor = floor;
    set_copy(&txn->past, &s->spare);
    return ok;
}

static void
find_legal(struct store *s, slot_id t, uint32_t key)
{
    const struct key *k = &s->keys.at[key];
    vec_clear(&s->legal);
    vec_clear(&s->choice);
    if (may_read(s, t, key, BASE)) {
        vec_push(&s->legal, BASE);
        vec_push(&s->choice, k->writer);
    }
    for (size_t i = 0; i < k->versions.n; i++) {
        const slot_id from = k->versions.at[i];
        if (may_read(s, t, key, from)) {
            vec_push(&s->legal, from);
            vec_push(&s->choice, s->txns.at[from].name);
        }
    }
    // The last version in the premise that t has already is always there.
    assert(s->legal.n);
}

static struct store_value
version_of(struct store *s, uint32_t key, slot_id from)
{
    if (from == BASE) {
        const struct key *k = &s->keys.at[key];
        return (struct store_value){k->text, k->n, false, k->writer};
    }
    struct txn *txn = &s->txns.at[from];
    const struct written *w = find_write(txn, key);
    return (struct store_value){w->text, w->n, false, txn->name};
}

struct store_value
store_read(struct store *s, store_txn t, const char *key, size_t len)
{
    const uint32_t k = find_key(s, key, len);
    struct txn *txn = &s->txns.at[t];
    assert(txn->is_running);
    const struct written *own = find_write(txn, k);
    if (own)
        return (struct store_value){own->text, own->n, true, txn->name};
    find_legal(s, t, k);
    const struct store_read_choice choice = {
        txn->name.session, txn->name.index, key, len,
        s->choice.at,      s->choice.n};
    const size_t i = s->o.policy->read(s->o.policy->self, &choice);
    assert(i < s->legal.n);
    const slot_id from = s->legal.at[i];
    vec_push(&txn->reads, ((struct store_seen){k, from}));
    legal_add_premise(s, t, from);
    return version_of(s, k, from);
}

/* --- the end ---------------------------------------------------------------*/

static bool
find_place(struct store *s, slot_id t)
{
    const struct store_writer name = s->txns.at[t].name;
    const size_t low = legal_first_place(s, t), high = s->order.n;
    vec_clear(&s->choice);
    for (size_t i = 0; i < high; i++)
        vec_push(&s->choice, s->txns.at[s->order.at[i]].name);
    const struct store_place_choice choice = {name.session, name.index, low,
                                              high, s->choice.at};
    const size_t wish = s->o.policy->place(s->o.policy->self, &choice);
    assert(low <= wish && wish <= high);
    if (legal_place_txn(s, t, wish))
        return true;
    for (size_t place = high + 1; place-- > low;)
        if (place != wish && legal_place_txn(s, t, place))
            return true;
    return false;
}

bool
store_commit(struct store *s, store_txn t)
{
    assert(s->txns.at[t].is_running);
    if (!find_place(s, t)) {
        window_release_slot(s, t);
        return false;
    }
    struct store_session *session = &s->sessions.at[s->txns.at[t].name.session];
    session->last = t;
    set_add(&session->committed, t);
    window_close(s);
    return true;
}

void
store_abort(struct store *s, store_txn t)
{
    window_release_slot(s, t);
}
