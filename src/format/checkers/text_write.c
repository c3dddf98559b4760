/* text_write.c -- writing what text.c reads.
 *
 * SPDX-License-Identifier: MIT */
#include "base/container/intmap.h"
#include "format/checkers/text.h"
#include "format/readers.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* The number that is written for a transaction or a session. */
static bool
has_number(struct atom a, bool negative)
{
    return a.tag == ATOM_INT && (negative || !(a.bits >> 63));
}

static bool
has_aborted_read(const struct history *h, txn_id t)
{
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (!op_is_write(h, op))
            return true;
    return false;
}

/* The file lists operations only, so nothing may be empty. */
static bool
holds_session(const struct history *h, session_id s, struct err *err)
{
    const txn_id first = h->session_first[s], end = h->session_first[s + 1];
    unsigned aborted = 0;
    if (first == end)
        return err_set(err, ERR_FEATURE, "format 'text' has no empty sessions");
    for (txn_id t = first; t < end; t++) {
        if (h->txn_begin[t] == h->txn_end[t])
            return err_set(err, ERR_FEATURE,
                           "format 'text' has no empty transactions");
        if (h->txn_status[t] == TXN_INDETERMINATE)
            return err_set(err, ERR_FEATURE,
                           "format 'text' has no indeterminate transactions");
        aborted += h->txn_status[t] == TXN_ABORTED;
        if (h->txn_status[t] == TXN_ABORTED &&
            (aborted > 1 || has_aborted_read(h, t)))
            return err_set(err, ERR_FEATURE,
                           "format 'text' holds only the writes of one aborted "
                           "transaction per session");
    }
    return true;
}

bool
text_holds(const struct history *h, struct err *err)
{
    for (session_id s = 0; s < h->n_sessions; s++)
        if (!holds_session(h, s, err))
            return false;
    return format_needs_integers(h, &format_text, err);
}

/* Whether the names of sessions and transactions can be kept: they are
 * integers, and no two transactions have the same one. */
static bool
keeps_numbers(const struct history *h)
{
    if (!history_has_names(h))
        return false;
    struct intmap seen = {0};
    bool keeps = true;
    for (txn_id t = 0; keeps && t < h->n_txns; t++) {
        if (h->txn_status[t] == TXN_ABORTED)
            continue;
        bool added;
        keeps = has_number(history_txn_atom(h, t), true) &&
                history_txn_atom(h, t).bits != (uint64_t)-1 &&
                has_number(h->session_name[h->txn_session[t]], false);
        intmap_add(&seen, history_txn_atom(h, t).bits, t, &added);
        keeps = keeps && added;
    }
    intmap_free(&seen);
    return keeps;
}

bool
text_write(const struct history *h, struct output *out, struct err *err)
{
    const bool keep = keeps_numbers(h);
    for (txn_id i = 0; i < h->n_txns; i++) {
        const txn_id t = h->arrival[i];
        const session_id s = h->txn_session[t];
        const uint64_t session = keep ? h->session_name[s].bits : s;
        const int64_t txn = h->txn_status[t] == TXN_ABORTED ? -1
                            : keep ? (int64_t)history_txn_atom(h, t).bits
                                   : (int64_t)t;
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            const struct atom value = history_value_atom(h, h->op_value[op]);
            fprintf(out->file,
                    "%c(%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRId64 ")\n",
                    op_is_write(h, op) ? 'w' : 'r',
                    history_key_atom(h, op_key(h, op)).bits,
                    atom_equal(value, h->initial) ? 0 : value.bits, session,
                    txn);
        }
    }
    if (ferror(out->file))
        return err_set(err, ERR_IO, "cannot write: %s", strerror(errno));
    return true;
}
