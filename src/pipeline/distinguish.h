/* distinguish.h -- the smallest history that one level allows and another one
 * forbids.
 *
 * All histories up to a size are made (gen/enumerate.h), smallest first, and
 * both levels are decided.  So the first one found is the smallest: no history
 * with fewer operations, or with as many and fewer transactions, separates the
 * levels.  Its certificates are verified.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_DISTINGUISH_H
#define PIPELINE_DISTINGUISH_H

#include "format/format.h"
#include "level/level.h"
#include "pipeline/history_file.h"

enum distinguish_end {
    DISTINGUISH_NOTHING, // no claim
    DISTINGUISH_FOUND,
    DISTINGUISH_IMPLIED, // 'allows' implies 'forbids': there is none
    DISTINGUISH_NONE,    // there is none of that size
};

struct distinguish {
    enum level allows, forbids;
    uint32_t most;      // operations; at most ENUMERATE_OPS
    bool session_order; // false: each session has one transaction
    const struct format *format;
    const struct history_file *file; // where the history is written
};

struct distinguish_result {
    enum distinguish_end end;
    uint32_t operations, transactions, sessions; // where it is found
    uint64_t tried;                              // histories
};

bool distinguish_levels(const struct distinguish *d,
                        struct distinguish_result *out, struct err *err);

#endif
