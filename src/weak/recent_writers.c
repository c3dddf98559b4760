/* recent_writers.c -- see recent_writers.h.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/recent_writers.h"

#include "depend/writers.h"

void
recent_writers_init(struct recent_writers *w, const struct writer_assignment *r,
                    bool keeps_bounds)
{
    const struct history *h = r->h;
    *w = (struct recent_writers){0};
    w->first = mem_alloc((size_t)h->n_keys + 1, sizeof *w->first);
    writers_bounds(w->first, h, r->counts);
    w->end = mem_alloc(h->n_keys, sizeof *w->end);
    if (h->n_keys)
        memcpy(w->end, w->first, h->n_keys * sizeof *w->end);
    w->at = mem_alloc(w->first[h->n_keys], sizeof *w->at);
    if (!keeps_bounds)
        return;
    w->open = mem_alloc(w->first[h->n_keys], sizeof *w->open);
    w->last_unordered = mem_alloc(h->n_keys, sizeof *w->last_unordered);
    for (key_id k = 0; k < h->n_keys; k++)
        w->last_unordered[k] = ID_NONE;
}

void
recent_writers_free(struct recent_writers *w)
{
    mem_free(w->first);
    mem_free(w->end);
    mem_free(w->at);
    mem_free(w->open);
    mem_free(w->last_unordered);
    vec_free(&w->unordered);
}

void
recent_writers_pass(struct recent_writers *w, const struct writer_assignment *r,
                    txn_id t)
{
    const struct history *h = r->h;
    assert(r->counts[t]);
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (!op_is_final_write(h, op))
            continue;
        const key_id k = op_key(h, op);
        const uint32_t i = w->end[k]++;
        assert(i < w->first[k + 1]); // (1)
        w->at[i] = t;
        if (w->open)
            w->open[i] = UINT8_MAX;
    }
}

bool
recent_writers_has_room(const struct recent_writers *w, key_id k)
{
    uint32_t n = 0;
    for (uint32_t i = w->last_unordered[k]; i != ID_NONE;
         i = w->unordered.at[i].next)
        n++;
    return n < TUNE_OPEN_WRITERS;
}

void
recent_writers_add_unordered(struct recent_writers *w, key_id k, uint32_t index)
{
    assert(w->first[k] <= index && index < w->end[k]);
    assert(recent_writers_has_room(w, k));
    vec_push(&w->unordered,
             ((struct unordered_writer){index, w->last_unordered[k]}));
    w->last_unordered[k] = (uint32_t)w->unordered.n - 1;
}

bool
recent_writers_is_unordered(const struct recent_writers *w, key_id k,
                            uint32_t index)
{
    for (uint32_t i = w->last_unordered[k]; i != ID_NONE;
         i = w->unordered.at[i].next)
        if (w->unordered.at[i].index == index)
            return true;
    return false;
}
