/* inspection_batch.h -- several histories, inspected on several threads.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_INSPECTION_BATCH_H
#define PIPELINE_INSPECTION_BATCH_H

#include "pipeline/inspection.h"

/* Called for each history, in the order of the paths, one call at a time.
 * 'err' is NULL if the inspection succeeded.  result->notes is freed after the
 * call. */
typedef void inspection_done(void *self, const char *path,
                             const struct inspection_result *result,
                             const struct err *err);

/* Inspect n histories with o->check.threads threads.  Reports and calls come in
 * the order of the paths, as if one history was inspected after the other; so
 * do levels that are decided, of what an observer hears.  At most two histories
 * a thread are in memory.  With limits, or with one thread, histories are
 * inspected one after the other. */
void inspection_batch(const struct inspection_options *o,
                      const char *const *paths, size_t n, inspection_done *done,
                      void *self);

#endif
