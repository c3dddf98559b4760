/* list_flaw_text.c -- see list_flaw_text.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/list/list_flaw_text.h"

static void
append_element(const struct history *h, const struct flaw *f, struct buf *out)
{
    buf_text(out, " with the element ");
    history_show_value(h, f->value, out);
}

/* A list that has some of what another transaction appended, but not all. */
static void
append_partial(const struct history *h, const struct flaw *f,
               flaw_show_txn *show_txn, struct buf *out)
{
    const bool is_end = f->kind == FLAW_NOT_LATEST;
    buf_text(out, is_end ? ", which ends within what "
                         : ", which has some of what ");
    show_txn(h, f->other, out);
    buf_text(out, is_end ? " appended: " : " appended, but not ");
    history_show_value(h, f->value, out);
    buf_text(out, is_end ? " is missing" : "");
}

/* A list whose elements are not in an order that appending gives. */
static void
append_disorder(const struct history *h, const struct flaw *f,
                flaw_show_txn *show_txn, struct buf *out)
{
    if (f->kind == FLAW_DUPLICATE) {
        buf_text(out, ", in which ");
        history_show_value(h, f->value, out);
        buf_text(out, " stands twice");
    } else if (f->kind == FLAW_DIRTY_WRITE) {
        buf_text(out, ", in which the elements that ");
        show_txn(h, f->other, out);
        buf_text(out, " appended do not stand together in its order");
    } else if (f->other != TXN_NONE) {
        buf_text(out, ", and ");
        show_txn(h, f->other, out);
        buf_text(out, " did ");
        history_show_op(h, f->other_op, out);
        buf_text(out, ": neither list begins with the other");
    }
}

void
list_flaw_text_append(const struct history *h, const struct flaw *f,
                      flaw_show_txn *show_txn, struct buf *out)
{
    assert(op_is_of_list(h, f->op));
    switch (f->kind) {
    case FLAW_THIN_AIR:
        append_element(h, f, out);
        buf_text(out, ", which no transaction appended");
        break;
    case FLAW_ABORTED:
        append_element(h, f, out);
        buf_text(out, ", but ");
        show_txn(h, f->other, out);
        buf_text(out, ", which appended that, aborted");
        break;
    case FLAW_FUTURE:
        append_element(h, f, out);
        buf_text(out, " before it appended that itself, and no other "
                      "transaction did");
        break;
    case FLAW_NOT_OWN:
        buf_text(out, ", which does not end with what it had appended");
        break;
    case FLAW_NOT_LATEST:
    case FLAW_LOST_APPEND:
        append_partial(h, f, show_txn, out);
        break;
    case FLAW_DIRTY_WRITE:
    case FLAW_DUPLICATE:
    case FLAW_INCOMPATIBLE:
        append_disorder(h, f, show_txn, out);
        break;
    default:
        assert(!"a list has no flaw of this kind");
    }
}
