/* choice_premises.c -- see choice_premises.h.
 *
 * A transaction that may count does in an assignment because a transaction that
 * counts reads from it.  So what depends on its counting depends on that
 * choice, and on the choices by which the reader counts.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/choice/choice_premises.h"

#include "weak/writer_assignment.h"

static void
note_choice(const struct history *h, op_id read, txn_id writer, choice_vec *out)
{
    if (read == ID_NONE || !history_has_several(h, h->op_value[read]))
        return;
    for (size_t i = 0; i < out->n; i++)
        if (out->at[i].read == read)
            return;
    vec_push(out, ((struct choice){read, writer}));
}

/* Note the choice that the step of a path from a to b depends on: none where
 * it is by session order, or by a read with one candidate. */
static void
note_step(const struct writer_assignment *r, txn_id a, txn_id b,
          choice_vec *out)
{
    const struct history *h = r->h;
    if (h->txn_session[a] == h->txn_session[b] && a < b)
        return;
    op_id read = ID_NONE;
    for (op_id op = h->txn_begin[b]; op < h->txn_end[b]; op++) {
        if (!op_is_external_read(h, op) || assigned_writer(r, op) != a)
            continue;
        if (!history_has_several(h, h->op_value[op]))
            return;
        if (read == ID_NONE)
            read = op;
    }
    assert(read != ID_NONE);
    note_choice(h, read, a, out);
}

/* The choices by which t counts, where it need not. */
static void
note_counting(const struct choice_solver *c, txn_id t, choice_vec *out)
{
    const struct writer_assignment r = {c->h, c->chosen, c->counts};
    while (t < c->h->n_txns && c->h->txn_counts[t] == TXN_MAY_COUNT) {
        assert(c->counts[t] && assigned_writer(&r, c->why[t]) == t);
        (void)r; // without assertions
        note_choice(c->h, c->why[t], t, out);
        t = c->op_txn[c->why[t]];
    }
}

/* The same for all transactions of a cycle. */
static void
note_all_counting(const struct choice_solver *c, const struct cycle *cycle,
                  choice_vec *out)
{
    for (size_t i = 0; i < cycle->edges.n; i++) {
        const struct cycle_edge *e = &cycle->edges.at[i];
        note_counting(c, e->from, out);
        note_counting(c, e->to, out);
        if (e->read != ID_NONE)
            note_counting(c, c->op_txn[e->read], out);
    }
    for (size_t i = 0; i < cycle->path.n; i++)
        note_counting(c, cycle->path.at[i], out);
}

void
choice_premises_find(const struct choice_solver *c, const struct cycle *cycle,
                     choice_vec *out)
{
    const struct history *h = c->h;
    const struct writer_assignment r = {h, c->chosen, c->counts};
    for (size_t i = 0; i < cycle->edges.n; i++) {
        const struct cycle_edge *e = &cycle->edges.at[i];
        if (e->kind == EDGE_WR)
            note_choice(h, e->read, e->from, out);
        if (e->kind != EDGE_CO)
            continue;
        note_choice(h, e->read, e->to, out);
        note_choice(h, e->premise, e->from, out);
        for (uint32_t j = 1; j < e->path_n; j++)
            note_step(&r, cycle->path.at[e->path_first + j - 1],
                      cycle->path.at[e->path_first + j], out);
    }
    if (h->n_optional)
        note_all_counting(c, cycle, out);
}
