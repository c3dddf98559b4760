/* limit.h -- the limits that a user sets on time and memory.
 *
 * Limits hold in every phase, in code that knows nothing of them: work that has
 * to stop is tried in a child process.  limit_try forks; in the child it
 * returns true, and the program goes on there, under the limits, until
 * limit_end.  The parent waits.  When the child reaches a limit it ends, and
 * in the parent limit_try returns false: everything is as it was before the
 * try, and all that the work held is gone.  When the child ends in any other
 * way, the parent ends in the same way and limit_try does not return.
 *
 * So nothing has to be unwound, no engine, reader or library has to look at a
 * clock or to expect that memory is refused, and a run without limits pays
 * nothing.  The price is a waiting process for each try; where there may be
 * many, one after the other, limit_run keeps their number small.
 *
 * Nothing here may be called while other threads run.  The library has none of
 * this (limit_none.c): its limits are those of contexts (context.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_LIMITS_LIMIT_H
#define BASE_LIMITS_LIMIT_H

#include "base/buf.h"
#include "base/time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct limits {
    double seconds; // 0 = none
    size_t bytes;   // of mem_in_use(); 0 = none
};

enum limit_kind {
    LIMIT_NONE,
    LIMIT_TIME,
    LIMIT_MEMORY,
    LIMIT_SYSTEM,    // the system has no more memory
    LIMIT_CAPACITY,  // this program cannot number more (capacity.h)
    LIMIT_CANCELLED, // the caller cancelled the work (context.h)
};

/* Which limit was reached. */
struct limit_stop {
    enum limit_kind kind;
    double seconds;    // of the user's limit
    size_t bytes;      // likewise
    const char *phase; // "reading"; NULL where it is not known
    const char *what;  // CAPACITY: "edges of the graph"
    uint64_t most;     // CAPACITY
};

static inline bool
limits_set(const struct limits *l)
{
    return l->seconds > 0 || l->bytes;
}

/* Go on in a child under the limits, as said above.  Of l->seconds, 'spent'
 * are over already.  False: *stop says which limit was reached.
 *
 *   require  limits_set(l); no try is under way */
bool limit_try(const struct limits *l, double spent, const char *phase,
               struct limit_stop *stop);

/* Name the phase that the work of a try enters. */
void limit_phase(const char *phase);

/* The work of a try is done; from here on there are no limits. */
void limit_end(void);

enum { LIMIT_RESULTS = 32 }; // of one run, at most

/* What a run hands back to its parent: the text that it appended to a buffer,
 * or a value without pointers.  One of the two is NULL. */
struct limit_result {
    struct buf *text;
    void *value;
    size_t size; // of the value
};

/* Run work(self) in a child process, copy its results back, and return the
 * status that it returned.  The tries in it end with it. */
int limit_run(int (*work)(void *self), void *self,
              const struct limit_result results[], size_t n);

/* "the time limit of 0.5 s was reached while reading". */
void limit_show(const struct limit_stop *stop, struct buf *out);

/* End the try that is under way because a limit is reached; return where none
 * is under way. */
void limit_end_try(enum limit_kind kind, const char *what, uint64_t most);

/* End the program with a message on stderr and status 2.  In the library, whose
 * work always runs in a context (context.h), nothing calls it. */
_Noreturn void limit_end_program(const char *message);

/* For searches that have a result even when their time is over: they call
 * limit_reached now and then, and end by themselves. */
struct limit {
    double deadline; // on the clock of time_now(); 0 = none
    size_t memory;   // bytes of mem_in_use(); 0 = none
};

bool limit_reached(const struct limit *limit);

#endif
