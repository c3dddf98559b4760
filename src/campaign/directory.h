/* directory.h -- the directory of a campaign, which any number of workers on
 * any number of machines share.
 *
 *     plan                the plan as it was given
 *     runs                one run per line (plan.h); they count from 1
 *     claims/000017.1     run 17 was taken, by the worker whose name it holds
 *     results/000017      its outcome (outcome.h)
 *     found/000017/       what 'assay test' kept of it, if it found something
 *     scripts/ID          the smallest script of a finding
 *     workers/NAME        a worker; its time of change says that it is alive
 *     tmp/                files that are being written
 *
 * A file appears whole, by link(), and never changes after that.  So the
 * directory may be on NFS, where neither locks nor renames over files that are
 * there are safe.
 *
 *   (1) A run belongs to the worker of its last claim.  A worker that has ended
 *       gives way to a claim with the next number, and only one worker can make
 *       that.
 *   (2) The first result of a run counts; there is never a second one.
 *
 * A worker of this machine has ended when its process has.  A worker elsewhere
 * has ended when its file was not touched for DIRECTORY_LEASE seconds, by the
 * clock of the file system.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CAMPAIGN_DIRECTORY_H
#define CAMPAIGN_DIRECTORY_H

#include "base/buf.h"
#include "base/container/vec.h"
#include "base/err.h"

enum {
    DIRECTORY_LEASE = 60, // seconds
    DIRECTORY_BEAT = 10,  // seconds between two touches
};

typedef VEC(size_t) line_offsets;

struct directory {
    const char *path;
    struct buf runs;      // the text of the file
    line_offsets offsets; // of each run in it, and its end
    struct buf worker;    // the name of this one, or empty
    uint64_t serial;      // of its files in tmp
    double beat;          // when its file was touched
};

/* Make the directory with these runs, or open the one that is there.  An error
 * if it has another plan. */
bool directory_make(struct directory *d, const char *path,
                    const struct buf *plan, const struct buf *runs,
                    struct err *err);
bool directory_open(struct directory *d, const char *path, struct err *err);
void directory_close(struct directory *d);

size_t directory_runs(const struct directory *d);

/* The line of a run, from 1. */
const char *directory_run(const struct directory *d, size_t run, size_t *n);

/* The name of a file: the directory, a subdirectory, a run and, unless 0, a
 * claim. */
void directory_name(const struct directory *d, const char *sub, size_t run,
                    unsigned claim, struct buf *out);

/* Remove what workers of this machine left that have ended. */
void directory_clean_up(const struct directory *d);

/* Become a worker, with a scratch directory that others may remove when this
 * process has ended. */
bool directory_join(struct directory *d, const char *scratch, struct err *err);

/* Say that this worker is alive; cheap. */
void directory_touch(struct directory *d);

/* Make a file, unless it is there: then *is_new is false. */
bool directory_publish(struct directory *d, const char *path,
                       const struct buf *text, bool *is_new, struct err *err);

bool directory_has_result(const struct directory *d, size_t run);

/* Take a run.  *claim is the number of the claim, or 0 where a worker that is
 * alive has it. */
bool directory_claim(struct directory *d, size_t run, unsigned *claim,
                     struct err *err);

/* Keep what a run left in 'from', which holds one directory, as found/RUN, and
 * append that path; nothing if there is none. */
void directory_keep(const struct directory *d, size_t run, const char *from,
                    struct buf *out);

/* Read a file; false if it cannot be read. */
bool directory_read(const char *path, struct buf *out);

/* Remove a directory with everything in it. */
void directory_remove(const char *path);

#endif
