/* history.c -- candidates, implied reads, lists and names; see history.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/history.h"

#include "base/container/sorted.h"
#include "history/row/row_log.h"
#include "history/unchecked.h"

void
history_free(struct history *h)
{
    history_free_unchecked(h);
    mem_free(h->op_marks);
    strings_free(&h->strings);
    buf_free(&h->notes);
    mem_free(h->session_first);
    mem_free(h->session_name);
    mem_free(h->arrival);
    mem_free(h->txn_session);
    mem_free(h->txn_begin);
    mem_free(h->txn_end);
    mem_free(h->txn_status);
    mem_free(h->txn_counts);
    atoms_free(&h->txn_names);
    mem_free(h->txn_began);
    mem_free(h->txn_ended);
    mem_free(h->txn_start_ts);
    mem_free(h->txn_commit_ts);
    mem_free(h->txn_meta);
    mem_free(h->txn_partial);
    mem_free(h->txn_line);
    mem_free(h->op_key);
    mem_free(h->op_value);
    atoms_free(&h->key_names);
    mem_free(h->key_is_list);
    mem_free(h->key_rows);
    row_log_free(h->rows);
    vec_free(&h->links);
    mem_free(h->values);
    column_free(&h->value_bits);
    vec_free(&h->several_first);
    vec_free(&h->several);
    mem_free(h->order_first);
    vec_free(&h->order_items);
    vec_free(&h->list_reads);
    vec_free(&h->list_items);
    vec_free(&h->implied);
    vec_free(&h->authors);
    vec_free(&h->author_items);
    vec_free(&h->renamed_from);
    *h = (struct history){0};
}

void
stamp_show(struct stamp s, struct buf *out)
{
    buf_u64(out, s.physical);
    if (s.logical) {
        buf_char(out, '.');
        buf_u64(out, s.logical);
    }
}

struct txn_range
history_candidates(const struct history *h, value_id v)
{
    assert(history_has_several(h, v));
    const uint32_t i = h->values[v].writer & ~WRITER_MANY;
    assert(i + 1 < h->several_first.n);
    const uint32_t first = h->several_first.at[i];
    return (struct txn_range){h->several.at + first,
                              h->several_first.at[i + 1] - first};
}

/* The place of the first implied read from op on. */
static size_t
find_implied(const struct history *h, op_id op)
{
    size_t low = 0;
    LOWER_BOUND(low, h->implied.n, middle, h->implied.at[middle].op < op);
    return low;
}

op_id
history_implied_by(const struct history *h, op_id op)
{
    const size_t i = find_implied(h, op);
    return i < h->implied.n && h->implied.at[i].op == op
               ? h->implied.at[i].whole
               : ID_NONE;
}

op_id
history_recorded(const struct history *h, op_id op)
{
    const op_id whole = history_implied_by(h, op);
    return whole == ID_NONE ? op : whole;
}

uint32_t
history_txn_ops(const struct history *h, txn_id t)
{
    assert(t < h->n_txns);
    const size_t implied =
        find_implied(h, h->txn_end[t]) - find_implied(h, h->txn_begin[t]);
    return h->txn_end[t] - h->txn_begin[t] - (uint32_t)implied;
}

struct atom
history_value_atom(const struct history *h, value_id v)
{
    assert(v < h->n_values);
    if (v == VALUE_INIT)
        return h->initial;
    return (struct atom){column_get(&h->value_bits, v),
                         (enum atom_tag)(h->values[v].key >> VALUE_TAG_SHIFT)};
}

struct atom
history_txn_atom(const struct history *h, txn_id t)
{
    return history_has_names(h) ? atoms_get(&h->txn_names, t) : atom_nil();
}

void
history_show_session(const struct history *h, session_id s, struct buf *out)
{
    assert(s < h->n_sessions);
    atom_show(&h->strings, h->session_name[s], out);
}

void
history_show_txn(const struct history *h, txn_id t, struct buf *out)
{
    if (t == TXN_INIT) {
        buf_text(out, "init");
        return;
    }
    assert(t < h->n_txns);
    const struct atom name = history_txn_atom(h, t);
    if (name.tag != ATOM_NIL) {
        atom_show(&h->strings, name, out);
        return;
    }
    const session_id s = h->txn_session[t];
    if (!atom_is_text(h->session_name[s]))
        buf_char(out, 's');
    history_show_session(h, s, out);
    buf_char(out, '/');
    buf_u64(out, t - h->session_first[s] + 1);
}

void
history_show_key(const struct history *h, key_id k, struct buf *out)
{
    const struct atom name = history_key_atom(h, k);
    if (h->key_rows && h->key_rows[k].row != ID_NONE)
        buf_shown(out, strings_get(&h->strings, (uint32_t)name.bits).text);
    else
        atom_show(&h->strings, name, out);
}

/* The values of a row, without the quotes of text. */
static void
show_row_value(const struct history *h, key_id k, struct atom value,
               struct buf *out)
{
    const uint32_t text =
        atom_is_text(value) ? (uint32_t)value.bits : h->key_rows[k].initial;
    buf_shown(out, strings_get(&h->strings, text).text);
}

void
history_show_value(const struct history *h, value_id v, struct buf *out)
{
    const struct atom value = history_value_atom(h, v);
    const key_id k = h->values[v].key & OP_KEY;
    if (v != VALUE_INIT && h->key_rows && h->key_rows[k].row != ID_NONE)
        show_row_value(h, k, value, out);
    else
        atom_show(&h->strings, value, out);
}

const struct list_read *
history_list_read(const struct history *h, op_id op)
{
    size_t low = 0;
    LOWER_BOUND(low, h->list_reads.n, middle, h->list_reads.at[middle].op < op);
    if (low == h->list_reads.n || h->list_reads.at[low].op != op)
        return NULL;
    return &h->list_reads.at[low];
}

struct list_seen
history_list_seen(const struct history *h, op_id op)
{
    const struct list_read *r = history_list_read(h, op);
    if (!r)
        return (struct list_seen){NULL, 0};
    assert(r->length && !op_is_write(h, op));
    const value_id *at =
        r->own != ID_NONE ? h->list_items.at + r->own
                          : h->order_items.at + h->order_first[op_key(h, op)];
    return (struct list_seen){at, r->length};
}

void
history_show_op(const struct history *h, op_id op, struct buf *out)
{
    const key_id k = op_key(h, op);
    const bool list = op_is_of_list(h, op);
    buf_text(out, !op_is_write(h, op) ? "r(" : list ? "append(" : "w(");
    history_show_key(h, k, out);
    buf_text(out, ", ");
    const struct list_seen seen = history_list_seen(h, op);
    if (seen.at) {
        // Of a long list only the end is shown: the latest elements.
        const size_t shown = seen.n > 6 ? 4 : seen.n;
        buf_text(out, shown < seen.n ? "[..." : "[");
        for (size_t i = seen.n - shown; i < seen.n; i++) {
            if (i || shown < seen.n)
                buf_char(out, ' ');
            history_show_value(h, seen.at[i], out);
        }
        buf_char(out, ']');
    } else if (list && !op_is_write(h, op)) {
        buf_text(out, "[]");
    } else if (op_is_of_row(h, op)) {
        show_row_value(h, k, history_value_atom(h, h->op_value[op]), out);
    } else {
        history_show_value(h, h->op_value[op], out);
    }
    buf_text(out, op_is_check(h, op) ? ") by a constraint check" : ")");
}
