/* happens_before.c -- see happens_before.h.
 *
 * SPDX-License-Identifier: MIT */
#include "depend/happens_before.h"

static void
make_chains(struct happens_before *b, const struct history *h)
{
    uint32_t *lengths = mem_calloc(h->n_sessions, sizeof *lengths);
    uint32_t n = 0;
    for (txn_id t = 0; t < h->n_txns; t++) {
        b->point[t] = h->txn_counts[t] ? n++ : UINT32_MAX;
        lengths[h->txn_session[t]] += h->txn_counts[t] != TXN_LEFT_OUT;
    }
    chains_init(&b->g, lengths, h->n_sessions);
    assert(b->g.n == n);
    mem_free(lengths);
}

/* Add the edges of the reads of t; several reads from one writer add one edge
 * where they are adjacent. */
static void
add_reads(struct happens_before *b, const struct history *h,
          const txn_id *writer, txn_id t)
{
    txn_id last = TXN_INIT;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (!op_is_external_read(h, op))
            continue;
        txn_id w = history_writer(h, h->op_value[op]);
        if (history_has_several(h, h->op_value[op]))
            w = writer[op];
        if (w == TXN_INIT || w == last)
            continue;
        assert(w < h->n_txns && h->txn_counts[w]);
        chains_add(&b->g, b->point[w], b->point[t]);
        last = w;
    }
}

bool
happens_before_init(struct happens_before *b, const struct history *h,
                    const txn_id *writer, const uint8_t *counts, size_t most)
{
    *b = (struct happens_before){0};
    b->point = mem_alloc(h->n_txns, sizeof *b->point);
    make_chains(b, h);
    bool ok = clocks_bytes(&b->g) <= most;
    if (ok) {
        for (txn_id t = 0; t < h->n_txns; t++)
            if (counts[t])
                add_reads(b, h, writer, t);
        hop_vec cycle = {0};
        uint32_t *order = mem_alloc(b->g.n, sizeof *order);
        ok = chains_sort(&b->g, order, &cycle);
        if (ok) {
            clocks_init(&b->clocks, &b->g);
            clocks_update(&b->clocks, order);
        }
        mem_free(order);
        vec_free(&cycle);
    }
    if (!ok)
        happens_before_free(b);
    return ok;
}

void
happens_before_free(struct happens_before *b)
{
    clocks_free(&b->clocks);
    chains_free(&b->g);
    mem_free(b->point);
    *b = (struct happens_before){0};
}
