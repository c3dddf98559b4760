/* jsonl_entry.c -- see jsonl_entry.h.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jsonl/jsonl_entry.h"

#include "format/row/row_forms.h"
#include "format/scan/scan_stamp.h"

#define JSONL_TIME "an integer, or a time like \"2026-11-16T10:00:00.5Z\""

/* --- values ---------------------------------------------------------------*/

bool
jsonl_atom(struct jsonl_scan *r, const char *expected, struct atom *out)
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

/* Whether a number with a fraction or an exponent is at s->at. */
static bool
is_fraction(const struct scan *s)
{
    const char *at = s->at;
    at += at < s->end && *at == '-';
    const char *digits = at;
    while (at < s->end && *at >= '0' && *at <= '9')
        at++;
    return at > digits && at < s->end &&
           (*at == '.' || *at == 'e' || *at == 'E');
}

/* The exponent at the end of a number, which is not above MOST_EXPONENT in
 * either direction; 0 where there is none. */
enum { MOST_EXPONENT = 1000000000 };

static int64_t
exponent_of(struct span text)
{
    const char *end = text.at + text.n, *at = text.at;
    while (at < end && *at != 'e' && *at != 'E')
        at++;
    if (at == end)
        return 0;
    const bool is_negative = at[1] == '-';
    int64_t x = 0;
    for (at += 1 + (is_negative || at[1] == '+'); at < end; at++)
        x = x < MOST_EXPONENT / 10 ? 10 * x + (*at - '0') : MOST_EXPONENT;
    return is_negative ? -x : x;
}

/* In JSON 1.0 is the number 1, and 1e16 an integer as well.  No detour by a
 * floating-point number: it would take neighbours for the same. */
static bool
is_whole(struct span text, struct atom *out)
{
    const bool is_negative = text.at[0] == '-';
    char digits[24]; // an integer of 64 bits has at most 20
    size_t n = 0;
    int64_t zeros = exponent_of(text); // to be added behind the digits
    int64_t held = 0;       // zeros behind the last other digit, not yet added
    bool is_behind = false; // the point
    for (size_t i = is_negative; i < text.n; i++) {
        const char c = text.at[i];
        if (c == 'e' || c == 'E')
            break;
        is_behind |= c == '.';
        if (c == '.')
            continue;
        zeros -= is_behind;
        if (c == '0') {
            held += n > 0;
            continue;
        }
        if (held + (int64_t)n + 1 > (int64_t)sizeof digits)
            return false;
        for (; held; held--)
            digits[n++] = '0';
        digits[n++] = c;
    }
    zeros += held;
    if (n && (zeros < 0 || zeros > (int64_t)(sizeof digits - n)))
        return false;
    for (; n && zeros; zeros--)
        digits[n++] = '0';
    return scan_integer(is_negative, digits, digits + n, out);
}

/* No key may occur twice in an object. */
static bool
check_twins(struct jsonl_scan *r, const struct forms *f)
{
    const uint32_t twin = form_find_twin(f, 0);
    return !twin ||
           scan_unexpected_text(&r->s, f->at[twin].at, f->at[twin].text,
                                "each key once in an object");
}

/* Any value except null and arrays. */
static bool
read_scalar(struct jsonl_scan *r, const char *expected, struct atom *out)
{
    struct scan *s = &r->s;
    json_space(s);
    const char c = s->at < s->end ? *s->at : '\n';
    // The hot path: nearly all values are one of these two.
    if (c == '"' || (json_is_number_start(c) && !is_fraction(s)))
        return jsonl_atom(r, expected, out);
    if (c != '{' && c != 't' && c != 'f' && !json_is_number_start(c))
        return scan_unexpected(s, s->at, expected);
    if (!form_read_json(s, &r->forms) || !check_twins(r, &r->forms))
        return false;
    if (r->forms.at[0].kind != FORM_NUMBER ||
        !is_whole(r->forms.at[0].text, out))
        *out = form_atom(&r->forms, 0, r->b);
    return true;
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
read_value(struct jsonl_scan *r, struct atom *out)
{
    *out = atom_nil();
    return is_null(&r->s) ||
           read_scalar(r, "a string, a number, a boolean, an object or null",
                       out);
}

/* Read the rest of a list, after its '[', into r->elements. */
static bool
read_elements(struct jsonl_scan *r)
{
    vec_clear(&r->elements);
    if (json_take(&r->s, ']'))
        return true;
    do {
        struct atom element;
        if (!read_scalar(r, JSONL_VALUE, &element))
            return false;
        vec_push(&r->elements, element);
    } while (json_take(&r->s, ','));
    return json_take(&r->s, ']') ||
           scan_unexpected(&r->s, r->s.at, "',' or ']'");
}

/* --- operations ---------------------------------------------------------- */

enum op_kind {
    OP_KIND_READ,
    OP_KIND_WRITE,
    OP_KIND_APPEND,
    OP_KIND_STATEMENT,
    OP_KIND_ROW
};

bool
jsonl_word(struct scan *s, const char *const *words, const char *expected,
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

/* Read the value of an operation that follows operations on rows. */
static bool
add_waiting(struct jsonl_scan *r, txn_id t, enum op_kind kind, struct atom key)
{
    struct row_other op = {.is_write = kind != OP_KIND_READ,
                           .is_list = kind == OP_KIND_APPEND,
                           .key = key};
    if (kind == OP_KIND_READ && json_take(&r->s, '[')) {
        op.is_list = true;
        if (!read_elements(r))
            return false;
    } else if (kind == OP_KIND_APPEND ? !read_scalar(r, JSONL_VALUE, &op.value)
                                      : !read_value(r, &op.value)) {
        return false;
    }
    const bool is_seen = op.is_list && !op.is_write;
    row_reader_note(&r->rows, t, op, r->elements.at,
                    is_seen ? r->elements.n : 0, r->s.at);
    return true;
}

/* Read the value of an operation and pass it to the builder. */
static bool
add_op(struct jsonl_scan *r, txn_id t, enum op_kind kind, struct atom key)
{
    struct err *err = r->s.err;
    if (row_reader_waits(&r->rows, t))
        return add_waiting(r, t, kind, key);
    if (kind == OP_KIND_READ && json_take(&r->s, '['))
        return read_elements(r) &&
               builder_read_list(r->b, t, key, r->elements.at, r->elements.n,
                                 err);
    struct atom value;
    if (kind == OP_KIND_APPEND)
        return read_scalar(r, JSONL_VALUE, &value) &&
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
        [OP_KIND_STATEMENT] = "statement",
        [OP_KIND_ROW] = "i",
        "u",
        "d",
        "q",
        NULL,
    };
    // The hot path: nearly all operations are one of these two.
    if (s->end - s->at > 3 && s->at[0] == '"' && s->at[2] == '"' &&
        (s->at[1] == 'r' || s->at[1] == 'w')) {
        *out = s->at[1] == 'r' ? OP_KIND_READ : OP_KIND_WRITE;
        s->at += 3;
        return true;
    }
    if (!jsonl_word(s, words,
                    "\"r\", \"w\", \"append\", \"i\", \"u\", \"d\" or \"q\"",
                    out))
        return false;
    *out = *out > OP_KIND_ROW ? OP_KIND_ROW : *out;
    return true;
}

/* The operation on a row that begins at 'start', an array. */
static bool
read_row_op(struct jsonl_scan *r, txn_id t, const char *start)
{
    static const char names[] = {[ROW_FORM_INSERT] = 'i',
                                 [ROW_FORM_UPDATE] = 'u',
                                 [ROW_FORM_DELETE] = 'd',
                                 [ROW_FORM_READ] = 'r',
                                 [ROW_FORM_QUERY] = 'q'};
    r->s.at = start;
    if (!form_read_json(&r->s, &r->row) || !check_twins(r, &r->row))
        return false;
    assert(r->row.at[1].kind == FORM_STRING && r->row.at[1].text.n == 1);
    unsigned kind = 0;
    while (names[kind] != *r->row.at[1].text.at)
        kind++;
    return row_forms_op(&r->rows, &r->row, 0, (enum row_form_kind)kind, t);
}

/* Read the rest of ["statement", number] or ["statement", number, lock]: which
 * statement the operations behind it are of. */
static bool
read_statement(struct jsonl_scan *r)
{
    static const char *const locks[] = {
        [ROW_LOCK_NONE] = "",
        [ROW_LOCK_KEY_SHARE] = "key share",
        [ROW_LOCK_SHARE] = "share",
        [ROW_LOCK_NO_KEY_UPDATE] = "no key "
                                   "update",
        [ROW_LOCK_UPDATE] = "update",
        NULL,
    };
    static const char expected[] =
        "\"key share\", \"share\", \"no key update\" or \"update\"";
    struct scan *s = &r->s;
    uint64_t number = 0;
    unsigned lock = ROW_LOCK_NONE;
    if (!json_take(s, ','))
        return scan_unexpected(s, s->at, "',' and the number of a statement");
    json_space(s);
    const char *start = s->at;
    for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++)
        number = number < OP_STATEMENT_MOST
                     ? number * 10 + (uint64_t)(*s->at - '0')
                     : number;
    if (!number)
        return scan_unexpected(s, start, "a number from 1 on");
    if (number > OP_STATEMENT_MOST)
        number = OP_STATEMENT_MOST;
    if (json_take(s, ',') && !jsonl_word(s, locks, expected, &lock))
        return false;
    r->rows.marks = (uint32_t)number << OP_STATEMENT_SHIFT |
                    (uint32_t)lock << OP_LOCK_SHIFT;
    return json_take(s, ']') ||
           scan_unexpected(s, s->at, "']' after a statement");
}

static bool
read_op(struct jsonl_scan *r, txn_id t)
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
    if (kind == OP_KIND_ROW)
        return read_row_op(r, t, start);
    if (kind == OP_KIND_STATEMENT)
        return read_statement(r);
    if (!json_take(s, ','))
        return scan_unexpected(s, s->at, "',' and a key");
    json_space(s);
    if (kind == OP_KIND_READ && s->at < s->end && *s->at == '[')
        return read_row_op(r, t, start);
    if (!read_scalar(r, JSONL_VALUE, &key))
        return false;
    if (!json_take(s, ','))
        return scan_unexpected(s, s->at, "',' and a value");
    const size_t first = builder_ops(r->b);
    if (!add_op(r, t, (enum op_kind)kind, key))
        return scan_locate(s, start); // for an error of the builder
    builder_mark(r->b, first, r->rows.marks);
    return json_take(s, ']') ||
           scan_unexpected(s, s->at, "']' after the value");
}

bool
jsonl_ops(struct jsonl_scan *r, txn_id t)
{
    struct scan *s = &r->s;
    r->rows.marks = 0;
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

/* --- the other entries --------------------------------------------------- */

bool
jsonl_status(struct jsonl_scan *r, enum txn_status *out)
{
    static const char *const words[] = {
        [TXN_COMMITTED] = "committed",
        [TXN_ABORTED] = "aborted",
        [TXN_INDETERMINATE] = "unknown",
        NULL,
    };
    unsigned status;
    if (!jsonl_word(&r->s, words, "\"committed\", \"aborted\" or \"unknown\"",
                    &status))
        return false;
    *out = (enum txn_status)status;
    return true;
}

/* A time in quotes. */
static bool
read_date(struct scan *s, int64_t *out, enum scan_clock *clock)
{
    const char *start = s->at;
    struct span text;
    return json_string(s, &text) &&
           (scan_time_parse(text, out, clock) ||
            scan_unexpected_text(s, start, text, JSONL_TIME));
}

bool
jsonl_time(struct jsonl_scan *r, int64_t *out)
{
    struct scan *s = &r->s;
    json_space(s);
    const char *start = s->at;
    enum scan_clock clock = CLOCK_NUMBER;
    struct atom time;
    if (start < s->end && *start == '"') {
        if (!read_date(s, out, &clock))
            return false;
    } else {
        if (start == s->end || !json_is_number_start(*start))
            return scan_unexpected(s, start, JSONL_TIME);
        if (!json_integer(s, JSONL_TIME, &time))
            return false;
        *out = (int64_t)time.bits;
        // To the builder, the ends of the range mean "not known".
        if (time.tag != ATOM_INT || *out == INT64_MIN || *out == INT64_MAX)
            return scan_unexpected(s, start,
                                   "a time that fits into 64 signed bits");
    }
    return scan_clock_agrees(&r->clock, clock) ||
           scan_unexpected(s, start,
                           "a time like those before it: all integers, all "
                           "with a zone, or all without one");
}

bool
jsonl_stamp(struct jsonl_scan *r, struct stamp *out)
{
    struct scan *s = &r->s;
    json_space(s);
    const char *start = s->at;
    struct span text;
    if (start < s->end && *start == '"')
        return json_string(s, &text) &&
               (scan_stamp_parse(text, out) ||
                scan_unexpected_text(s, start, text, SCAN_STAMP));
    struct atom number;
    if (start == s->end || !json_is_number_start(*start))
        return scan_unexpected(s, start, SCAN_STAMP);
    if (!json_integer(s, SCAN_STAMP, &number))
        return false;
    *out = (struct stamp){number.bits, 0};
    return atom_is_u64(number) || scan_unexpected(s, start, SCAN_STAMP);
}

bool
jsonl_meta(struct jsonl_scan *r)
{
    struct scan *s = &r->s;
    json_space(s);
    if (s->at == s->end || *s->at != '{')
        return scan_unexpected(s, s->at, "an object");
    if (!form_read_json(s, &r->forms))
        return false;
    if (!check_twins(r, &r->forms))
        return false;
    buf_clear(&r->meta_text);
    form_show_json(&r->forms, 0, &r->meta_text);
    return true;
}

/* One string or more, which say what was not recorded. */
bool
jsonl_partial(struct jsonl_scan *r)
{
    static const char expected[] = "an array of texts, [\"...\"]";
    struct scan *s = &r->s;
    json_space(s);
    if (s->at == s->end || *s->at != '[')
        return scan_unexpected(s, s->at, expected);
    if (!form_read_json(s, &r->forms))
        return false;
    const struct forms *f = &r->forms;
    for (uint32_t i = 1; i < form_end(f, 0); i = form_next(f, i))
        if (f->at[i].kind != FORM_STRING)
            return form_unexpected(s, f, i, expected);
    if (form_end(f, 0) == 1)
        return form_unexpected(s, f, 0, expected);
    buf_clear(&r->partial_text);
    form_show_json(f, 0, &r->partial_text);
    return true;
}

bool
jsonl_initial(struct jsonl_scan *r)
{
    const struct forms *f = &r->row;
    if (!form_read_json(&r->s, &r->row) || !check_twins(r, f))
        return false;
    const bool is_one = f->at[0].kind == FORM_MAP && f->at[0].size > 1 &&
                        form_next(f, form_next(f, 1)) == form_end(f, 0);
    if (!is_one || !span_is(f->at[1].text, "rows"))
        return form_unexpected(&r->s, f, is_one ? 1 : 0,
                               "{\"rows\": [[row, values], ...]}");
    return row_forms_initial(&r->rows, f, form_next(f, 1));
}
