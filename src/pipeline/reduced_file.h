/* reduced_file.h -- the reduced history of an anomaly, as a file of its own.
 *
 * It is what people report a bug with, so it is read and checked again before
 * it is written.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_REDUCED_FILE_H
#define PIPELINE_REDUCED_FILE_H

#include "explain/explain.h"
#include "format/format.h"

/* Write the reduced history of a to path.  Where it turns out to satisfy the
 * level, nothing is written, and a note says so; where that is not known, a
 * note says that. */
bool reduced_file_write(const struct anomaly *a, const struct format *format,
                        const char *path, bool *written, struct buf *notes,
                        struct err *err);

#endif
