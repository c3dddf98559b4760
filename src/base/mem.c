/* mem.c -- malloc that is counted, checked for overflow, and never NULL.
 *
 * The count uses the allocator's own idea of a block's size, so no header is
 * needed in front of a block.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "base/mem.h"

#include "base/limit.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    // Bytes; smaller blocks are not worth large pages.  What comes cleared is a
    // table that may stay mostly empty, and then they cost memory.
    LARGE = 4 << 20,
    LARGE_TABLE = 16 << 20,
};

static atomic_size_t in_use, peak;
static size_t most = SIZE_MAX;
static void (*most_reached)(void);

static void
count(void *p)
{
    const size_t now = atomic_fetch_add_explicit(&in_use, malloc_usable_size(p),
                                                 memory_order_relaxed) +
                       malloc_usable_size(p);
    size_t seen = atomic_load_explicit(&peak, memory_order_relaxed);
    while (now > seen &&
           !atomic_compare_exchange_weak_explicit(
               &peak, &seen, now, memory_order_relaxed, memory_order_relaxed))
        ;
}

/* Whether n bytes more may be in use, in place of the block at 'old'. */
static void
ask_limit(size_t n, void *old)
{
    const size_t now = mem_in_use() - (old ? malloc_usable_size(old) : 0);
    if (now + n > most)
        most_reached();
}

void
mem_set_limit(size_t bytes, void (*reached)(void))
{
    most = bytes ? bytes : SIZE_MAX;
    most_reached = reached;
}

size_t
mem_left(void)
{
    const size_t now = mem_in_use();
    return most == SIZE_MAX ? SIZE_MAX : now < most ? most - now : 0;
}

static void
uncount(void *p)
{
    atomic_fetch_sub_explicit(&in_use, malloc_usable_size(p),
                              memory_order_relaxed);
}

static _Noreturn void
out_of_memory(size_t n, size_t size)
{
    limit_end_try(LIMIT_SYSTEM, NULL, 0);
    fprintf(stderr, "assay: out of memory (%zu x %zu bytes wanted)\n", n, size);
    _exit(2);
}

/* The size of the block, at least 1 so that NULL always means failure. */
static size_t
total(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        out_of_memory(n, size);
    return bytes ? bytes : 1;
}

/* Large tables are mostly accessed at random, where the lookup of addresses
 * costs as much as the access: ask for large pages behind them.  The advice is
 * for the whole mapping of the block, the allocator's words in front of it
 * included, because a mapping with several kinds of pages cannot grow in
 * place: realloc would copy it. */
static void
prefer_huge_pages(void *p)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t begin = ((uintptr_t)p - 1) & ~(page - 1);
    const uintptr_t end =
        ((uintptr_t)p + malloc_usable_size(p) + page - 1) & ~(page - 1);
    (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

void *
mem_alloc(size_t n, size_t size)
{
    const size_t bytes = total(n, size);
    if (most != SIZE_MAX)
        ask_limit(bytes, NULL);
    void *p = malloc(bytes);
    if (!p)
        out_of_memory(n, size);
    count(p);
    if (n * size >= LARGE)
        prefer_huge_pages(p);
    return p;
}

void *
mem_calloc(size_t n, size_t size)
{
    const size_t bytes = total(n, size);
    if (most != SIZE_MAX)
        ask_limit(bytes, NULL);
    void *p = calloc(1, bytes);
    if (!p)
        out_of_memory(n, size);
    count(p);
    if (n * size >= LARGE_TABLE)
        prefer_huge_pages(p);
    return p;
}

void *
mem_realloc(void *p, size_t n, size_t size)
{
    const size_t bytes = total(n, size);
    if (most != SIZE_MAX)
        ask_limit(bytes, p);
    if (p)
        uncount(p);
    void *q = realloc(p, bytes);
    if (!q)
        out_of_memory(n, size);
    count(q);
    if (n * size >= LARGE)
        prefer_huge_pages(q);
    return q;
}

void
mem_free(void *p)
{
    if (!p)
        return;
    uncount(p);
    free(p);
}

size_t
mem_in_use(void)
{
    return atomic_load_explicit(&in_use, memory_order_relaxed);
}

size_t
mem_peak(void)
{
    return atomic_load_explicit(&peak, memory_order_relaxed);
}
