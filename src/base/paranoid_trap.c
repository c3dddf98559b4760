/* paranoid_trap.c -- a broken invariant in the library; see paranoid.h.
 *
 * This file takes the place of paranoid.c there: the library prints nothing.
 *
 * SPDX-License-Identifier: MIT */
#include "base/paranoid.h"

void
paranoid_failed(const char *file, int line, const char *what)
{
    (void)file, (void)line, (void)what;
    __builtin_trap();
}
