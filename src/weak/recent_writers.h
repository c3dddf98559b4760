/* recent_writers.h -- the writers of each key that a walk along the sequence
 * has passed, the latest last.
 *
 * A read mostly sees one of the last writers of its key, and all earlier ones
 * are known to come before that one.  So few writers matter to a read, however
 * many sessions there are:
 *
 *   (1) the passed writers of key k are at[first[k] .. end[k]);
 *   (2) every writer of at[i]'s key below recent_writers_bound, but for the
 *       unordered ones, comes before at[i] by edges that are there.
 *
 * An unordered writer is one that is not known to come before much later ones.
 * A key has at most TUNE_OPEN_WRITERS of them; each read checks them all.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_RECENT_WRITERS_H
#define WEAK_RECENT_WRITERS_H

#include "base/limits/tuning.h"
#include "weak/writer_assignment.h"

struct unordered_writer {
    uint32_t index; // into 'at'
    uint32_t next;  // of the same key, or ID_NONE
};

struct recent_writers {
    uint32_t *first, *end; // by key
    txn_id *at;
    uint8_t *open; // by index into 'at': how many before it may not be
                   // ordered, or UINT8_MAX if any may be; NULL if edges
                   // are not kept
    uint32_t *last_unordered; // by key: its latest unordered writer, or ID_NONE
    VEC(struct unordered_writer) unordered;
};

/* Prepare for a walk along a sequence of the transactions that count; nothing
 * is passed yet.  Bounds (2) are kept only if 'keeps_bounds' is set.
 *
 *   time   O(operations) */
void recent_writers_init(struct recent_writers *w,
                         const struct writer_assignment *r, bool keeps_bounds);
void recent_writers_free(struct recent_writers *w);

/* Pass t, which is the next of the sequence. */
void recent_writers_pass(struct recent_writers *w,
                         const struct writer_assignment *r, txn_id t);

/* The bound of (2) for the writer of key k at 'index'. */
static inline uint32_t
recent_writers_bound(const struct recent_writers *w, key_id k, uint32_t index)
{
    assert(w->open && w->first[k] <= index && index < w->end[k]);
    const uint8_t open = w->open[index];
    return open == UINT8_MAX ? w->first[k] : index - open;
}

/* Raise that bound. */
static inline void
recent_writers_raise_bound(struct recent_writers *w, uint32_t index,
                           uint32_t bound)
{
    assert(bound <= index);
    if (index - bound < w->open[index])
        w->open[index] = (uint8_t)(index - bound);
}

/* Add the writer at 'index' of key k to the unordered ones.
 *
 *   require  recent_writers_has_room() */
bool recent_writers_has_room(const struct recent_writers *w, key_id k);
void recent_writers_add_unordered(struct recent_writers *w, key_id k,
                                  uint32_t index);

bool recent_writers_is_unordered(const struct recent_writers *w, key_id k,
                                 uint32_t index);

#endif
