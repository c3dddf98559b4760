/* recording.h -- the file that a run records into: one that the user keeps, or
 * a temporary one.
 *
 * 'assay test' checks what it has recorded by reading this file, like any other
 * history.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_RECORDING_H
#define PIPELINE_RECORDING_H

#include "base/buf.h"
#include "base/err.h"

struct recording {
    const char *keep; // as the user named it, NULL: temporary; borrowed
    struct buf path;
};

/* Choose the file; a temporary one is made, so that its name is ours. */
bool recording_open(struct recording *r, const char *keep, struct err *err);

/* Go on in another file, the n-th of several: "x-3.jsonl" for "x.jsonl".
 * Temporary files are used again. */
void recording_number(struct recording *r, size_t n);

/* Remove a temporary file. */
void recording_close(struct recording *r);

#endif
