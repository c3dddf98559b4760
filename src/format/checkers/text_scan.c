/* text_scan.c -- see text_scan.h.
 *
 * Nearly all lines have the usual form: r or w, four numbers, and nothing else.
 * scan_small takes lines of that form with small keys and values, scan_usual
 * those with larger ones.  Neither can fail: both stop at any other line, which
 * scan_line reads.
 *
 * SPDX-License-Identifier: MIT */
#include "format/checkers/text_scan.h"

#include "format/scan/decimal_pair.h"
#include "format/scan/find_byte.h"

#include <string.h>

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
    if (__builtin_expect(end - *at >= 8, 1)) {
        const uint64_t word = word_load(*at);
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

enum { LINE_ROOM = 80 }; // bytes that a line of the usual form takes at most

/* Up to where lines of the usual form can be read. */
static const char *
usual_end(const struct text_block *block)
{
    return block->limit - block->end >= LINE_ROOM ? block->end
                                                  : block->limit - LINE_ROOM;
}

static inline void
begin_run(struct text_lines *found, uint64_t session, int64_t txn,
          size_t offset, size_t op)
{
    // Both fit: a line begins inside its block, which is small.
    assert(offset <= UINT32_MAX && op <= UINT32_MAX);
    found->runs.at[found->runs.n++] =
        (struct text_run){session, txn, (uint32_t)offset};
    found->places.at[found->places.n++] =
        (struct small_run){.begin = (uint32_t)op};
}

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
    tail->mask[0] = word_order(len < 8 ? ~(all << 8 * len) : all);
    tail->mask[1] = word_order(len < 9 ? 0 : all >> 8 * (16 - len));
    tail->len = len;
    tail->session = session;
    tail->txn = (int64_t)txn;
    *at = p + 2;
    return true;
}

/* Move past the tail of a line at *at, and its newline.  Where it is not the
 * tail of the line before, a run begins at that offset and operation.  False if
 * the tail is of another form. */
static inline bool
take_usual_tail(const char **at, struct tail *tail, struct text_lines *found,
                size_t offset, size_t op)
{
    uint64_t word[2];
    memcpy(word, *at, sizeof word);
    if (!(((word[0] ^ tail->word[0]) & tail->mask[0]) |
          ((word[1] ^ tail->word[1]) & tail->mask[1])) &&
        (*at)[tail->len] == '\n') {
        *at += tail->len + 1;
        return true;
    }
    if (!scan_usual_tail(at, tail))
        return false;
    begin_run(found, tail->session, tail->txn, offset, op);
    return true;
}

/* Where the next line begins: behind the first newline that was seen in this
 * one, which is known earlier than 'next' (find_byte.h). */
static inline const char *
next_line(const char *line, uint32_t newlines, const char *next)
{
    if (__builtin_expect(!newlines, 0))
        return next;
    line += (unsigned)__builtin_ctz(newlines) + 1;
    assert(line == next);
    return line;
}

/* The tail of a line of scan_small, ",session,txn)" and the newline. */
struct small_tail {
    char bytes[16];
    uint32_t which; // of these bytes are the tail's, a bit each
    size_t len;
    uint64_t session, txn;
};

enum { NO_TAIL = 1 << 16 }; // small_tail.which that no line repeats

/* Parse the tail of the line at a byte of it, where it differs from the tail of
 * the line before; false if it is of another form. */
static bool
scan_small_tail(const char *at, struct small_tail *tail)
{
    const char *p = at + 1;
    if (*at != ',' || !decimal_short(&p, &tail->session) || *p++ != ',' ||
        !decimal_short(&p, &tail->txn) || p[0] != ')' || p[1] != '\n' ||
        p + 2 - at > 16)
        return false;
    tail->len = (size_t)(p + 2 - at);
    tail->which = (1u << tail->len) - 1;
    memcpy(tail->bytes, at, sizeof tail->bytes);
    return true;
}

/* Parse as many lines of the usual form as follow each other at *at, with keys
 * and values of at most eight digits and a tail of at most 16 bytes. */
static void
scan_small(const struct text_block *block, const char **at, struct tail *last,
           struct text_lines *found)
{
    const uint32_t read = 'r' | '(' << 8, write = 'r' ^ 'w';
    struct small_tail tail = {.which = NO_TAIL};
    struct small_op *op = &found->small.at[found->small.n];
    const char *line = *at, *const end = usual_end(block);
    while (line < end) {
        const uint32_t newlines = find_byte(line, '\n');
        // Not of the front, which are bits 0 and 1; two always.
        uint64_t others = (~find_digits(line) & ~3u) | UINT64_C(3) << 32;
        const size_t key_end = (size_t)__builtin_ctzll(others);
        others &= others - 1;
        const size_t value_end = (size_t)__builtin_ctzll(others);
        const size_t n_key = key_end - 2, n_value = value_end - key_end - 1;
        const uint32_t front = (uint32_t)word_load_front(line, 2);
        const uint32_t kind = front ^ read; // 0 or 'write'
        // Numbers have 1 to 8 digits; for 0 digits the difference wraps around.
        if (kind * (kind - write) |
            (((n_key - 1) | (n_value - 1)) & ~(size_t)7) |
            (size_t)(line[key_end] ^ ','))
            break;
        const char *const p = line + value_end;
        if (!same_bytes(p, tail.bytes, tail.which)) {
            if (!scan_small_tail(p, &tail))
                break;
            begin_run(found, tail.session, (int64_t)tail.txn,
                      (size_t)(line - block->begin),
                      (size_t)(op - found->small.at));
        }
        const uint64_t both = decimal_pair(line + key_end, n_key, p, n_value);
        _Static_assert(('r' ^ 'w') & 1, "becomes the flag");
        *op++ = (struct small_op){(uint32_t)both | kind << 31,
                                  (uint32_t)(both >> 32)};
        line = next_line(line, newlines, p + tail.len);
    }
    found->small.n = (size_t)(op - found->small.at);
    last->len = 0; // there may be others since
    *at = line;
}

/* The same with numbers of at most 15 digits. */
static void
scan_usual(const struct text_block *block, const char **at, struct tail *last,
           struct text_lines *found)
{
    static const uint8_t kinds[256] = {['r'] = 1, ['w'] = 2};
    struct tail tail = *last;
    struct raw_op *op = &found->wide.at[found->wide.n];
    const char *line = *at, *const end = usual_end(block);
    while (line < end) {
        const char *p = line;
        const uint32_t newlines = find_byte(line, '\n');
        const uint8_t kind = kinds[(unsigned char)*p];
        uint64_t key, value;
        if (!kind || p[1] != '(')
            break;
        p += 2;
        if (!decimal_short(&p, &key) || *p++ != ',' ||
            !decimal_short(&p, &value) ||
            !take_usual_tail(&p, &tail, found, (size_t)(line - block->begin),
                             (size_t)(op - found->wide.at)))
            break;
        *op++ = (struct raw_op){.key = key,
                                .value = value,
                                .key_tag = ATOM_INT,
                                .value_tag = ATOM_INT,
                                .is_write = kind >> 1};
        line = next_line(line, newlines, p);
    }
    found->wide.n = (size_t)(op - found->wide.at);
    *last = tail;
    *at = line;
}

/* Parse lines of the usual form, if the tail of the line before allows it. */
static void
scan_usual_lines(const struct text_block *block, const char **at,
                 struct tail *last, struct text_lines *found)
{
    if (block->limit - *at < LINE_ROOM || !last->len || last->txn == -1)
        return;
    if (found->is_wide)
        scan_usual(block, at, last, found);
    else
        scan_small(block, at, last, found);
}

/* How many operations there are. */
static size_t
count_ops(const struct text_lines *found)
{
    return found->is_wide ? found->wide.n : found->small.n;
}

/* Add an operation; false if it is none for 'small'. */
static bool
add_op(struct text_lines *found, const struct raw_op *op)
{
    if (found->is_wide) {
        found->wide.at[found->wide.n++] = *op;
        return true;
    }
    if (op->key >= SMALL_END || op->value >= SMALL_END)
        return false;
    const uint32_t flag = op->is_write ? SMALL_WRITE : 0;
    found->small.at[found->small.n++] =
        (struct small_op){(uint32_t)op->key | flag, (uint32_t)op->value};
    return true;
}

/* Parse the lines of a block, up to the first error or, with *too_large, the
 * first operation that 'small' does not hold. */
static bool
scan_lines(struct text_block *block, bool full, struct text_lines *found,
           bool *too_large, struct err *err)
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
        struct raw_op op = {0};
        bool same = false;
        if (!scan_line(&stop, block->limit, &op, &tail, &same, err)) {
            block->error_at = stop;
            return false;
        }
        if (!same)
            begin_run(found, tail.session, tail.txn,
                      (size_t)(at - block->begin), count_ops(found));
        // The reads of aborted transactions do not count.
        if ((op.is_write || tail.txn != -1) && !add_op(found, &op)) {
            *too_large = true;
            return false;
        }
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
                scan_usual_lines(block, &at, &tail, found);
        }
    }
    return true;
}

/* Begin with nothing, and room for all records of a block. */
static void
clear(const struct text_block *block, struct text_lines *found)
{
    // The shortest line is 10 bytes long with its newline.
    const size_t most = (size_t)(block->end - block->begin) / 10 + 1;
    vec_clear(&found->runs);
    vec_clear(&found->places);
    vec_clear(&found->small);
    vec_clear(&found->wide);
    vec_reserve(&found->runs, most);
    vec_reserve(&found->places, most);
    if (found->is_wide)
        vec_reserve(&found->wide, most);
    else
        vec_reserve(&found->small, most);
}

bool
text_scan(struct text_block *block, bool full, struct text_lines *found,
          struct err *err)
{
    found->is_wide |= full;
    bool too_large = false;
    clear(block, found);
    if (scan_lines(block, full, found, &too_large, err))
        return true;
    if (!too_large)
        return false;
    found->is_wide = true;
    clear(block, found);
    return scan_lines(block, full, found, &too_large, err);
}

void
text_lines_free(struct text_lines *found)
{
    vec_free(&found->runs);
    vec_free(&found->places);
    vec_free(&found->small);
    vec_free(&found->wide);
}
