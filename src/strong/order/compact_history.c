/* compact_history.c -- see compact_history.h.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/order/compact_history.h"

/* Number the values of each key: number[v] of value id v.  Returns false where
 * a key has too many values. */
static bool
number_values(const struct dependencies *p, uint8_t *number)
{
    for (key_id k = 0; k < p->h->n_keys; k++) {
        uint32_t n = HOLDS_FIRST_VALUE;
        for (uint32_t i = p->key_first[k]; i < p->key_first[k + 1]; i++) {
            const version_id v = p->key_version[i];
            uint8_t *it = &number[p->version_value[v]];
            if (version_is_init(p, v))
                *it = HOLDS_INITIAL;
            else if (!*it && n > COMPACT_VALUES)
                return false;
            else if (!*it)
                *it = (uint8_t)n++;
        }
    }
    return true;
}

/* Whether some transaction saw two values of a key.  Then no order exists. */
static bool
has_unrepeatable_read(const struct dependencies *p)
{
    for (dense_id t = 0; t < p->n_txns; t++)
        for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++)
            for (read_id q = p->read_first[t]; q < r; q++)
                if (read_key(p, q) == read_key(p, r))
                    return true;
    return false;
}

bool
compact_history_suits(const struct dependencies *p)
{
    const struct chains *g = &p->g;
    uint32_t keys = 0;
    for (key_id k = 0; k < p->h->n_keys; k++)
        keys += p->key_first[k + 1] > p->key_first[k];
    bool suits = level_is_serial(p->level) && g->n == p->n_txns && g->n &&
                 p->n_txns == p->n_certain && g->n_chains <= COMPACT_CHAINS &&
                 keys <= COMPACT_KEYS && p->version_value;
    for (uint32_t c = 0; suits && c < g->n_chains; c++)
        suits = g->first[c + 1] - g->first[c] <= COMPACT_PLACES;
    uint8_t *number = mem_calloc(p->h->n_values, sizeof *number);
    suits = suits && number_values(p, number) && !has_unrepeatable_read(p);
    mem_free(number);
    return suits;
}

/* Append the reads of t of keys that it writes as well, or of the others. */
static void
add_reads(struct compact_history *c, const struct dependencies *p, dense_id t,
          bool written, const uint8_t *key, const uint8_t *value)
{
    for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++) {
        const version_id v = p->read_version[r];
        const uint8_t what =
            v == VERSION_NONE       ? value[p->h->op_value[p->read_op[r]]]
            : version_is_init(p, v) ? HOLDS_INITIAL
                                    : value[p->version_value[v]];
        assert(what != HOLDS_ANYTHING); // it was written
        if (depend_writes(p, t, read_key(p, r)) == written)
            vec_push(&c->cells,
                     ((struct compact_cell){key[read_key(p, r)], what}));
    }
}

static void
add_txns(struct compact_history *c, const struct dependencies *p)
{
    uint8_t *value = mem_calloc(p->h->n_values, sizeof *value);
    (void)number_values(p, value);
    uint8_t *key = mem_calloc(p->h->n_keys, sizeof *key);
    for (key_id k = 0; k < p->h->n_keys; k++)
        if (p->key_first[k + 1] > p->key_first[k])
            key[k] = (uint8_t)c->n_keys++;
    assert(c->n_keys <= COMPACT_KEYS);
    c->txns = mem_alloc(p->n_txns, sizeof *c->txns);
    for (dense_id t = 0; t < p->n_txns; t++) {
        struct compact_txn *txn = &c->txns[t];
        txn->reads = (uint32_t)c->cells.n;
        add_reads(c, p, t, true, key, value);
        txn->kept = (uint32_t)c->cells.n;
        add_reads(c, p, t, false, key, value);
        txn->writes = (uint32_t)c->cells.n;
        for (version_id v = p->write_first[t]; v < p->write_first[t + 1]; v++)
            vec_push(&c->cells,
                     ((struct compact_cell){key[p->version_key[v]],
                                            value[p->version_value[v]]}));
        txn->end = (uint32_t)c->cells.n;
    }
    mem_free(key);
    mem_free(value);
}

static void
add_edges(struct compact_history *c, const struct dependencies *p)
{
    const struct chains *g = &p->g;
    const size_t n = (size_t)g->n * g->n_chains;
    c->after = mem_calloc(n, sizeof *c->after);
    c->before = mem_alloc(n, sizeof *c->before);
    memset(c->before, 0xff, n);
    for (size_t e = 0; e < g->edges.n; e++) {
        const uint32_t from = g->edges.at[e].from, to = g->edges.at[e].to;
        const struct seat a = g->seat[from], b = g->seat[to];
        uint8_t *after = &c->after[(size_t)to * g->n_chains + a.chain];
        uint8_t *before = &c->before[(size_t)from * g->n_chains + b.chain];
        assert(a.place < COMPACT_PLACES && b.place < COMPACT_PLACES);
        *after = *after > a.place ? *after : (uint8_t)(a.place + 1);
        *before = *before < b.place ? *before : (uint8_t)b.place;
    }
}

void
compact_history_init(struct compact_history *c, const struct dependencies *p)
{
    assert(compact_history_suits(p));
    *c = (struct compact_history){.n_chains = p->g.n_chains};
    add_txns(c, p);
    add_edges(c, p);
}

void
compact_history_free(struct compact_history *c)
{
    mem_free(c->txns);
    vec_free(&c->cells);
    mem_free(c->after);
    mem_free(c->before);
    *c = (struct compact_history){0};
}
