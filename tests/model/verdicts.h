/* verdicts.h -- what the whole program says of a history, for model tests.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MODEL_VERDICTS_H
#define MODEL_VERDICTS_H

#include "check/check.h"

#include <stdio.h>

struct verdicts {
    level_set ok, violated;
};

/* With verification, on one thread. */
static inline struct check_options
verdicts_options(level_set levels)
{
    return (struct check_options){.levels = levels,
                                  .threads = 1,
                                  .verify = true,
                                  .strong = strong_defaults};
}

/* The levels that hold and those that do not; false where there is no answer,
 * which prints why. */
static inline bool
verdicts_of(const struct history *h, level_set levels, struct verdicts *out)
{
    const struct check_options o = verdicts_options(levels);
    struct check c;
    struct err err = {0};
    *out = (struct verdicts){0};
    if (!check_history(h, &o, &c, &err)) {
        printf("# %s\n", err.text);
        return false;
    }
    for (size_t i = 0; i < c.results.n; i++) {
        const enum verdict v = c.results.at[i].certificate.verdict;
        out->ok |= (level_set)(v == VERDICT_OK) << c.results.at[i].level;
        out->violated |= (level_set)(v == VERDICT_VIOLATED)
                         << c.results.at[i].level;
    }
    check_free(&c);
    return true;
}

#endif
