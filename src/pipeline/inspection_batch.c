/* inspection_batch.c -- see inspection_batch.h.
 *
 * Threads read, check and explain.  What follows, reports and calls, is done
 * under a lock by the thread that completes the history that is next.  Levels
 * of that history are told to the observer as they are decided; those of later
 * ones are noted, and told by the same thread once it is their turn, when it
 * begins or ends another phase: another thread could find them freed.
 *
 * Invariants, under the lock:
 *   (1) histories before 'next' are done, and no slot holds one of them;
 *   (2) a thread works for history i only if i < next + AHEAD * threads, so the
 *       thread that works for 'next' never waits, and the others wait for it.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/inspection_batch.h"

#include "base/limits/context.h"
#include "base/memory/heap.h"
#include "base/parallel.h"

#include <assert.h>
#include <pthread.h>

enum { AHEAD = 2 }; // histories a thread

// A level that is decided and not told yet.
struct decision {
    const struct level_result *result;
    bool final;
};

/* A history that is worked for, or waits for its turn. */
struct slot {
    struct batch *batch;
    size_t index;
    struct inspection inspection;
    VEC(struct decision) decided;
    struct err err;
    bool ok;
};

struct batch {
    const struct inspection_options *options;
    struct inspection_options reading; // the same, for one history
    const char *const *paths;
    size_t n;
    inspection_done *done;
    void *self;

    pthread_mutex_t lock;
    pthread_cond_t moved; // 'next' has
    size_t next;
    struct slot **slots; // by history; NULL: not ready, or done
};

/* Tell the observer what is decided of a history, if it is next. */
static void
tell_decisions(struct slot *s)
{
    struct batch *b = s->batch;
    const struct inspection_observer *to = &b->options->observer;
    if (s->index != b->next)
        return;
    for (size_t i = 0; i < s->decided.n; i++)
        to->decided(to->self, &s->inspection, s->decided.at[i].result,
                    s->decided.at[i].final);
    vec_clear(&s->decided);
}

static void
note_phase(void *self, enum level level, const char *phase)
{
    struct slot *s = self;
    (void)level;
    (void)phase;
    pthread_mutex_lock(&s->batch->lock);
    tell_decisions(s);
    pthread_mutex_unlock(&s->batch->lock);
}

static void
note_decision(void *self, const struct inspection *inspection,
              const struct level_result *result, bool final)
{
    struct slot *s = self;
    assert(inspection == &s->inspection);
    (void)inspection;
    pthread_mutex_lock(&s->batch->lock);
    vec_push(&s->decided, ((struct decision){result, final}));
    tell_decisions(s);
    pthread_mutex_unlock(&s->batch->lock);
}

/* The second half of an inspection. */
static void
end_inspection(const struct batch *b, const char *path, struct slot *s)
{
    struct inspection_result result = {.verdict = VERDICT_UNKNOWN};
    if (s->ok)
        s->ok = inspection_finish(b->options, &s->inspection, &result, &s->err);
    b->done(b->self, path, &result, s->ok ? NULL : &s->err);
    buf_free(&result.notes);
}

/* Wait until history i may be in memory (2). */
static void
wait_for_room(struct batch *b, size_t i)
{
    pthread_mutex_lock(&b->lock);
    while (i >= b->next + AHEAD * (size_t)b->options->check.threads)
        pthread_cond_wait(&b->moved, &b->lock);
    pthread_mutex_unlock(&b->lock);
}

static void
inspect_one(void *self, size_t i)
{
    struct batch *b = self;
    heap_tune_thread();
    wait_for_room(b, i);
    struct slot *s = mem_calloc(1, sizeof *s);
    *s = (struct slot){.batch = b, .index = i};
    struct inspection_options options = b->reading;
    options.observer.self = s;
    s->ok = inspection_read(&options, b->paths[i], &s->inspection, &s->err);
    pthread_mutex_lock(&b->lock);
    assert(i >= b->next && !b->slots[i]);
    b->slots[i] = s;
    while (b->next < b->n && b->slots[b->next]) {
        end_inspection(b, b->paths[b->next], b->slots[b->next]);
        vec_free(&b->slots[b->next]->decided);
        mem_free(b->slots[b->next]);
        b->slots[b->next++] = NULL;
    }
    pthread_cond_broadcast(&b->moved);
    pthread_mutex_unlock(&b->lock);
}

static void
inspect_together(struct batch *b)
{
    const unsigned threads = b->options->check.threads;
    // Threads that have no history of their own help with those of others.
    const unsigned each = b->n < threads ? threads / (unsigned)b->n : 1;
    b->reading = *b->options;
    b->reading.check.threads = b->reading.explaining.threads = each;
    b->reading.observer = (struct inspection_observer){0};
    if (b->options->observer.decided) {
        b->reading.observer.decided = note_decision;
        b->reading.observer.level = note_phase;
    }
    b->slots = mem_calloc(b->n, sizeof *b->slots);
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->moved, NULL);
    parallel_for(threads, b->n, inspect_one, b);
    assert(b->next == b->n);
    pthread_cond_destroy(&b->moved);
    pthread_mutex_destroy(&b->lock);
    mem_free(b->slots);
}

static void
inspect_one_by_one(const struct batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        struct inspection_result result;
        struct err err = {0};
        const bool ok =
            inspection_run(b->options, b->paths[i], NULL, &result, &err);
        b->done(b->self, b->paths[i], &result, ok ? NULL : &err);
        buf_free(&result.notes);
    }
}

void
inspection_batch(const struct inspection_options *o, const char *const *paths,
                 size_t n, inspection_done *done, void *self)
{
    struct batch b = {
        .options = o, .paths = paths, .n = n, .done = done, .self = self};
    // A context would have to end threads that wait for each other.
    if (o->check.threads > 1 && n > 1 && !limits_set(&o->check.limits) &&
        !context_current())
        inspect_together(&b);
    else
        inspect_one_by_one(&b);
}
