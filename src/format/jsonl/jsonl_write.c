/* jsonl_write.c -- writing what jsonl.c reads.
 *
 * The lines come in the order in which the transactions came, and an entry
 * that says no more than its absence would is left out.  A recording that was
 * cut goes on to say so: it has a first line and no last one.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jsonl/jsonl.h"

#include "format/put.h"
#include "format/save.h"

bool
jsonl_holds(const struct history *h, struct err *err)
{
    return put_fits(h, "jsonl", true, false, err);
}

static void
put_line(struct put *p, txn_id t)
{
    const struct history *h = p->h;
    struct buf *out = &p->out;
    buf_text(out, "{\"session\":");
    put_atom(p, h->session_name[h->txn_session[t]]);
    const struct atom name = history_txn_atom(h, t);
    if (name.tag != ATOM_NIL) {
        buf_text(out, ",\"id\":");
        put_atom(p, name);
    }
    if (h->txn_status[t] == TXN_ABORTED)
        buf_text(out, ",\"status\":\"aborted\"");
    else if (h->txn_status[t] == TXN_INDETERMINATE)
        buf_text(out, ",\"status\":\"unknown\"");
    if (h->txn_began && h->txn_began[t] != INT64_MIN) {
        buf_text(out, ",\"start\":");
        buf_i64(out, h->txn_began[t]);
    }
    if (h->txn_ended && h->txn_ended[t] != INT64_MAX) {
        buf_text(out, ",\"end\":");
        buf_i64(out, h->txn_ended[t]);
    }
    buf_text(out, ",\"ops\":");
    put_ops(p, t, false);
    if (h->txn_meta && h->txn_meta[t] != ID_NONE) {
        const struct string meta = strings_get(&h->strings, h->txn_meta[t]);
        buf_text(out, ",\"meta\":");
        buf_add(out, meta.text, meta.len);
    }
    buf_text(out, "}\n");
}

static void
put_first(struct put *p)
{
    if (p->h->is_cut)
        buf_text(&p->out, "{\"recording\":\"begin\"}\n");
}

bool
jsonl_write(const struct history *h, struct output *out, struct err *err)
{
    struct put p = {.h = h, .is_json = true};
    bool ok = true;
    put_first(&p);
    for (size_t i = 0; ok && i < h->n_txns; i++) {
        put_line(&p, h->arrival[i]);
        ok = save_some(&p.out, out->file, err);
    }
    ok = ok && save_all(&p.out, out->file, err);
    put_free(&p);
    return ok;
}

void
jsonl_show(const struct history *h, struct buf *out)
{
    struct put p = {.h = h, .is_json = true};
    put_first(&p);
    for (size_t i = 0; i < h->n_txns; i++)
        put_line(&p, h->arrival[i]);
    buf_add(out, p.out.at, p.out.n);
    put_free(&p);
}
