/* csv_write.c -- writing what csv.c reads.
 *
 * Transactions are numbered within their session.  One without operations is a
 * row 'begin'.
 *
 * SPDX-License-Identifier: MIT */
#include "format/csv/csv.h"
#include "format/csv/csv_row.h"
#include "format/put.h"
#include "format/readers.h"
#include "format/save.h"

static bool
refuse(const struct history *h, const char *what, struct atom a,
       struct err *err)
{
    return put_refuse(h, "csv", what, a, "it would be read as an integer", err);
}

/* Whether the text of a would be read as something else. */
static bool
is_taken_for_integer(const struct history *h, struct atom a)
{
    if (!atom_is_text(a))
        return false;
    struct atom integer;
    const struct string s = strings_get(&h->strings, (uint32_t)a.bits);
    return csv_is_integer(s.text, s.len, &integer);
}

bool
csv_holds(const struct history *h, struct err *err)
{
    if (h->key_is_list)
        return err_set(err, ERR_FEATURE, "format 'csv' has no lists");
    if (!put_fits(h, "csv", true, false, err))
        return false;
    for (session_id s = 0; s < h->n_sessions; s++) {
        if (h->session_first[s] == h->session_first[s + 1])
            return err_set(err, ERR_FEATURE,
                           "format 'csv' has no empty sessions");
        if (is_taken_for_integer(h, h->session_name[s]))
            return refuse(h, "session", h->session_name[s], err);
    }
    for (key_id k = 0; k < h->n_keys; k++)
        if (is_taken_for_integer(h, history_key_atom(h, k)))
            return refuse(h, "key", history_key_atom(h, k), err);
    for (value_id v = 1; v < h->n_values; v++)
        if (is_taken_for_integer(h, history_value_atom(h, v)))
            return refuse(h, "value", history_value_atom(h, v), err);
    return true;
}

static void
put_field(const struct history *h, struct atom a, struct buf *out)
{
    if (a.tag == ATOM_NIL)
        return;
    if (!atom_is_text(a)) {
        atom_show(&h->strings, a, out);
        return;
    }
    const struct string s = strings_get(&h->strings, (uint32_t)a.bits);
    bool is_plain = s.len;
    for (size_t i = 0; i < s.len && is_plain; i++)
        is_plain = !memchr(",;\t\"\r\n", s.text[i], 6);
    if (is_plain) {
        buf_add(out, s.text, s.len);
        return;
    }
    buf_char(out, '"');
    for (size_t i = 0; i < s.len; i++) {
        buf_char(out, s.text[i]);
        if (s.text[i] == '"')
            buf_char(out, '"');
    }
    buf_char(out, '"');
}

/* A row; without an operation it is 'begin'. */
static void
put_row(const struct history *h, txn_id t, op_id op, struct buf *out)
{
    static const char *const words[] = {[TXN_COMMITTED] = "committed",
                                        [TXN_ABORTED] = "aborted",
                                        [TXN_INDETERMINATE] = "unknown",
                                        [TXN_LOADING] = "committed"};
    const session_id s = h->txn_session[t];
    put_field(h, h->session_name[s], out);
    buf_printf(out, ",%u,", t - h->session_first[s] + 1);
    if (op == ID_NONE) {
        buf_text(out, "begin,,");
    } else {
        const struct atom value = history_value_atom(h, h->op_value[op]);
        buf_text(out, op_is_write(h, op) ? "write," : "read,");
        put_field(h, history_key_atom(h, op_key(h, op)), out);
        buf_char(out, ',');
        put_field(h, atom_equal(value, h->initial) ? atom_nil() : value, out);
    }
    buf_printf(out, ",%s", words[h->txn_status[t]]);
    if (h->txn_began) {
        buf_char(out, ',');
        if (h->txn_began[t] != INT64_MIN)
            buf_i64(out, h->txn_began[t]);
        buf_char(out, ',');
        if (h->txn_ended[t] != INT64_MAX)
            buf_i64(out, h->txn_ended[t]);
    }
    if (h->txn_commit_ts) {
        buf_char(out, ',');
        if (!stamp_is_none(h->txn_start_ts[t]))
            stamp_show(h->txn_start_ts[t], out);
        buf_char(out, ',');
        if (!stamp_is_none(h->txn_commit_ts[t]))
            stamp_show(h->txn_commit_ts[t], out);
    }
    buf_char(out, '\n');
}

/* The first row: the columns that put_row writes. */
static void
put_columns(const struct history *h, struct buf *out)
{
    for (size_t c = 0; c < CSV_COLUMNS; c++) {
        const bool is_time = c == CSV_START || c == CSV_END;
        const bool is_stamp = c == CSV_START_TS || c == CSV_COMMIT_TS;
        if ((is_time && !h->txn_began) || (is_stamp && !h->txn_commit_ts))
            continue;
        buf_printf(out, "%s%s", c ? "," : "", csv_columns[c]);
    }
    buf_char(out, '\n');
}

bool
csv_write(const struct history *h, struct output *out, struct err *err)
{
    struct buf text = {0};
    bool ok = true;
    put_columns(h, &text);
    for (txn_id i = 0; ok && i < h->n_txns; i++) {
        const txn_id t = h->arrival[i];
        if (h->txn_begin[t] == h->txn_end[t])
            put_row(h, t, ID_NONE, &text);
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            put_row(h, t, op, &text);
        ok = save_some(&text, out->file, err);
    }
    ok = ok && save_all(&text, out->file, err);
    buf_free(&text);
    return ok;
}
