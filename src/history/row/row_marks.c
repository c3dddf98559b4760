/* row_marks.c -- see row_marks.h.
 *
 * The writes of the registers of a row stand together, that of the row itself
 * last.  In a part of a history that one may be missing; then the others are
 * not implied by anything and are shown as they are.
 *
 * SPDX-License-Identifier: MIT */
#include "history/row/row_marks.h"

#include <stdlib.h>

/* Whether op writes a register of a row other than the row itself. */
static bool
answers_question(const struct history *h, op_id op)
{
    return op_is_write(h, op) && op_is_of_row(h, op) &&
           h->key_rows[op_key(h, op)].where != ID_NONE;
}

static int
compare_implied(const void *a, const void *b)
{
    const op_id x = ((const struct implied_read *)a)->op;
    const op_id y = ((const struct implied_read *)b)->op;
    return x < y ? -1 : x > y;
}

void
row_marks_imply(struct history *h)
{
    if (!h->key_rows)
        return;
    const size_t before = h->implied.n;
    for (txn_id t = 0; t < h->n_txns; t++) {
        op_id whole = ID_NONE; // the write of the row that follows
        for (op_id op = h->txn_end[t]; op-- > h->txn_begin[t];) {
            if (!answers_question(h, op))
                whole = op;
            else if (whole != ID_NONE && op_is_write(h, whole) &&
                     h->key_rows[op_key(h, op)].row == op_key(h, whole))
                vec_push(&h->implied, ((struct implied_read){op, whole}));
        }
    }
    if (h->implied.n > before)
        qsort(h->implied.at, h->implied.n, sizeof *h->implied.at,
              compare_implied);
}
