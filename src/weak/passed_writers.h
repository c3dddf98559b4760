/* passed_writers.h -- the writers of each key that a walk along the sequence
 * has passed, the latest last.
 *
 * A read mostly sees one of the last writers of its key, and all that were
 * passed long before are known to come before that one.  So the writers that
 * matter to a read are few, however many sessions there are:
 *
 *   (1) those of key k that were passed are at[first[k] .. end[k]);
 *   (2) every writer of at[i]'s key below passed_writers_settled, but for the
 *       odd ones, comes before at[i] by edges that are there.
 *
 * An odd writer is one that is not known to come before others long after it.
 * A key has at most TUNE_OPEN_WRITERS, and these are looked at each time.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_PASSED_WRITERS_H
#define WEAK_PASSED_WRITERS_H

#include "base/limits/tuning.h"
#include "weak/reading.h"

struct odd_writer {
    uint32_t index; // into 'at'
    uint32_t next;  // of the same key, or ID_NONE
};

struct passed_writers {
    uint32_t *first, *end; // by key
    txn_id *at;
    uint8_t *open; // by index into 'at': how many before it may not be
                   // settled, or UINT8_MAX where any may be; NULL where
                   // edges are not kept
    uint32_t *odd; // by key: its latest odd writer, or ID_NONE
    VEC(struct odd_writer) odds;
};

/* Prepare for a walk along a sequence of the transactions that count; nothing
 * is passed yet.  What is settled is kept only where 'settles' is set.
 *
 *   time   O(operations) */
void passed_writers_init(struct passed_writers *w, const struct weak_reading *r,
                         bool settles);
void passed_writers_free(struct passed_writers *w);

/* Pass t, which is the next of the sequence. */
void passed_writers_pass(struct passed_writers *w, const struct weak_reading *r,
                         txn_id t);

/* The bound of (2) for the writer of key k at 'index'. */
static inline uint32_t
passed_writers_settled(const struct passed_writers *w, key_id k, uint32_t index)
{
    assert(w->open && w->first[k] <= index && index < w->end[k]);
    const uint8_t open = w->open[index];
    return open == UINT8_MAX ? w->first[k] : index - open;
}

/* Raise that bound. */
static inline void
passed_writers_settle(struct passed_writers *w, uint32_t index, uint32_t bound)
{
    assert(bound <= index);
    if (index - bound < w->open[index])
        w->open[index] = (uint8_t)(index - bound);
}

/* Make the writer at 'index' of key k an odd one, which there must be room for.
 */
bool passed_writers_has_room(const struct passed_writers *w, key_id k);
void passed_writers_add_odd(struct passed_writers *w, key_id k, uint32_t index);

bool passed_writers_is_odd(const struct passed_writers *w, key_id k,
                           uint32_t index);

#endif
