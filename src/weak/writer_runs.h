/* writer_runs.h -- all writers of each key, by chain (causal_rows.h).
 *
 * A run is the writers of one key in one chain, with the place where the last
 * search in it ended.  Transactions come in an order close to that in time, so
 * the next search ends nearby.  Where chains are so many that runs are short,
 * going over the writers of the key is faster than a search in each run; such
 * a key has no runs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_WRITER_RUNS_H
#define WEAK_WRITER_RUNS_H

#include "depend/writers.h"
#include "weak/causal_rows.h"

struct writer_run {
    uint32_t chain;
    uint32_t begin, end, cursor; // into writers.at
};

struct writer_runs {
    struct writers writers; // of a key: by chain and place
    const uint32_t *places; // of writers.at
    uint32_t *own_places;   // NULL where they are the transactions themselves
    uint32_t *chains;       // of writers.at; NULL where no key has short runs
    VEC(struct writer_run) runs;
    uint32_t *first; // by key: its first run; NULL before writer_runs_find
};

/* Collect the writers of every key.  Runs are short where a key has at most
 * 'short_runs' writers for each.
 *
 *   require  *w is zero
 *   time     O(operations), and a sort of the writers on a cover */
void writer_runs_find(struct writer_runs *w, const struct causal_rows *rows,
                      size_t short_runs);
void writer_runs_free(struct writer_runs *w);

/* The index of the last writer in the run whose place is below 'bound', or
 * ID_NONE. */
uint32_t writer_run_below(struct writer_run *run, const uint32_t *places,
                          uint32_t bound);

#endif
