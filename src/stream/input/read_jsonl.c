/* read_jsonl.c -- lines of 'jsonl' (doc/formats/jsonl.md), one at a time.
 *
 * The full reader (format/jsonl) feeds a builder, which keeps everything.  This
 * one keeps a line.  It takes registers whose keys and values are integers or
 * strings.  Lists, rows, other values and an array around all lines are refused
 * by name.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/input/reader_internal.h"

#include "format/jsonl/jsonl_plain.h"
#include "format/readers.h"
#include "format/scan/scan_stamp.h"

static const char *const line_keys[LINE_KEYS] = {
    "session", "id",        "status",  "start",    "end",       "ops",
    "meta",    "recording", "initial", "start_ts", "commit_ts", "partial"};

struct line {
    struct stream_reader *r;
    struct shard *shard;
    struct scan s;
    unsigned seen; // bit k: it has line_keys[k]
    struct atom session, id;
    struct buf id_text;
    enum txn_status status;
    int64_t start, end;
    const char *end_at;
    bool is_begin; // of the mark of a recording
};

static bool
refuse(struct line *l, const char *what)
{
    return scan_fail(&l->s, l->s.at, ERR_FEATURE,
                     "%s cannot be streamed; use 'assay check' without "
                     "--stream",
                     what);
}

/* --- values ----------------------------------------------------------------*/

/* A string or an integer; a text is an atom of 'pool'. */
typedef struct atom text_atom(struct stream_names *n, const char *text,
                              size_t len);

static bool
read_atom(struct line *l, text_atom *pool, struct atom *out)
{
    struct scan *s = &l->s;
    struct span text;
    json_space(s);
    const char c = s->at < s->end ? *s->at : '\n';
    if (c == '"') {
        if (!json_string(s, &text))
            return false;
        *out = pool(l->r->names, text.at, text.n);
        return true;
    }
    if (!json_is_number_start(c))
        return scan_unexpected(s, s->at, "a string or an integer");
    return json_integer(s, "a string or an integer", out);
}

/* Name what a stream does not take, before read_atom calls it a mistake. */
static bool
check_scalar(struct line *l)
{
    struct scan *s = &l->s;
    json_space(s);
    const char *at = s->at;
    if (at == s->end)
        return true;
    if (*at == '[')
        return refuse(l, "a list or a row");
    if (*at == '{' || *at == 't' || *at == 'f')
        return refuse(l, "a boolean or an object");
    if (!json_is_number_start(*at))
        return true;
    while (at < s->end && (json_is_number_start(*at)))
        at++;
    return at == s->end || !strchr(".eE", *at) ||
           refuse(l, "a number with a fraction or an exponent");
}

static bool
read_value(struct line *l, struct atom *out)
{
    struct scan *s = &l->s;
    json_space(s);
    if (s->end - s->at >= 4 && memcmp(s->at, "null", 4) == 0) {
        s->at += 4;
        *out = atom_nil();
        return true;
    }
    return check_scalar(l) && read_atom(l, names_value, out);
}

/* --- operations ------------------------------------------------------------*/

static bool
read_kind(struct line *l, bool *is_write)
{
    struct scan *s = &l->s;
    struct span text;
    json_space(s);
    const char *start = s->at;
    if (start == s->end || *start != '"')
        return scan_unexpected(s, start, "\"r\" or \"w\"");
    if (!json_string(s, &text))
        return false;
    *is_write = span_is(text, "w");
    if (*is_write || span_is(text, "r"))
        return true;
    s->at = start;
    if (span_is(text, "append"))
        return refuse(l, "a list");
    if (text.n == 1 && strchr("iudq", *text.at))
        return refuse(l, "a row");
    return scan_unexpected_text(s, start, text,
                                "\"r\", \"w\", \"append\", \"i\", \"u\", "
                                "\"d\" or \"q\"");
}

static bool
read_op(struct line *l)
{
    struct scan *s = &l->s;
    struct atom key, value;
    bool is_write;
    if (!json_take(s, '['))
        return scan_unexpected(s, s->at, "an operation, '['");
    if (!read_kind(l, &is_write))
        return false;
    if (!json_take(s, ','))
        return scan_unexpected(s, s->at, "',' and a key");
    if (!check_scalar(l) || !read_atom(l, names_text, &key))
        return false;
    if (!json_take(s, ','))
        return scan_unexpected(s, s->at, "',' and a value");
    if (!read_value(l, &value))
        return false;
    if (!json_take(s, ']'))
        return scan_unexpected(s, s->at, "']' after the value");
    vec_push(&l->r->ops,
             ((struct stream_op){.key = name_number(&l->r->names->keys, key),
                                 .value = value.bits,
                                 .tag = (uint8_t)value.tag,
                                 .is_write = is_write}));
    return true;
}

static bool
read_ops(struct line *l)
{
    struct scan *s = &l->s;
    vec_clear(&l->r->ops);
    if (!json_take(s, '['))
        return scan_unexpected(s, s->at, "an array of operations");
    if (json_take(s, ']'))
        return true;
    do {
        if (!read_op(l))
            return false;
    } while (json_take(s, ','));
    return json_take(s, ']') || scan_unexpected(s, s->at, "',' or ']'");
}

/* --- the other entries -----------------------------------------------------*/

/* One of the words, in quotes. */
static bool
read_word(struct line *l, const char *const *words, unsigned n,
          const char *expected, unsigned *out)
{
    struct scan *s = &l->s;
    struct span text;
    json_space(s);
    const char *start = s->at;
    if (start == s->end || *start != '"')
        return scan_unexpected(s, start, expected);
    if (!json_string(s, &text))
        return false;
    for (*out = 0; *out < n; ++*out)
        if (span_is(text, words[*out]))
            return true;
    return scan_unexpected_text(s, start, text, expected);
}

#define TIME "an integer, or a time like \"2026-11-16T10:00:00.5Z\""

static bool
read_time_value(struct line *l, int64_t *out, enum scan_clock *clock)
{
    struct scan *s = &l->s;
    const char *start = s->at;
    struct span text;
    struct atom time;
    if (start < s->end && *start == '"')
        return json_string(s, &text) &&
               (scan_time_parse(text, out, clock) ||
                scan_unexpected_text(s, start, text, TIME));
    if (start == s->end || !json_is_number_start(*start))
        return scan_unexpected(s, start, TIME);
    if (!json_integer(s, TIME, &time))
        return false;
    *out = (int64_t)time.bits;
    *clock = CLOCK_NUMBER;
    return (time.tag == ATOM_INT && *out != INT64_MIN && *out != INT64_MAX) ||
           scan_unexpected(s, start, "a time that fits into 64 signed bits");
}

static bool
read_time(struct line *l, int64_t *out)
{
    enum scan_clock clock;
    json_space(&l->s);
    const char *start = l->s.at;
    return read_time_value(l, out, &clock) &&
           (scan_clock_agrees(&l->shard->times, clock) ||
            scan_unexpected(&l->s, start,
                            "a time like those before it: all integers, all "
                            "with a zone, or all without one"));
}

static bool
read_status(struct line *l)
{
    static const char *const words[] = {[TXN_COMMITTED] = "committed",
                                        [TXN_ABORTED] = "aborted",
                                        [TXN_INDETERMINATE] = "unknown"};
    unsigned status;
    if (!read_word(l, words, 3, "\"committed\", \"aborted\" or \"unknown\"",
                   &status))
        return false;
    l->status = (enum txn_status)status;
    return true;
}

static bool
read_mark(struct line *l)
{
    static const char *const words[] = {"begin", "end"};
    unsigned mark;
    if (!read_word(l, words, 2, "\"begin\" or \"end\"", &mark))
        return false;
    l->is_begin = !mark;
    return true;
}

static bool
read_id(struct line *l)
{
    struct scan *s = &l->s;
    struct span text;
    json_space(s);
    if (s->at == s->end || *s->at != '"')
        return read_atom(l, NULL, &l->id);
    if (!json_string(s, &text))
        return false;
    l->id.tag = ATOM_STRING;
    buf_add(&l->id_text, text.at, text.n);
    return true;
}

static bool
read_object(struct line *l)
{
    json_space(&l->s);
    if (l->s.at == l->s.end || *l->s.at != '{')
        return scan_unexpected(&l->s, l->s.at, "an object");
    return json_skip(&l->s);
}

/* A claim of the server, on which no verdict depends. */
static bool
read_stamp(struct line *l)
{
    struct scan *s = &l->s;
    struct span text;
    struct stamp stamp;
    struct atom number;
    json_space(s);
    const char *start = s->at;
    if (start < s->end && *start == '"')
        return json_string(s, &text) &&
               (scan_stamp_parse(text, &stamp) ||
                scan_unexpected_text(s, start, text, SCAN_STAMP));
    if (start == s->end || !json_is_number_start(*start))
        return scan_unexpected(s, start, SCAN_STAMP);
    return json_integer(s, SCAN_STAMP, &number) &&
           (atom_is_u64(number) || scan_unexpected(s, start, SCAN_STAMP));
}

static bool
read_entry(struct line *l, enum line_key key)
{
    switch (key) {
    case LINE_SESSION:
        return read_atom(l, names_text, &l->session);
    case LINE_ID:
        return read_id(l);
    case LINE_STATUS:
        return read_status(l);
    case LINE_START:
        return read_time(l, &l->start);
    case LINE_END:
        json_space(&l->s);
        l->end_at = l->s.at;
        return read_time(l, &l->end);
    case LINE_OPS:
        return read_ops(l);
    case LINE_META:
        return read_object(l);
    case LINE_RECORDING:
        return read_mark(l);
    case LINE_INITIAL:
        return refuse(l, "a history with rows");
    case LINE_PARTIAL:
        return refuse(l, "a transaction that was recorded in part");
    case LINE_START_TS:
    case LINE_COMMIT_TS:
        return read_stamp(l);
    default:
        return false;
    }
}

static bool
read_key(struct line *l, unsigned *out)
{
    json_space(&l->s);
    const char *start = l->s.at;
    if (!read_word(l, line_keys, LINE_KEYS,
                   "\"session\", \"id\", \"status\", \"start\", \"end\", "
                   "\"start_ts\", \"commit_ts\", \"ops\", \"meta\", "
                   "\"recording\" or \"initial\"",
                   out))
        return false;
    return !(l->seen & 1u << *out) ||
           scan_fail(&l->s, start, ERR_SYNTAX,
                     "key '%s' occurs twice in one line", line_keys[*out]);
}

static bool
read_line(struct line *l)
{
    struct scan *s = &l->s;
    if (s->at < s->end && *s->at == '[')
        return refuse(l, "an array around all lines");
    if (!json_take(s, '{'))
        return scan_unexpected(s, s->at, "a transaction, '{'");
    if (json_take(s, '}'))
        return true;
    do {
        unsigned key;
        if (!read_key(l, &key))
            return false;
        if (!json_take(s, ':'))
            return scan_unexpected(s, s->at, "':'");
        if (!read_entry(l, (enum line_key)key))
            return false;
        l->seen |= 1u << key;
    } while (json_take(s, ','));
    return json_take(s, '}') || scan_unexpected(s, s->at, "',' or '}'");
}

/* --- lines -----------------------------------------------------------------*/

static bool
fail(struct line *l, const char *what)
{
    return scan_fail(&l->s, l->s.in->data, ERR_SYNTAX, "%s", what);
}

static bool
end_mark(struct line *l)
{
    struct shard *s = l->shard;
    if (l->seen != 1u << LINE_RECORDING)
        return fail(l, "'recording' must be on a line of its own");
    if (l->is_begin && s->n_objects)
        return fail(l, "the beginning of a recording, expected in the first "
                       "line only");
    if (!l->is_begin && !s->is_recording)
        return fail(l, "the end of a recording without its beginning");
    s->is_recording = true;
    s->is_complete = !l->is_begin;
    return true;
}

/* Set the times of a transaction whose outcome is known. */
static bool
set_end(struct line *l, struct stream_txn *t)
{
    if (l->end < t->began)
        return scan_fail(&l->s, l->end_at, ERR_SYNTAX,
                         "the transaction ends before it starts");
    t->status = (uint8_t)l->status;
    if (l->status != TXN_INDETERMINATE)
        t->ended = l->end;
    return true;
}

/* The outcome of the last transaction of a session. */
static bool
end_outcome(struct line *l)
{
    const bool is_unknown = l->status == TXN_INDETERMINATE;
    const unsigned allowed =
        1u << LINE_SESSION | 1u << LINE_STATUS |
        (is_unknown
             ? 0
             : 1u << LINE_END | 1u << LINE_START_TS | 1u << LINE_COMMIT_TS);
    uint32_t session;
    if (l->seen & ~allowed)
        return fail(l, "a transaction without 'ops'");
    if (!reader_session(l->r, l->shard, l->session, &session, l->s.err))
        return false;
    struct reader_session *of = &l->r->sessions.at[session];
    if (!of->pending.txn && !of->was_released)
        return fail(l, "an outcome, but no transaction of the session is "
                       "pending");
    if (!of->pending.txn) {
        l->r->is_late = true;
        of->was_released = false;
        return true;
    }
    if (is_unknown) {
        reader_leave(l->r, l->shard, session);
        return true;
    }
    if (!set_end(l, of->pending.txn))
        return false;
    reader_release(l->r, l->shard, session);
    return true;
}

static bool
end_txn(struct line *l)
{
    struct stream_reader *r = l->r;
    uint32_t session;
    if (!reader_session(r, l->shard, l->session, &session, l->s.err))
        return false;
    reader_release(r, l->shard, session);
    r->sessions.at[session].was_released = false;
    struct stream_txn *t =
        l->id.tag == ATOM_STRING
            ? reader_begin(r, session, l->id_text.n ? l->id_text.at : "",
                           l->id_text.n)
            : reader_begin(r, session, NULL, 0);
    if (l->id.tag != ATOM_STRING)
        t->name = l->id;
    t->began = l->start;
    if (!set_end(l, t)) {
        mem_free(t);
        return false;
    }
    if (l->status == TXN_INDETERMINATE)
        reader_wait(r, t);
    else
        reader_hand_over(r, l->shard, t);
    return true;
}

static bool
end_line(struct line *l)
{
    const unsigned outcome = 1u << LINE_SESSION | 1u << LINE_STATUS;
    const unsigned required = 1u << LINE_SESSION | 1u << LINE_OPS;
    if (l->seen & 1u << LINE_RECORDING)
        return end_mark(l);
    if (!(l->seen & 1u << LINE_OPS) && (l->seen & outcome) == outcome)
        return end_outcome(l);
    if ((l->seen & required) != required)
        return fail(l, l->seen & 1u << LINE_SESSION
                           ? "a transaction without 'ops'"
                           : "a transaction without 'session'");
    return end_txn(l);
}

/* Whether nothing but line ends and zero bytes follows: a machine that crashes
 * may leave them. */
static bool
is_rest_empty(struct shard *s, struct err *err)
{
    const char *line;
    size_t n;
    while (lines_next(&s->lines, &line, &n, err) && line)
        for (size_t i = 0; i < n; i++)
            if (line[i] && line[i] != '\r')
                return false;
    return !err->kind;
}

static bool
is_object(const struct input *in)
{
    struct err ignored = {0};
    struct scan s;
    scan_init(&s, in, &ignored);
    s.one_line = true;
    bool ok = json_skip(&s);
    json_space(&s);
    ok = ok && s.at == s.end;
    scan_free(&s);
    return ok;
}

/* Read a line that is not blank. */
static bool
take_line(struct stream_reader *r, struct shard *s, const struct input *in,
          struct err *err)
{
    struct line l = {.r = r,
                     .shard = s,
                     .status = TXN_COMMITTED,
                     .start = INT64_MIN,
                     .end = INT64_MAX};
    scan_init(&l.s, in, err);
    if (s->lines.number > 1)
        l.s.at = in->data; // a byte order mark is taken in the first line only
    l.s.one_line = true;
    json_space(&l.s);
    bool ok = s->is_complete
                  ? fail(&l, "more lines after the end of the recording")
                  : read_line(&l);
    json_space(&l.s);
    if (ok && l.s.at < l.s.end)
        ok = scan_unexpected(&l.s, l.s.at, "the end of the line");
    ok = ok && end_line(&l);
    s->n_objects++;
    buf_free(&l.id_text);
    scan_free(&l.s);
    return ok;
}

static bool
is_blank(const char *line, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
            return false;
    return true;
}

static bool
jsonl_line(struct stream_reader *r, struct shard *s, const char *line, size_t n,
           struct err *err)
{
    if (is_blank(line, n))
        return true;
    const struct input in = {
        .name = s->lines.name, .data = line, .size = n, .threads = 1};
    const uint64_t number = s->lines.number;
    if (take_line(r, s, &in, err)) {
        s->is_over = r->is_followed && s->is_complete;
        return true;
    }
    // A recorder that is killed leaves at most one line that is no object.
    struct err other = {0};
    if (!s->is_recording || s->is_complete || is_object(&in) ||
        !is_rest_empty(s, &other)) {
        s->lines.number = number;
        return false;
    }
    *err = other;
    s->is_over = true;
    return s->notation->end(r, s, err);
}

static bool
jsonl_end(struct stream_reader *r, struct shard *s, struct err *err)
{
    (void)err;
    r->is_cut |= s->is_recording && !s->is_complete;
    return true;
}

const struct notation notation_jsonl = {.format = &format_jsonl,
                                        .initial = {0, ATOM_NIL},
                                        .line = jsonl_line,
                                        .end = jsonl_end};
