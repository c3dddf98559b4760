/* passed_writers.c -- see passed_writers.h.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/passed_writers.h"

#include "depend/writers.h"

void
passed_writers_init(struct passed_writers *w, const struct weak_reading *r,
                    bool settles)
{
    const struct history *h = r->h;
    *w = (struct passed_writers){0};
    w->first = mem_alloc((size_t)h->n_keys + 1, sizeof *w->first);
    writers_bounds(w->first, h, r->counts);
    w->end = mem_alloc(h->n_keys, sizeof *w->end);
    if (h->n_keys)
        memcpy(w->end, w->first, h->n_keys * sizeof *w->end);
    w->at = mem_alloc(w->first[h->n_keys], sizeof *w->at);
    if (!settles)
        return;
    w->open = mem_alloc(w->first[h->n_keys], sizeof *w->open);
    w->odd = mem_alloc(h->n_keys, sizeof *w->odd);
    for (key_id k = 0; k < h->n_keys; k++)
        w->odd[k] = ID_NONE;
}

void
passed_writers_free(struct passed_writers *w)
{
    mem_free(w->first);
    mem_free(w->end);
    mem_free(w->at);
    mem_free(w->open);
    mem_free(w->odd);
    vec_free(&w->odds);
}

void
passed_writers_pass(struct passed_writers *w, const struct weak_reading *r,
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
passed_writers_has_room(const struct passed_writers *w, key_id k)
{
    uint32_t n = 0;
    for (uint32_t i = w->odd[k]; i != ID_NONE; i = w->odds.at[i].next)
        n++;
    return n < TUNE_OPEN_WRITERS;
}

void
passed_writers_add_odd(struct passed_writers *w, key_id k, uint32_t index)
{
    assert(w->first[k] <= index && index < w->end[k]);
    assert(passed_writers_has_room(w, k));
    vec_push(&w->odds, ((struct odd_writer){index, w->odd[k]}));
    w->odd[k] = (uint32_t)w->odds.n - 1;
}

bool
passed_writers_is_odd(const struct passed_writers *w, key_id k, uint32_t index)
{
    for (uint32_t i = w->odd[k]; i != ID_NONE; i = w->odds.at[i].next)
        if (w->odds.at[i].index == index)
            return true;
    return false;
}
