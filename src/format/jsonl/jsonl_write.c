/* jsonl_write.c -- write what jsonl.c reads.
 *
 * The lines keep the order of the input, and an entry with its default value
 * is left out.  A truncated recording stays recognisable: it has a first line
 * and no last one.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jsonl/jsonl.h"

#include "format/jsonl/jsonl_record.h"
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
    jsonl_put_status(out, h->txn_status[t]);
    jsonl_put_times(out, h->txn_began ? h->txn_began[t] : INT64_MIN,
                    h->txn_ended ? h->txn_ended[t] : INT64_MAX);
    buf_text(out, ",\"ops\":");
    put_ops(p, t, false);
    const struct string meta = h->txn_meta && h->txn_meta[t] != ID_NONE
                                   ? strings_get(&h->strings, h->txn_meta[t])
                                   : (struct string){0};
    jsonl_put_meta_and_end(out, meta.text, meta.len);
}

static void
put_first(struct put *p)
{
    if (p->h->is_cut)
        buf_text(&p->out, JSONL_RECORDING_BEGIN);
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
