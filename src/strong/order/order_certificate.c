/* order_certificate.c -- see order_certificate.h.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/order/order_certificate.h"

/* Name the writer of every ambiguous read: the version that is current at the
 * reader's start. */
static void
add_choices(const struct order_check *a, const uint32_t *order,
            struct certificate *out)
{
    const struct dependencies *p = a->p;
    if (!p->n_candidates)
        return; // no read was ever ambiguous
    assert(out->kind == EVIDENCE_ORDER && !out->choices.n);
    version_id *now = mem_alloc(p->h->n_keys, sizeof *now);
    depend_begin(p, now);
    for (uint32_t i = 0; i < p->g.n; i++) {
        if (order[i] >= depend_txn_points(p))
            continue;
        const dense_id t = point_txn(p, order[i]);
        if (!order_check_counts(a, t))
            continue;
        if (order[i] == point_start(p, t))
            for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++)
                depend_add_choice(p, r, now[read_key(p, r)], out);
        if (order[i] == point_commit(p, t))
            for (version_id v = p->write_first[t]; v < p->write_first[t + 1];
                 v++)
                now[p->version_key[v]] = v;
    }
    mem_free(now);
}

void
order_certificate_make(const struct order_check *a, const uint32_t *order,
                       struct certificate *out)
{
    const struct dependencies *p = a->p;
    assert(out->verdict == VERDICT_UNKNOWN && !out->order.n);
    out->verdict = VERDICT_OK;
    out->kind = EVIDENCE_ORDER;
    vec_reserve(&out->order, depend_txn_points(p));
    for (uint32_t i = 0; i < p->g.n; i++) {
        if (order[i] >= depend_txn_points(p) ||
            !order_check_counts(a, point_txn(p, order[i])))
            continue;
        const txn_id t = p->name[point_txn(p, order[i])];
        vec_push(&out->order, p->two_points ? 2 * t + order[i] % 2 : t);
    }
    assert(out->order.n <= depend_txn_points(p));
    add_choices(a, order, out);
}
