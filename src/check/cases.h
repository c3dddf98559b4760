/* cases.h -- lists that show elements which several transactions appended.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_CASES_H
#define CHECK_CASES_H

#include "check/check.h"

/* As check_history, for a history with open authors (h->authors) and levels
 * that apply to it: some combination of authors satisfies the level, or a tree
 * of cases refutes them all.  Limits are the caller's to keep: there may be
 * many cases, and a try is a process. */
bool check_cases(const struct history *h, const struct check_options *options,
                 struct check *out, struct err *err);

#endif
