/* context.c -- see context.h.
 *
 * The work is abandoned by a jump to context_run or context_worker; all other
 * threads of the context have ended before its memory is freed, because
 * code that starts threads defers waiting for them (parallel.c, blocks.c).  The
 * blocks of a context are a set of addresses, so that no block needs a header
 * and blocks outside of contexts cost nothing; the set is under a lock because
 * of workers.
 *
 * Invariants:
 *   (1) a block is in the set of at most one context, the one that allocated
 *       it, or an outer one that took it over when that succeeded;
 *   (2) in_use is the sum of the bytes of the blocks in the set;
 *   (3) 'stop' is set once, by the first reason.
 *
 * SPDX-License-Identifier: MIT */
#include "base/limits/context.h"

#include "base/container/hash.h"
#include "base/limits/jump.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

struct deferred {
    void (*undo)(void *what);
    void *what;
};

/* Open addressing, NULL = free; deletion moves the followers up. */
struct block {
    void *at;
    size_t bytes;  // that are counted
    size_t mapped; // 0 = on the heap; else the size of the mapping
};

enum { DEFERRED = 16, FIRST_ROOM = 1 << 8 };

struct context_private {
    struct context *outer;
    atomic_bool stopped; // 'stop' is set
    pthread_mutex_t lock;
    struct block *blocks;
    size_t n, room; // a power of two
    struct deferred deferred[DEFERRED];
    size_t n_deferred;
};

/* The work of this thread, and where it returns to when it is abandoned. */
struct frame {
    struct context *c;
    struct frame *outer;
    bool is_worker;
    struct jump *jump;
    void (*work)(void *self);
    void *self;
};

static _Thread_local struct frame *top;
static struct context process;

struct context *
context_current(void)
{
    return top ? top->c : NULL;
}

struct context *
context_here(void)
{
    return top ? top->c : &process;
}

void
context_limit_process(size_t bytes)
{
    process.memory = bytes;
}

struct context *
context_outer(const struct context *c)
{
    return c->more ? c->more->outer : NULL;
}

/* --- blocks ---------------------------------------------------------------*/

static size_t
place_of(const struct context_private *p, const void *block)
{
    size_t i = hash_u64((uint64_t)(uintptr_t)block) & (p->room - 1);
    while (p->blocks[i].at && p->blocks[i].at != block)
        i = (i + 1) & (p->room - 1);
    return i;
}

/* Room for one more block; false where there is no memory. */
static bool
make_room(struct context_private *p)
{
    if (p->n * 2 < p->room)
        return true;
    const struct block *old = p->blocks;
    const size_t old_room = p->room;
    const size_t room = old_room ? 2 * old_room : FIRST_ROOM;
    struct block *blocks = calloc(room, sizeof *blocks);
    if (!blocks)
        return false;
    p->blocks = blocks;
    p->room = room;
    for (size_t i = 0; i < old_room; i++)
        if (old[i].at)
            p->blocks[place_of(p, old[i].at)] = old[i];
    free((void *)(uintptr_t)old);
    return true;
}

static bool
put_in(struct context_private *p, struct block block)
{
    pthread_mutex_lock(&p->lock);
    const bool ok = make_room(p);
    if (ok) {
        const size_t i = place_of(p, block.at);
        assert(!p->blocks[i].at);
        p->blocks[i] = block;
        p->n++;
    }
    pthread_mutex_unlock(&p->lock);
    return ok;
}

/* Close the gap that a block leaves at i. */
static void
close_gap(struct context_private *p, size_t i)
{
    const size_t mask = p->room - 1;
    for (size_t k = (i + 1) & mask; p->blocks[k].at; k = (k + 1) & mask) {
        const size_t home =
            hash_u64((uint64_t)(uintptr_t)p->blocks[k].at) & mask;
        if (((k - home) & mask) < ((k - i) & mask))
            continue; // at i it would not be found from its home
        p->blocks[i] = p->blocks[k];
        i = k;
    }
    p->blocks[i].at = NULL;
    p->n--;
}

static bool
take_out(struct context_private *p, const void *block, size_t bytes)
{
    pthread_mutex_lock(&p->lock);
    bool found = false;
    if (p->room) {
        const size_t i = place_of(p, block);
        found = p->blocks[i].at != NULL;
        assert(!found || p->blocks[i].bytes == bytes);
        if (found)
            close_gap(p, i);
    }
    pthread_mutex_unlock(&p->lock);
    (void)bytes;
    return found;
}

static void
count(struct context *c, size_t bytes)
{
    for (; c; c = context_outer(c)) {
        const size_t now =
            atomic_fetch_add_explicit(&c->in_use, bytes, memory_order_relaxed) +
            bytes;
        size_t seen = atomic_load_explicit(&c->peak, memory_order_relaxed);
        while (now > seen && !atomic_compare_exchange_weak_explicit(
                                 &c->peak, &seen, now, memory_order_relaxed,
                                 memory_order_relaxed))
            ;
    }
}

static void
uncount(struct context *c, size_t bytes)
{
    for (; c; c = context_outer(c))
        atomic_fetch_sub_explicit(&c->in_use, bytes, memory_order_relaxed);
}

bool
context_add_block(struct context *c, void *block, size_t bytes, size_t mapped)
{
    if (c->more && !put_in(c->more, (struct block){block, bytes, mapped}))
        return false;
    count(c, bytes);
    return true;
}

struct context *
context_remove_block(void *block, size_t bytes)
{
    struct context *c = context_here();
    while (c->more && !take_out(c->more, block, bytes))
        c = c->more->outer;
    uncount(c, bytes);
    return c;
}

/* --- the end of a run -----------------------------------------------------*/

/* Everything that c still holds goes to the context around it, or nothing
 * where that has no memory to note it. */
static bool
hand_over(struct context *c)
{
    struct context_private *p = c->more, *to = p->outer->more;
    size_t i = 0;
    bool ok = true;
    for (; to && ok && i < p->room; i++)
        ok = !p->blocks[i].at || put_in(to, p->blocks[i]);
    while (!ok && i-- > 0)
        if (p->blocks[i].at)
            (void)take_out(to, p->blocks[i].at, p->blocks[i].bytes);
    return ok;
}

static void
free_all(struct context *c)
{
    struct context_private *p = c->more;
    for (size_t i = 0; i < p->room; i++)
        if (p->blocks[i].at) {
            uncount(c, p->blocks[i].bytes);
            if (p->blocks[i].mapped)
                (void)munmap(p->blocks[i].at, p->blocks[i].mapped);
            else
                free(p->blocks[i].at);
        }
}

/* Leave the work of this thread.  What was deferred may be in its frames, so
 * it is undone before the jump. */
static _Noreturn void
leave(void)
{
    struct context_private *p = top->c->more;
    while (!top->is_worker && p->n_deferred) {
        const struct deferred *d = &p->deferred[--p->n_deferred];
        d->undo(d->what);
    }
    jump_leave(top->jump);
}

/* The results of c cannot be handed over. */
static void
stop_for_memory(struct context *c)
{
    limit_end_try(LIMIT_SYSTEM, NULL, 0);
    c->stop.kind = LIMIT_SYSTEM;
}

static void
run_frame(void *self, struct jump *jump)
{
    struct frame *frame = self;
    frame->jump = jump;
    top = frame;
    frame->work(frame->self);
    assert(top == frame);
}

bool
context_run(struct context *c, void (*work)(void *self), void *self)
{
    struct context_private more = {.outer = context_here()};
    pthread_mutex_init(&more.lock, NULL);
    c->more = &more;
    c->stop = (struct limit_stop){0};
    atomic_store(&c->in_use, 0);
    atomic_store(&c->peak, 0);
    struct frame frame = {.c = c, .outer = top, .work = work, .self = self};
    bool done = jump_run(run_frame, &frame);
    if (done) {
        assert(!more.n_deferred);
        done = hand_over(c);
        if (!done)
            stop_for_memory(c);
    }
    top = frame.outer;
    if (!done)
        free_all(c);
    free(more.blocks);
    pthread_mutex_destroy(&more.lock);
    c->more = NULL;
    return done;
}

bool
context_worker(struct context *c, void (*work)(void *self), void *self)
{
    assert(!top);
    if (!c) {
        work(self);
        return true;
    }
    struct frame frame = {
        .c = c, .is_worker = true, .work = work, .self = self};
    const bool done = jump_run(run_frame, &frame);
    top = NULL;
    return done;
}

/* --- reasons to stop ------------------------------------------------------*/

void
context_stop(enum limit_kind kind, const char *what, uint64_t most)
{
    if (!top) {
        limit_end_try(kind, what, most);
        return;
    }
    struct context *c = top->c;
    if (!atomic_exchange(&c->more->stopped, true)) {
        c->stop.kind = kind;
        c->stop.what = what;
        c->stop.most = most;
        c->stop.bytes = c->memory;
    }
    leave();
}

void
context_poll(void)
{
    if (!top)
        return;
    struct context *c = top->c;
    if (atomic_load_explicit(&c->more->stopped, memory_order_relaxed))
        leave(); // another thread of it was abandoned
    if (atomic_load_explicit(&c->cancelled, memory_order_relaxed))
        context_stop(LIMIT_CANCELLED, NULL, 0);
    if (c->cancel && atomic_load_explicit(c->cancel, memory_order_relaxed))
        context_stop(LIMIT_CANCELLED, NULL, 0);
    if (c->deadline > 0 && time_now() > c->deadline)
        context_stop(LIMIT_TIME, NULL, 0);
}

void
context_defer(void (*undo)(void *what), void *what)
{
    if (!top)
        return;
    struct context_private *p = top->c->more;
    assert(p->n_deferred < DEFERRED);
    p->deferred[p->n_deferred++] = (struct deferred){undo, what};
}

void
context_undefer(void)
{
    if (!top)
        return;
    assert(top->c->more->n_deferred);
    top->c->more->n_deferred--;
}

void
context_phase(const char *phase)
{
    limit_phase(phase);
    if (!top)
        return;
    struct context *c = top->c;
    c->stop.phase = phase;
    if (c->progress)
        c->progress(c->self, phase);
    context_poll();
}
