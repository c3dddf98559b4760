/* core.c -- see core.h.
 *
 * A read that an edge rests on brings along all transactions that may have
 * written its value: subhistory.h takes reads out when one of these is missing.
 * And what evidence takes for granted has to be there: who read from
 * transactions of unknown outcome, so that they count, and who read the lists
 * whose order is used.
 *
 * Thousands of reads may have the same thousands of candidates (every read of
 * a row that is not there, say), so a transaction is taken once, and so are the
 * candidates of a value.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/reduce/core.h"

#include "base/container/intmap.h"
#include "base/container/sorted.h"
#include "evidence/proof.h"

struct gathering {
    const struct history *h;
    const txn_id *owners;
    u32_vec *core;
    uint8_t *taken;       // by transaction: whether it is in the core
    struct intmap values; // whose candidates are in the core
};

static void
gathering_init(struct gathering *g, const struct history *h,
               const txn_id *owners, u32_vec *core)
{
    vec_clear(core);
    *g = (struct gathering){.h = h, .owners = owners, .core = core};
    g->taken = mem_calloc(h->n_txns, sizeof *g->taken);
}

static void
gathering_free(struct gathering *g)
{
    mem_free(g->taken);
    intmap_free(&g->values);
}

txn_id *
core_owners(const struct history *h)
{
    txn_id *owners = mem_alloc(h->n_ops, sizeof *owners);
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            owners[op] = t;
    return owners;
}

static void
add_txn(struct gathering *g, txn_id t)
{
    if (t >= g->h->n_txns || !g->h->txn_counts[t] || g->taken[t])
        return;
    g->taken[t] = 1;
    vec_push(g->core, t);
}

static void
add_read(struct gathering *g, op_id op)
{
    if (op == ID_NONE)
        return;
    const value_id v = g->h->op_value[op];
    add_txn(g, g->owners[op]);
    if (!history_has_several(g->h, v)) {
        add_txn(g, history_writer(g->h, v));
        return;
    }
    bool added;
    intmap_add(&g->values, v, 0, &added);
    if (!added)
        return;
    const struct txn_range all = history_candidates(g->h, v);
    for (size_t i = 0; i < all.n; i++)
        add_txn(g, all.at[i]);
}

static void
add_cycle(struct gathering *g, const struct cycle *c)
{
    for (size_t i = 0; i < c->edges.n; i++) {
        const struct cycle_edge *e = &c->edges.at[i];
        add_txn(g, e->from);
        add_txn(g, e->to);
        add_read(g, e->read);
        add_read(g, e->premise);
        // A path is so or wr from one to the next, by reads that are not
        // named: those transactions bring everything they read from along
        // when several may have written it, which is rare.
        for (uint32_t j = 0; j < e->path_n; j++)
            add_txn(g, c->path.at[e->path_first + j]);
    }
}

static void
add_proof(struct gathering *g, const struct proof *p)
{
    for (size_t i = 0; i < p->edges.n; i++) {
        add_txn(g, p->edges.at[i].from);
        add_txn(g, p->edges.at[i].to);
        add_txn(g, p->edges.at[i].writer);
        add_read(g, p->edges.at[i].read);
    }
    for (size_t i = 0; i < p->steps.n; i++) {
        const struct proof_step *s = &p->steps.at[i];
        if (s->kind == STEP_CHOICES || s->kind == STEP_COUNTS ||
            s->kind == STEP_AHEAD)
            add_read(g, s->read);
        if (s->kind == STEP_AHEAD) {
            add_txn(g, s->writer);
            add_txn(g, s->other);
        }
    }
    for (size_t i = 0; i < p->cycles.n; i++)
        add_cycle(g, &p->cycles.at[i]);
}

/* Add the candidates of all ambiguous reads of the transactions so far: a
 * path does not say by which read it leads on. */
static void
add_candidates(struct gathering *g)
{
    const struct history *h = g->h;
    if (!h->several.n)
        return;
    const size_t n = g->core->n;
    for (size_t i = 0; i < n; i++) {
        const txn_id t = g->core->at[i];
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (op_is_external_read(h, op) &&
                history_has_several(h, h->op_value[op]))
                add_read(g, op);
    }
}

// Whether an indeterminate transaction of the core has a reader in it.
enum need { NEED_NONE, NEED_READER, NEED_MET };

/* A transaction that needs a reader and may have written v; or TXN_NONE. */
static txn_id
find_needy(const struct history *h, value_id v, const uint8_t *needs)
{
    const txn_id writer = history_writer(h, v);
    if (!history_has_several(h, v))
        return writer < h->n_txns && needs[writer] == NEED_READER ? writer
                                                                  : TXN_NONE;
    const struct txn_range all = history_candidates(h, v);
    for (size_t i = 0; i < all.n; i++)
        if (all.at[i] < h->n_txns && needs[all.at[i]] == NEED_READER)
            return all.at[i];
    return TXN_NONE;
}

/* The same for what the read saw: a value, or the elements of a list. */
static txn_id
find_needy_of(const struct history *h, op_id op, const uint8_t *needs)
{
    txn_id found = find_needy(h, h->op_value[op], needs);
    const struct list_seen seen = history_list_seen(h, op);
    for (size_t i = 0; found == TXN_NONE && i < seen.n; i++)
        found = find_needy(h, seen.at[i], needs);
    return found;
}

/* An indeterminate transaction counts because another one read from it: that
 * one belongs to the core; and if it is indeterminate itself, so does one that
 * read from it. */
static void
add_readers(struct gathering *g)
{
    const struct history *h = g->h;
    uint8_t *needs = mem_calloc(h->n_txns, sizeof *needs);
    size_t looked = 0, open = 0;
    do {
        for (; looked < g->core->n; looked++) {
            const txn_id t = g->core->at[looked];
            if (h->txn_status[t] != TXN_INDETERMINATE || needs[t] != NEED_NONE)
                continue;
            needs[t] = NEED_READER;
            open++;
        }
        for (txn_id t = 0; open && t < h->n_txns; t++)
            for (op_id op = h->txn_begin[t];
                 h->txn_counts[t] && op < h->txn_end[t]; op++) {
                if (!op_is_external_read(h, op))
                    continue;
                const txn_id needy = find_needy_of(h, op, needs);
                if (needy == TXN_NONE)
                    continue;
                needs[needy] = NEED_MET;
                open--;
                add_read(g, op);
            }
    } while (looked < g->core->n);
    mem_free(needs);
}

/* The longest list that a counting transaction read, by key; ID_NONE where
 * there is none. */
static op_id *
longest_reads(const struct gathering *g)
{
    const struct history *h = g->h;
    op_id *reads = mem_alloc(h->n_keys, sizeof *reads);
    uint32_t *length = mem_calloc(h->n_keys, sizeof *length);
    for (key_id k = 0; k < h->n_keys; k++)
        reads[k] = ID_NONE;
    for (size_t i = 0; i < h->list_reads.n; i++) {
        const struct list_read *r = &h->list_reads.at[i];
        const key_id k = op_key(h, r->op);
        if (r->own != ID_NONE || r->length <= length[k] ||
            !h->txn_counts[g->owners[r->op]])
            continue;
        reads[k] = r->op;
        length[k] = r->length;
    }
    mem_free(length);
    return reads;
}

/* Evidence does not say which read shows the order of a list's elements: the
 * longest one does, wherever several of the core append to the list. */
static void
add_list_reads(struct gathering *g)
{
    const struct history *h = g->h;
    if (!h->order_first)
        return;
    op_id *reads = longest_reads(g);
    uint32_t *author = mem_alloc(h->n_keys, sizeof *author);
    for (key_id k = 0; k < h->n_keys; k++)
        author[k] = TXN_NONE;
    const size_t n = g->core->n;
    for (size_t i = 0; i < n; i++) {
        const txn_id t = g->core->at[i];
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            const key_id k = op_key(h, op);
            if (!op_is_write(h, op) || author[k] == t)
                continue;
            if (author[k] != TXN_NONE) {
                add_read(g, reads[k]);
                reads[k] = ID_NONE;
            }
            author[k] = t;
        }
    }
    mem_free(author);
    mem_free(reads);
}

/* What the transactions so far cannot be without; then the core is whole. */
static void
complete(struct gathering *g)
{
    add_readers(g);
    add_list_reads(g);
    add_candidates(g);
    sorted_unique(g->core);
}

void
core_of_cycle(const struct history *h, const txn_id *owners,
              const struct cycle *cycle, u32_vec *core)
{
    struct gathering g;
    gathering_init(&g, h, owners, core);
    add_cycle(&g, cycle);
    complete(&g);
    gathering_free(&g);
}

void
core_of_certificate(const struct history *h, const txn_id *owners,
                    const struct certificate *c, u32_vec *core)
{
    struct gathering g;
    gathering_init(&g, h, owners, core);
    if (c->kind == EVIDENCE_CYCLE)
        add_cycle(&g, &c->cycle);
    else if (c->kind == EVIDENCE_PROOF)
        add_proof(&g, c->proof);
    complete(&g);
    gathering_free(&g);
}
