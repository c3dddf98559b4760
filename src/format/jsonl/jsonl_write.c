/* jsonl_write.c -- write what jsonl.c reads.
 *
 * The lines keep the order of the input, and an entry with its default value
 * is left out.  A truncated recording stays recognisable: it has a first line
 * and no last one.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jsonl/jsonl.h"

#include "base/json.h"
#include "format/jsonl/jsonl_record.h"
#include "format/put.h"
#include "format/row/row_put.h"
#include "format/save.h"

/* Whether a text that is neither a string nor an integer is read as it was: a
 * boolean, an object, or a number with a fraction. */
static bool
is_read_back(const struct history *h, struct atom a)
{
    const struct string s = strings_get(&h->strings, (uint32_t)a.bits);
    if (s.text[0] == '{' || (s.len == 4 && memcmp(s.text, "true", 4) == 0) ||
        (s.len == 5 && memcmp(s.text, "false", 5) == 0))
        return true;
    // The canonical text of a number; whole ones are integers.
    const char *point = memchr(s.text, '.', s.len);
    return point && (size_t)(point - s.text) + 2 <= s.len &&
           !memchr(s.text, 'M', s.len) && !memchr(s.text, 'e', s.len) &&
           !(s.text + s.len - point == 2 && point[1] == '0') &&
           strchr("-0123456789", s.text[0]);
}

static bool
holds(const struct history *h, const char *what, struct atom a, bool is_name,
      struct err *err)
{
    if (a.tag != ATOM_OTHER || (!is_name && is_read_back(h, a)))
        return true;
    return put_refuse(h, "jsonl", what, a,
                      is_name ? "names are strings or integers"
                              : "it would be read as something else",
                      err);
}

bool
jsonl_holds(const struct history *h, struct err *err)
{
    if (!row_put_fits(h, err) || !put_fits(h, "jsonl", true, true, err))
        return false;
    for (session_id s = 0; s < h->n_sessions; s++)
        if (!holds(h, "session", h->session_name[s], true, err))
            return false;
    for (txn_id t = 0; history_has_names(h) && t < h->n_txns; t++)
        if (!holds(h, "transaction", history_txn_atom(h, t), true, err))
            return false;
    for (key_id k = 0; k < h->n_keys; k++)
        if (!history_key_is_row(h, k) &&
            !holds(h, "key", history_key_atom(h, k), false, err))
            return false;
    for (value_id v = 1; v < h->n_values; v++)
        if (!history_key_is_row(h, h->values[v].key & OP_KEY) &&
            !holds(h, "value", history_value_atom(h, v), false, err))
            return false;
    return true;
}

static void
put_stamp(const char *key, struct stamp stamp, struct buf *out)
{
    if (stamp_is_none(stamp))
        return;
    const char *quote = stamp.logical ? "\"" : "";
    json_key(out, key);
    buf_text(out, quote);
    stamp_show(stamp, out);
    buf_text(out, quote);
}

static void
put_line(struct put *p, struct row_put *rows, size_t i)
{
    const struct history *h = p->h;
    const txn_id t = h->arrival[i];
    struct buf *out = &p->out;
    json_object(out, NULL);
    json_key(out, "session");
    put_atom(p, h->session_name[h->txn_session[t]]);
    const struct atom name = history_txn_atom(h, t);
    if (name.tag != ATOM_NIL) {
        json_key(out, "id");
        put_atom(p, name);
    }
    jsonl_put_status(out, h->txn_status[t]);
    jsonl_put_times(out, h->txn_began ? h->txn_began[t] : INT64_MIN,
                    h->txn_ended ? h->txn_ended[t] : INT64_MAX);
    if (h->txn_commit_ts) {
        put_stamp("start_ts", h->txn_start_ts[t], out);
        put_stamp("commit_ts", h->txn_commit_ts[t], out);
    }
    json_key(out, "ops");
    if (h->rows)
        row_put_ops(rows, p, (txn_id)i, ROW_PUT_LINE);
    else
        put_ops(p, t, false);
    if (h->txn_partial && h->txn_partial[t] != ID_NONE) {
        const struct string partial =
            strings_get(&h->strings, h->txn_partial[t]);
        json_raw(out, "partial", partial.text, partial.len);
    }
    const struct string meta = h->txn_meta && h->txn_meta[t] != ID_NONE
                                   ? strings_get(&h->strings, h->txn_meta[t])
                                   : (struct string){0};
    jsonl_put_meta_and_end(out, meta.text, meta.len);
}

static void
put_first(struct put *p, struct row_put *rows)
{
    if (p->h->is_cut)
        buf_text(&p->out, JSONL_RECORDING_BEGIN);
    if (rows->listed) {
        json_object(&p->out, NULL);
        json_object(&p->out, "initial");
        json_key(&p->out, "rows");
        row_put_initial(rows, p);
        json_object_end(&p->out);
        json_end_line(&p->out);
    }
}

bool
jsonl_write(const struct history *h, struct output *out, struct err *err)
{
    struct put p = {.h = h, .is_json = true};
    struct row_put rows;
    bool ok = true;
    row_put_init(&rows, h, NULL);
    put_first(&p, &rows);
    for (size_t i = 0; ok && i < h->n_txns; i++) {
        put_line(&p, &rows, i);
        ok = save_some(&p.out, out->file, err);
    }
    ok = ok && save_all(&p.out, out->file, err);
    row_put_free(&rows);
    put_free(&p);
    return ok;
}

void
jsonl_show(const struct history *h, struct buf *out)
{
    struct put p = {.h = h, .is_json = true};
    struct row_put rows;
    row_put_init(&rows, h, NULL);
    put_first(&p, &rows);
    for (size_t i = 0; i < h->n_txns; i++)
        put_line(&p, &rows, i);
    buf_add(out, p.out.at, p.out.n);
    row_put_free(&rows);
    put_free(&p);
}
