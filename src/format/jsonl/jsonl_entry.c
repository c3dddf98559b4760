/* jsonl_entry.c -- see jsonl_entry.h.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jsonl/jsonl_entry.h"

#include "format/jsonl/jsonl_rows.h"

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
    return is_null(&r->s) || jsonl_atom(r, "a string, an integer or null", out);
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
        if (!jsonl_atom(r, JSONL_NAME, &element))
            return false;
        vec_push(&r->elements, element);
    } while (json_take(&r->s, ','));
    return json_take(&r->s, ']') ||
           scan_unexpected(&r->s, r->s.at, "',' or ']'");
}

/* --- operations ---------------------------------------------------------- */

enum op_kind { OP_KIND_READ, OP_KIND_WRITE, OP_KIND_APPEND, OP_KIND_ROW };

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
    } else if (kind == OP_KIND_APPEND ? !jsonl_atom(r, JSONL_NAME, &op.value)
                                      : !read_value(r, &op.value)) {
        return false;
    }
    jsonl_rows_note(r, t, &op);
    return true;
}

/* Read the value of an operation and pass it to the builder. */
static bool
add_op(struct jsonl_scan *r, txn_id t, enum op_kind kind, struct atom key)
{
    struct err *err = r->s.err;
    if (jsonl_rows_wait(r, t))
        return add_waiting(r, t, kind, key);
    if (kind == OP_KIND_READ && json_take(&r->s, '['))
        return read_elements(r) &&
               builder_read_list(r->b, t, key, r->elements.at, r->elements.n,
                                 err);
    struct atom value;
    if (kind == OP_KIND_APPEND)
        return jsonl_atom(r, JSONL_NAME, &value) &&
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
        return jsonl_row_op(r, t, start);
    if (!json_take(s, ','))
        return scan_unexpected(s, s->at, "',' and a key");
    json_space(s);
    if (kind == OP_KIND_READ && s->at < s->end && *s->at == '[')
        return jsonl_row_op(r, t, start);
    if (!jsonl_atom(r, JSONL_NAME, &key))
        return false;
    if (!json_take(s, ','))
        return scan_unexpected(s, s->at, "',' and a value");
    if (!add_op(r, t, (enum op_kind)kind, key))
        return scan_locate(s, start); // for an error of the builder
    return json_take(s, ']') ||
           scan_unexpected(s, s->at, "']' after the value");
}

bool
jsonl_ops(struct jsonl_scan *r, txn_id t)
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

bool
jsonl_time(struct jsonl_scan *r, int64_t *out)
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
    // To the builder, the ends of the range mean "not known".
    return (time.tag == ATOM_INT && *out != INT64_MIN && *out != INT64_MAX) ||
           scan_unexpected(s, start, "a time that fits into 64 signed bits");
}

bool
jsonl_meta(struct jsonl_scan *r)
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
