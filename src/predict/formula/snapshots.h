/* snapshots.h -- pc and si while the solver searches.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PREDICT_FORMULA_SNAPSHOTS_H
#define PREDICT_FORMULA_SNAPSHOTS_H

#include "acyc/acyc.h"
#include "predict/formula/formula.h"

struct snapshots {
    struct chains points;
    struct acyc acyc;
};

/* Before any variable of f. */
void snapshots_init(struct snapshots *s, struct formula *f);

/* Once the choices of f are there. */
void snapshots_carry(struct snapshots *s, struct formula *f);
void snapshots_free(struct snapshots *s);

#endif
