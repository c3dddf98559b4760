/* handle.c -- see handle.h.
 *
 * SPDX-License-Identifier: MIT */
#include "api/handle.h"

#include "base/memory/mem.h"
#include "base/parallel.h"
#include "base/print.h"
#include "base/utf8.h"
#include "version.h"

#include <inttypes.h>
#include <string.h>

/* --- errors ----------------------------------------------------------------*/

static _Thread_local struct {
    assay_status status;
    uint64_t line, column;
    char text[1024];
} last;

void
handle_clear_error(void)
{
    last.status = ASSAY_OK;
    last.line = last.column = 0;
    last.text[0] = 0;
}

/* Bytes of the character at text[i], which has n bytes: 0 where it is none, or
 * one that would move the cursor of a terminal. */
static size_t
character_at(const char *text, size_t i, size_t n)
{
    const unsigned char c = (unsigned char)text[i];
    const size_t length = utf8_length(text + i, n - i);
    const bool is_control =
        c < 0x20 || c == 0x7f ||
        (c == 0xc2 && length == 2 && (unsigned char)text[i + 1] < 0xa0);
    return is_control ? 0 : length;
}

/* A message has names that came from outside: keep it one line of UTF-8. */
static void
clean_text(void)
{
    const size_t n = strlen(last.text);
    for (size_t i = 0, length; i < n; i += length ? length : 1) {
        length = character_at(last.text, i, n);
        if (!length)
            last.text[i] = '?';
    }
}

assay_status
handle_fail(assay_status status, const char *message)
{
    handle_clear_error();
    last.status = status;
    print_text(last.text, sizeof last.text, "%s", message);
    clean_text();
    return status;
}

assay_status
handle_fail_err(const struct err *err)
{
    static const assay_status statuses[] = {
        [ERR_NONE] = ASSAY_E_INTERNAL,    [ERR_USAGE] = ASSAY_E_USAGE,
        [ERR_SYNTAX] = ASSAY_E_SYNTAX,    [ERR_IO] = ASSAY_E_IO,
        [ERR_LIMIT] = ASSAY_E_CAPACITY,   [ERR_FEATURE] = ASSAY_E_FEATURE,
        [ERR_INTERNAL] = ASSAY_E_INTERNAL};
    last.status = statuses[err->kind];
    last.line = err->line;
    last.column = err->column;
    err_format(err, last.text, sizeof last.text);
    clean_text();
    return last.status;
}

assay_status
handle_fail_stop(const struct limit_stop *stop)
{
    switch (stop->kind) {
    case LIMIT_TIME:
        return handle_fail(ASSAY_E_LIMIT, "the time limit was reached");
    case LIMIT_MEMORY:
        return handle_fail(ASSAY_E_LIMIT, "the memory limit was reached");
    case LIMIT_CANCELLED:
        return handle_fail(ASSAY_E_CANCELLED, "the call was cancelled");
    case LIMIT_CAPACITY: {
        char text[120];
        print_text(text, sizeof text, "more than %" PRIu64 " %s", stop->most,
                   stop->what);
        return handle_fail(ASSAY_E_CAPACITY, text);
    }
    default:
        return handle_fail(ASSAY_E_MEMORY, "the system has no more memory");
    }
}

const char *
assay_error(void)
{
    return last.text;
}

assay_status
assay_error_status(void)
{
    return last.status;
}

uint64_t
assay_error_line(void)
{
    return last.line;
}

uint64_t
assay_error_column(void)
{
    return last.column;
}

/* --- version ---------------------------------------------------------------*/

int
assay_version(void)
{
    return ASSAY_API_VERSION;
}

const char *
assay_version_text(void)
{
    return ASSAY_VERSION;
}

int
assay_has(const char *feature)
{
    return feature && strcmp(feature, "threads") == 0;
}

/* --- handles ---------------------------------------------------------------*/

void *
handle_alloc(size_t size)
{
    void *p = mem_try_realloc(NULL, 1, size);
    if (p)
        memset(p, 0, size);
    else
        handle_fail(ASSAY_E_MEMORY, "the system has no more memory");
    return p;
}

char *
handle_copy(const char *text)
{
    const size_t n = strlen(text) + 1;
    char *copy = handle_alloc(n);
    if (copy)
        memcpy(copy, text, n);
    return copy;
}

struct assay *
handle_keep(struct assay *a)
{
    atomic_fetch_add(&a->references, 1);
    return a;
}

/* The range of each option, and its value at first. */
static const struct {
    int64_t least, most, first;
} ranges[HANDLE_OPTIONS] = {
    [ASSAY_TIMEOUT_MS] = {0, INT64_C(1) << 40, 0},
    [ASSAY_MEMORY] = {0, (int64_t)(SIZE_MAX >> 1), 0},
    [ASSAY_THREADS] = {1, PARALLEL_MOST, 1},
    [ASSAY_VERIFY] = {0, 1, 1},
    [ASSAY_EXPLAIN] = {0, 1000000, 5},
    [ASSAY_SESSION_ORDER] = {0, 1, 1},
    [ASSAY_WORK] = {0, INT64_MAX, 0},
    [ASSAY_CLOCK] = {0, 1, 1},
    [ASSAY_COMPLETE] = {0, 1, 0},
};

assay *
assay_new(void)
{
    handle_clear_error();
    assay *a = handle_alloc(sizeof *a);
    if (!a)
        return NULL;
    atomic_store(&a->references, 1);
    pthread_mutex_init(&a->lock, NULL);
    for (size_t i = 0; i < HANDLE_OPTIONS; i++)
        a->options[i] = ranges[i].first;
    return a;
}

void
assay_free(assay *a)
{
    if (!a || atomic_fetch_sub(&a->references, 1) != 1)
        return;
    pthread_mutex_destroy(&a->lock);
    mem_free(a);
}

static bool
is_option(assay_option o)
{
    return (int)o >= ASSAY_TIMEOUT_MS && (int)o < HANDLE_OPTIONS;
}

assay_status
assay_set(assay *a, assay_option o, int64_t value)
{
    handle_clear_error();
    if (!a || !is_option(o))
        return handle_fail(ASSAY_E_USAGE, "an unknown option");
    if (value < ranges[o].least || value > ranges[o].most)
        return handle_fail(ASSAY_E_USAGE, "the value is out of range");
    a->options[o] = value;
    return ASSAY_OK;
}

int64_t
assay_get(const assay *a, assay_option o)
{
    return a && is_option(o) ? a->options[o] : 0;
}

void
assay_set_progress(assay *a, assay_progress *p, void *self)
{
    if (!a)
        return;
    a->progress = p;
    a->progress_self = self;
}

void
assay_cancel(assay *a)
{
    if (a)
        atomic_store(&a->cancelled, true);
}

void
assay_uncancel(assay *a)
{
    if (a)
        atomic_store(&a->cancelled, false);
}

/* --- calls -----------------------------------------------------------------*/

void
handle_tell(struct assay *a, const char *phase)
{
    if (!a->progress)
        return;
    pthread_mutex_lock(&a->lock);
    const int answer = a->progress(a->progress_self, phase);
    pthread_mutex_unlock(&a->lock);
    if (answer)
        context_stop(LIMIT_CANCELLED, NULL, 0);
}

static void
tell_progress(void *self, const char *phase)
{
    handle_tell(self, phase);
}

void
handle_context(struct assay *a, bool limited, struct context *c)
{
    const int64_t ms = a->options[ASSAY_TIMEOUT_MS];
    *c = (struct context){.cancel = &a->cancelled};
    if (!limited)
        return;
    c->memory = (size_t)a->options[ASSAY_MEMORY];
    c->deadline = ms ? time_now() + (double)ms / 1000 : 0;
    c->progress = tell_progress;
    c->self = a;
}

assay_status
handle_run(struct assay *a, void (*work)(void *self), void *self,
           struct err *err)
{
    struct context c;
    handle_clear_error();
    handle_context(a, true, &c);
    if (!context_run(&c, work, self))
        return handle_fail_stop(&c.stop);
    return err->kind ? handle_fail_err(err) : ASSAY_OK;
}

const char *
handle_path(const char *path)
{
    return strcmp(path, "-") == 0 ? "./-" : path;
}
