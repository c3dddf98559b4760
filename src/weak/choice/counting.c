/* counting.c -- see counting.h.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/choice/counting.h"

void
counting_find(const struct history *h, const txn_id *chosen, uint8_t *counts,
              op_id *why)
{
    u32_vec queue = {0};
    for (txn_id t = 0; t < h->n_txns; t++) {
        counts[t] = h->txn_counts[t] == TXN_COUNTS;
        if (counts[t] && h->n_optional)
            vec_push(&queue, t);
    }
    const struct writer_assignment r = {h, chosen, counts};
    while (queue.n) {
        const txn_id t = vec_pop(&queue);
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            if (!op_is_external_read(h, op))
                continue;
            const txn_id w = assigned_writer(&r, op);
            if (w == TXN_INIT || counts[w])
                continue;
            assert(h->txn_counts[w] == TXN_MAY_COUNT); // (H1)
            counts[w] = 1;
            if (why)
                why[w] = op;
            vec_push(&queue, w);
        }
    }
    vec_free(&queue);
}
