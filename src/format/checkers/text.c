/* text.c -- one operation per line: r(key,value,session,txn), w(...).
 *
 * This is the format of Plume, PolySI, IsoVista and AWDIT.  The largest
 * histories come in it, so the reader has to be fast.  The file is cut into
 * blocks, and a line belongs to the block in which it begins.  Several threads
 * scan blocks into records independently (blocks.h).  One thread takes the
 * blocks in order and passes the records to the builder.
 *
 * Transaction -1 stands for all aborted transactions.  Only its writes count,
 * and they are collected into one aborted transaction per session.
 *
 * SPDX-License-Identifier: MIT */
#include "format/checkers/text.h"

#include "base/container/intmap.h"
#include "format/checkers/text_scan.h"
#include "format/readers.h"

#include <inttypes.h>
#include <string.h>

enum { SAMPLE = 1 << 14 };

struct text_reader {
    struct builder *b;
    const char *input;        // where it begins
    bool full;                // every line is read by the full reader
    struct intmap txn_of;     // the file's transaction id -> the builder's
    struct intmap aborted_of; // session -> its aborted transaction
};

/* blocks.h: scan the lines of one block. */
static bool
scan_block(const void *self, struct text_block *block, struct err *err)
{
    const struct text_reader *reader = self;
    struct text_lines *found = block_records(block, sizeof *found);
    if (!text_scan(block, reader->full, found, err))
        return false;
    if (found->is_wide)
        builder_work_ahead(reader->b, found->wide.at, found->wide.n);
    else
        builder_pages_ahead(reader->b);
    return true;
}

/* blocks.h: free what the records hold. */
static void
release_block(void *records)
{
    text_lines_free(records);
}

static bool
begin_txn(struct text_reader *reader, const struct text_run *r, const char *at,
          txn_id *t, struct err *err)
{
    const session_id s = builder_session(reader->b, atom_uint(r->session));
    if (!builder_txn(reader->b, s, t, err))
        return false;
    builder_place(reader->b, *t, (uint64_t)(at - reader->input));
    builder_name(reader->b, *t, atom_int(r->txn));
    if (r->txn == -1)
        builder_status(reader->b, *t, TXN_ABORTED);
    return true;
}

static bool
find_txn(struct text_reader *reader, const struct text_run *r, const char *at,
         txn_id *t, struct err *err)
{
    const bool aborted = r->txn == -1;
    bool added;
    *t = intmap_add(aborted ? &reader->aborted_of : &reader->txn_of,
                    aborted ? r->session : (uint64_t)r->txn,
                    (uint32_t)builder_txns(reader->b), &added);
    if (added)
        return begin_txn(reader, r, at, t, err);
    if (!aborted && builder_session_of(reader->b, *t) !=
                        builder_session(reader->b, atom_uint(r->session)))
        return err_set(err, ERR_SYNTAX,
                       "transaction %" PRId64 " is in session %" PRIu64
                       " here, but was in another session before",
                       r->txn, r->session);
    return true;
}

static bool
add_ops(struct builder *b, struct text_lines *found, struct err *err)
{
    if (!found->is_wide)
        return builder_small_batch(b, found->small.at, found->small.n,
                                   found->places.at, found->places.n, err);
    for (size_t i = 0; i < found->places.n; i++) {
        const struct small_run *run = &found->places.at[i];
        const size_t end =
            i + 1 < found->places.n ? run[1].begin : found->wide.n;
        for (size_t op = run->begin; op < end; op++)
            found->wide.at[op].txn = run->txn;
    }
    return builder_batch(b, found->wide.at, found->wide.n, err);
}

/* blocks.h: pass the operations of one block to the builder. */
static bool
build_block(void *self, struct text_block *block, struct err *err)
{
    struct text_reader *reader = self;
    struct text_lines *found = block->records;
    for (size_t i = 0; i < found->runs.n; i++) {
        const struct text_run *r = &found->runs.at[i];
        if (!find_txn(reader, r, block->begin + r->offset,
                      &found->places.at[i].txn, err)) {
            block->error_at = block->begin + r->offset;
            return false;
        }
    }
    return add_ops(reader->b, found, err);
}

/* Estimate how many operations a file holds from the lines in its middle. */
static size_t
guess_ops(const struct input *in)
{
    const size_t n = in->size < SAMPLE ? in->size : SAMPLE;
    const char *at = in->data + (in->size - n) / 2, *end = at + n;
    size_t lines = 1;
    while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        lines++;
        at++;
    }
    return n ? in->size / n * (lines + lines / 32) : 0;
}

static bool
text_read(struct input *in, struct builder *b, struct err *err)
{
    if (in->is_directory)
        return err_set(err, ERR_SYNTAX, "a directory, expected a file");
    struct text_reader *reader = mem_calloc(1, sizeof *reader);
    reader->b = b;
    reader->input = in->data;
    reader->full = in->full && !in->lines;
    const size_t ops = guess_ops(in);
    builder_expect(b, ops);
    if (in->threads > 1)
        builder_share(b);
    intmap_expect(&reader->txn_of, ops);
    const struct block_work work = {.scan = scan_block,
                                    .consume = build_block,
                                    .release = release_block,
                                    .self = reader};
    const bool ok = blocks_run(in, &work, err);
    intmap_free(&reader->txn_of);
    intmap_free(&reader->aborted_of);
    mem_free(reader);
    return ok;
}

static int
text_sniff(const struct input *in)
{
    const char *at = in->data, *end = at + in->size;
    while (at < end && (*at == '\n' || *at == '\r'))
        at++;
    if (at == end || (*at != 'r' && *at != 'w'))
        return 0;
    return at + 1 == end || at[1] == '(' ? 90 : 0;
}

const struct format format_text = {
    .name = "text",
    .suffix = ".txt",
    .help = "one operation per line: r(key,value,session,txn) "
            "(Plume, PolySI, IsoVista, AWDIT)",
    .initial = ATOM_INT,
    .keeps = KEEPS_NAMES,
    .sniff = text_sniff,
    .read = text_read,
    .holds = text_holds,
    .write = text_write,
};
