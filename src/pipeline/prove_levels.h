/* prove_levels.h -- the levels at which programs are looked at, from text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_PROVE_LEVELS_H
#define PIPELINE_PROVE_LEVELS_H

#include "pipeline/prove_run.h"
#include "prove/execute/isolation.h"

/* Parse the levels, the level file and the pairs of a request: one choice for
 * each level, all with the same exceptions.  There are at most LEVELS.  They
 * are all-zero before and must be freed in any case, and so must the axioms of
 * a user's level.
 *
 *   error  ERR_USAGE for an unknown name, or levels that cannot be combined;
 *          ERR_SYNTAX with the position of an error in the file */
bool prove_levels_read(const struct prove_request *q, const struct program *p,
                       struct level_choice *out, size_t *n, struct axioms *own,
                       struct err *err);

#endif
