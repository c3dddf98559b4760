/* heap_glibc.c -- the heap of glibc; see heap.h.
 *
 * Large blocks are mapped one by one: growing one then moves page tables, not
 * bytes, and freeing one gives its memory back.  Left alone, glibc raises the
 * bound for that as it goes: a quarter of the reading time.  The others come
 * from a heap of large pages, because a small check spends a third of its time
 * on getting small ones.  It begins with a few of the latter, for checks that
 * need no more.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "base/memory/heap.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    MAPPED = 1 << 20, // larger blocks are mapped one by one
    HEAP = 8 << 20,   // for the others, to begin with
    SMALL = 1 << 18,  // of that in small pages
    MORE = 1 << 19,   // and then in steps of this
};

/* Ask for large pages between two addresses. */
static void
use_large_pages(uintptr_t from, uintptr_t to)
{
    const uintptr_t huge = (uintptr_t)1 << 21;
    from = (from + huge - 1) & ~(huge - 1);
    to &= ~(huge - 1);
    if (from < to)
        (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

static bool is_tuned;               // before there are threads, or never
static _Thread_local bool has_heap; // a separate one, with large pages

void
heap_tune(void)
{
    is_tuned = has_heap = true;
    mallopt(M_MMAP_THRESHOLD, MAPPED);
    mallopt(M_TOP_PAD, HEAP);
    mallopt(M_TRIM_THRESHOLD, HEAP);
    const uintptr_t huge = (uintptr_t)1 << 21;
    const uintptr_t now = (uintptr_t)sbrk(0);
    const uintptr_t begin = (now + SMALL + huge - 1) & ~(huge - 1);
    (void)sbrk((intptr_t)(begin - SMALL - now)); // address space only
    // Make the heap.  The block is small, because the allocator writes behind
    // it: a large page of which anything is used stays in small ones.
    void *volatile p = malloc(1);
    free(p);
    use_large_pages(begin, begin - SMALL + HEAP);
    // No room for large tables there, which calloc would have to clear.
    mallopt(M_TOP_PAD, MORE);
}

void
heap_tune_thread(void)
{
    if (has_heap || !is_tuned)
        return;
    has_heap = true;
    // Made at once, by a block that is not mapped; then all of it is free.
    mallopt(M_MMAP_THRESHOLD, 2 * HEAP);
    char *volatile p = malloc(HEAP - SMALL);
    mallopt(M_MMAP_THRESHOLD, MAPPED);
    if (p)
        use_large_pages((uintptr_t)p + SMALL, (uintptr_t)p + HEAP - SMALL);
    free(p);
}
