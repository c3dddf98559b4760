/* brute_weak.h -- rc, ra and cc by the letter of their definitions.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MODEL_BRUTE_WEAK_H
#define MODEL_BRUTE_WEAK_H

#include "history/history.h"
#include "level/level.h"

enum { BRUTE_WEAK_TXNS = 64 }; // at most, counting or not

/* How many combinations of candidates brute_weak may have to try. */
double brute_weak_choices(const struct history *h);

/* Whether some choice of writers and some commit order satisfy the level.
 * Uses what the history recorded, and which transactions count; who wrote
 * what is worked out again. */
bool brute_weak(const struct history *h, enum level level);

/* The same, trying all orders one after the other instead of asking whether
 * the edges that every order must have are acyclic.  For at most 8
 * transactions. */
bool brute_weak_orders(const struct history *h, enum level level);

#endif
