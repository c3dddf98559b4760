/* row_text.c -- see row_text.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/row/row_text.h"

/* The text of what op read or wrote of a row. */
static const char *
text_of(const struct history *h, op_id op)
{
    assert(op_is_of_row(h, op));
    const struct atom value = history_value_atom(h, h->op_value[op]);
    const uint32_t text = atom_is_text(value)
                              ? (uint32_t)value.bits
                              : h->key_rows[op_key(h, op)].initial;
    return strings_get(&h->strings, text).text;
}

void
row_text_value(const struct history *h, op_id op, struct buf *out)
{
    if (op_is_of_row(h, op))
        buf_shown(out, text_of(h, op));
    else
        history_show_value(h, h->op_value[op], out);
}

const char *
row_text_condition(const struct history *h, key_id k)
{
    if (!h->key_rows || k == ID_NONE || h->key_rows[k].row == ID_NONE ||
        h->key_rows[k].where == ID_NONE)
        return NULL;
    const char *where = strings_get(&h->strings, h->key_rows[k].where).text;
    return strncmp(where, "where ", 6) == 0 ? where + 6 : NULL;
}

bool
row_text_matches(const struct history *h, op_id op)
{
    assert(op_is_write(h, op) && row_text_condition(h, op_key(h, op)));
    return strcmp(text_of(h, op), "none") != 0;
}
