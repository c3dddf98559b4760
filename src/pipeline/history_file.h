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
    int fd; // of a temporary file
};

/* Choose the file.  A temporary one has no name but that of its descriptor, so
 * that nothing is left of it however the program ends. */
bool history_file_open(struct history_file *r, const char *keep,
                       struct err *err);

/* Make a directory for the files of sessions; one that is there has to be
 * empty. */
bool history_file_open_directory(struct history_file *r, const char *path,
                                 struct err *err);

/* Go on in another file, the n-th of several: "x-3.jsonl" for "x.jsonl".
 * Temporary files are used again. */
void history_file_number(struct history_file *r, size_t n);

/* Let go of a temporary file. */
void history_file_close(struct history_file *r);

#endif
