/* mem.c -- malloc, calloc and realloc: counted, overflow-checked, never NULL.
 *
 * The count uses the allocator's own idea of a block's size, so no header is
 * needed in front of a block.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "base/memory/mem.h"

#include "base/limits/context.h"
#include "base/print.h"

#include <assert.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    // Bytes; smaller blocks are not worth large pages.
    LARGE = 2 << 20,
    // What comes cleared is a table that may stay mostly empty, and then they
    // cost memory.
    LARGE_TABLE = 16 << 20,
    LARGE_PAGE = 2 << 20,
    HEADER = 16, // the allocator's words in front of a block
};

/* Stop before n bytes more are in use, in place of the block at 'old', if that
 * is too much for this thread's context or one around it. */
static void
keep_limits(size_t n, void *old)
{
    const size_t before = old ? malloc_usable_size(old) : 0;
    context_poll();
    for (const struct context *c = context_here(); c; c = context_outer(c)) {
        const size_t now =
            atomic_load_explicit(&c->in_use, memory_order_relaxed);
        if (c->memory && now - before + n > c->memory)
            context_stop(LIMIT_MEMORY, NULL, 0);
    }
}

size_t
mem_left(void)
{
    size_t least = SIZE_MAX;
    for (const struct context *c = context_here(); c; c = context_outer(c)) {
        const size_t now =
            atomic_load_explicit(&c->in_use, memory_order_relaxed);
        const size_t left = !c->memory        ? SIZE_MAX
                            : now < c->memory ? c->memory - now
                                              : 0;
        least = left < least ? left : least;
    }
    return least;
}

static _Noreturn void
out_of_memory(size_t n, size_t size)
{
    context_stop(LIMIT_SYSTEM, NULL, 0);
    char message[100];
    print_text(message, sizeof message,
               "assay: out of memory (%zu x %zu bytes wanted)\n", n, size);
    limit_end_program(message);
}

/* The size of the block, at least 1 so that NULL always means failure.  From
 * 'large' on, its mapping is a number of large pages: Linux then begins it with
 * one, and otherwise anywhere. */
static size_t
total(size_t n, size_t size, size_t large)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2)
        out_of_memory(n, size);
    if (bytes < large)
        return bytes ? bytes : 1;
    const size_t pages = (bytes + HEADER + LARGE_PAGE - 1) / LARGE_PAGE;
    return pages * LARGE_PAGE - HEADER;
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

/* Count a new block. */
static void *
keep(struct context *c, void *p, size_t n, size_t size)
{
    if (context_add_block(c, p, malloc_usable_size(p), 0))
        return p;
    free(p);
    out_of_memory(n, size);
}

void *
mem_alloc(size_t n, size_t size)
{
    const size_t bytes = total(n, size, LARGE);
    keep_limits(bytes, NULL);
    void *p = malloc(bytes);
    if (!p)
        out_of_memory(n, size);
    if (n * size >= LARGE)
        prefer_huge_pages(p);
    return keep(context_here(), p, n, size);
}

void *
mem_calloc(size_t n, size_t size)
{
    const size_t bytes = total(n, size, LARGE_TABLE);
    keep_limits(bytes, NULL);
    void *p = calloc(1, bytes);
    if (!p)
        out_of_memory(n, size);
    if (n * size >= LARGE_TABLE)
        prefer_huge_pages(p);
    return keep(context_here(), p, n, size);
}

void *
mem_realloc(void *p, size_t n, size_t size)
{
    const size_t bytes = total(n, size, LARGE);
    keep_limits(bytes, p);
    // A block stays with its owner: a vector of the caller may grow here.
    struct context *owner =
        p ? context_remove_block(p, malloc_usable_size(p)) : context_here();
    void *q = realloc(p, bytes);
    if (!q) {
        if (p)
            keep(owner, p, n, size);
        out_of_memory(n, size);
    }
    if (n * size >= LARGE)
        prefer_huge_pages(q);
    return keep(owner, q, n, size);
}

void *
mem_try_realloc(void *p, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2)
        return NULL;
    const size_t before = p ? malloc_usable_size(p) : 0;
    struct context *owner =
        p ? context_remove_block(p, before) : context_here();
    void *q = realloc(p, bytes ? bytes : 1);
    if (q && context_add_block(owner, q, malloc_usable_size(q), 0))
        return q;
    if (q && !p)
        free(q);
    // The entry that was taken out has left room for itself.
    if (p && !q)
        (void)context_add_block(owner, p, before, 0);
    return NULL;
}

void
mem_free(void *p)
{
    if (!p)
        return;
    context_remove_block(p, malloc_usable_size(p));
    free(p);
}

void
mem_touch(uintptr_t from, uintptr_t to)
{
    assert(from <= to);
#ifdef MADV_POPULATE_WRITE
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    from &= ~(page - 1);
    to = (to + page - 1) & ~(page - 1);
    (void)madvise((void *)from, to - from, MADV_POPULATE_WRITE);
#else
    (void)from;
    (void)to;
#endif
}

size_t
mem_in_use(void)
{
    return atomic_load_explicit(&context_here()->in_use, memory_order_relaxed);
}

size_t
mem_peak(void)
{
    return atomic_load_explicit(&context_here()->peak, memory_order_relaxed);
}
