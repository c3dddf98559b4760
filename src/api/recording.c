/* recording.c -- the calls of a session; see recording.h.
 *
 * They take no lock and call nothing of the rest of the library but the
 * allocator, a few times in all.
 *
 * SPDX-License-Identifier: MIT */
#include "api/recording.h"

#include "base/memory/mem.h"

#include <string.h>
#include <time.h>

/* --- bytes -----------------------------------------------------------------*/

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

static __attribute__((noinline)) bool
grow_bytes(struct assay_session *s, size_t n)
{
    void *at = s->bytes;
    const bool ok = reserve(s, &at, &s->room, n, 1);
    s->bytes = at;
    return ok;
}

static __attribute__((noinline)) bool
grow_txns(struct assay_session *s)
{
    void *at = s->txns;
    const bool ok =
        reserve(s, &at, &s->room_txns, s->n_txns + 1, sizeof *s->txns);
    s->txns = at;
    return ok;
}

void
recording_free(struct assay_session *s)
{
    mem_free(s->name);
    mem_free(s->bytes);
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

static void
end(struct assay_session *s, assay_outcome o, bool has_end, int64_t time)
{
    struct recording_txn *t = &s->txns[s->n_txns - 1];
    t->outcome = o;
    t->has_end = has_end && t->has_start;
    t->end = time;
    t->place = t->has_end ? time : atomic_fetch_add(&s->r->sequence, 1);
    if (s->n_txns > 1 && t[-1].place > t->place)
        t->place = t[-1].place; // (2)
    s->is_open = false;
}

static void
begin(struct assay_session *s, bool has_start, int64_t time)
{
    if (s->failed)
        return;
    if (s->is_open)
        end(s, ASSAY_INDETERMINATE, false, 0);
    if (s->n_txns == s->room_txns && !grow_txns(s))
        return;
    s->txns[s->n_txns++] = (struct recording_txn){
        .start = time, .begin = s->n, .has_start = has_start};
    s->is_open = true;
}

void
assay_begin(assay_session *s)
{
    if (!s)
        return;
    s->has_own_times |= s->clock;
    begin(s, s->clock, s->clock ? recording_now() - s->epoch : 0);
}

void
assay_begin_at(assay_session *s, int64_t nanoseconds)
{
    if (!s)
        return;
    s->has_given_times = true;
    begin(s, true, nanoseconds);
}

static bool
is_recording(struct assay_session *s)
{
    if (s && s->is_open && !s->failed)
        return true;
    if (s && !s->is_open)
        fail(s, ASSAY_E_USAGE, "a call for a transaction that was not begun");
    return false;
}

static bool
can_end(struct assay_session *s, assay_outcome o)
{
    if (!is_recording(s))
        return false;
    if ((unsigned)o > ASSAY_INDETERMINATE)
        fail(s, ASSAY_E_USAGE, "a transaction ended with an unknown outcome");
    return !s->failed;
}

void
assay_end(assay_session *s, assay_outcome o)
{
    if (!can_end(s, o))
        return;
    s->has_own_times |= s->clock;
    end(s, o, s->clock, s->clock ? recording_now() - s->epoch : 0);
}

void
assay_end_at(assay_session *s, assay_outcome o, int64_t nanoseconds)
{
    if (!can_end(s, o))
        return;
    s->has_given_times = true;
    end(s, o, true, nanoseconds);
}

void
recording_close(struct assay_session *s)
{
    if (s->is_open && !s->failed)
        end(s, ASSAY_INDETERMINATE, false, 0);
}

/* --- operations ------------------------------------------------------------*/

/* Append an operation: its text, and n bytes.  Where they begin, or NULL. */
static inline char *
put(struct assay_session *s, enum recording_op op, const char *text, size_t n)
{
    if (!is_recording(s))
        return NULL;
    if (!text) {
        fail(s, ASSAY_E_USAGE, "an operation without a key");
        return NULL;
    }
    const size_t length = strlen(text) + 1, all = 1 + length + n;
    if (s->n + all > s->room && !grow_bytes(s, s->n + all))
        return NULL;
    char *at = s->bytes + s->n;
    s->n += all;
    *at = (char)op;
    memcpy(at + 1, text, length);
    return at + 1 + length;
}

static inline void
put_int(struct assay_session *s, enum recording_op op, const char *key,
        int64_t value)
{
    char *at = put(s, op, key, sizeof value);
    if (at)
        memcpy(at, &value, sizeof value);
}

static void
put_text(struct assay_session *s, enum recording_op op, const char *key,
         const char *value)
{
    const size_t n = strlen(value) + 1;
    char *at = put(s, op, key, n);
    if (at)
        memcpy(at, value, n);
}

/* Whether a text is one value between brackets that begins so and ends with the
 * text: then it stays where it is put.  The rest is up to the reader. */
static bool
is_one_value(const char *json, char opening)
{
    size_t depth = 0;
    bool in_text = false;
    json += strspn(json, " \t");
    if (*json != opening)
        return false;
    for (; *json; json++) {
        if (in_text && *json == '\\' && json[1])
            json++;
        else if (*json == '"')
            in_text = !in_text;
        else if (!in_text && (*json == '[' || *json == '{'))
            depth++;
        else if (!in_text && (*json == ']' || *json == '}') && --depth == 0)
            break;
    }
    return *json && !json[1 + strspn(json + 1, " \t")];
}

/* A text that becomes a part of a line. */
static void
put_json(struct assay_session *s, enum recording_op op, const char *json,
         char opening)
{
    if (!is_recording(s))
        return;
    if (!json || strpbrk(json, "\r\n"))
        fail(s, ASSAY_E_USAGE,
             "JSON that was recorded has a line end, or is "
             "NULL");
    else if (!is_one_value(json, opening))
        fail(s, ASSAY_E_USAGE,
             opening == '[' ? "an operation that was recorded as JSON is not "
                              "one array"
                            : "meta that was recorded is not one JSON object");
    (void)put(s, op, json, 0);
}

void
assay_name(assay_session *s, const char *name)
{
    if (name)
        (void)put(s, RECORDING_NAME, name, 0);
}

void
assay_meta(assay_session *s, const char *json)
{
    put_json(s, RECORDING_META, json, '{');
}

void
assay_partial(assay_session *s, const char *what)
{
    (void)put(s, RECORDING_PARTIAL, what, 0);
}

void
assay_op_json(assay_session *s, const char *op)
{
    put_json(s, RECORDING_JSON, op, '[');
}

void
assay_read_int(assay_session *s, const char *key, int64_t value)
{
    put_int(s, RECORDING_READ_INT, key, value);
}

void
assay_read_nil(assay_session *s, const char *key)
{
    (void)put(s, RECORDING_READ_NIL, key, 0);
}

void
assay_read_text(assay_session *s, const char *key, const char *value)
{
    if (value)
        put_text(s, RECORDING_READ_TEXT, key, value);
    else
        assay_read_nil(s, key);
}

void
assay_write_int(assay_session *s, const char *key, int64_t value)
{
    put_int(s, RECORDING_WRITE_INT, key, value);
}

void
assay_write_text(assay_session *s, const char *key, const char *value)
{
    if (value)
        put_text(s, RECORDING_WRITE_TEXT, key, value);
    else
        (void)put(s, RECORDING_WRITE_NIL, key, 0);
}

void
assay_append_int(assay_session *s, const char *key, int64_t element)
{
    put_int(s, RECORDING_APPEND_INT, key, element);
}

void
assay_read_list_int(assay_session *s, const char *key, const int64_t *elements,
                    size_t n)
{
    const int64_t count = (int64_t)n;
    if (is_recording(s) && (n > SIZE_MAX / 32 || (n && !elements)))
        fail(s, ASSAY_E_USAGE, "a list without its elements");
    if (!s || s->failed)
        return;
    char *at =
        put(s, RECORDING_READ_LIST, key, sizeof count + n * sizeof *elements);
    if (!at)
        return;
    memcpy(at, &count, sizeof count);
    if (n)
        memcpy(at + sizeof count, elements, n * sizeof *elements);
}
