/* jsonl.c -- our own format: one transaction per line, as a JSON object.
 *
 *     {"session":1,"id":"pay-17","status":"committed","start":1200,"end":1350,
 *      "ops":[["r","x",5],["w","y","a"],["append","l",3],["r","l",[1,2,3]]]}
 *
 * (on one line).  People write this by hand and from a dozen languages, so the
 * reader is strict where a slip would lose data: a key it does not know, a key
 * given twice, or a number that is no 64-bit integer is an error.  It is also
 * what 'collect' writes, so it is read in one pass, straight into the builder:
 * no tree is made of a line, and text is not copied before it is interned.
 *
 * The builder wants the session before the operations.  A line that gives
 * them the other way round is taken in two steps: the operations are skipped
 * and come back to when the object has ended.
 *
 * A line's end ends the object.  So a file that was cut inside a line is an
 * error at the place of the cut, and a line that lost its end does not swallow
 * the next one.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jsonl.h"

#include "format/form.h"
#include "format/readers.h"
#include "format/scan_json.h"

enum { BYTES_PER_OP = 20 }; // about, of a large file

enum line_key {
    KEY_SESSION,
    KEY_ID,
    KEY_STATUS,
    KEY_START,
    KEY_END,
    KEY_OPS,
    KEY_META,
    N_LINE_KEYS
};

static const char *const line_keys[N_LINE_KEYS + 1] = {
    "session", "id", "status", "start", "end", "ops", "meta", NULL,
};

#define A_NAME "a string or an integer"
#define A_VALUE "a string, an integer or null"

/* One line, as far as it is read. */
struct line {
    unsigned seen; // bit k: line_keys[k] was there
    struct atom session, id;
    enum txn_status status;
    int64_t start, end;
    const char *end_at; // where 'end' stands
    const char *ops_at; // operations that wait for their session
    bool has_txn;       // the transaction has begun
    txn_id txn;
};

struct reader {
    struct scan s;
    struct builder *b;
    VEC(struct atom) elements; // of the list at hand
    struct forms meta;
    struct buf meta_text;
};

/* --- values ---------------------------------------------------------------*/

static bool
read_atom(struct reader *r, const char *expected, struct atom *out)
{
    struct scan *s = &r->s;
    json_space(s);
    const char c = s->at < s->end ? *s->at : '\n';
    if (c == '"') {
        struct span text;
        if (!json_string(s, &text))
            return false;
        *out = builder_text(r->b, ATOM_STRING, text.at, text.n);
        return true;
    }
    if (json_is_number_start(c))
        return json_integer(s, expected, out);
    return scan_unexpected(s, s->at, expected);
}

static bool
is_null(struct scan *s)
{
    json_space(s);
    if (s->end - s->at < 4 || memcmp(s->at, "null", 4) != 0)
        return false;
    s->at += 4;
    return true;
}

static bool
read_value(struct reader *r, struct atom *out)
{
    *out = atom_nil();
    return is_null(&r->s) || read_atom(r, A_VALUE, out);
}

/* The rest of a list behind its '[', into r->elements. */
static bool
read_elements(struct reader *r)
{
    vec_clear(&r->elements);
    if (json_take(&r->s, ']'))
        return true;
    do {
        struct atom element;
        if (!read_atom(r, A_NAME, &element))
            return false;
        vec_push(&r->elements, element);
    } while (json_take(&r->s, ','));
    return json_take(&r->s, ']') ||
           scan_unexpected(&r->s, r->s.at, "',' or ']'");
}

/* --- operations ---------------------------------------------------------- */

enum op_kind { OP_KIND_READ, OP_KIND_WRITE, OP_KIND_APPEND };

/* One of a few words in quotes: its number in 'words', which ends in NULL. */
static bool
read_word(struct scan *s, const char *const *words, const char *expected,
          unsigned *out)
{
    json_space(s);
    const char *start = s->at;
    struct span text;
    *out = 0;
    if (start == s->end || *start != '"')
        return scan_unexpected(s, start, expected);
    if (!json_string(s, &text))
        return false;
    for (; words[*out]; ++*out)
        if (span_is(text, words[*out]))
            return true;
    return scan_unexpected_text(s, start, text, expected);
}

/* The value of an operation, handed to the builder. */
static bool
add_op(struct reader *r, txn_id t, enum op_kind kind, struct atom key)
{
    struct err *err = r->s.err;
    if (kind == OP_KIND_READ && json_take(&r->s, '['))
        return read_elements(r) &&
               builder_read_list(r->b, t, key, r->elements.at, r->elements.n,
                                 err);
    struct atom value;
    if (kind == OP_KIND_APPEND)
        return read_atom(r, A_NAME, &value) &&
               builder_append(r->b, t, key, value, err);
    return read_value(r, &value) &&
           (kind == OP_KIND_READ ? builder_read(r->b, t, key, value, err)
                                 : builder_write(r->b, t, key, value, err));
}

static bool
read_op_kind(struct scan *s, unsigned *out)
{
    static const char *const words[] = {
        [OP_KIND_READ] = "r",
        [OP_KIND_WRITE] = "w",
        [OP_KIND_APPEND] = "append",
        NULL,
    };
    // The hot path: nearly every operation is one of these two.
    if (s->end - s->at > 3 && s->at[0] == '"' && s->at[2] == '"' &&
        (s->at[1] == 'r' || s->at[1] == 'w')) {
        *out = s->at[1] == 'r' ? OP_KIND_READ : OP_KIND_WRITE;
        s->at += 3;
        return true;
    }
    return read_word(s, words, "\"r\", \"w\" or \"append\"", out);
}

static bool
read_op(struct reader *r, txn_id t)
{
    struct scan *s = &r->s;
    json_space(s);
    const char *start = s->at;
    unsigned kind;
    struct atom key;
    if (!json_take(s, '['))
        return scan_unexpected(s, s->at, "an operation, '['");
    if (!read_op_kind(s, &kind))
        return false;
    if (!json_take(s, ','))
        return scan_unexpected(s, s->at, "',' and a key");
    if (!read_atom(r, A_NAME, &key))
        return false;
    if (!json_take(s, ','))
        return scan_unexpected(s, s->at, "',' and a value");
    if (!add_op(r, t, (enum op_kind)kind, key))
        return scan_locate(s, start); // where the builder has complained
    return json_take(s, ']') ||
           scan_unexpected(s, s->at, "']' behind the value");
}

static bool
read_ops(struct reader *r, txn_id t)
{
    struct scan *s = &r->s;
    if (!json_take(s, '['))
        return scan_unexpected(s, s->at, "an array of operations");
    if (json_take(s, ']'))
        return true;
    do {
        if (!read_op(r, t))
            return false;
    } while (json_take(s, ','));
    return json_take(s, ']') || scan_unexpected(s, s->at, "',' or ']'");
}

static bool
begin_txn(struct reader *r, struct line *line)
{
    line->has_txn = true;
    return builder_txn(r->b, builder_session(r->b, line->session), &line->txn,
                       r->s.err);
}

/* --- the other entries --------------------------------------------------- */

static bool
read_status(struct reader *r, enum txn_status *out)
{
    static const char *const words[] = {
        [TXN_COMMITTED] = "committed",
        [TXN_ABORTED] = "aborted",
        [TXN_INDETERMINATE] = "unknown",
        NULL,
    };
    unsigned status;
    if (!read_word(&r->s, words, "\"committed\", \"aborted\" or \"unknown\"",
                   &status))
        return false;
    *out = (enum txn_status)status;
    return true;
}

static bool
read_time(struct reader *r, int64_t *out)
{
    struct scan *s = &r->s;
    json_space(s);
    const char *start = s->at;
    struct atom time;
    if (start == s->end || !json_is_number_start(*start))
        return scan_unexpected(s, start, "an integer");
    if (!json_integer(s, "an integer", &time))
        return false;
    *out = (int64_t)time.bits;
    // The ends of the range say "not known" to the builder.
    return (time.tag == ATOM_INT && *out != INT64_MIN && *out != INT64_MAX) ||
           scan_unexpected(s, start, "a time that fits into 64 signed bits");
}

static bool
read_meta(struct reader *r)
{
    struct scan *s = &r->s;
    json_space(s);
    if (s->at == s->end || *s->at != '{')
        return scan_unexpected(s, s->at, "an object");
    if (!form_read_json(s, &r->meta))
        return false;
    const uint32_t twin = form_find_twin(&r->meta);
    if (twin)
        return scan_unexpected_text(s, r->meta.at[twin].at,
                                    r->meta.at[twin].text,
                                    "each key once in an object");
    buf_clear(&r->meta_text);
    form_show_json(&r->meta, 0, &r->meta_text);
    return true;
}

static bool
read_entry(struct reader *r, struct line *line, enum line_key key)
{
    switch (key) {
    case KEY_SESSION:
        return read_atom(r, A_NAME, &line->session);
    case KEY_ID:
        return read_atom(r, A_NAME, &line->id);
    case KEY_STATUS:
        return read_status(r, &line->status);
    case KEY_START:
        return read_time(r, &line->start);
    case KEY_END:
        json_space(&r->s);
        line->end_at = r->s.at;
        return read_time(r, &line->end);
    case KEY_OPS:
        if (line->seen & 1u << KEY_SESSION)
            return begin_txn(r, line) && read_ops(r, line->txn);
        json_space(&r->s);
        line->ops_at = r->s.at;
        return json_skip(&r->s);
    case KEY_META:
        return read_meta(r);
    default:
        return false;
    }
}

static bool
read_key(struct scan *s, const struct line *line, unsigned *out)
{
    json_space(s);
    const char *start = s->at;
    if (!read_word(s, line_keys,
                   "\"session\", \"id\", \"status\", \"start\", \"end\", "
                   "\"ops\" or \"meta\"",
                   out))
        return false;
    return !(line->seen & 1u << *out) ||
           scan_fail(s, start, ERR_SYNTAX, "key '%s' twice in one line",
                     line_keys[*out]);
}

/* --- lines --------------------------------------------------------------- */

/* What could not be done before the whole object was seen. */
static bool
end_line(struct reader *r, struct line *line, const char *start)
{
    struct scan *s = &r->s;
    const unsigned required = 1u << KEY_SESSION | 1u << KEY_OPS;
    if ((line->seen & required) != required)
        return scan_fail(s, start, ERR_SYNTAX, "a transaction without '%s'",
                         line->seen & 1u << KEY_SESSION ? "ops" : "session");
    if (!line->has_txn) {
        const char *behind = s->at;
        s->at = line->ops_at;
        if (!begin_txn(r, line) || !read_ops(r, line->txn))
            return false;
        s->at = behind;
    }
    builder_status(r->b, line->txn, line->status);
    if (line->seen & 1u << KEY_ID)
        builder_name(r->b, line->txn, line->id);
    if (line->seen & 1u << KEY_META)
        builder_meta(r->b, line->txn, r->meta_text.at, r->meta_text.n);
    if (!(line->seen & (1u << KEY_START | 1u << KEY_END)))
        return true;
    if (line->end < line->start)
        return scan_fail(s, line->end_at, ERR_SYNTAX,
                         "the transaction ends before it starts");
    // What nobody saw the end of may take effect at any later time.
    builder_times(r->b, line->txn, line->start,
                  line->status == TXN_INDETERMINATE ? INT64_MAX : line->end);
    return true;
}

/* Read the object at s->at; the scan stops behind its '}'. */
static bool
read_line(struct reader *r)
{
    struct scan *s = &r->s;
    const char *start = s->at;
    struct line line = {
        .status = TXN_COMMITTED, .start = INT64_MIN, .end = INT64_MAX};
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

static bool
read_lines(struct reader *r, struct input *in)
{
    struct scan *s = &r->s;
    for (;;) {
        json_space(s);
        if (s->at == s->end)
            return true;
        input_done(in, (size_t)(s->at - in->data));
        if (*s->at == '\n') {
            s->at++;
            continue;
        }
        if (!read_line(r))
            return false;
        json_space(s);
        if (s->at < s->end && *s->at != '\n')
            return scan_unexpected(s, s->at, "the end of the line");
    }
}

static bool
jsonl_read(struct input *in, struct builder *b, struct err *err)
{
    if (in->is_directory)
        return err_set(err, ERR_SYNTAX, "a directory, expected a file");
    struct reader r = {.b = b};
    scan_init(&r.s, in, err);
    r.s.one_line = true;
    builder_expect(b, in->size / BYTES_PER_OP);
    const bool ok = read_lines(&r, in);
    vec_free(&r.elements);
    forms_free(&r.meta);
    buf_free(&r.meta_text);
    scan_free(&r.s);
    return ok;
}

static int
jsonl_sniff(const struct input *in)
{
    if (in->is_directory)
        return 0;
    const struct json_look look = json_look(in);
    if (!look.is_object || look.is_array)
        return 0;
    return look.session && look.ops ? 95 : look.session || look.ops ? 70 : 0;
}

const struct format format_jsonl = {
    .name = "jsonl",
    .suffix = ".jsonl",
    .help = "one transaction per line as a JSON object; our own",
    .initial = ATOM_NIL,
    .keeps = KEEPS_NAMES | KEEPS_TIMES | KEEPS_META,
    .sniff = jsonl_sniff,
    .read = jsonl_read,
    .holds = jsonl_holds,
    .write = jsonl_write,
};
