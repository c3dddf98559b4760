/* narrate_edges.c -- see narrate_edges.h.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/narrate/narrate_edges.h"

op_id
narrate_final_write(const struct history *h, txn_id t, key_id k)
{
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_final_write(h, op) && op_key(h, op) == k)
            return op;
    return ID_NONE;
}

static uint32_t
init_index(const struct narration *t)
{
    for (uint32_t i = 0; i < t->a->txns.n; i++)
        if (t->a->txns.at[i].is_init)
            return i;
    return ANOMALY_NONE;
}

bool
narrate_edge_is_inferred(const struct dep *d)
{
    return d->needs[d->kind == EDGE_RW] != ID_NONE &&
           (d->kind == EDGE_WW || d->kind == EDGE_RW);
}

uint32_t
narrate_edge_add(struct narration *t, const struct dep *d, bool inferred)
{
    const struct history *h = t->h;
    struct anomaly_edge e = {
        .from = d->from == TXN_INIT ? init_index(t) : d->from,
        .to = d->to,
        .from_op = ANOMALY_NONE,
        .to_op = ANOMALY_NONE,
        .kind = d->kind,
        .inferred = inferred,
    };
    for (uint32_t i = 0; i < t->a->edges.n; i++) {
        const struct anomaly_edge *old = &t->a->edges.at[i];
        if (old->from == e.from && old->to == e.to && old->kind == e.kind)
            return i;
    }
    if (d->kind == EDGE_RW)
        e.from_op = narrate_place(t, d->from, d->read);
    else if (d->key != ID_NONE && d->from != TXN_INIT)
        e.from_op =
            narrate_place(t, d->from, narrate_final_write(h, d->from, d->key));
    if (d->kind == EDGE_WR)
        e.to_op = narrate_place(t, d->to, d->read);
    else if (d->key != ID_NONE)
        e.to_op =
            narrate_place(t, d->to, narrate_final_write(h, d->to, d->key));
    if (d->key != ID_NONE) {
        history_show_key(h, d->key, &t->b);
        e.key = narrate_keep(t);
        const struct atom key = history_key_atom(h, d->key);
        e.key_id = e.key;
        if (atom_is_text(key)) {
            const struct string s =
                strings_get(&h->strings, (uint32_t)key.bits);
            e.key_id = arena_copy(&t->a->arena, s.text, s.len);
        }
    }
    narrate_clause(t, d);
    e.reason = narrate_keep(t);
    vec_push(&t->a->edges, e);
    return (uint32_t)t->a->edges.n - 1;
}
