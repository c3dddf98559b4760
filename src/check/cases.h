/* cases.h -- lists that show elements which several transactions appended.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_CASES_H
#define CHECK_CASES_H

#include "check/check.h"

/* As check_history, for a history with open authors (h->authors) and levels
 * that apply to it: every combination of authors is checked, until one
 * satisfies the level.  Limits are the caller's to keep: there may be many
 * combinations, and a try is a process. */
bool check_cases(const struct history *h, const struct check_options *options,
                 struct check *out, struct err *err);

#endif
