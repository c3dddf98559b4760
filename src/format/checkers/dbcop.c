/* dbcop.c -- the binary histories of dbcop: Rust's bincode 1, no magic.
 *
 *     file        := 5 x u64  3 x string  count session*
 *     session     := count transaction*
 *     transaction := count event*  committed:bool
 *     event       := is_write:bool key:u64 value:u64 success:bool
 *
 * Integers, counts and lengths of strings are 8 bytes, little endian.  The
 * five integers and three strings of the head describe how the history was
 * made; the reader ignores them.  doc/formats/dbcop.md explains the fields.
 *
 * The format has no magic number, so it is recognised by parsing its
 * beginning.  Another file soon has a length that exceeds the file, or a byte
 * other than 0 and 1 where a boolean is expected.
 *
 * Invariants of a reader:
 *   (1) 'at' is at most 'size';
 *   (2) a count is accepted only if the rest of the file can hold as many
 *       records of the smallest size, so loops and memory are bounded by the
 *       size of the file.
 *
 * Cost: O(size).
 *
 * SPDX-License-Identifier: MIT */
#include "format/format.h"
#include "format/readers.h"
#include "format/save.h"
#include "format/scan/bytes.h"

#include <inttypes.h>
#include <sys/stat.h>

enum {
    HEAD_SIZE = 5 * 8, // before the strings
    EVENT_SIZE = 18,
    TXN_SIZE_LEAST = 8 + 1,
    SESSION_SIZE_LEAST = 8,
    SNIFF_EVENTS = 4096, // parsed to recognise a file; also transactions
    STRING_LIMIT = 1024, // bytes of a plausible string
};

static const char FILE_IN_DIRECTORY[] = "history.bincode";

struct reader {
    struct input *in;
    struct builder *b;
    size_t at;
    struct err *err;
};

/* --- reading -------------------------------------------------------------- */

static size_t
left(const struct reader *r)
{
    return r->in->size - r->at;
}

static bool
ends_inside(struct reader *r, const char *what)
{
    err_set(r->err, ERR_SYNTAX, "the file ends inside %s", what);
    return err_at_byte(r->err, r->at);
}

/* Read a count of records that take at least 'least' bytes each (2). */
static bool
read_count(struct reader *r, size_t least, const char *whole, const char *parts,
           uint64_t *count)
{
    *count = 0;
    if (left(r) < 8)
        return ends_inside(r, whole);
    *count = load_little64(r->in->data + r->at);
    if (*count <= (left(r) - 8) / least) {
        r->at += 8;
        return true;
    }
    err_set(r->err, ERR_SYNTAX,
            "%s claims %" PRIu64 " %s, but only %zu bytes follow", whole,
            *count, parts, left(r) - 8);
    return err_at_byte(r->err, r->at);
}

static bool
read_head(struct reader *r)
{
    if (left(r) < HEAD_SIZE)
        return ends_inside(r, "the head");
    r->at += HEAD_SIZE;
    static const char *const strings[] = {"the description", "the start time",
                                          "the end time"};
    for (int i = 0; i < 3; i++) {
        uint64_t length;
        if (!read_count(r, 1, strings[i], "characters", &length))
            return false;
        r->at += (size_t)length;
    }
    return true;
}

/* The offset of the first byte in the n events at 'at' that should be a
 * boolean and is not; SIZE_MAX if there is none. */
static size_t
find_bad_flag(const char *at, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *event = at + i * EVENT_SIZE;
        if ((event[0] | event[EVENT_SIZE - 1]) & ~1)
            return i * EVENT_SIZE + (event[0] & ~1 ? 0 : EVENT_SIZE - 1);
    }
    return SIZE_MAX;
}

static bool
bad_flag(struct reader *r, size_t offset)
{
    err_set(r->err, ERR_SYNTAX, "found byte 0x%02x, expected 0 or 1",
            (unsigned char)r->in->data[offset]);
    return err_at_byte(r->err, offset);
}

static bool
read_events(struct reader *r, txn_id t, size_t n, bool committed)
{
    const char *event = r->in->data + r->at;
    for (size_t i = 0; i < n; i++, event += EVENT_SIZE) {
        // A statement that failed did nothing.  What an aborted transaction
        // tried is kept: another transaction may have read it.
        if (committed && !event[EVENT_SIZE - 1])
            continue;
        const struct atom key = atom_uint(load_little64(event + 1));
        const struct atom value = atom_uint(load_little64(event + 9));
        if (!(event[0] ? builder_write(r->b, t, key, value, r->err)
                       : builder_read(r->b, t, key, value, r->err)))
            return err_at_byte(r->err, r->at + i * EVENT_SIZE);
    }
    return true;
}

static bool
read_txn(struct reader *r, session_id s)
{
    const size_t begin = r->at;
    uint64_t count;
    if (!read_count(r, EVENT_SIZE, "a transaction", "events", &count))
        return false;
    const size_t n = (size_t)count, flag = r->at + n * EVENT_SIZE;
    if (flag == r->in->size)
        return ends_inside(r, "a transaction");
    const size_t bad = find_bad_flag(r->in->data + r->at, n);
    if (bad != SIZE_MAX)
        return bad_flag(r, r->at + bad);
    if (r->in->data[flag] & ~1)
        return bad_flag(r, flag);
    const bool committed = r->in->data[flag];
    txn_id t;
    if (!builder_txn(r->b, s, &t, r->err))
        return err_at_byte(r->err, begin);
    if (!committed)
        builder_status(r->b, t, TXN_ABORTED);
    if (!read_events(r, t, n, committed))
        return false;
    r->at = flag + 1;
    input_done(r->in, r->at);
    return true;
}

static bool
read_sessions(struct reader *r)
{
    uint64_t n_sessions, n_txns;
    if (!read_head(r) || !read_count(r, SESSION_SIZE_LEAST, "the history",
                                     "sessions", &n_sessions))
        return false;
    for (uint64_t i = 0; i < n_sessions; i++) {
        const session_id s = builder_session(r->b, atom_uint(i + 1));
        if (!read_count(r, TXN_SIZE_LEAST, "a session", "transactions",
                        &n_txns))
            return false;
        for (uint64_t j = 0; j < n_txns; j++)
            if (!read_txn(r, s))
                return false;
    }
    if (left(r)) {
        err_set(r->err, ERR_SYNTAX,
                "found %zu bytes after the last session, expected the end",
                left(r));
        return err_at_byte(r->err, r->at);
    }
    return true;
}

static bool
read_file(struct input *in, struct builder *b, struct err *err)
{
    struct reader r = {.in = in, .b = b, .err = err};
    builder_expect(b, in->size / EVENT_SIZE);
    return read_sessions(&r);
}

static void
path_in_directory(const struct input *in, struct buf *path)
{
    buf_printf(path, "%s/%s", in->name, FILE_IN_DIRECTORY);
}

static bool
dbcop_read(struct input *in, struct builder *b, struct err *err)
{
    if (!in->is_directory)
        return read_file(in, b, err);
    struct buf path = {0};
    path_in_directory(in, &path);
    struct input file;
    bool ok = input_open(&file, path.at, err);
    if (ok) {
        ok = file.is_directory
                 ? err_set(err, ERR_SYNTAX, "a directory, expected a file")
                 : read_file(&file, b, err);
        input_close(&file);
    }
    if (!ok)
        err_in_file(err, path.at);
    buf_free(&path);
    return ok;
}

/* --- recognition ---------------------------------------------------------- */

static bool
is_printable(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return false;
    return true;
}

/* Parse the head; true if it is plausible and complete. */
static bool
sniff_head(struct reader *r)
{
    if (left(r) < HEAD_SIZE)
        return false;
    r->at += HEAD_SIZE;
    for (int i = 0; i < 3; i++) {
        uint64_t length;
        if (!read_count(r, 1, "", "", &length) || length > STRING_LIMIT ||
            !is_printable(r->in->data + r->at, (size_t)length))
            return false;
        r->at += (size_t)length;
    }
    return true;
}

/* Parse some sessions; false if a flag contradicts the format.  A truncated
 * file is still recognised, so that reading it reports where it ends. */
static bool
sniff_sessions(struct reader *r)
{
    uint64_t n_sessions, n_txns, n_events;
    size_t looked = 0;
    if (!read_count(r, 1, "", "", &n_sessions))
        return true;
    for (; n_sessions && looked < SNIFF_EVENTS; n_sessions--, looked++) {
        if (!read_count(r, 1, "", "", &n_txns))
            return true;
        for (; n_txns && looked < SNIFF_EVENTS; n_txns--, looked++) {
            if (!read_count(r, 1, "", "", &n_events))
                return true;
            const size_t there = left(r) / EVENT_SIZE;
            size_t n = n_events < there ? (size_t)n_events : there;
            n = n < SNIFF_EVENTS ? n : SNIFF_EVENTS;
            if (find_bad_flag(r->in->data + r->at, n) != SIZE_MAX)
                return false;
            if (n < n_events)
                return true;
            r->at += n * EVENT_SIZE;
            looked += n;
            if (!left(r))
                return true;
            if (r->in->data[r->at++] & ~1)
                return false;
        }
    }
    return true;
}

static int
dbcop_sniff(const struct input *in)
{
    if (in->is_directory) {
        struct buf path = {0};
        struct stat st;
        path_in_directory(in, &path);
        const bool found = stat(path.at, &st) == 0;
        buf_free(&path);
        return found ? 95 : 0;
    }
    struct err ignored = {0};
    struct input view = *in; // the reader's input is not const
    struct reader r = {.in = &view, .err = &ignored};
    return sniff_head(&r) && sniff_sessions(&r) ? 85 : 0;
}

/* --- writing -------------------------------------------------------------- */

static bool
dbcop_holds(const struct history *h, struct err *err)
{
    for (txn_id t = 0; t < h->n_txns; t++)
        if (h->txn_status[t] == TXN_INDETERMINATE)
            return err_set(err, ERR_FEATURE,
                           "format 'dbcop' has no indeterminate transactions");
    return format_needs_integers(h, &format_dbcop, err);
}

static void
put_string(struct buf *b, const char *text)
{
    buf_little64(b, strlen(text));
    buf_text(b, text);
}

static void
put_head(const struct history *h, struct buf *b)
{
    uint32_t txns = 0, events = 0; // largest session, largest transaction
    for (session_id s = 0; s < h->n_sessions; s++)
        if (h->session_first[s + 1] - h->session_first[s] > txns)
            txns = h->session_first[s + 1] - h->session_first[s];
    for (txn_id t = 0; t < h->n_txns; t++)
        if (h->txn_end[t] - h->txn_begin[t] > events)
            events = h->txn_end[t] - h->txn_begin[t];
    buf_little64(b, 0); // the number of this history in its series
    buf_little64(b, h->n_sessions);
    buf_little64(b, h->n_keys);
    buf_little64(b, txns);
    buf_little64(b, events);
    put_string(b, "assay");
    // dbcop expects dates here.  They are fixed, so that the same history
    // always gives the same file.
    put_string(b, "1970-01-01T00:00:00+00:00");
    put_string(b, "1970-01-01T00:00:00+00:00");
}

static void
put_txn(const struct history *h, txn_id t, struct buf *b)
{
    buf_little64(b, h->txn_end[t] - h->txn_begin[t]);
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        const struct atom value = history_value_atom(h, h->op_value[op]);
        buf_char(b, op_is_write(h, op));
        buf_little64(b, history_key_atom(h, op_key(h, op)).bits);
        buf_little64(b, atom_equal(value, h->initial) ? 0 : value.bits);
        buf_char(b, 1);
    }
    buf_char(b, h->txn_status[t] != TXN_ABORTED);
}

static bool
dbcop_write(const struct history *h, struct output *out, struct err *err)
{
    struct buf b = {0};
    put_head(h, &b);
    buf_little64(&b, h->n_sessions);
    bool ok = true;
    for (session_id s = 0; ok && s < h->n_sessions; s++) {
        buf_little64(&b, h->session_first[s + 1] - h->session_first[s]);
        for (txn_id t = h->session_first[s]; ok && t < h->session_first[s + 1];
             t++) {
            put_txn(h, t, &b);
            ok = save_some(&b, out->file, err);
        }
    }
    ok = ok && save_all(&b, out->file, err);
    buf_free(&b);
    return ok;
}

const struct format format_dbcop = {
    .name = "dbcop",
    .suffix = ".bincode",
    .help = "binary, a file or a directory with history.bincode (dbcop)",
    .initial = ATOM_INT,
    .sniff = dbcop_sniff,
    .read = dbcop_read,
    .holds = dbcop_holds,
    .write = dbcop_write,
};
