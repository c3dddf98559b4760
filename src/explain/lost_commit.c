/* lost_commit.c -- see lost_commit.h.
 *
 * Versions of a register that were made on top of one without the write are
 * without it, too: who read such a version and overwrote it has not seen the
 * write either.  The same holds for versions with it.  A recording has a writer
 * before its readers, so one pass in the order of the input finds all of them,
 * and a second one that there are no more.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/lost_commit.h"

#include <assert.h>
#include <string.h>

enum { PASSES = 10 }; // for histories that are in another order

enum version {
    VERSION_OTHER,
    VERSION_BASE,    // what the reader saw: it is without the write
    VERSION_WITHOUT, // made on top of that
    VERSION_WITH,    // the write, or made on top of it
};

/* Transactions that began after the write was acknowledged. */
struct witnesses {
    const struct history *h;
    txn_id writer, reader;
    bool is_seen;              // a transaction that began later saw the write
    bool own_lack, other_lack; // the writer's session, and another one, saw the
                               // key without it
};

/* Whether metadata has a connection: other metadata differs between
 * transactions of one connection. */
static bool
names_connection(const struct history *h, txn_id t)
{
    return h->txn_meta && h->txn_meta[t] != ID_NONE &&
           strstr(strings_get(&h->strings, h->txn_meta[t]).text,
                  "\"connection\"");
}

/* Whether the writer's session had lost its connection, or its state went back
 * to what the writer had overwritten.  That a session which stayed connected
 * sees another one's update in its own place is a lost update. */
static bool
went_back(const struct witnesses *w, txn_id t, enum version saw)
{
    const uint32_t *meta = w->h->txn_meta;
    const bool is_known =
        names_connection(w->h, t) && names_connection(w->h, w->writer);
    return is_known ? meta[t] != meta[w->writer] : saw == VERSION_BASE;
}

static void
testify(struct witnesses *w, txn_id t, enum version saw)
{
    const struct history *h = w->h;
    if (saw == VERSION_WITH && h->txn_began[t] >= h->txn_began[w->reader])
        w->is_seen = true;
    if (saw != VERSION_BASE && saw != VERSION_WITHOUT)
        return;
    if (h->txn_session[t] != h->txn_session[w->writer])
        w->other_lack = true;
    else if (went_back(w, t, saw))
        w->own_lack = true;
}

/* The version of the key that t read from another transaction. */
static enum version
version_read(const struct history *h, txn_id t, key_id key,
             const uint8_t *versions)
{
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_external_read(h, op) && op_key(h, op) == key)
            return (enum version)versions[h->op_value[op]];
    return VERSION_OTHER;
}

/* Whether that is news about a version that t wrote. */
static bool
mark_written(const struct history *h, txn_id t, key_id key, enum version saw,
             uint8_t *versions)
{
    bool is_news = false;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_final_write(h, op) && op_key(h, op) == key) {
            is_news |= versions[h->op_value[op]] != saw;
            versions[h->op_value[op]] = (uint8_t)saw;
        }
    return is_news;
}

/* One pass; whether it found out about more versions. */
static bool
ask_all(struct witnesses *w, key_id key, uint8_t *versions)
{
    const struct history *h = w->h;
    bool is_news = false;
    for (uint32_t i = 0; i < h->n_txns; i++) {
        const txn_id t = h->arrival[i];
        if (t == w->writer || h->txn_status[t] == TXN_ABORTED ||
            h->txn_began[t] <= h->txn_ended[w->writer])
            continue;
        const enum version saw = version_read(h, t, key, versions);
        testify(w, t, saw);
        if (saw != VERSION_OTHER)
            is_news |= mark_written(h, t, key,
                                    saw == VERSION_BASE ? VERSION_WITHOUT : saw,
                                    versions);
    }
    return is_news;
}

static void
ask_about_register(struct witnesses *w, op_id read)
{
    const struct history *h = w->h;
    const key_id key = op_key(h, read);
    uint8_t *versions = mem_calloc(h->n_values, sizeof *versions);
    versions[h->op_value[read]] = VERSION_BASE;
    mark_written(h, w->writer, key, VERSION_WITH, versions);
    for (int i = 0; i < PASSES && !w->is_seen; i++)
        if (!ask_all(w, key, versions))
            break;
    mem_free(versions);
}

static bool
shows(struct list_seen list, value_id element)
{
    for (size_t i = 0; i < list.n; i++)
        if (list.at[i] == element)
            return true;
    return false;
}

static void
ask_about_list(struct witnesses *w, key_id key)
{
    const struct history *h = w->h;
    value_id element = VALUE_INIT;
    for (op_id op = h->txn_begin[w->writer]; op < h->txn_end[w->writer]; op++)
        if (op_is_final_write(h, op) && op_key(h, op) == key)
            element = h->op_value[op];
    for (txn_id t = 0; t < h->n_txns && !w->is_seen; t++) {
        if (t == w->writer || h->txn_status[t] == TXN_ABORTED ||
            h->txn_began[t] <= h->txn_ended[w->writer])
            continue;
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (!op_is_write(h, op) && op_key(h, op) == key)
                testify(w, t,
                        shows(history_list_seen(h, op), element)
                            ? VERSION_WITH
                            : VERSION_BASE);
    }
}

bool
lost_commit_is_gone(const struct history *h, txn_id writer, txn_id reader,
                    op_id read)
{
    if (!h->txn_began || writer >= h->n_txns || reader >= h->n_txns ||
        h->txn_status[writer] != TXN_COMMITTED ||
        h->txn_ended[writer] >= h->txn_began[reader])
        return false;
    assert(writer != reader);
    struct witnesses w = {.h = h, .writer = writer, .reader = reader};
    if (op_is_of_list(h, read))
        ask_about_list(&w, op_key(h, read));
    else
        ask_about_register(&w, read);
    return w.own_lack && w.other_lack && !w.is_seen;
}

/* The same with b as the one that began later. */
static txn_id
lost_to(const struct history *h, op_id a_read, txn_id b, op_id b_read)
{
    const struct list_seen early = history_list_seen(h, a_read);
    const struct list_seen late = history_list_seen(h, b_read);
    for (size_t i = 0; i < early.n; i++) {
        if (shows(late, early.at[i]))
            continue;
        // What was appended after it is gone for the same reason.
        if (history_has_several(h, early.at[i]))
            return TXN_NONE;
        const txn_id writer = history_writer(h, early.at[i]);
        return lost_commit_is_gone(h, writer, b, b_read) ? writer : TXN_NONE;
    }
    return TXN_NONE;
}

txn_id
lost_commit_of_lists(const struct history *h, txn_id a, op_id a_read, txn_id b,
                     op_id b_read)
{
    if (!h->txn_began || a >= h->n_txns || b >= h->n_txns)
        return TXN_NONE;
    assert(op_is_of_list(h, a_read) && op_is_of_list(h, b_read));
    return h->txn_began[a] < h->txn_began[b] ? lost_to(h, a_read, b, b_read)
                                             : lost_to(h, b_read, a, a_read);
}
