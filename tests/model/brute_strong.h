/* brute_strong.h -- the strong levels by trying everything.
 *
 * Straight from the definitions in doc/levels.md: every choice of writers,
 * every total commit order.  Slow and obvious, for histories of a few
 * transactions.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MODEL_BRUTE_STRONG_H
#define MODEL_BRUTE_STRONG_H

#include "history/history.h"
#include "level/level.h"

enum { BRUTE_TXNS = 8 };

/* Whether h, without its inconsistent reads, satisfies l.  At most BRUTE_TXNS
 * transactions may count; strict-si takes (2n)! / 2^n steps for n of them, the
 * others n!. */
bool brute_strong(const struct history *h, enum level l);

#endif
