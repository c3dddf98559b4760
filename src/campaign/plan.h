/* plan.h -- which runs a campaign consists of.
 *
 * A plan is a text of axes.  Each axis is an option of 'assay test' and its
 * values; every combination of values is one run:
 *
 *     # lines such as this one are comments
 *     target   = sqlite: | start=mariadb
 *     level    = si | ser
 *     workload = update | random
 *     seed     = 1..20
 *
 *     [indexes]
 *     target   = start=postgresql
 *     index    = - | hash | gin
 *     pairs    = - | yes
 *     sizes    = --keys 4 --sessions 8 | --keys 40
 *
 *   (1) An axis that is given twice has the values of both lines.
 *   (2) '-' leaves the option out, and 'yes' is the value of a flag.
 *   (3) A [block] is a separate product; axes before the first block are part
 *       of each one, unless the block gives the axis itself.
 *   (4) 'target' is the target or, with start=, the server to start; 'sizes'
 *       are several options at once.
 *
 * With a number of draws, each run takes a random block and a random value of
 * each axis instead, and its number as the seed unless 'seed' is an axis.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CAMPAIGN_PLAN_H
#define CAMPAIGN_PLAN_H

#include "base/buf.h"
#include "base/err.h"

struct plan_request {
    const char *name; // of the plan, for messages
    const char *text;
    size_t size;
    uint64_t draws; // 0: every combination
    uint64_t seed;  // of the draws
    /* Whether 'assay test' has an option of that name, and whether this option
     * is a flag. */
    bool (*has_option)(const char *name, bool *is_flag);
};

enum { PLAN_MOST_RUNS = 1000000 };

/* Append the runs: on each line the words of 'assay test', as a JSON array. */
bool plan_expand(const struct plan_request *q, struct buf *out,
                 struct err *err);

#endif
