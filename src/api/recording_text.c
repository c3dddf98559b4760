/* recording_text.c -- transactions of a session as lines of the format jsonl.
 *
 * SPDX-License-Identifier: MIT */
#include "api/recording.h"
#include "base/json.h"
#include "base/utf8.h"

#include <assert.h>
#include <string.h>

/* What follows the text of an operation. */
enum form { NIL, INTEGER, TEXT, LIST, WHOLE, MEMBER, GAP };

static const struct {
    const char *name; // of the operation, or of the member
    enum form form;
} rows[] = {
    [RECORDING_READ_INT] = {"r", INTEGER},
    [RECORDING_READ_TEXT] = {"r", TEXT},
    [RECORDING_READ_NIL] = {"r", NIL},
    [RECORDING_READ_LIST] = {"r", LIST},
    [RECORDING_WRITE_INT] = {"w", INTEGER},
    [RECORDING_WRITE_TEXT] = {"w", TEXT},
    [RECORDING_WRITE_NIL] = {"w", NIL},
    [RECORDING_APPEND_INT] = {"append", INTEGER},
    [RECORDING_JSON] = {NULL, WHOLE},
    [RECORDING_NAME] = {"id", MEMBER},
    [RECORDING_META] = {"meta", MEMBER},
    [RECORDING_PARTIAL] = {"partial", GAP},
};

/* The bytes that are left, and what was found wrong. */
struct scan {
    const char *at, *end;
    struct buf *out;
    bool is_utf8;
};

static const char *
take_text(struct scan *s)
{
    const char *text = s->at;
    const size_t n = strlen(text);
    assert(n < (size_t)(s->end - text));
    s->is_utf8 &= utf8_is_valid(text, n);
    s->at += n + 1;
    return text;
}

static int64_t
take_int(struct scan *s)
{
    int64_t x;
    assert((size_t)(s->end - s->at) >= sizeof x);
    memcpy(&x, s->at, sizeof x);
    s->at += sizeof x;
    return x;
}

static void
write_value(struct scan *s, enum form form)
{
    switch (form) {
    case INTEGER:
        json_i64(s->out, NULL, take_int(s));
        return;
    case TEXT:
        json_text(s->out, NULL, take_text(s));
        return;
    case LIST:
        json_array(s->out, NULL);
        for (int64_t n = take_int(s); n > 0; n--)
            json_i64(s->out, NULL, take_int(s));
        json_array_end(s->out);
        return;
    default:
        json_null(s->out, NULL);
    }
}

/* The parts of a line that are gone through one after another. */
enum part { PART_OPS, PART_MEMBERS, PART_GAPS };

static enum part
part_of(enum form form)
{
    return form == MEMBER ? PART_MEMBERS : form == GAP ? PART_GAPS : PART_OPS;
}

/* The next operation, if it belongs to the part. */
static void
write_op(struct scan *s, enum part part)
{
    const enum recording_op op = (enum recording_op) * s->at++;
    const enum form form = rows[op].form;
    const size_t before = s->out->n;
    const char *text = take_text(s);
    if (form == WHOLE || op == RECORDING_META) {
        json_raw(s->out, rows[op].name, text, strlen(text));
    } else if (form == MEMBER) {
        json_text(s->out, rows[op].name, text);
    } else if (form == GAP) {
        json_text(s->out, NULL, text);
    } else {
        json_array(s->out, NULL);
        json_text(s->out, NULL, rows[op].name);
        json_text(s->out, NULL, text);
        write_value(s, form);
        json_array_end(s->out);
    }
    if (part_of(form) != part)
        s->out->n = before;
}

/* False: a text is not UTF-8. */
static bool
write_part(struct scan s, enum part part)
{
    while (s.at < s.end)
        write_op(&s, part);
    return s.is_utf8;
}

static void
write_gaps(struct scan s, struct buf *out)
{
    const size_t before = out->n;
    json_array(out, "partial");
    const size_t empty = out->n;
    (void)write_part(s, PART_GAPS);
    if (out->n == empty)
        out->n = before;
    else
        json_array_end(out);
}

static bool
is_unknown(assay_outcome o)
{
    return o != ASSAY_COMMITTED && o != ASSAY_ABORTED;
}

/* Begin a line of the session. */
static void
begin_line(const struct assay_session *s, struct buf *out)
{
    json_object(out, NULL);
    json_text(out, "session", s->name);
}

bool
recording_write(const struct assay_session *s, size_t i, struct buf *out,
                struct err *err)
{
    const struct recording_txn *t = &s->txns[i];
    const size_t end = i + 1 < s->n_txns ? t[1].begin : s->n;
    const char *none = "";
    const char *bytes = s->bytes ? s->bytes : none;
    const struct scan scan = {bytes + t->begin, bytes + end, out, true};
    if (i && is_unknown(t[-1].outcome)) {
        begin_line(s, out);
        json_text(out, "status", "unknown");
        json_end_line(out);
    }
    begin_line(s, out);
    if (t->has_start)
        json_i64(out, "start", t->start);
    json_array(out, "ops");
    const bool is_utf8 = write_part(scan, PART_OPS);
    json_array_end(out);
    if (t->has_end)
        json_i64(out, "end", t->end);
    (void)write_part(scan, PART_MEMBERS);
    write_gaps(scan, out);
    if (t->outcome != ASSAY_COMMITTED)
        json_text(out, "status",
                  is_unknown(t->outcome) ? "unknown" : "aborted");
    json_end_line(out);
    return is_utf8 ||
           err_set(err, ERR_USAGE, "a text that was recorded is not UTF-8");
}
