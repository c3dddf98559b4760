/* jsonl.c -- Assay's own format: one transaction per line, a JSON object.
 *
 *     {"session":1,"id":"pay-17","status":"committed","start":1200,"end":1350,
 *      "ops":[["r","x",5],["w","y","a"],["append","l",3],["r","l",[1,2,3]]]}
 *
 * (on one line).  People write this by hand and from a dozen languages, so the
 * reader is strict where a mistake would lose data: an unknown key, a repeated
 * key, or a number that is not a 64-bit integer is an error.  'collect' writes
 * large files in this format, so it is read in one pass, straight into the
 * builder.  No tree is made of a line, and text is not copied before it is
 * interned.  Threads scan lines as programs write them (jsonl_plain.h).
 *
 * The builder needs the session before the operations.  If a line has them in
 * the other order, the operations are skipped and read when the object has
 * ended.
 *
 * The objects may also be the elements of one array, as programs write them
 * that keep a history in memory; then line ends mean nothing.
 *
 * The end of a line ends the object.  So if a line is truncated, the error is
 * reported there, and the line does not swallow the next one.
 *
 * A later line of the same session, without operations, may give the outcome
 * of a transaction whose outcome is unknown: recorders write the operations
 * before they send the commit.  The first line of such a file says that it is
 * a recording, and the last line that it is complete.  Without the last line
 * the recording is truncated, possibly inside a line.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jsonl/jsonl.h"

#include "format/jsonl/jsonl_entry.h"
#include "format/jsonl/jsonl_plain.h"
#include "format/readers.h"

enum { BYTES_PER_OP = 20 }; // roughly, in a large file

static const char *const line_keys[LINE_KEYS + 1] = {
    "session",   "id",      "status",   "start",     "end",     "ops", "meta",
    "recording", "initial", "start_ts", "commit_ts", "partial", NULL,
};

/* The part of a line that has been read. */
struct line {
    unsigned seen; // bit k: the line has line_keys[k]
    struct atom session, id;
    enum txn_status status;
    int64_t start, end;
    const char *end_at; // the value of 'end'
    struct stamp start_ts, commit_ts;
    const char *ops_at; // operations that came before the session
    bool has_txn;       // the transaction has begun
    txn_id txn;
    unsigned mark; // which mark, on a line about the recording
};

/* The last transaction of a session, if its outcome may follow. */
struct pending {
    bool is_open;
    txn_id txn;
    int64_t start;
    struct stamp start_ts;
};

enum { STAMPS = 1 << LINE_START_TS | 1 << LINE_COMMIT_TS };

enum { MARK_BEGIN, MARK_END };

struct reader {
    struct jsonl_scan in;
    VEC(struct pending) pending; // by session
    bool is_recording;           // according to the first line
    bool is_complete;            // according to the last line
    size_t lines;                // read so far
};

static bool
begin_txn(struct reader *r, struct line *line)
{
    line->has_txn = true;
    if (!builder_txn(r->in.b, builder_session(r->in.b, line->session),
                     &line->txn, r->in.s.err))
        return false;
    builder_place(r->in.b, line->txn, scan_offset(&r->in.s, r->in.s.at));
    return true;
}

static const char *const marks[] = {
    [MARK_BEGIN] = "begin", [MARK_END] = "end", NULL};

static bool
read_entry(struct reader *r, struct line *line, enum line_key key)
{
    switch (key) {
    case LINE_SESSION:
        return jsonl_atom(&r->in, JSONL_NAME, &line->session);
    case LINE_ID:
        return jsonl_atom(&r->in, JSONL_NAME, &line->id);
    case LINE_STATUS:
        return jsonl_status(&r->in, &line->status);
    case LINE_START:
        return jsonl_time(&r->in, &line->start);
    case LINE_END:
        json_space(&r->in.s);
        line->end_at = r->in.s.at;
        return jsonl_time(&r->in, &line->end);
    case LINE_OPS:
        if (line->seen & 1u << LINE_SESSION)
            return begin_txn(r, line) && jsonl_ops(&r->in, line->txn);
        json_space(&r->in.s);
        line->ops_at = r->in.s.at;
        return json_skip(&r->in.s);
    case LINE_META:
        return jsonl_meta(&r->in);
    case LINE_RECORDING:
        return jsonl_word(&r->in.s, marks, "\"begin\" or \"end\"", &line->mark);
    case LINE_INITIAL:
        return jsonl_initial(&r->in);
    case LINE_START_TS:
        return jsonl_stamp(&r->in, &line->start_ts);
    case LINE_COMMIT_TS:
        return jsonl_stamp(&r->in, &line->commit_ts);
    case LINE_PARTIAL:
        return jsonl_partial(&r->in);
    default:
        return false;
    }
}

static bool
read_key(struct scan *s, const struct line *line, unsigned *out)
{
    json_space(s);
    const char *start = s->at;
    if (!jsonl_word(s, line_keys,
                    "\"session\", \"id\", \"status\", \"start\", \"end\", "
                    "\"start_ts\", \"commit_ts\", \"ops\", \"meta\", "
                    "\"partial\", \"recording\" or \"initial\"",
                    out))
        return false;
    return !(line->seen & 1u << *out) ||
           scan_fail(s, start, ERR_SYNTAX, "key '%s' occurs twice in one line",
                     line_keys[*out]);
}

/* --- lines --------------------------------------------------------------- */

/* A line that marks the beginning or the end of the recording. */
static bool
end_mark(struct reader *r, const struct line *line, const char *start)
{
    struct scan *s = &r->in.s;
    if (line->seen != 1u << LINE_RECORDING)
        return scan_fail(s, start, ERR_SYNTAX,
                         "'recording' must be on its own line");
    if (line->mark == MARK_BEGIN && r->lines)
        return scan_fail(
            s, start, ERR_SYNTAX,
            "the beginning of a recording, expected in the first line only");
    if (line->mark == MARK_END && !r->is_recording)
        return scan_fail(s, start, ERR_SYNTAX,
                         "the end of a recording without its beginning");
    r->is_recording = true;
    r->is_complete = line->mark == MARK_END;
    return true;
}

/* A line with the rows that there are in the beginning. */
static bool
end_initial(struct reader *r, const struct line *line, const char *start)
{
    if (line->seen != 1u << LINE_INITIAL)
        return scan_fail(&r->in.s, start, ERR_SYNTAX,
                         "'initial' must be on its own line");
    return r->lines == (r->is_recording ? 1 : 0) ||
           scan_fail(&r->in.s, start, ERR_SYNTAX,
                     "the initial rows, expected in the first line only");
}

/* A line that gives the outcome of the last transaction of its session. */
static bool
end_outcome(struct reader *r, const struct line *line, const char *start)
{
    struct scan *s = &r->in.s;
    const unsigned allowed =
        1u << LINE_SESSION | 1u << LINE_STATUS | 1u << LINE_END | STAMPS;
    const unsigned with_unknown = 1u << LINE_SESSION | 1u << LINE_STATUS;
    const bool is_unknown = line->status == TXN_INDETERMINATE;
    if (line->seen & ~(is_unknown ? with_unknown : allowed))
        return scan_fail(s, start, ERR_SYNTAX, "a transaction without 'ops'");
    const session_id session = builder_session(r->in.b, line->session);
    struct pending *p = session < r->pending.n ? &r->pending.at[session] : NULL;
    if (!p || !p->is_open)
        return scan_fail(s, start, ERR_SYNTAX,
                         "an outcome, but no transaction of the session is "
                         "pending");
    p->is_open = false;
    if (is_unknown) {
        builder_leave_session(r->in.b, p->txn);
        return true;
    }
    builder_status(r->in.b, p->txn, line->status);
    if (line->seen & STAMPS)
        builder_stamps(r->in.b, p->txn,
                       line->seen & 1u << LINE_START_TS ? line->start_ts
                                                        : p->start_ts,
                       line->commit_ts);
    if (line->end < p->start)
        return scan_fail(s, line->end_at, ERR_SYNTAX,
                         "the transaction ends before it starts");
    if (p->start != INT64_MIN || line->seen & 1u << LINE_END)
        builder_times(r->in.b, p->txn, p->start, line->end);
    return true;
}

/* Note whether the outcome of a transaction may follow. */
static void
note_pending(struct reader *r, const struct line *line)
{
    const session_id session = builder_session_of(r->in.b, line->txn);
    const bool is_open = line->status == TXN_INDETERMINATE;
    while (is_open && r->pending.n <= session)
        vec_push(&r->pending, (struct pending){0});
    if (session < r->pending.n)
        r->pending.at[session] =
            (struct pending){is_open, line->txn, line->start, line->start_ts};
}

/* Give the builder everything about a transaction except its operations. */
static bool
end_txn(struct reader *r, const struct line *line)
{
    note_pending(r, line);
    builder_status(r->in.b, line->txn, line->status);
    if (line->seen & STAMPS)
        builder_stamps(r->in.b, line->txn, line->start_ts, line->commit_ts);
    if (line->seen & 1u << LINE_ID)
        builder_name(r->in.b, line->txn, line->id);
    if (line->seen & 1u << LINE_META)
        builder_meta(r->in.b, line->txn, r->in.meta_text.at, r->in.meta_text.n);
    if (line->seen & 1u << LINE_PARTIAL)
        builder_partial(r->in.b, line->txn, r->in.partial_text.at,
                        r->in.partial_text.n);
    if (!(line->seen & (1u << LINE_START | 1u << LINE_END)))
        return true;
    if (line->end < line->start)
        return scan_fail(&r->in.s, line->end_at, ERR_SYNTAX,
                         "the transaction ends before it starts");
    // A transaction without a known end may take effect at any later time.
    builder_times(r->in.b, line->txn, line->start,
                  line->status == TXN_INDETERMINATE ? INT64_MAX : line->end);
    return true;
}

/* Do what needs the whole object. */
static bool
end_line(struct reader *r, struct line *line, const char *start)
{
    struct scan *s = &r->in.s;
    const unsigned outcome = 1u << LINE_SESSION | 1u << LINE_STATUS;
    if (line->seen & 1u << LINE_RECORDING)
        return end_mark(r, line, start);
    if (line->seen & 1u << LINE_INITIAL)
        return end_initial(r, line, start);
    if (!(line->seen & 1u << LINE_OPS) && (line->seen & outcome) == outcome)
        return end_outcome(r, line, start);
    const unsigned required = 1u << LINE_SESSION | 1u << LINE_OPS;
    if ((line->seen & required) != required)
        return scan_fail(s, start, ERR_SYNTAX, "a transaction without '%s'",
                         line->seen & 1u << LINE_SESSION ? "ops" : "session");
    if (!line->has_txn) {
        const char *behind = s->at;
        s->at = line->ops_at;
        if (!begin_txn(r, line) || !jsonl_ops(&r->in, line->txn))
            return false;
        s->at = behind;
    }
    return end_txn(r, line);
}

/* Read the object at s->at; the scan stops after its '}'. */
static bool
read_line(struct reader *r)
{
    struct scan *s = &r->in.s;
    const char *start = s->at;
    struct line line = {.status = TXN_COMMITTED,
                        .start = INT64_MIN,
                        .end = INT64_MAX,
                        .start_ts = stamp_none(),
                        .commit_ts = stamp_none()};
    if (!json_take(s, '{'))
        return scan_unexpected(s, start, "a transaction, '{'");
    if (!json_take(s, '}')) {
        do {
            unsigned key;
            if (!read_key(s, &line, &key))
                return false;
            if (!json_take(s, ':'))
                return scan_unexpected(s, s->at, "':'");
            if (!read_entry(r, &line, (enum line_key)key))
                return false;
            line.seen |= 1u << key;
        } while (json_take(s, ','));
        if (!json_take(s, '}'))
            return scan_unexpected(s, s->at, "',' or '}'");
    }
    return end_line(r, &line, start) || scan_locate(s, start);
}

/* Drop zero bytes at the end of the input.  A file system may leave them in a
 * file that was being extended when the machine crashed. */
static void
leave_out_zeros(struct scan *s)
{
    const char *end = s->end, *last = s->end;
    for (; end > s->at && (!end[-1] || end[-1] == '\n' || end[-1] == '\r');
         end--)
        if (!end[-1])
            last = end - 1;
    s->end = last;
}

/* Drop a last line that is not a complete object.  A recorder that is killed
 * leaves at most one, perhaps with blank lines after it. */
static void
leave_out_torn_line(struct scan *s)
{
    const char *end = s->end, *start;
    while (end > s->at && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    for (start = end; start > s->at && start[-1] != '\n'; start--)
        continue;
    struct err ignored = {0};
    struct scan last;
    scan_init(&last, s->in, &ignored);
    last.one_line = true;
    last.at = start;
    last.end = end;
    if (start < end && !(json_skip(&last) && last.at == end))
        s->end = start;
    scan_free(&last);
}

/* Read the line at s->at, or the blanks and line ends that stand there. */
static bool
read_next(void *self)
{
    struct reader *r = self;
    struct scan *s = &r->in.s;
    json_space(s);
    for (; s->at < s->end && *s->at == '\n'; json_space(s))
        s->at++;
    if (s->at == s->end)
        return true;
    if (r->is_complete)
        return scan_fail(s, s->at, ERR_SYNTAX,
                         "more lines after the end of the recording");
    if (!read_line(r))
        return false;
    const bool begins = r->lines++ == 0 && r->is_recording;
    if (begins)
        leave_out_zeros(s);
    json_space(s);
    if (s->at < s->end && *s->at != '\n')
        return scan_unexpected(s, s->at, "the end of the line");
    if (begins)
        leave_out_torn_line(s);
    return true;
}

/* plain.h: the first byte of the next line that has one. */
static const char *
find_next(void *self)
{
    const struct reader *r = self;
    const char *at = r->in.s.at;
    while (at < r->in.s.end &&
           (*at == '\n' || *at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

/* plain.h: take a line that the scan has read. */
static bool
use_line(void *self, const struct plain_entry *e,
         const struct plain_block *found, txn_id *t, bool *used)
{
    struct reader *r = self;
    struct line line = {.seen = e->flags,
                        .session = plain_atom(found, r->in.b, e->session),
                        .id = plain_atom(found, r->in.b, e->name),
                        .status = (enum txn_status)e->status,
                        .start = e->start,
                        .end = e->stop,
                        .start_ts = stamp_none(),
                        .commit_ts = stamp_none()};
    const bool has_times = e->flags & (1u << LINE_START | 1u << LINE_END);
    *used = (!has_times || scan_clock_agrees(&r->in.clock, CLOCK_NUMBER)) &&
            !r->is_complete && begin_txn(r, &line) && end_txn(r, &line);
    *t = line.txn;
    r->lines += *used;
    return true;
}

static bool
read_lines(struct reader *r, struct input *in)
{
    const struct plain_reader plain = {.s = &r->in.s,
                                       .b = r->in.b,
                                       .self = r,
                                       .scan = jsonl_plain_scan,
                                       .next = find_next,
                                       .read = read_next,
                                       .use = use_line};
    return plain_run(&plain, in, r->in.s.err) && read_next(r);
}

static bool
read_element(void *self)
{
    struct reader *r = self;
    struct scan *s = &r->in.s;
    if (r->is_complete)
        return scan_fail(s, s->at, ERR_SYNTAX,
                         "more lines after the end of the recording");
    if (!read_line(r))
        return false;
    r->lines++;
    return true;
}

/* The lines as elements of one array, in as many lines as it takes. */
static bool
read_array(struct reader *r)
{
    r->in.s.one_line = false;
    return json_whole_array(&r->in.s, read_element, r);
}

/* Whether the input is one array; the scan stops before it. */
static bool
is_array(struct scan *s)
{
    const char *at = s->at;
    while (at < s->end && strchr(" \t\r\n", *at) && *at)
        at++;
    if (at == s->end || *at != '[')
        return false;
    s->at = at;
    return true;
}

static bool
jsonl_read(struct input *in, struct builder *b, struct err *err)
{
    if (in->is_directory)
        return err_set(err, ERR_SYNTAX, "a directory, expected a file");
    struct reader r = {.in = {.b = b}};
    scan_init(&r.in.s, in, err);
    r.in.rows.s = &r.in.s;
    r.in.rows.b = b;
    r.in.s.one_line = true;
    builder_expect(b, in->size / BYTES_PER_OP);
    bool ok = is_array(&r.in.s) ? read_array(&r) : read_lines(&r, in);
    if (ok && r.is_complete && r.in.s.end < in->data + in->size)
        ok = scan_fail(&r.in.s, r.in.s.end, ERR_SYNTAX,
                       "more lines after the end of the recording");
    if (r.is_recording)
        builder_recording(b);
    if (r.is_recording && !r.is_complete)
        builder_cut(b);
    ok = ok && row_reader_end(&r.in.rows);
    row_reader_free(&r.in.rows);
    forms_free(&r.in.row);
    vec_free(&r.pending);
    vec_free(&r.in.elements);
    forms_free(&r.in.forms);
    buf_free(&r.in.meta_text);
    buf_free(&r.in.partial_text);
    scan_free(&r.in.s);
    return ok;
}

static int
jsonl_sniff(const struct input *in)
{
    if (in->is_directory)
        return 0;
    const struct json_look look = json_look(in);
    if (!look.is_object)
        return 0;
    if (look.recording || look.initial)
        return 95;
    return look.session && look.ops ? 95 : look.session || look.ops ? 70 : 0;
}

const struct format format_jsonl = {
    .name = "jsonl",
    .suffix = ".jsonl",
    .help = "one transaction per line as a JSON object; Assay's own format",
    .initial = ATOM_NIL,
    .keeps = KEEPS_NAMES | KEEPS_TIMES | KEEPS_META | KEEPS_CUT | KEEPS_STAMPS |
             KEEPS_ROWS | KEEPS_PARTIAL,
    .sniff = jsonl_sniff,
    .read = jsonl_read,
    .holds = jsonl_holds,
    .write = jsonl_write,
};
