/* builder_ahead.c -- see builder_ahead.h and builder_share of builder.h.
 *
 * One thread adds operations, in order, so that ids are those of the input.  It
 * is the bottleneck.  Two parts of its work can be done before, by the threads
 * that scan the input:
 *
 *   - The id of a key never changes.  So a key that is found is found for good,
 *     and one that is not there yet is left to the thread that adds.  (Small
 *     operations are added in less time than this saves.)
 *   - The kernel clears a page when it is touched first, which takes a quarter
 *     of the time.  Asking for the pages right behind the end of an array does
 *     not change what is in them.  That holds for any address, so it does no
 *     harm if the array has moved in the meantime.
 *
 * SPDX-License-Identifier: MIT */
#include "history/builder/builder_ahead.h"

#include <stdatomic.h>

enum {
    AHEAD = 32,        // operations between a prefetch and its use
    CHUNK = 2 << 20,   // bytes that are asked for at once: a large page
    WORTH = 2 * CHUNK, // smaller arrays are left alone
    ARRAYS = 4,
};

/* An array that grows at its end. */
struct growing {
    uintptr_t begin, end;   // of its room; both 0: none
    size_t width;           // of an element
    atomic_size_t used;     // elements
    _Atomic uintptr_t next; // the pages before it have been asked for
};

struct builder_ahead {
    struct growing arrays[ARRAYS];
};

static void
watch(struct growing *g, const void *at, size_t room, size_t width)
{
    if (room * width < WORTH)
        return;
    g->begin = (uintptr_t)at;
    g->end = g->begin + room * width;
    g->width = width;
    atomic_init(&g->next, g->begin);
}

void
builder_share(struct builder *b)
{
    assert(!b->ahead);
    b->ahead = mem_calloc(1, sizeof *b->ahead);
    intmap_share(&b->key_index[ATOM_INT]);
    struct growing *g = b->ahead->arrays;
    watch(&g[0], b->op_key.at, b->op_key.room, sizeof *b->op_key.at);
    watch(&g[1], b->op_value.at, b->op_value.room, sizeof *b->op_value.at);
    watch(&g[2], b->values.all.at, b->values.all.room,
          sizeof *b->values.all.at);
    watch(&g[3], b->values.bits.narrow.at, b->values.bits.narrow.room,
          sizeof *b->values.bits.narrow.at);
}

static void
publish(struct growing *g, const void *at, size_t n)
{
    // Of an array that has moved nothing more is asked for.
    atomic_store_explicit(&g->used, (uintptr_t)at == g->begin ? n : 0,
                          memory_order_relaxed);
}

void
builder_ahead_publish(struct builder *b)
{
    if (!b->ahead)
        return;
    struct growing *g = b->ahead->arrays;
    publish(&g[0], b->op_key.at, b->op_key.n);
    publish(&g[1], b->op_value.at, b->op_value.n);
    publish(&g[2], b->values.all.at, b->values.all.n);
    publish(&g[3], b->values.bits.narrow.at, b->values.bits.narrow.n);
}

/* Ask for the next pages of an array if its end comes near. */
static void
get_pages(struct growing *g)
{
    const size_t used =
        atomic_load_explicit(&g->used, memory_order_relaxed) * g->width;
    uintptr_t from = atomic_load_explicit(&g->next, memory_order_relaxed);
    if (from >= g->end || from >= g->begin + used + CHUNK)
        return;
    const uintptr_t after = (from / CHUNK + 1) * CHUNK;
    const uintptr_t to = after < g->end ? after : g->end;
    if (atomic_compare_exchange_strong(&g->next, &from, to))
        mem_touch(from, to);
}

void
builder_pages_ahead(const struct builder *b)
{
    for (size_t i = 0; b->ahead && i < ARRAYS; i++)
        get_pages(&b->ahead->arrays[i]);
}

void
builder_work_ahead(const struct builder *b, struct raw_op *ops, size_t n)
{
    if (!b->ahead)
        return;
    builder_pages_ahead(b);
    const struct intmap_view view = intmap_look(&b->key_index[ATOM_INT]);
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n)
            intmap_view_prefetch(&view, ops[i + AHEAD].key);
        assert(!ops[i].key_is_id);
        const key_id k = ops[i].key_tag == ATOM_INT
                             ? intmap_view_find(&view, ops[i].key)
                             : ID_NONE;
        if (k == ID_NONE)
            continue;
        ops[i].key = k;
        ops[i].key_is_id = true;
    }
}
