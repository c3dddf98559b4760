/* stream_inspection.h -- one stream from its bytes to reports.
 *
 * As inspection.h, for 'assay check --stream': memory is bounded by the keys
 * and a window, and a violation is explained with a part of the history.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_STREAM_INSPECTION_H
#define PIPELINE_STREAM_INSPECTION_H

#include "pipeline/inspection.h"
#include "stream/order/stream_check.h"

/* Check the stream and add the result to o->reports.  o->certificate, which
 * needs exactly one level, is the order that shows that the level holds; or it
 * is about the part that shows the violation, which is written to 'part' as
 * jsonl.  Both may be NULL.  If 'stats' is not NULL, it is set to what the
 * passes did.
 *
 *   require  no limits */
bool stream_inspection_run(const struct inspection_options *o, const char *path,
                           size_t window, const char *part,
                           struct pass_stats *stats,
                           struct inspection_result *out, struct err *err);

/* The summary of what a stream has brought so far. */
void stream_inspection_sum_up(const struct stream_sizes *n, uint64_t keys,
                              struct summary *out);

#endif
