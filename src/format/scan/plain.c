/* plain.c -- see plain.h.
 *
 * SPDX-License-Identifier: MIT */
#include "format/scan/plain.h"

#include <string.h>

/* --- scanning ------------------------------------------------------------ */

static bool
is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == ',';
}

/* blocks.h: find the plain entries of a block.  After anything else the scan
 * continues in the next line. */
static bool
scan_block(const void *self, struct text_block *block, struct err *err)
{
    (void)err;
    const struct plain_reader *r = self;
    struct plain_block *found = block_records(block, sizeof *found);
    found->begin = block->begin;
    found->limit = block->limit;
    vec_clear(&found->entries);
    vec_clear(&found->ops);
    found->has_text = false;
    for (const char *at = block->begin; at < block->end;) {
        if (is_blank(*at)) {
            at++;
            continue;
        }
        struct plain_entry e = {
            .at = at, .status = TXN_COMMITTED, .ops = (uint32_t)found->ops.n};
        if (r->scan(found, &e)) {
            assert(e.end > at && e.end <= block->limit);
            e.n_ops = (uint32_t)found->ops.n - e.ops;
            vec_push(&found->entries, e);
            at = e.end;
        } else {
            found->ops.n = e.ops;
            at = memchr(at, '\n', (size_t)(block->end - at));
            at = at ? at : block->end;
        }
    }
    builder_work_ahead(r->b, found->ops.at, found->ops.n);
    return true;
}

/* --- taking -------------------------------------------------------------- */

/* Operations that were used and not yet handed to the builder. */
struct batch {
    uint32_t begin, end;
};

static bool
flush(const struct plain_reader *r, const struct plain_block *found,
      struct batch *batch, struct err *err)
{
    const struct batch all = *batch;
    batch->begin = batch->end;
    return all.begin == all.end ||
           builder_batch(r->b, found->ops.at + all.begin, all.end - all.begin,
                         err);
}

/* Give the operations of an entry their transaction, and their texts to the
 * builder. */
static void
complete_ops(const struct plain_reader *r, struct plain_block *found,
             const struct plain_entry *e, txn_id t)
{
    for (uint32_t i = e->ops; i < e->ops + e->n_ops; i++)
        found->ops.at[i].txn = t;
    if (!found->has_text)
        return;
    for (uint32_t i = e->ops; i < e->ops + e->n_ops; i++) {
        struct raw_op *op = &found->ops.at[i];
        const struct atom key = {op->key, (enum atom_tag)op->key_tag};
        const struct atom value = {op->value, (enum atom_tag)op->value_tag};
        if (atom_is_text(key))
            op->key = plain_atom(found, r->b, key).bits;
        if (atom_is_text(value))
            op->value = plain_atom(found, r->b, value).bits;
    }
}

/* Let the full reader continue until it has reached a byte or passed it. */
static bool
read_up_to(const struct plain_reader *r, const struct plain_block *found,
           const char *to, struct batch *batch, struct err *err)
{
    if (to > r->s->end)
        to = r->s->end;
    while (r->next(r->self) < to) {
        const char *before = r->s->at;
        if (!flush(r, found, batch, err) || !r->read(r->self))
            return false;
        assert(r->s->at > before);
        (void)before;
        if (to > r->s->end)
            to = r->s->end; // the first line of a recording can change it
    }
    return true;
}

/* Use an entry if the full reader would begin one there (1). */
static bool
use_entry(const struct plain_reader *r, struct plain_block *found,
          const struct plain_entry *e, struct batch *batch, struct err *err)
{
    if (r->next(r->self) != e->at || e->end > r->s->end)
        return true;
    // If the builder may refuse something, the full reader gives the position.
    bool used = builder_takes_batches(r->b, found->entries.n, found->ops.n);
    txn_id t;
    if (used && !r->use(r->self, e, found, &t, &used))
        return false;
    if (!used)
        return read_up_to(r, found, e->at + 1, batch, err);
    r->s->at = e->end;
    if (batch->end != e->ops && !flush(r, found, batch, err))
        return false;
    if (batch->begin == batch->end)
        batch->begin = e->ops;
    batch->end = e->ops + e->n_ops;
    complete_ops(r, found, e, t);
    return true;
}

/* blocks.h: use everything that begins in a block. */
static bool
take_block(void *self, struct text_block *block, struct err *err)
{
    const struct plain_reader *r = self;
    struct plain_block *found = block->records;
    struct batch batch = {0};
    for (size_t i = 0; i < found->entries.n; i++) {
        const struct plain_entry *e = &found->entries.at[i];
        if (!read_up_to(r, found, e->at, &batch, err) ||
            !use_entry(r, found, e, &batch, err))
            return false;
    }
    return read_up_to(r, found, block->end, &batch, err) &&
           flush(r, found, &batch, err);
}

static void
release(void *records)
{
    struct plain_block *found = records;
    vec_free(&found->entries);
    vec_free(&found->ops);
}

bool
plain_run(const struct plain_reader *r, struct input *in, struct err *err)
{
    struct plain_reader self = *r;
    if (in->full) {
        struct batch none = {0};
        return read_up_to(r, NULL, r->s->end, &none, err);
    }
    if (in->threads > 1)
        builder_share(r->b);
    const struct block_work work = {.scan = scan_block,
                                    .consume = take_block,
                                    .release = release,
                                    .self = &self};
    return blocks_run(in, &work, err);
}
