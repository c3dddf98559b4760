/* z3_opinion_none.c -- for builds without Z3.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/z3_opinion.h"

bool
z3_opinion(const struct history *h, enum level l, double seconds,
           enum verdict *out, struct err *err)
{
    (void)h, (void)l, (void)seconds;
    *out = VERDICT_UNKNOWN;
    return err_set(err, ERR_FEATURE, "this build has no Z3");
}
