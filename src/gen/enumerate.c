/* enumerate.c -- see enumerate.h.
 *
 * A history is a sequence of operations; each begins a session, begins a
 * transaction, or continues one.  The choices are made one operation after the
 * other: where it belongs, its kind and key, and at the end what each read
 * returned, and when the transactions ran.
 *
 * SPDX-License-Identifier: MIT */
#include "gen/enumerate.h"

#include "history/builder/builder.h"

enum { INITIAL = -1 }; // a read of the initial value

static const char names[ENUMERATE_OPS + 1] = "xyzuvabc"; // of keys

enum place { SAME_TXN, NEW_TXN, NEW_SESSION };

struct op {
    enum place place;
    bool is_write;
    int key;
    int txn;
    int source; // a read: the operation that wrote the value, or INITIAL
};

struct making {
    const struct enumerate_options *options;
    enumerate_visit *visit;
    void *self;
    int n, txns, sessions;            // as they are to be
    struct op ops[ENUMERATE_OPS + 1]; // the last is never used
    int began[ENUMERATE_OPS + 1], ended[ENUMERATE_OPS + 1]; // by transaction
};

/* --- the history ----------------------------------------------------------*/

static void
add_op(struct builder *b, txn_id t, const struct making *m, int i)
{
    const struct op *op = &m->ops[i];
    struct err err = {0};
    const struct atom key = builder_text(b, ATOM_STRING, &names[op->key], 1);
    const int source = op->is_write ? i : op->source;
    int value = 0; // the number of the write
    for (int w = 0; w <= source; w++)
        value += m->ops[w].is_write;
    const bool ok =
        op->is_write ? builder_write(b, t, key, atom_int(value), &err)
                     : builder_read(b, t, key,
                                    value ? atom_int(value) : atom_nil(), &err);
    assert(ok);
    (void)ok;
}

/* Build the history and show it. */
static bool
visit(const struct making *m)
{
    struct builder *b = builder_new(atom_nil());
    struct err err = {0};
    struct history h;
    session_id s = 0;
    txn_id t = 0;
    int session = 0;
    for (int i = 0; i < m->n; i++) {
        const struct op *op = &m->ops[i];
        if (op->place == NEW_SESSION)
            s = builder_session(b, atom_int(++session));
        if (op->place != SAME_TXN && !builder_txn(b, s, &t, &err))
            assert(!"a small history fits");
        if (op->place != SAME_TXN && m->options->times)
            builder_times(b, t, m->began[op->txn], m->ended[op->txn]);
        add_op(b, t, m, i);
    }
    if (!builder_finish(b, &h, &err))
        assert(!"a small history is consistent");
    const bool more = m->visit(m->self, &h);
    history_free(&h);
    return more;
}

/* --- times ----------------------------------------------------------------*/

/* The transaction before t in its session, or -1. */
static int
before_in_session(const struct making *m, int t)
{
    for (int i = 0; i < m->n; i++)
        if (m->ops[i].txn == t)
            return m->ops[i].place == NEW_SESSION ? -1 : t - 1;
    return -1;
}

/* Choose the next event, a beginning or an end, at 'time'. */
static bool
choose_times(struct making *m, int time)
{
    if (time == 2 * m->txns)
        return visit(m);
    for (int t = 0; t < m->txns; t++) {
        const int before = before_in_session(m, t);
        if (m->began[t] < 0 && (before < 0 || m->ended[before] >= 0)) {
            m->began[t] = time;
            const bool more = choose_times(m, time + 1);
            m->began[t] = -1;
            if (!more)
                return false;
        } else if (m->began[t] >= 0 && m->ended[t] < 0) {
            m->ended[t] = time;
            const bool more = choose_times(m, time + 1);
            m->ended[t] = -1;
            if (!more)
                return false;
        }
    }
    return true;
}

static bool
begin_times(struct making *m)
{
    if (!m->options->times)
        return visit(m);
    for (int t = 0; t < m->txns; t++)
        m->began[t] = m->ended[t] = -1;
    return choose_times(m, 0);
}

/* --- reads ----------------------------------------------------------------*/

/* Choose what the reads from operation i on returned: the initial value, or
 * what another transaction wrote. */
static bool
choose_sources(struct making *m, int i)
{
    while (i < m->n && m->ops[i].is_write)
        i++;
    if (i == m->n)
        return begin_times(m);
    struct op *op = &m->ops[i];
    for (int w = INITIAL; w < m->n; w++) {
        if (w != INITIAL && (!m->ops[w].is_write || m->ops[w].key != op->key ||
                             m->ops[w].txn == op->txn))
            continue;
        op->source = w;
        if (!choose_sources(m, i + 1))
            return false;
    }
    return true;
}

/* --- operations -----------------------------------------------------------*/

/* (E3) */
static bool
has_useful_keys(const struct making *m)
{
    for (int k = 0; k < m->n; k++) {
        bool is_written = false, is_used = false, is_shared = false;
        int txn = -1;
        for (int i = 0; i < m->n; i++) {
            if (m->ops[i].key != k)
                continue;
            is_used = true;
            is_written |= m->ops[i].is_write;
            is_shared |= txn >= 0 && m->ops[i].txn != txn;
            txn = m->ops[i].txn;
        }
        if (is_used && !(is_written && is_shared))
            return false;
    }
    return true;
}

/* (E2): whether operation i, the last of its transaction so far, may be there.
 */
static bool
is_external(const struct making *m, int i)
{
    for (int j = i - 1; j >= 0 && m->ops[j].txn == m->ops[i].txn; j--)
        if (m->ops[j].key == m->ops[i].key && m->ops[j].is_write)
            return false;
    return true;
}

/* Choose kinds and keys from operation i on; 'keys' are in use so far. */
static bool
choose_operations(struct making *m, int i, int keys)
{
    if (i == m->n)
        return !has_useful_keys(m) || choose_sources(m, 0);
    for (int key = 0; key <= keys; key++)
        for (int w = 0; w < 2; w++) {
            m->ops[i].key = key;
            m->ops[i].is_write = w;
            if (is_external(m, i) &&
                !choose_operations(m, i + 1, keys + (key == keys)))
                return false;
        }
    return true;
}

/* --- transactions and sessions --------------------------------------------*/

/* (E4): whether the sessions do not grow. */
static bool
is_ordered(const struct making *m)
{
    int length = 0, before = m->n;
    for (int i = 0; i < m->n; i++) {
        if (m->ops[i].place == NEW_SESSION && i) {
            if (length > before)
                return false;
            before = length;
            length = 0;
        }
        length++;
    }
    return length <= before;
}

/* Choose where the operations from i on belong. */
static bool
choose_places(struct making *m, int i, int txns, int sessions)
{
    if (i == m->n) {
        if (txns != m->txns || sessions != m->sessions || !is_ordered(m))
            return true;
        for (int j = 0; j < m->n; j++) // keys that are not chosen are none
            m->ops[j].key = -1;
        return choose_operations(m, 0, 0);
    }
    for (int place = i ? SAME_TXN : NEW_SESSION; place <= NEW_SESSION;
         place++) {
        const int t = txns + (place != SAME_TXN);
        const int s = sessions + (place == NEW_SESSION);
        if (t > m->txns || s > m->sessions)
            continue;
        m->ops[i].place = (enum place)place;
        m->ops[i].txn = t - 1;
        if (!choose_places(m, i + 1, t, s))
            return false;
    }
    return true;
}

bool
enumerate_histories(const struct enumerate_options *options,
                    enumerate_visit *visit_it, void *self)
{
    struct making m = {.options = options,
                       .visit = visit_it,
                       .self = self,
                       .n = (int)options->ops};
    assert(options->ops <= ENUMERATE_OPS);
    for (m.txns = 1; m.txns <= m.n; m.txns++)
        for (m.sessions = 1; m.sessions <= m.txns; m.sessions++)
            if ((!options->single || m.sessions == m.txns) &&
                !choose_places(&m, 0, 0, 0))
                return false;
    return true;
}
