/* trace_write.c -- writing what trace.c reads.
 *
 * A trace names the writer of every read and lists operations only.  So a
 * history fits only if every read has a certain writer and no transaction is
 * empty.  Lines keep the order of the history.
 *
 * SPDX-License-Identifier: MIT */
#include "format/checkers/trace.h"

#include "format/save.h"
#include "format/scan/decimal.h"

#include <inttypes.h>

/* --- what fits ------------------------------------------------------------ */

/* Whether the text would be read back as the same text. */
static bool
is_readable_key(struct string s)
{
    struct atom integer;
    return !memchr(s.text, '\n', s.len) && !strstr(s.text, "] Txn(") &&
           strlen(s.text) == s.len &&
           !trace_is_integer(s.text, s.len, &integer);
}

static bool
holds_keys(const struct history *h, struct err *err)
{
    for (key_id k = 0; k < h->n_keys; k++) {
        const struct atom a = history_key_atom(h, k);
        if (a.tag == ATOM_INT || a.tag == ATOM_UINT ||
            (a.tag == ATOM_STRING &&
             is_readable_key(strings_get(&h->strings, (uint32_t)a.bits))))
            continue;
        struct buf shown = {0};
        atom_show(&h->strings, a, &shown);
        err_set(err, ERR_FEATURE,
                "format 'trace' has no way to write the key %s", shown.at);
        buf_free(&shown);
        return false;
    }
    return true;
}

/* Whether the writer of the read is known for certain. */
static bool
names_its_writer(const struct history *h, op_id op)
{
    if (op_is_write(h, op) || !(h->op_key[op] & (OP_EXTERNAL | OP_REJECTED)))
        return true; // a write, or a read of what its transaction wrote
    return op_is_external_read(h, op) &&
           !history_has_several(h, h->op_value[op]);
}

static bool
holds_txn(const struct history *h, txn_id t, struct err *err)
{
    if (h->txn_status[t] == TXN_ABORTED ||
        h->txn_status[t] == TXN_INDETERMINATE)
        return err_set(err, ERR_FEATURE,
                       "format 'trace' has committed transactions only");
    if (h->txn_begin[t] == h->txn_end[t])
        return err_set(err, ERR_FEATURE,
                       "format 'trace' has no empty transactions");
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (!names_its_writer(h, op)) {
            struct buf shown = {0};
            history_show_op(h, op, &shown);
            err_set(err, ERR_FEATURE,
                    "format 'trace' names the writer of each read, which is "
                    "not certain for %s",
                    shown.at);
            buf_free(&shown);
            return false;
        }
    return true;
}

bool
trace_holds(const struct history *h, struct err *err)
{
    if (h->key_is_list)
        return err_set(err, ERR_FEATURE, "format 'trace' has no lists");
    for (session_id s = 0; s < h->n_sessions; s++)
        if (h->session_first[s] == h->session_first[s + 1])
            return err_set(err, ERR_FEATURE,
                           "format 'trace' has no empty sessions");
    for (txn_id t = 0; t < h->n_txns; t++)
        if (!holds_txn(h, t, err))
            return false;
    return holds_keys(h, err);
}

/* --- labels --------------------------------------------------------------- */

struct writer {
    const struct history *h;
    bool own_sessions; // the sessions' names are numbers and are kept
    bool own_labels;   // so are the transactions', as trace.c gives them
    struct buf out;
};

static bool
sessions_have_numbers(const struct history *h)
{
    for (session_id s = 0; s < h->n_sessions; s++)
        if (h->session_name[s].tag != ATOM_INT ||
            h->session_name[s].bits > UINT32_MAX || !h->session_name[s].bits)
            return false;
    return true;
}

/* The i of a transaction named "s/i", where s is its session's number. */
static bool
find_index(const struct history *h, txn_id t, uint64_t *index)
{
    const struct atom name = history_txn_atom(h, t);
    if (name.tag != ATOM_STRING)
        return false;
    const struct string s = strings_get(&h->strings, (uint32_t)name.bits);
    const char *slash = memchr(s.text, '/', s.len);
    uint64_t session;
    return slash && parse_decimal(s.text, (size_t)(slash - s.text), &session) &&
           session == h->session_name[h->txn_session[t]].bits &&
           parse_decimal(slash + 1, s.len - (size_t)(slash + 1 - s.text),
                         index) &&
           *index <= UINT32_MAX;
}

/* Whether all have such a name, in increasing order, thus distinct. */
static bool
txns_have_labels(const struct history *h)
{
    uint64_t last = 0, index;
    for (txn_id t = 0; t < h->n_txns; t++) {
        const bool first = t == h->session_first[h->txn_session[t]];
        if (!find_index(h, t, &index) || (!first && index <= last))
            return false;
        last = index;
    }
    return true;
}

static void
put_label(struct writer *w, const char *word, txn_id t)
{
    uint64_t session = 0, index = 0;
    if (t != TXN_INIT && w->h->txn_status[t] != TXN_LOADING) {
        const session_id s = w->h->txn_session[t];
        session =
            w->own_sessions ? w->h->session_name[s].bits : (uint64_t)s + 1;
        if (!w->own_labels || !find_index(w->h, t, &index))
            index = t - w->h->session_first[s];
    }
    buf_printf(&w->out, " %s(%" PRIu64 ", %" PRIu64 ")", word, session, index);
}

/* --- lines ---------------------------------------------------------------- */

static void
put_op(struct writer *w, txn_id t, op_id op)
{
    const struct history *h = w->h;
    const struct atom key = history_key_atom(h, op_key(h, op));
    buf_text(&w->out, op_is_write(h, op) ? "WRITE KEY[" : "READ KEY[");
    if (key.tag == ATOM_STRING) {
        const struct string s = strings_get(&h->strings, (uint32_t)key.bits);
        buf_add(&w->out, s.text, s.len);
    } else {
        atom_show(&h->strings, key, &w->out);
    }
    buf_char(&w->out, ']');
    put_label(w, "Txn", t);
    if (!op_is_write(h, op))
        put_label(w, "From",
                  op_is_external_read(h, op)
                      ? history_writer(h, h->op_value[op])
                      : t);
    buf_char(&w->out, '\n');
}

bool
trace_write(const struct history *h, struct output *out, struct err *err)
{
    struct writer w = {.h = h, .own_sessions = sessions_have_numbers(h)};
    w.own_labels = w.own_sessions && txns_have_labels(h);
    bool ok = true;
    for (txn_id i = 0; ok && i < h->n_txns; i++) {
        const txn_id t = h->arrival[i];
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            put_op(&w, t, op);
        ok = save_some(&w.out, out->file, err);
    }
    ok = ok && save_all(&w.out, out->file, err);
    buf_free(&w.out);
    return ok;
}
