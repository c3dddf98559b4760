/* pair.h -- two sessions that begin their transactions together.
 *
 * Both take their snapshots, wait for each other, and then go on.  So their
 * transactions overlap each time, and not only when they happen to.
 *
 * SPDX-License-Identifier: MIT */
#ifndef COLLECT_PAIR_H
#define COLLECT_PAIR_H

#include "driver/driver.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct pair {
    atomic_uint_fast64_t arrivals; // of both, in all rounds
    atomic_bool is_over;           // one of them has ended
};

/* Wait until both sessions have arrived for a round, the first of which is 1,
 * or one of them has ended, or the run is to stop.  Each session calls this
 * once a round. */
void pair_meet(struct pair *p, uint64_t round, const atomic_bool *stop);

/* A session ends; the other no longer waits for it. */
void pair_leave(struct pair *p);

/* Take the snapshot of a transaction that has just begun, without a lock that
 * another session could wait for.  'table' is one that the run has made. */
enum outcome pair_take_snapshot(struct connection *c, const char *table,
                                bool is_read_only);

#endif
