/* second_opinion_none.c -- for builds without Z3.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/second_opinion.h"

bool
second_opinion(const struct history *h, enum level l, double seconds,
               enum verdict *out, struct err *err)
{
    (void)h, (void)l, (void)seconds;
    *out = VERDICT_UNKNOWN;
    return err_set(err, ERR_FEATURE, "this build has no Z3");
}
