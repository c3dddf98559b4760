/* race.h -- a prediction in words for readers who know no levels.
 *
 * SPDX-License-Identifier: MIT */
#ifndef AUDIT_RACE_H
#define AUDIT_RACE_H

#include "audit/audit.h"
#include "predict/predict_input.h"

/* The recorded requests, for predictions. */
struct requests {
    struct history h;
    const struct database_level *on;
    unsigned threads;
};

/* Make the words of a prediction.  Its endpoints are those on the cycle that
 * shows it. */
bool race_make(const struct requests *q, const struct prediction *all,
               const struct predicted *p, struct audit_finding *out,
               struct arena *arena, struct err *err);

/* The steps of its schedule. */
void race_steps(const struct prediction *all, const struct predicted *p,
                const struct moments *m, const struct trial *trial,
                struct audit_finding *out, struct arena *arena);

/* Look for one statement that, if it locked its rows, would prevent all
 * predictions about the same endpoints, and say so. */
bool race_repair(struct requests *q, const struct prediction *all,
                 const struct predicted *p, struct audit_finding *out,
                 struct arena *arena, struct err *err);

/* All predictions. */
bool race_predict(const struct requests *q, struct prediction *out,
                  struct err *err);

#endif
