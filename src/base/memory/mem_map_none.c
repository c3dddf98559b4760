/* mem_map_none.c -- the library maps no file; see mem.h.
 *
 * This file takes the place of mem_map.c there: a mapped file that is
 * truncated while it is read ends the program of the caller by a signal.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory/mem.h"

#include <assert.h>

void *
mem_map(int fd, size_t size)
{
    (void)fd, (void)size;
    return NULL;
}

void
mem_unmap(void *p, size_t size)
{
    (void)p, (void)size;
    assert(!"nothing was mapped");
}
