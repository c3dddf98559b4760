/* list_order.c -- see list_order.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/list/list_order.h"

void
list_orders_free(struct list_orders *o)
{
    for (size_t i = 0; i < o->all.n; i++)
        vec_free(&o->all.at[i]);
    vec_free(&o->all);
    intmap_free(&o->number_of);
    vec_free(&o->taken);
}

static u32_vec *
order_of(struct list_orders *o, key_id k)
{
    bool added;
    const uint32_t i = intmap_add(&o->number_of, k, (uint32_t)o->all.n, &added);
    if (added)
        vec_push(&o->all, ((u32_vec){0}));
    assert(i < o->all.n);
    return &o->all.at[i];
}

/* Mark a value as part of an order; false where it is in one already. */
static bool
mark(struct list_orders *o, value_id v)
{
    while (o->taken.n <= v)
        vec_push(&o->taken, 0);
    const bool is_new = !o->taken.at[v];
    o->taken.at[v] = 1;
    return is_new;
}

static bool
extend_order(struct list_orders *o, u32_vec *order, const value_id *more,
             size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!mark(o, more[i])) {
            while (i--) // undo
                o->taken.at[vec_pop(order)] = 0;
            return false;
        }
        vec_push(order, more[i]);
    }
    return true;
}

bool
list_orders_explain(struct list_orders *o, key_id k, const value_id *items,
                    size_t n, bool extend)
{
    assert(n);
    u32_vec *order = order_of(o, k);
    const size_t common = n < order->n ? n : order->n;
    return (!common || memcmp(items, order->at, common * sizeof *items) == 0) &&
           (n == common ||
            (extend && extend_order(o, order, items + common, n - common)));
}

void
list_orders_copy(const struct list_orders *o, key_id k, u32_vec *out)
{
    const uint32_t i = intmap_find(&o->number_of, k);
    for (size_t j = 0; i != UINT32_MAX && j < o->all.at[i].n; j++)
        vec_push(out, o->all.at[i].at[j]);
}
