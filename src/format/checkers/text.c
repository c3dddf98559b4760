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
#include "format/readers.h"
#include "format/scan/blocks.h"
#include "format/scan/decimal.h"
#include "format/scan/find_byte.h"

#include <inttypes.h>
#include <string.h>

/* --- scanning ------------------------------------------------------------ */

/* Consecutive lines of one transaction. */
struct run {
    uint64_t session;
    int64_t txn;
    uint32_t offset; // from the start of the block to the first line
    uint32_t begin;  // index of its first operation in the block
};

/* The records of a block; their transactions have no ids yet. */
struct scanned {
    VEC(struct run) runs;
    VEC(struct raw_op) ops;
};

struct text_reader {
    struct builder *b;
    const char *input;        // where it begins
    bool full;                // no line is read by scan_usual
    struct intmap txn_of;     // the file's transaction id -> the builder's
    struct intmap aborted_of; // session -> its aborted transaction
};

/* Report what was found at a byte of a line. */
static bool
unexpected(const char *at, const char *end, const char *expected,
           struct err *err)
{
    char quoted[ERR_QUOTE_ROOM];
    if (at == end || *at == '\n' || (*at == '\r' && at + 1 < end))
        return err_set(err, ERR_SYNTAX, "the line ends here, expected %s",
                       expected);
    return err_set(err, ERR_SYNTAX, "found '%s', expected %s",
                   err_quote(quoted, sizeof quoted, at, 1), expected);
}

/* Parse an unsigned number at *at, digit by digit, and move past it. */
static bool
scan_long_number(const char **at, const char *end, uint64_t *out,
                 struct err *err)
{
    const char *p = *at;
    uint64_t x = 0;
    unsigned digit;
    while (p < end && (digit = (unsigned)(unsigned char)*p - '0') <= 9) {
        if (p - *at >= 18 &&
            (x > UINT64_MAX / 10 || x * 10 > UINT64_MAX - digit))
            return err_set(err, ERR_SYNTAX,
                           "a number that does not fit into 64 bits");
        x = x * 10 + digit;
        p++;
    }
    if (p == *at)
        return unexpected(p, end, "a number", err);
    *at = p;
    *out = x;
    return true;
}

/* The same; numbers of one to seven digits, the usual case, take one step. */
static inline bool
scan_number(const char **at, const char *end, uint64_t *out, struct err *err)
{
    uint64_t word;
    if (__builtin_expect(end - *at >= 8, 1)) {
        memcpy(&word, *at, sizeof word);
        const unsigned n = decimal_digits(word);
        if (__builtin_expect(n >= 1 && n <= 7, 1)) {
            *out = decimal_value(word << (64 - 8 * n));
            *at += n;
            return true;
        }
    }
    return scan_long_number(at, end, out, err);
}

static inline bool
scan_char(const char **at, const char *end, char c, const char *expected,
          struct err *err)
{
    if (*at == end || **at != c)
        return unexpected(*at, end, expected, err);
    ++*at;
    return true;
}

static bool
scan_txn(const char **at, const char *end, int64_t *out, struct err *err)
{
    const char *start = *at;
    const bool negative = start < end && *start == '-';
    *at += negative;
    uint64_t x = 0;
    if (!scan_number(at, end, &x, err))
        return false;
    if (x > (uint64_t)INT64_MAX + negative) {
        *at = start;
        return err_set(err, ERR_SYNTAX,
                       "a transaction id that does not fit into 64 bits");
    }
    *out = negative ? (int64_t)-x : (int64_t)x;
    return true;
}

/* The end of a line, ",session,txn)", which the next line usually repeats. */
struct tail {
    uint64_t word[2], mask[2]; // its bytes, if there are at most 16
    size_t len;                // 0 = none yet, or longer
    uint64_t session;
    int64_t txn;
};

static inline bool
is_repeated(const char *at, const char *end, const struct tail *tail)
{
    if (end - at < 16)
        return false;
    uint64_t word[2];
    memcpy(word, at, sizeof word);
    return tail->len && !((word[0] ^ tail->word[0]) & tail->mask[0]) &&
           !((word[1] ^ tail->word[1]) & tail->mask[1]);
}

static bool
scan_tail(const char **at, const char *end, struct tail *tail, struct err *err)
{
    const char *begin = *at;
    if (!scan_char(at, end, ',', "',' and the session", err) ||
        !scan_number(at, end, &tail->session, err) ||
        !scan_char(at, end, ',', "',' and the transaction", err) ||
        !scan_txn(at, end, &tail->txn, err) ||
        !scan_char(at, end, ')', "')'", err))
        return false;
    const size_t len = (size_t)(*at - begin);
    tail->len = len <= 16 ? len : 0;
    memset(tail->mask, 0, sizeof tail->mask);
    memset(tail->mask, 0xff, tail->len);
    memcpy(tail->word, begin, tail->len);
    return true;
}

/* Parse the line at *at up to its end, which stays unread.  *same is set if
 * the line before belongs to the same transaction. */
static inline bool
scan_line(const char **at, const char *end, struct raw_op *op,
          struct tail *tail, bool *same, struct err *err)
{
    // A table, because a branch would be mispredicted half of the time.
    static const uint8_t kinds[256] = {['r'] = 1, ['w'] = 2};
    const uint8_t kind = kinds[(unsigned char)**at];
    if (!kind)
        return unexpected(*at, end, "'r' or 'w'", err);
    op->is_write = kind >> 1;
    op->key_is_id = false;
    ++*at;
    if (!scan_char(at, end, '(', "'('", err) ||
        !scan_number(at, end, &op->key, err) ||
        !scan_char(at, end, ',', "',' and the value", err) ||
        !scan_number(at, end, &op->value, err))
        return false;
    op->key_tag = (uint8_t)atom_uint(op->key).tag;
    op->value_tag = (uint8_t)atom_uint(op->value).tag;
    *same = is_repeated(*at, end, tail);
    if (!*same)
        return scan_tail(at, end, tail, err);
    *at += tail->len;
    return true;
}

enum { LINE_ROOM = 80 }; // bytes that a line of scan_usual takes at most

/* Parse the tail of a line in the usual form, and its newline; false if it is
 * of another form.  *at is moved past both. */
static inline bool
scan_usual_tail(const char **at, struct tail *tail)
{
    const char *p = *at;
    uint64_t session, txn;
    if (*p++ != ',' || !decimal_short(&p, &session) || *p++ != ',' ||
        !decimal_short(&p, &txn) || p[0] != ')' || p[1] != '\n')
        return false;
    const size_t len = (size_t)(p + 1 - *at);
    if (len > sizeof tail->word)
        return false;
    // The bytes behind the tail are masked out.
    const uint64_t all = UINT64_MAX;
    memcpy(tail->word, *at, sizeof tail->word);
    tail->mask[0] = len < 8 ? ~(all << 8 * len) : all;
    tail->mask[1] = len < 9 ? 0 : all >> 8 * (16 - len);
    tail->len = len;
    tail->session = session;
    tail->txn = (int64_t)txn;
    *at = p + 2;
    return true;
}

/* Parse as many lines of the usual form as follow each other at *at: numbers of
 * at most 15 digits, and a tail of at most 16 bytes.  Stops at any other line.
 * These are nearly all lines, and nothing in this loop can fail. */
static void
scan_usual(const struct text_block *block, const char **at, struct tail *last,
           struct scanned *found)
{
    static const uint8_t kinds[256] = {['r'] = 1, ['w'] = 2};
    if (block->limit - *at < LINE_ROOM)
        return;
    struct tail tail = *last;
    struct raw_op *op = &found->ops.at[found->ops.n];
    const char *line = *at;
    const char *const end = block->limit - block->end >= LINE_ROOM
                                ? block->end
                                : block->limit - LINE_ROOM;
    while (tail.len && tail.txn != -1 && line < end) {
        const char *p = line;
        const uint32_t newlines = find_byte(line, '\n');
        const uint8_t kind = kinds[(unsigned char)*p];
        uint64_t key, value, word[2];
        if (!kind || p[1] != '(')
            break;
        p += 2;
        if (!decimal_short(&p, &key) || *p++ != ',' ||
            !decimal_short(&p, &value))
            break;
        memcpy(word, p, sizeof word);
        if (!(((word[0] ^ tail.word[0]) & tail.mask[0]) |
              ((word[1] ^ tail.word[1]) & tail.mask[1])) &&
            p[tail.len] == '\n') {
            p += tail.len + 1;
        } else {
            if (!scan_usual_tail(&p, &tail))
                break;
            found->runs.at[found->runs.n++] = (struct run){
                tail.session, tail.txn, (uint32_t)(line - block->begin),
                (uint32_t)(op - found->ops.at)};
        }
        *op++ = (struct raw_op){.key = key,
                                .value = value,
                                .key_tag = ATOM_INT,
                                .value_tag = ATOM_INT,
                                .is_write = kind >> 1};
        if (__builtin_expect(!newlines, 0)) {
            line = p;
            continue;
        }
        line += (unsigned)__builtin_ctz(newlines) + 1;
        assert(line == p); // but known earlier (find_byte.h)
    }
    found->ops.n = (size_t)(op - found->ops.at);
    *last = tail;
    *at = line;
}

/* Parse the lines of a block, up to the first error. */
static bool
scan_lines(struct text_block *block, bool full, struct scanned *found,
           struct err *err)
{
    const char *at = block->begin;
    const char *const end = block->end;
    struct tail tail = {0};
    while (at < end) {
        if (*at == '\n') {
            at++;
            continue;
        }
        if (*at == '\r' && (at + 1 == end || at[1] == '\n')) {
            at++;
            continue;
        }
        const char *stop = at;
        struct raw_op *op = &found->ops.at[found->ops.n];
        bool same = false;
        if (!scan_line(&stop, block->limit, op, &tail, &same, err)) {
            block->error_at = stop;
            return false;
        }
        // The offset fits: a line begins inside its block, which is small.
        assert((uint64_t)(at - block->begin) <= UINT32_MAX);
        if (!same)
            found->runs.at[found->runs.n++] = (struct run){
                tail.session, tail.txn, (uint32_t)(at - block->begin),
                (uint32_t)found->ops.n};
        // The reads of aborted transactions do not count.
        found->ops.n += op->is_write | (tail.txn != -1);
        at = stop;
        if (at < end && *at == '\r')
            at++;
        if (at < end && *at != '\n') {
            block->error_at = at;
            return unexpected(at, end, "the end of the line", err);
        }
        if (at < end) {
            at++;
            if (!full)
                scan_usual(block, &at, &tail, found);
        }
    }
    return true;
}

/* blocks.h: scan the lines of one block. */
static bool
scan_block(const void *self, struct text_block *block, struct err *err)
{
    const struct text_reader *reader = self;
    // The shortest line is 10 bytes long with its newline.
    const size_t most = (size_t)(block->end - block->begin) / 10 + 1;
    struct scanned *found = block_records(block, sizeof *found);
    vec_clear(&found->runs);
    vec_clear(&found->ops);
    vec_reserve(&found->runs, most);
    vec_reserve(&found->ops, most);
    if (!scan_lines(block, reader->full, found, err))
        return false;
    builder_work_ahead(reader->b, found->ops.at, found->ops.n);
    return true;
}

/* blocks.h: free what the records hold. */
static void
release_block(void *records)
{
    struct scanned *found = records;
    vec_free(&found->runs);
    vec_free(&found->ops);
}

/* --- building ------------------------------------------------------------ */

enum { SAMPLE = 1 << 14 };

static bool
begin_txn(struct text_reader *reader, const struct run *r, const char *at,
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
find_txn(struct text_reader *reader, const struct run *r, const char *at,
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

/* blocks.h: pass the operations of one block to the builder. */
static bool
build_block(void *self, struct text_block *block, struct err *err)
{
    struct text_reader *reader = self;
    const struct scanned *found = block->records;
    for (size_t i = 0; i < found->runs.n; i++) {
        const struct run *r = &found->runs.at[i];
        const size_t end = i + 1 < found->runs.n ? r[1].begin : found->ops.n;
        txn_id t;
        if (!find_txn(reader, r, block->begin + r->offset, &t, err)) {
            block->error_at = block->begin + r->offset;
            return false;
        }
        for (size_t op = r->begin; op < end; op++)
            found->ops.at[op].txn = t;
    }
    return builder_batch(reader->b, found->ops.at, found->ops.n, err);
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
