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

void
list_flaw_text_append(const struct history *h, const struct flaw *f,
                      void (*show_txn)(const struct history *h, txn_id t,
                                       struct buf *out),
                      struct buf *out)
{
    assert(op_is_of_list(h, f->op));
    switch (f->kind) {
    case FLAW_THIN_AIR:
        append_element(h, f, out);
        buf_text(out, ", which nobody appended");
        break;
    case FLAW_ABORTED:
        append_element(h, f, out);
        buf_text(out, ", but ");
        show_txn(h, f->other, out);
        buf_text(out, ", which appended that, aborted");
        break;
    case FLAW_FUTURE:
        append_element(h, f, out);
        buf_text(out, " before it appended that itself, and nobody else did");
        break;
    case FLAW_NOT_OWN:
        buf_text(out, ", which does not end with what it had appended");
        break;
    case FLAW_NOT_LATEST:
        buf_text(out, ", which ends within what ");
        show_txn(h, f->other, out);
        buf_text(out, " appended: ");
        history_show_value(h, f->value, out);
        buf_text(out, " is missing");
        break;
    case FLAW_LOST_APPEND:
        buf_text(out, ", which has some of what ");
        show_txn(h, f->other, out);
        buf_text(out, " appended, but not ");
        history_show_value(h, f->value, out);
        break;
    case FLAW_DIRTY_WRITE:
        buf_text(out, ", in which the elements that ");
        show_txn(h, f->other, out);
        buf_text(out, " appended do not stand together in its order");
        break;
    case FLAW_DUPLICATE:
        buf_text(out, ", in which ");
        history_show_value(h, f->value, out);
        buf_text(out, " stands twice");
        break;
    case FLAW_INCOMPATIBLE:
        if (f->other == TXN_NONE)
            break;
        buf_text(out, ", and ");
        show_txn(h, f->other, out);
        buf_text(out, " did ");
        history_show_op(h, f->other_op, out);
        buf_text(out, ": neither list begins with the other");
        break;
    default:
        assert(!"a list has no flaw of this kind");
    }
}
