/* heap_plain.c -- C libraries whose heap cannot be tuned; see heap.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory/heap.h"

void
heap_tune(void)
{
}

void
heap_tune_thread(void)
{
}
