/* spec_run.h -- the interleavings of a specification on a database.
 *
 * Each interleaving is interleaved and recorded; a visitor gets what became of
 * it, with the file that holds its history.  'assay test --spec' is this, and
 * an inspection of each recording.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_SPEC_RUN_H
#define PIPELINE_SPEC_RUN_H

#include "collect/findings.h"
#include "driver/driver.h"
#include "pipeline/history_file.h"
#include "pipeline/recorder.h"

#include <stddef.h>

enum spec_run_end {
    SPEC_RUN_RECORDED,   // the recording holds its history
    SPEC_RUN_IMPOSSIBLE, // sessions wait for each other
    SPEC_RUN_EMPTY,      // it reads and writes no row
    SPEC_RUN_REFUSED,    // a statement is not understood; err says which
};

/* What became of an interleaving. */
struct spec_run_result {
    const char *name; // "r1 w2 c1 c2"
    enum spec_run_end end;
    const char *path; // RECORDED
    // REFUSED: why.  Empty where the same statement was reported before.
    struct err err;
};

struct spec_run_tally {
    size_t recorded, impossible, empty, refused;
    size_t failed;     // statements that the database refused
    char failure[300]; // the last of them
    struct run_findings findings;
};

struct spec_run_options {
    const char *spec;   // the file
    const char *target; // address of the database
    enum driver_isolation isolation;
    struct session_setups setups;
    enum recorder_kind recorder;
    struct history_file *recording; // where histories go
    void *self;
    /* The database is open; 'note' is what it says it is. */
    void (*opened)(void *self, const char *note);
    /* Something is not recorded of a statement; told once for each. */
    void (*left_out)(void *self, const struct err *what);
    /* Called after each interleaving. */
    void (*visit)(void *self, const struct spec_run_result *result);
};

/* Play all interleavings.  Fails where the specification cannot be read, has
 * too many interleavings, or the database cannot be used. */
bool spec_run(const struct spec_run_options *o, struct spec_run_tally *tally,
              struct err *err);

#endif
