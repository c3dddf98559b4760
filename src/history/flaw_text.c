/* flaw_text.c -- see flaw_text.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/flaw_text.h"

#include "history/list/list_flaw_text.h"
#include "history/row/row_text.h"

const char *
flaw_name(enum flaw_kind kind)
{
    static const char *const names[FLAW_KINDS] = {
        [FLAW_THIN_AIR] = "thin-air-read",
        [FLAW_ABORTED] = "aborted-read",
        [FLAW_FUTURE] = "future-read",
        [FLAW_NOT_OWN] = "not-own-write",
        [FLAW_NOT_LATEST] = "not-latest-write",
        [FLAW_INCOMPATIBLE] = "incompatible-order",
        [FLAW_DUPLICATE] = "duplicate-elements",
        [FLAW_DIRTY_WRITE] = "dirty-write",
        [FLAW_LOST_APPEND] = "lost-append",
    };
    assert(kind < FLAW_KINDS);
    return names[kind];
}

/* The end of a sentence about a read of a register. */
static void
end_register(const struct history *h, const struct flaw *f,
             flaw_show_txn *show_txn, struct buf *out)
{
    switch (f->kind) {
    case FLAW_THIN_AIR:
        if (row_text_condition(h, op_key(h, f->op))) {
            buf_text(out, ", but all versions of row ");
            history_show_key(h, h->key_rows[op_key(h, f->op)].row, out);
            buf_text(out, " match: it was not returned");
            break;
        }
        buf_text(out, ", which no transaction wrote");
        break;
    case FLAW_ABORTED:
        buf_text(out, ", but ");
        show_txn(h, f->other, out);
        buf_text(out, ", which wrote that, aborted");
        break;
    case FLAW_FUTURE:
        buf_text(out, " before it wrote that value itself, and no other "
                      "transaction wrote it");
        break;
    case FLAW_NOT_OWN:
        buf_text(out, ", which is not what it had written");
        break;
    case FLAW_NOT_LATEST:
        if (f->other == f->txn) {
            buf_text(out, ", which it had overwritten with ");
            history_show_op(h, history_recorded(h, f->other_op), out);
        } else {
            buf_text(out, ", but that is not the last write of the key by ");
            show_txn(h, f->other, out);
        }
        break;
    default:
        assert(!"a register has no flaw of this kind");
    }
}

void
flaw_text_begin(const struct history *h, const struct flaw *f,
                flaw_show_txn *show_txn, struct buf *out)
{
    assert(f->kind < FLAW_KINDS);
    show_txn(h, f->txn, out);
    buf_text(out, " did ");
    if (f->kind == FLAW_NOT_OWN) {
        history_show_op(h, history_recorded(h, f->other_op), out);
        buf_text(out, " and then ");
    }
}

void
flaw_text_end(const struct history *h, const struct flaw *f,
              flaw_show_txn *show_txn, struct buf *out)
{
    if (op_is_of_list(h, f->op))
        list_flaw_text_append(h, f, show_txn, out);
    else
        end_register(h, f, show_txn, out);
}

void
flaw_tell(const struct history *h, const struct flaw *f, struct buf *out)
{
    flaw_text_begin(h, f, history_show_txn, out);
    history_show_op(h, f->op, out);
    flaw_text_end(h, f, history_show_txn, out);
}
