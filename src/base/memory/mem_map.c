/* mem_map.c -- files as memory; see mem.h.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "base/limits/context.h"
#include "base/memory/mem.h"

#include <sys/mman.h>

void *
mem_map(int fd, size_t size)
{
    context_poll();
    void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED)
        return NULL;
    if (context_add_block(context_here(), p, 0, size))
        return p;
    (void)munmap(p, size);
    return NULL;
}

void
mem_unmap(void *p, size_t size)
{
    context_remove_block(p, 0);
    (void)munmap(p, size);
}
