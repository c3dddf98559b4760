/* weak_order.h -- a commit order that is being checked.
 *
 * SPDX-License-Identifier: MIT */
#ifndef VERIFY_WEAK_ORDER_H
#define VERIFY_WEAK_ORDER_H

#include "evidence/certificate.h"

/* The writers of each key in commit order: those of key k are
 * at[first[k] .. first[k + 1]). */
struct versions {
    uint32_t *first;
    txn_id *at;
};

struct weak_order {
    const struct history *h;
    enum level_premise premise;
    const u32_vec *order;
    uint32_t *position; // by transaction, from 1; 0 = not in the order
    txn_id *chosen;     // by op; NULL where nothing is to be chosen
    u32_vec stale;      // transactions that read what is not the last, in order
    struct versions versions;
    struct err *err;
};

/* The writer that the external read op reads from, or TXN_NONE where that is
 * left open. */
static inline txn_id
weak_order_writer(const struct weak_order *w, op_id op)
{
    const value_id v = w->h->op_value[op];
    return w->chosen && history_has_several(w->h, v) ? w->chosen[op]
                                                     : history_writer(w->h, v);
}

static inline uint32_t
weak_order_position(const struct weak_order *w, txn_id t)
{
    return t == TXN_INIT ? 0 : w->position[t];
}

/* Read positions and choices from c.  False with an error where the order does
 * not have each counting transaction once, respecting sessions, or a choice is
 * not a candidate.  The caller frees w in either case. */
bool weak_order_init(struct weak_order *w, const struct history *h,
                     const struct certificate *c, struct err *err);
void weak_order_free(struct weak_order *w);

/* Fill in w->versions. */
void weak_order_collect_versions(struct weak_order *w);

/* The place of the first version of x that is later than 'position'. */
uint32_t weak_order_after(const struct weak_order *w, key_id x,
                          uint32_t position);

/* Report what is wrong with t; always false. */
bool weak_order_wrong(const struct weak_order *w, txn_id t, const char *what);

/* Report that t3 has the premise with t2, which overwrote what t3 read; always
 * false. */
bool weak_order_refuted(const struct weak_order *w, txn_id t3, txn_id t2);

#endif
