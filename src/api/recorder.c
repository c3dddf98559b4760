/* recorder.c -- sessions on threads of the caller become a history; see
 * assay.h.
 *
 * The lines that the sessions wrote (recording.h) are merged by the time of
 * their ends when the recorder is finished, and read like a file: there is one
 * notation for everything that can be recorded.
 *
 * SPDX-License-Identifier: MIT */
#include "api/recording.h"
#include "base/memory/mem.h"
#include "base/print.h"
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

/* Give it a name, and put it into the list. */
static bool
enter_session(struct assay_recorder *r, struct assay_session *s,
              const char *name)
{
    bool ok;
    size_t number = r->n_sessions;
    do {
        char own[32];
        print_text(own, sizeof own, "s%zu", ++number);
        ok = recording_set_name(s, name ? name : own);
    } while (ok && !name && is_taken(r, s->name));
    if (ok && is_taken(r, s->name)) {
        handle_fail(ASSAY_E_USAGE, "another session has this name");
        ok = false;
    }
    if (ok) {
        s->next = r->sessions;
        r->sessions = s;
        r->n_sessions++;
    }
    return ok;
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
static void
merge(const struct assay_recorder *r, struct buf *out)
{
    struct head *heap = mem_alloc(r->n_sessions, sizeof *heap);
    size_t n = 0, number = r->n_sessions;
    for (const struct assay_session *s = r->sessions; s; s = s->next, number--)
        if (s->n_txns)
            heap[n++] = (struct head){s, 0, number};
    for (size_t i = n; i-- > 0;)
        sink(heap, n, i);
    while (n) {
        const struct assay_session *s = heap->s;
        const size_t i = heap->i++;
        const size_t end = i + 1 < s->n_txns ? s->txns[i + 1].begin : s->n;
        buf_add(out, s->text + s->txns[i].begin, end - s->txns[i].begin);
        if (i + 1 == s->n_txns)
            *heap = heap[--n];
        sink(heap, n, 0);
    }
    mem_free(heap);
}

static void
read_lines(void *self)
{
    struct finishing *f = self;
    const struct assay *a = f->r->a;
    struct buf lines = {0};
    if (f->r->n_sessions)
        merge(f->r, &lines);
    context_phase("reading");
    const bool ok = format_read_bytes(
        lines.n ? lines.at : "", lines.n, "recording", "jsonl",
        (unsigned)a->options[ASSAY_THREADS], &f->h, &f->format, &f->err);
    buf_free(&lines);
    if (ok && !a->options[ASSAY_SESSION_ORDER])
        history_ignore_sessions(&f->h);
}

/* End what is open, and find the first error. */
static assay_status
close_sessions(struct assay_recorder *r)
{
    for (struct assay_session *s = r->sessions; s; s = s->next) {
        recording_close(s);
        if (s->failed)
            return handle_fail(s->failed, s->why);
    }
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
