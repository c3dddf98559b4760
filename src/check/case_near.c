/* case_near.c -- see case_near.h.
 *
 * A row about an element is near where a transaction that the evidence names
 * uses the list.  A row about an outcome is near where the evidence names the
 * transaction, or rests on a read of a value that the transaction wrote: had it
 * counted, the read might have been from there.
 *
 * SPDX-License-Identifier: MIT */
#include "check/case_near.h"

#include "evidence/proof.h"
#include "history/list/reader_outcomes.h"

struct named {
    const struct history *copy;
    uint8_t *txns, *values, *keys;
};

static void
name_txn(struct named *n, txn_id t)
{
    if (t < n->copy->n_txns)
        n->txns[t] = 1;
}

static void
name_read(struct named *n, op_id op)
{
    if (op < n->copy->n_ops)
        n->values[n->copy->op_value[op]] = 1;
}

static void
name_cycle(struct named *n, const struct cycle *c)
{
    for (size_t i = 0; i < c->edges.n; i++) {
        const struct cycle_edge *e = &c->edges.at[i];
        name_txn(n, e->from);
        name_txn(n, e->to);
        name_read(n, e->read);
        name_read(n, e->premise);
    }
    for (size_t i = 0; i < c->path.n; i++)
        name_txn(n, c->path.at[i]);
}

static void
name_proof(struct named *n, const struct proof *p)
{
    for (size_t i = 0; i < p->edges.n; i++) {
        name_txn(n, p->edges.at[i].from);
        name_txn(n, p->edges.at[i].to);
        name_read(n, p->edges.at[i].read);
    }
    for (size_t i = 0; i < p->steps.n; i++) {
        const struct proof_step *s = &p->steps.at[i];
        if (s->kind == STEP_CHOICES || s->kind == STEP_COUNTS ||
            s->kind == STEP_AHEAD)
            name_read(n, s->read);
    }
    for (size_t i = 0; i < p->cycles.n; i++)
        name_cycle(n, &p->cycles.at[i]);
}

static void
name_evidence(struct named *n, const struct certificate *c)
{
    switch (c->kind) {
    case EVIDENCE_FLAW:
        name_txn(n, c->flaw.txn);
        name_txn(n, c->flaw.other);
        name_read(n, c->flaw.op);
        break;
    case EVIDENCE_CYCLE:
        name_cycle(n, &c->cycle);
        break;
    case EVIDENCE_PROOF:
        name_proof(n, c->proof);
        break;
    default:
        break;
    }
}

/* Whether t writes a value that was named. */
static bool
writes_named(const struct named *n, txn_id t)
{
    const struct history *h = n->copy;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_write(h, op) &&
            n->values[history_shown_value(h, h->op_value[op])])
            return true;
    return false;
}

void
case_near(const struct history *h, const struct history *copy,
          const struct certificate *c, uint8_t *near)
{
    assert(copy->n_txns == h->n_txns);
    struct named n = {.copy = copy};
    n.txns = mem_calloc(copy->n_txns, sizeof *n.txns);
    n.values = mem_calloc(copy->n_values, sizeof *n.values);
    n.keys = mem_calloc(copy->n_keys, sizeof *n.keys);
    name_evidence(&n, c);
    for (txn_id t = 0; t < copy->n_txns; t++)
        for (op_id op = copy->txn_begin[t]; n.txns[t] && op < copy->txn_end[t];
             op++)
            n.keys[op_key(copy, op)] = 1;
    for (size_t i = 0; i < h->authors.n; i++) {
        const struct list_author *a = &h->authors.at[i];
        const txn_id t = h->author_items.at[a->first];
        const key_id k = h->values[a->value].key & OP_KEY;
        near[i] = reader_outcomes_is(a) ? n.txns[t] || writes_named(&n, t)
                                        : k < copy->n_keys && n.keys[k];
    }
    mem_free(n.txns);
    mem_free(n.values);
    mem_free(n.keys);
}
