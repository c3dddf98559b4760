/* context.h -- memory, limits, cancellation and progress of one piece of work.
 *
 * A library must not end the process of its caller.  So work that a caller
 * starts, such as checking one history, runs in a context: what it allocates
 * is counted there, and when memory runs out, a limit is reached, a capacity
 * is exceeded or the caller cancels it, the work is abandoned, everything that
 * it allocated is freed, and context_run returns false with the reason.  The
 * functions in between need no error paths for that.
 *
 * Several contexts may run at once, one a thread; a context may run in
 * another one.  Threads that work for a context run through context_worker.
 * Outside of every context, memory is counted for the process, and running
 * out of it ends the process with a message: that is how the commands work.
 *
 * What the work leaves allocated when it succeeds belongs to the caller.  When
 * it is abandoned, results that it stored with the caller are gone: forget
 * them.  Blocks of the caller stay the caller's, also when the work grows them.
 *
 * Time: 'cancelled' and 'deadline' are looked at whenever memory is allocated,
 * a budget is spent (budget.h) or a phase begins.  Limits that hold whatever
 * the code does are kept by processes (limit.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_LIMITS_CONTEXT_H
#define BASE_LIMITS_CONTEXT_H

#include "base/limits/limit.h"

#include <stdatomic.h>

struct context {
    // Set before the run.
    size_t memory;   // bytes that may be in use; 0 = no limit.  Threads may
                     // exceed it by a block each.
    double deadline; // on the clock of time_now; 0 = none
    void (*progress)(void *self, const char *phase); // NULL: no callback
    void *self;                                      // of progress

    atomic_bool cancelled;     // set by anybody, on any thread
    const atomic_bool *cancel; // likewise, of several contexts; or NULL

    // Set by the run.
    atomic_size_t in_use, peak; // bytes
    struct limit_stop stop;     // why the work was abandoned

    struct context_private *more; // NULL: the process
};

/* Run work(self).  False: it was abandoned, c->stop says why, and nothing that
 * it allocated is left. */
bool context_run(struct context *c, void (*work)(void *self), void *self);

/* The context of this thread; NULL outside of every context. */
struct context *context_current(void);

/* Run work(self) on another thread as a part of c, which may be NULL.  False:
 * it was abandoned.  The thread that waits for it calls context_poll then. */
bool context_worker(struct context *c, void (*work)(void *self), void *self);

/* Abandon the work if there is a reason to; else return. */
void context_poll(void);

/* The same once in a thousand steps of a loop that allocates nothing. */
static inline void
context_poll_at(size_t step)
{
    if (step % 1024 == 0)
        context_poll();
}

/* Abandon the work for that reason.  Outside of every context a try (limit.h)
 * ends; where there is none either, this returns. */
void context_stop(enum limit_kind kind, const char *what, uint64_t most);

/* If the work is abandoned from here on, call undo(what) before its memory is
 * freed: for threads, mappings and descriptors.  Nothing without a context. */
void context_defer(void (*undo)(void *what), void *what);

/* The latest context_defer is not needed any more. */
void context_undefer(void);

/* The work goes on with something else: "reading", "verifying". */
void context_phase(const char *phase);

/* --- for mem.c and limit.c --------------------------------------------------
 */

/* The context of this thread, or that of the process. */
struct context *context_here(void);

/* The context around c, or NULL. */
struct context *context_outer(const struct context *c);

/* Count a block of that many bytes; 'mapped' is 0 on the heap, else the size
 * of the mapping.  False where there is no memory to do so. */
bool context_add_block(struct context *c, void *block, size_t bytes,
                       size_t mapped);

/* A block is going to be freed or moved; whose it was. */
struct context *context_remove_block(void *block, size_t bytes);

/* Allow the process that many bytes, 0 = any number, until further notice. */
void context_limit_process(size_t bytes);

#endif
