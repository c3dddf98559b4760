/* recording.c -- see recording.h.
 *
 * A call takes no lock and calls nothing of the rest of the library: it
 * appends to the text of the session.
 *
 * SPDX-License-Identifier: MIT */
#include "api/recording.h"

#include "base/memory/mem.h"
#include "base/print.h"
#include "base/utf8.h"

#include <string.h>
#include <time.h>

/* --- text ------------------------------------------------------------------*/

static void
fail(struct assay_session *s, assay_status status, const char *why)
{
    if (s->failed)
        return;
    s->failed = status;
    s->why = why;
}

/* Room for n elements in all. */
static bool
reserve(struct assay_session *s, void **at, size_t *room, size_t n, size_t size)
{
    if (n <= *room)
        return true;
    const size_t more = n + n / 2 + 256 / size;
    void *p = mem_try_realloc(*at, more, size);
    if (!p) {
        fail(s, ASSAY_E_MEMORY, "the system had no memory for the recording");
        return false;
    }
    *at = p;
    *room = more;
    return true;
}

static bool
reserve_text(struct assay_session *s, size_t more)
{
    if (s->n + more <= s->room)
        return true;
    void *at = s->text;
    const bool ok = reserve(s, &at, &s->room, s->n + more, 1);
    s->text = at;
    return ok;
}

static inline void
put(struct assay_session *s, const char *text, size_t n)
{
    if (!reserve_text(s, n))
        return;
    memcpy(s->text + s->n, text, n);
    s->n += n;
}

#define PUT(s, literal) put((s), "" literal "", sizeof(literal) - 1)

enum { INT_ROOM = 20 }; // bytes of an integer

/* Write x at 'at', where twice INT_ROOM bytes are; its length.  Two digits at a
 * time, because a time has fifteen. */
static size_t
write_int(char *at, int64_t x)
{
    static const char pairs[] = "00010203040506070809"
                                "10111213141516171819"
                                "20212223242526272829"
                                "30313233343536373839"
                                "40414243444546474849"
                                "50515253545556575859"
                                "60616263646566676869"
                                "70717273747576777879"
                                "80818283848586878889"
                                "90919293949596979899";
    char digits[2 * INT_ROOM];
    size_t i = INT_ROOM;
    uint64_t rest = x < 0 ? -(uint64_t)x : (uint64_t)x;
    for (; rest >= 100; rest /= 100)
        memcpy(digits + (i -= 2), pairs + 2 * (rest % 100), 2);
    if (rest >= 10) {
        digits[--i] = (char)('0' + rest % 10);
        rest /= 10;
    }
    digits[--i] = (char)('0' + rest);
    if (x < 0)
        digits[--i] = '-';
    memcpy(at, digits + i, INT_ROOM); // a size that the compiler knows
    return INT_ROOM - i;
}

static void
put_int(struct assay_session *s, int64_t x)
{
    if (reserve_text(s, (size_t)2 * INT_ROOM))
        s->n += write_int(s->text + s->n, x);
}

/* A byte of a JSON string that does not stand for itself. */
static void
put_escaped(struct assay_session *s, unsigned char c)
{
    char text[8];
    const size_t n = c < 0x20 ? print_text(text, sizeof text, "\\u%04x", c)
                              : print_text(text, sizeof text, "\\%c", c);
    put(s, text, n);
}

/* Whether a byte stands for itself, and is no part of a longer character. */
static bool
is_plain(char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void
put_string(struct assay_session *s, const char *text)
{
    size_t n = 0;
    PUT(s, "\"");
    for (;;) {
        while (is_plain(text[n]))
            n++;
        const size_t len =
            text[n] ? utf8_length(text + n, strlen(text + n)) : 0;
        if (text[n] && !len) {
            fail(s, ASSAY_E_USAGE, "a text that was recorded is not UTF-8");
            return;
        }
        if (len > 1 || text[n] == 0x7f) {
            n += len;
            continue;
        }
        put(s, text, n);
        if (!text[n])
            break;
        put_escaped(s, (unsigned char)text[n]);
        text += n + 1;
        n = 0;
    }
    PUT(s, "\"");
}

bool
recording_set_name(struct assay_session *s, const char *name)
{
    put_string(s, name);
    put(s, "", 1);
    if (s->failed) {
        handle_fail(s->failed, s->why);
        return false;
    }
    mem_free(s->name);
    s->name = s->text;
    s->text = NULL;
    s->n = s->room = 0;
    return true;
}

void
recording_free(struct assay_session *s)
{
    mem_free(s->name);
    mem_free(s->text);
    mem_free(s->more);
    mem_free(s->txns);
    mem_free(s);
}

/* --- transactions ----------------------------------------------------------*/

int64_t
recording_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* End the line of the open transaction. */
static void
end_line(struct assay_session *s, assay_outcome o, bool has_end, int64_t end)
{
    PUT(s, "]");
    if (has_end && s->has_start) {
        PUT(s, ",\"end\":");
        put_int(s, end);
    }
    if (s->n_more)
        put(s, s->more, s->n_more);
    s->n_more = 0;
    if (o == ASSAY_ABORTED)
        PUT(s, ",\"status\":\"aborted\"");
    else if (o != ASSAY_COMMITTED)
        PUT(s, ",\"status\":\"unknown\"");
    PUT(s, "}\n");
    s->is_open = false;
    s->was_unknown = o != ASSAY_COMMITTED && o != ASSAY_ABORTED;
    int64_t place =
        has_end && s->has_start ? end : atomic_fetch_add(&s->r->sequence, 1);
    struct recording_txn *t = &s->txns[s->n_txns - 1];
    if (s->n_txns > 1 && t[-1].place > place)
        place = t[-1].place; // (2)
    t->place = place;
}

static void
begin(struct assay_session *s, bool has_start, int64_t start)
{
    if (!s || s->failed)
        return;
    if (s->is_open)
        end_line(s, ASSAY_INDETERMINATE, false, 0);
    void *at = s->txns;
    const bool ok =
        reserve(s, &at, &s->room_txns, s->n_txns + 1, sizeof *s->txns);
    s->txns = at;
    if (!ok)
        return;
    s->txns[s->n_txns++] = (struct recording_txn){0, s->n};
    if (s->was_unknown) { // whose outcome nobody will know
        PUT(s, "{\"session\":");
        put(s, s->name, strlen(s->name));
        PUT(s, ",\"status\":\"unknown\"}\n");
    }
    PUT(s, "{\"session\":");
    put(s, s->name, strlen(s->name));
    if (has_start) {
        PUT(s, ",\"start\":");
        put_int(s, start);
    }
    PUT(s, ",\"ops\":[");
    s->is_open = true;
    s->has_ops = false;
    s->has_start = has_start;
}

void
assay_begin(assay_session *s)
{
    if (s)
        begin(s, s->r->clock, s->r->clock ? recording_now() - s->r->epoch : 0);
}

void
assay_begin_at(assay_session *s, int64_t nanoseconds)
{
    begin(s, true, nanoseconds);
}

static bool
is_recording(struct assay_session *s)
{
    if (!s || s->failed)
        return false;
    if (!s->is_open)
        fail(s, ASSAY_E_USAGE, "a call for a transaction that was not begun");
    return s->is_open;
}

void
assay_end(assay_session *s, assay_outcome o)
{
    if (is_recording(s))
        end_line(s, o, s->r->clock,
                 s->r->clock ? recording_now() - s->r->epoch : 0);
}

void
assay_end_at(assay_session *s, assay_outcome o, int64_t nanoseconds)
{
    if (is_recording(s))
        end_line(s, o, true, nanoseconds);
}

/* Append a member of the open transaction that 'text' has from 'from' on. */
static void
move_to_more(struct assay_session *s, size_t from)
{
    const size_t n = s->n - from;
    void *at = s->more;
    if (reserve(s, &at, &s->room_more, s->n_more + n, 1))
        memcpy((char *)at + s->n_more, s->text + from, n);
    s->more = at;
    s->n_more += s->failed ? 0 : n;
    s->n = from;
}

void
assay_name(assay_session *s, const char *name)
{
    if (!is_recording(s) || !name)
        return;
    const size_t from = s->n;
    PUT(s, ",\"id\":");
    put_string(s, name);
    move_to_more(s, from);
}

void
assay_meta(assay_session *s, const char *json)
{
    if (!is_recording(s) || !json)
        return;
    const size_t from = s->n;
    PUT(s, ",\"meta\":");
    put(s, json, strlen(json));
    move_to_more(s, from);
}

/* --- operations ------------------------------------------------------------*/

enum { FRONT_ROOM = 16 };

/* How an operation begins, with the quote of its key. */
struct front {
    char text[FRONT_ROOM + 1];
    size_t n;
};

static const struct front front_read = {",[\"r\",\"", 7};
static const struct front front_write = {",[\"w\",\"", 7};
static const struct front front_append = {",[\"append\",\"", 12};

/* An operation up to its value: ',["r","x",'.  Plain keys, the usual case, take
 * one pass, and INT_ROOM * 2 + 1 bytes are left for the value. */
static bool
begin_op(struct assay_session *s, const struct front *front, const char *key)
{
    if (!is_recording(s))
        return false;
    if (!key) {
        fail(s, ASSAY_E_USAGE, "an operation without a key");
        return false;
    }
    const size_t skipped = !s->has_ops; // the comma
    if (!reserve_text(s, FRONT_ROOM + strlen(key) + 2 * INT_ROOM + 4))
        return false;
    s->has_ops = true;
    memcpy(s->text + s->n, front->text + skipped, FRONT_ROOM);
    s->n += front->n - skipped;
    char *at = s->text + s->n;
    size_t n = 0;
    for (; is_plain(key[n]); n++)
        at[n] = key[n];
    if (!key[n]) {
        memcpy(at + n, "\",", 2);
        s->n += n + 2;
        return true;
    }
    s->n--; // put_string begins with the quote
    put_string(s, key);
    PUT(s, ",");
    return !s->failed;
}

static void
put_int_op(struct assay_session *s, const struct front *front, const char *key,
           int64_t value)
{
    if (!begin_op(s, front, key) || !reserve_text(s, (size_t)2 * INT_ROOM + 1))
        return;
    s->n += write_int(s->text + s->n, value);
    s->text[s->n++] = ']';
}

static void
put_text_op(struct assay_session *s, const struct front *front, const char *key,
            const char *value)
{
    if (!begin_op(s, front, key))
        return;
    if (value)
        put_string(s, value);
    else
        PUT(s, "null");
    PUT(s, "]");
}

void
assay_read_int(assay_session *s, const char *key, int64_t value)
{
    put_int_op(s, &front_read, key, value);
}

void
assay_read_text(assay_session *s, const char *key, const char *value)
{
    put_text_op(s, &front_read, key, value);
}

void
assay_read_nil(assay_session *s, const char *key)
{
    put_text_op(s, &front_read, key, NULL);
}

void
assay_write_int(assay_session *s, const char *key, int64_t value)
{
    put_int_op(s, &front_write, key, value);
}

void
assay_write_text(assay_session *s, const char *key, const char *value)
{
    put_text_op(s, &front_write, key, value);
}

void
assay_append_int(assay_session *s, const char *key, int64_t element)
{
    put_int_op(s, &front_append, key, element);
}

void
assay_read_list_int(assay_session *s, const char *key, const int64_t *elements,
                    size_t n)
{
    if (!begin_op(s, &front_read, key))
        return;
    PUT(s, "[");
    for (size_t i = 0; i < n; i++) {
        if (i)
            PUT(s, ",");
        put_int(s, elements[i]);
    }
    PUT(s, "]]");
}

void
assay_op_json(assay_session *s, const char *op)
{
    if (!is_recording(s) || !op)
        return;
    if (strpbrk(op, "\r\n")) {
        fail(s, ASSAY_E_USAGE, "an operation with a line end");
        return;
    }
    if (s->has_ops)
        PUT(s, ",");
    s->has_ops = true;
    put(s, op, strlen(op));
}

void
recording_close(struct assay_session *s)
{
    if (s->is_open && !s->failed)
        end_line(s, ASSAY_INDETERMINATE, false, 0);
}
