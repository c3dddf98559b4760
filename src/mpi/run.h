/* run.h -- one history, checked by several ranks.
 *
 *     home     each rank reads its part of the input
 *     owner    each record goes to the rank that owns its key
 *     snapshots  of transactions with stale reads, for si and weaker levels
 *     engines  what the candidate order does not show to be serial is gathered
 *              to rank 0, and decided there
 *
 *   (M1) 'ok' without the engines rests on two things, which all ranks have
 *        found: every external read is fresh, and places rise in each session.
 *        For si and weaker levels, a snapshot in place of the first one.
 *   (M2) a rank without memory makes the run 'unknown' on all ranks.
 *   (M3) only rank 0 prints.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MPI_RUN_H
#define MPI_RUN_H

#include "mpi/exchange.h"
#include "pipeline/inspection.h"

enum ranks_end {
    RANKS_UNKNOWN,  // 'why' says so
    RANKS_HOLD,     // the levels hold
    RANKS_GATHERED, // 'path' has the history; 'why' says what did not fit
    RANKS_FAILED,   // 'err' says why
};

struct run_result {
    enum ranks_end end;
    char why[EXCHANGE_TEXT];
    struct summary summary; // RANKS_HOLD: of all ranks
    const struct format *format;
    bool has_times;
    struct buf path; // RANKS_GATHERED, on rank 0
    int fd;          // of a file without a name; -1: none
    struct err err;

    uint64_t records, stale, bytes; // of all ranks
    uint64_t most_memory;           // of a rank
};

/* Check the history at 'path' as far as its order shows that these levels hold.
 * No levels: leave all of it to the engines. */
void run_history(struct exchange *x, const char *path, const char *format,
                 level_set levels, struct run_result *out);

#endif
