/* hist_write.c -- write what hist.c reads.
 *
 * Text that could be read as something else is quoted, and every control
 * character is escaped, so that reading gives back the same bytes.  Short
 * transactions share a line; a long line ends before the next transaction.
 *
 * 'hist' has no meta data, which is left out, and only atoms that are integers,
 * text or keywords; hist_holds refuses a history with others.  The registers
 * of rows are not written, but what was recorded of these.
 *
 * SPDX-License-Identifier: MIT */
#include "format/hist/hist.h"

#include "format/put.h"
#include "format/row/row_put.h"
#include "format/save.h"

enum { LINE_WIDTH = 78 };

struct writer {
    const struct history *h;
    struct buf out;
    struct buf txn; // the current transaction
    size_t column;
    txn_id *place; // by transaction: its place in the input
    struct row_put rows;
};

/* --- what fits ------------------------------------------------------------ */

static bool
refuse(const struct history *h, const char *what, struct atom a,
       struct err *err)
{
    return put_refuse(h, "hist", what, a, "it is no integer, text or keyword",
                      err);
}

bool
hist_holds(const struct history *h, struct err *err)
{
    if (!row_put_fits(h, err))
        return false;
    for (key_id k = 0; k < h->n_keys; k++)
        if (!history_key_is_row(h, k) &&
            (history_key_atom(h, k).tag == ATOM_NIL ||
             history_key_atom(h, k).tag == ATOM_OTHER))
            return refuse(h, "key", history_key_atom(h, k), err);
    for (value_id v = 1; v < h->n_values; v++)
        if (history_value_atom(h, v).tag == ATOM_OTHER &&
            !history_key_is_row(h, h->values[v].key & OP_KEY))
            return refuse(h, "value", history_value_atom(h, v), err);
    for (session_id s = 0; s < h->n_sessions; s++)
        if (h->session_name[s].tag == ATOM_NIL ||
            h->session_name[s].tag == ATOM_OTHER)
            return refuse(h, "session", h->session_name[s], err);
    for (txn_id t = 0; t < h->n_txns; t++)
        if (history_txn_atom(h, t).tag == ATOM_OTHER)
            return refuse(h, "transaction", history_txn_atom(h, t), err);
    return true;
}

/* --- atoms ---------------------------------------------------------------- */

/* A leading dash begins an integer or a separator, and a leading byte order
 * mark would be skipped at the start of the file; both need quotes. */
static bool
is_plain(struct string s, bool is_keyword)
{
    if (!s.len || s.text[0] == '-' ||
        (s.len >= 3 && memcmp(s.text, "\xef\xbb\xbf", 3) == 0) ||
        (!is_keyword && hist_is_integer(s.text, s.len)))
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (!hist_is_word(s.text[i]))
            return false;
    return true;
}

void
hist_put_quoted(struct buf *out, struct string s)
{
    buf_char(out, '"');
    for (size_t i = 0; i < s.len; i++) {
        const unsigned char c = (unsigned char)s.text[i];
        if (c == '"' || c == '\\')
            buf_printf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            buf_printf(out, "\\x%02x", c);
        else
            buf_char(out, s.text[i]);
    }
    buf_char(out, '"');
}

void
hist_put_text(struct buf *out, struct string text, bool is_keyword,
              const char *reserved)
{
    if (is_plain(text, is_keyword) &&
        !(reserved && text.len == strlen(reserved) &&
          memcmp(text.text, reserved, text.len) == 0))
        buf_add(out, text.text, text.len);
    else
        hist_put_quoted(out, text);
}

static void
write_atom(const struct history *h, struct buf *out, struct atom a)
{
    if (!atom_is_text(a)) {
        atom_show(&h->strings, a, out);
        return;
    }
    const struct string s = strings_get(&h->strings, (uint32_t)a.bits);
    if (a.tag == ATOM_KEYWORD)
        buf_char(out, ':');
    hist_put_text(out, s, a.tag == ATOM_KEYWORD, NULL);
}

static void
put_value(const struct history *h, struct buf *out, value_id v)
{
    const struct atom a = history_value_atom(h, v);
    if (a.tag == ATOM_NIL || atom_equal(a, h->initial))
        buf_char(out, '?');
    else
        write_atom(h, out, a);
}

/* --- transactions --------------------------------------------------------- */

static void
write_op(const struct history *h, struct buf *out, op_id op)
{
    const key_id k = op_key(h, op);
    const bool list = h->key_is_list && h->key_is_list[k];
    write_atom(h, out, history_key_atom(h, k));
    buf_text(out, !op_is_write(h, op) ? "==" : list ? "+=" : ":=");
    if (op_is_write(h, op) || !list) {
        put_value(h, out, h->op_value[op]);
        return;
    }
    const struct list_seen seen = history_list_seen(h, op);
    buf_char(out, '[');
    for (size_t i = 0; i < seen.n; i++) {
        if (i)
            buf_char(out, ' ');
        put_value(h, out, seen.at[i]);
    }
    buf_char(out, ']');
}

static void
put_times(const struct history *h, struct buf *out, txn_id t)
{
    if (!h->txn_began ||
        (h->txn_began[t] == INT64_MIN && h->txn_ended[t] == INT64_MAX))
        return;
    buf_char(out, '@');
    if (h->txn_began[t] != INT64_MIN)
        buf_i64(out, h->txn_began[t]);
    buf_text(out, "..");
    if (h->txn_ended[t] != INT64_MAX)
        buf_i64(out, h->txn_ended[t]);
}

static void
write_ops(const struct history *h, struct buf *out, txn_id t)
{
    bool any = false;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (op_is_implied(h, op))
            continue;
        if (any)
            buf_char(out, ' ');
        any = true;
        write_op(h, out, op);
    }
}

/* The same of a history with rows. */
static void
put_row_ops(struct writer *w, txn_id t)
{
    struct row_put_walk walk;
    struct row_put_op op;
    const size_t begin = w->txn.n;
    row_put_walk(&w->rows, w->place[t], &walk);
    while (row_put_next(&walk, &op)) {
        if (w->txn.n > begin)
            buf_char(&w->txn, ' ');
        if (op.is_entry)
            hist_put_row_op(&w->rows, op.entry, &w->txn);
        else
            write_op(w->h, &w->txn, op.op);
    }
}

static void
put_txn(struct writer *w, txn_id t)
{
    const struct history *h = w->h;
    struct buf *out = &w->txn;
    const struct atom name = history_txn_atom(h, t);
    if (name.tag != ATOM_NIL)
        write_atom(h, out, name);
    buf_char(out, '[');
    if (h->rows)
        put_row_ops(w, t);
    else
        write_ops(h, out, t);
    buf_char(out, ']');
    if (h->txn_status[t] == TXN_ABORTED)
        buf_char(out, '!');
    else if (h->txn_status[t] == TXN_INDETERMINATE)
        buf_char(out, '?');
    put_times(h, out, t);
}

/* --- sessions ------------------------------------------------------------- */

/* The separator can be left out before the first session if that session is
 * not empty and has no name but its number. */
static void
put_separator(struct writer *w, session_id s)
{
    const struct history *h = w->h;
    const bool named = !atom_equal(h->session_name[s], atom_uint(s + 1));
    if (s == 0 && !named && h->session_first[1] > 0)
        return;
    buf_text(&w->out, "---");
    if (named) {
        buf_char(&w->out, ' ');
        write_atom(h, &w->out, h->session_name[s]);
    }
    buf_char(&w->out, '\n');
}

static void
end_line(struct writer *w)
{
    if (w->column)
        buf_char(&w->out, '\n');
    w->column = 0;
}

static bool
put_session(struct writer *w, session_id s, struct output *out, struct err *err)
{
    put_separator(w, s);
    for (txn_id t = w->h->session_first[s]; t < w->h->session_first[s + 1];
         t++) {
        buf_clear(&w->txn);
        put_txn(w, t);
        if (w->column && w->column + 1 + w->txn.n > LINE_WIDTH)
            end_line(w);
        if (w->column)
            buf_char(&w->out, ' ');
        buf_add(&w->out, w->txn.at, w->txn.n);
        w->column += w->txn.n + 1;
        if (!save_some(&w->out, out->file, err))
            return false;
    }
    end_line(w);
    return true;
}

bool
hist_write(const struct history *h, struct output *out, struct err *err)
{
    struct writer w = {.h = h};
    bool ok = true;
    // The transactions are written by session, as they are numbered.
    w.place = mem_alloc(h->n_txns, sizeof *w.place);
    for (txn_id i = 0; i < h->n_txns; i++)
        w.place[h->arrival[i]] = i;
    row_put_init(&w.rows, h, w.place);
    hist_put_initial(&w.rows, &w.out);
    for (session_id s = 0; ok && s < h->n_sessions; s++)
        ok = put_session(&w, s, out, err);
    ok = ok && save_all(&w.out, out->file, err);
    row_put_free(&w.rows);
    mem_free(w.place);
    buf_free(&w.out);
    buf_free(&w.txn);
    return ok;
}
