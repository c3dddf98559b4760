/* sessions.c -- see sessions.h.
 *
 * Transaction ids are ordered by session, so making every transaction a session
 * of its own changes no id.  A name like "s1/4" would change with the session,
 * so such names are stored first.
 *
 * SPDX-License-Identifier: MIT */
#include "history/sessions.h"

#include "base/paranoid.h"
#include "history/history_check.h"
#include "history/unchecked.h"

static void
name_txns(struct history *h)
{
    struct buf shown = {0};
    struct atoms names = {0};
    for (txn_id t = 0; t < h->n_txns; t++) {
        struct atom name = history_txn_atom(h, t);
        if (name.tag == ATOM_NIL) {
            buf_clear(&shown);
            history_show_txn(h, t, &shown);
            name = (struct atom){strings_add(&h->strings, shown.at, shown.n),
                                 ATOM_STRING};
        }
        atoms_push(&names, name);
    }
    buf_free(&shown);
    strings_seal(&h->strings);
    atoms_free(&h->txn_names);
    h->txn_names = names;
}

void
history_ignore_sessions(struct history *h)
{
    assert(h->txn_counts); // resolved
    name_txns(h);
    mem_free(h->session_first);
    mem_free(h->session_name);
    h->n_sessions = h->n_txns;
    h->session_first =
        mem_alloc((size_t)h->n_txns + 1, sizeof *h->session_first);
    h->session_name = mem_alloc(h->n_txns, sizeof *h->session_name);
    h->session_first[h->n_txns] = h->n_txns;
    for (txn_id t = 0; t < h->n_txns; t++) {
        h->session_first[t] = t;
        h->txn_session[t] = t;
        h->session_name[t] = atom_int((int64_t)t + 1); // unique
    }
    history_share_unchecked(h);
    PARANOID(history_check(h));
}

bool
history_goes_on_after_unknown(const struct history *h, session_id s)
{
    bool is_unknown = false;
    for (txn_id t = h->session_first[s]; t < h->session_first[s + 1]; t++) {
        if (is_unknown && h->txn_status[t] != TXN_ABORTED)
            return true;
        for (op_id op = h->txn_begin[t];
             h->txn_status[t] == TXN_INDETERMINATE && op < h->txn_end[t]; op++)
            is_unknown |= op_is_write(h, op);
    }
    return false;
}
