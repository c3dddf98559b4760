/* points.h -- what a database allows, while the solver searches.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PREDICT_DATABASE_POINTS_H
#define PREDICT_DATABASE_POINTS_H

#include "acyc/acyc.h"
#include "base/container/intmap.h"
#include "predict/database/database_level.h"
#include "predict/formula/formula.h"

struct points {
    struct moments moments;
    struct chains chains;
    struct acyc acyc;
    struct intmap pairs;  // two transactions: the variable of their order
    struct intmap before; // a moment and a transaction: the variable that the
                          // moment is before its commit
    bool is_too_large;
};

/* Before any variable of f. */
void points_init(struct points *p, struct formula *f,
                 const struct database_level *on);

/* Once the choices of f are there.  Where these need too many clauses, it gives
 * up (is_too_large). */
void points_carry(struct points *p, struct formula *f);
void points_free(struct points *p);

/* The moments of the transactions of x, in the order of the solver's model. */
void points_order(const struct points *p, const struct execution *x,
                  u32_vec *out);

#endif
