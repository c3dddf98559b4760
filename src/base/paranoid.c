/* paranoid.c -- see paranoid.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/paranoid.h"

#include <stdio.h>
#include <stdlib.h>

void
paranoid_failed(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}
