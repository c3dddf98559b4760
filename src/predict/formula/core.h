/* core.h -- the part of an execution that evidence against it rests on.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PREDICT_FORMULA_CORE_H
#define PREDICT_FORMULA_CORE_H

#include "predict/formula/formula.h"

/* Mark in 'part' the events that c speaks of; c is a certificate that the
 * history made of x, with that origin, violates a level. */
void core_gather(const struct execution *x, const struct certificate *c,
                 const struct origin *origin, struct excerpt *part);

#endif
