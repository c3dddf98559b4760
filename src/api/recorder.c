/* recorder.c -- sessions on threads of the caller become a history; see
 * assay.h.
 *
 * When the recorder is finished, what the sessions recorded (recording.h)
 * becomes lines of jsonl, by the time of their ends, and is read like a file:
 * there is one notation for everything that can be recorded.
 *
 * SPDX-License-Identifier: MIT */
#include "api/recording.h"
#include "base/memory/mem.h"
#include "base/print.h"
#include "base/utf8.h"
#include "format/format.h"
#include "history/sessions.h"

#include <string.h>

/* --- sessions --------------------------------------------------------------*/

assay_recorder *
assay_recorder_new(assay *a)
{
    handle_clear_error();
    assay_recorder *r = a ? handle_alloc(sizeof *r) : NULL;
    if (!r) {
        if (!a)
            handle_fail(ASSAY_E_USAGE, "no assay");
        return NULL;
    }
    r->a = handle_keep(a);
    r->clock = a->options[ASSAY_CLOCK];
    r->epoch = recording_now();
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

void
assay_recorder_free(assay_recorder *r)
{
    if (!r)
        return;
    for (struct assay_session *s = r->sessions, *next; s; s = next) {
        next = s->next;
        recording_free(s);
    }
    pthread_mutex_destroy(&r->lock);
    assay_free(r->a);
    mem_free(r);
}

static bool
is_taken(const struct assay_recorder *r, const char *name)
{
    for (const struct assay_session *s = r->sessions; s; s = s->next)
        if (strcmp(s->name, name) == 0)
            return true;
    return false;
}

/* Give it a name that no other session has. */
static bool
choose_name(struct assay_recorder *r, struct assay_session *s, const char *name)
{
    size_t number = r->n_sessions;
    char own[32];
    do {
        print_text(own, sizeof own, "s%zu", ++number);
    } while (!name && is_taken(r, own));
    if (name && !utf8_is_valid(name, strlen(name)))
        return !handle_fail(ASSAY_E_USAGE, "the name is not UTF-8");
    if (name && is_taken(r, name))
        return !handle_fail(ASSAY_E_USAGE, "another session has this name");
    s->name = handle_copy(name ? name : own);
    return s->name;
}

/* Give it a name, and put it into the list. */
static bool
enter_session(struct assay_recorder *r, struct assay_session *s,
              const char *name)
{
    if (!choose_name(r, s, name))
        return false;
    s->next = r->sessions;
    r->sessions = s;
    r->n_sessions++;
    return true;
}

assay_session *
assay_session_open(assay_recorder *r, const char *name)
{
    handle_clear_error();
    if (!r) {
        handle_fail(ASSAY_E_USAGE, "no recorder");
        return NULL;
    }
    struct assay_session *s = handle_alloc(sizeof *s);
    if (!s)
        return NULL;
    s->r = r;
    s->clock = r->clock;
    s->epoch = r->epoch;
    pthread_mutex_lock(&r->lock);
    const bool ok = enter_session(r, s, name);
    pthread_mutex_unlock(&r->lock);
    if (ok)
        return s;
    recording_free(s);
    return NULL;
}

/* --- the history -----------------------------------------------------------*/

struct finishing {
    struct assay_recorder *r;
    const struct format *format;
    struct history h;
    struct err err;
};

/* A session on the way through its transactions. */
struct head {
    const struct assay_session *s;
    size_t i, number;
};

static bool
is_before(const struct head *a, const struct head *b)
{
    const int64_t x = a->s->txns[a->i].place, y = b->s->txns[b->i].place;
    return x < y || (x == y && a->number < b->number);
}

/* Restore the heap below i. */
static void
sink(struct head heap[], size_t n, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && is_before(&heap[child + 1], &heap[child]);
        if (!is_before(&heap[child], &heap[i]))
            break;
        const struct head down = heap[i];
        heap[i] = heap[child];
        heap[child] = down;
    }
}

/* The lines of all sessions, by the places of their transactions. */
static bool
merge(const struct assay_recorder *r, struct buf *out, struct err *err)
{
    struct head *heap = mem_alloc(r->n_sessions, sizeof *heap);
    size_t n = 0, number = r->n_sessions;
    bool ok = true;
    for (const struct assay_session *s = r->sessions; s; s = s->next, number--)
        if (s->n_txns)
            heap[n++] = (struct head){s, 0, number};
    for (size_t i = n; i-- > 0;)
        sink(heap, n, i);
    while (ok && n) {
        const struct assay_session *s = heap->s;
        ok = recording_write(s, heap->i++, out, err);
        if (heap->i == s->n_txns)
            *heap = heap[--n];
        sink(heap, n, 0);
    }
    mem_free(heap);
    return ok;
}

static void
read_lines(void *self)
{
    struct finishing *f = self;
    const struct assay *a = f->r->a;
    struct buf lines = {0};
    context_phase("reading");
    const bool ok =
        (!f->r->n_sessions || merge(f->r, &lines, &f->err)) &&
        format_read_bytes(lines.n ? lines.at : "", lines.n, "recording",
                          "jsonl", (unsigned)a->options[ASSAY_THREADS], &f->h,
                          &f->format, &f->err);
    buf_free(&lines);
    if (ok && !a->options[ASSAY_SESSION_ORDER])
        history_ignore_sessions(&f->h);
}

/* End what is open, and find the first error. */
static assay_status
close_sessions(struct assay_recorder *r)
{
    bool has_own_times = false, has_given_times = false;
    for (struct assay_session *s = r->sessions; s; s = s->next) {
        recording_close(s);
        if (s->failed)
            return handle_fail(s->failed, s->why);
        has_own_times |= s->has_own_times;
        has_given_times |= s->has_given_times;
    }
    // Two clocks give transactions an order that they did not have.
    if (has_own_times && has_given_times)
        return handle_fail(ASSAY_E_USAGE,
                           "some calls gave times and others did not: give "
                           "them all, or set ASSAY_CLOCK to 0");
    return ASSAY_OK;
}

assay_history *
assay_recorder_finish(assay_recorder *r)
{
    handle_clear_error();
    if (!r) {
        handle_fail(ASSAY_E_USAGE, "no recorder");
        return NULL;
    }
    struct finishing f = {.r = r};
    assay_history *h = NULL;
    if (close_sessions(r) == ASSAY_OK &&
        handle_run(r->a, read_lines, &f, &f.err) == ASSAY_OK)
        h = handle_history(r->a, &f.h, f.format, "recording");
    assay_recorder_free(r);
    return h;
}
