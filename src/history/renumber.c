/* renumber.c -- see renumber.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/renumber.h"

#include "history/builder.h"

/* Names and metadata are text in the old pool; take it over into the new. */
static struct atom
copy_atom(struct builder *b, const struct history *h, struct atom a)
{
    if (!atom_is_text(a))
        return a;
    const struct string s = strings_get(&h->strings, (uint32_t)a.bits);
    return builder_text(b, a.tag, s.text, s.len);
}

static struct atom
number_of(const struct history *h, value_id v)
{
    return atom_equal(history_value_atom(h, v), h->initial) ? atom_int(0)
                                                            : atom_int(v);
}

static bool
copy_list_read(struct builder *b, const struct history *h, txn_id t, op_id op,
               struct err *err)
{
    const struct list_seen seen = history_list_seen(h, op);
    VEC(struct atom) elements = {0};
    for (size_t i = 0; i < seen.n; i++)
        vec_push(&elements, number_of(h, seen.at[i]));
    const bool ok = builder_read_list(b, t, atom_int(op_key(h, op)),
                                      elements.at, elements.n, err);
    vec_free(&elements);
    return ok;
}

static bool
copy_op(struct builder *b, const struct history *h, txn_id t, op_id op,
        struct err *err)
{
    const struct atom key = atom_int(op_key(h, op));
    const struct atom value = number_of(h, h->op_value[op]);
    const bool list = h->key_is_list && h->key_is_list[op_key(h, op)];
    if (op_is_write(h, op))
        return list ? builder_append(b, t, key, value, err)
                    : builder_write(b, t, key, value, err);
    return list ? copy_list_read(b, h, t, op, err)
                : builder_read(b, t, key, value, err);
}

static bool
copy_txn(struct builder *b, const struct history *h, session_id s, txn_id from,
         struct err *err)
{
    txn_id t;
    if (!builder_txn(b, s, &t, err))
        return false;
    builder_status(b, t,
                   h->txn_status[from] == TXN_LOADING
                       ? TXN_COMMITTED
                       : (enum txn_status)h->txn_status[from]);
    if (history_has_names(h))
        builder_name(b, t, copy_atom(b, h, history_txn_atom(h, from)));
    if (h->txn_began)
        builder_times(b, t, h->txn_began[from], h->txn_ended[from]);
    if (h->txn_meta && h->txn_meta[from] != ID_NONE) {
        const struct string meta = strings_get(&h->strings, h->txn_meta[from]);
        builder_meta(b, t, meta.text, meta.len);
    }
    for (op_id op = h->txn_begin[from]; op < h->txn_end[from]; op++)
        if (!copy_op(b, h, t, op, err))
            return false;
    return true;
}

bool
history_renumber(const struct history *h, struct history *out, struct err *err)
{
    struct builder *b = builder_new(atom_int(0));
    if (h->is_cut)
        builder_cut(b);
    for (session_id s = 0; s < h->n_sessions; s++) {
        const session_id to =
            builder_session(b, copy_atom(b, h, h->session_name[s]));
        for (txn_id t = h->session_first[s]; t < h->session_first[s + 1]; t++)
            if (!copy_txn(b, h, to, t, err)) {
                builder_free(b);
                return false;
            }
    }
    return builder_finish(b, out, err);
}
