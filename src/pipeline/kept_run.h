/* kept_run.h -- the directory in which a run that found something is kept:
 * its history, the reduced history, the page and the result.
 *
 * A race does not come back by its seed, so what was found must not be lost
 * when nobody asked for a file.  The directory is made when there is
 * something to keep.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_KEPT_RUN_H
#define PIPELINE_KEPT_RUN_H

#include "pipeline/inspection.h"

struct kept_run {
    const char *store; // the directory of all runs; "": nothing is kept
    struct buf dir;    // of this run
    bool has_reduced;  // a reduced history is there
};

/* Choose the name: the store, the date and time, the process. */
void kept_run_open(struct kept_run *k, const char *store);
void kept_run_free(struct kept_run *k);

/* Keep a violated history and, where it can be written, its reduced form:
 * "history.jsonl" and "reduced.jsonl", or with a number of several ones
 * "history-3.jsonl". 'recording' is where the history is, NULL: it is kept
 * elsewhere.  'notes': see reduced_file.h. */
bool kept_run_history(struct kept_run *k, const char *recording, size_t number,
                      const struct inspection *i, struct buf *notes,
                      struct err *err);

/* Where that history is kept. */
void kept_run_path(const struct kept_run *k, size_t number, struct buf *out);

/* Keep a text under a name. */
bool kept_run_text(const struct kept_run *k, const char *name,
                   const struct buf *text, struct err *err);

#endif
