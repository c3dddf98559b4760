/* history_file.h -- the file that a run records into: one that the user keeps,
 * or a temporary one.
 *
 * 'assay test' checks what it has recorded by reading this file, like any other
 * history.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_HISTORY_FILE_H
#define PIPELINE_HISTORY_FILE_H

#include "base/buf.h"
#include "base/err.h"

struct history_file {
    const char *keep; // as the user named it, NULL: temporary; borrowed
    struct buf path;
};

/* Choose the file; a temporary one is made, so that its name is ours. */
bool history_file_open(struct history_file *r, const char *keep,
                       struct err *err);

/* Go on in another file, the n-th of several: "x-3.jsonl" for "x.jsonl".
 * Temporary files are used again. */
void history_file_number(struct history_file *r, size_t n);

/* Remove a temporary file. */
void history_file_close(struct history_file *r);

#endif
