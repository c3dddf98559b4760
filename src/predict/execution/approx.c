/* approx.c -- see approx.h.
 *
 * Session order and reads come first.  Then, for a read of a key from w by t
 * and another writer v of the key: where w comes before v, so does t; where v
 * comes before t, it comes before w.  Both are applied until nothing changes.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/execution/approx.h"

struct relation {
    const struct execution *x;
    u32_vec txns;    // those that take place
    uint32_t *index; // by transaction: its place in txns
    size_t words;    // of a row
    uint64_t *rows;  // bit j of row i: i comes before j
};

static bool
has(const struct relation *m, uint32_t i, uint32_t j)
{
    return m->rows[i * m->words + j / 64] >> j % 64 & 1;
}

/* Let i come before j, and all before i before all behind j; false if that was
 * known. */
static bool
relate(struct relation *m, uint32_t i, uint32_t j)
{
    if (has(m, i, j))
        return false;
    m->rows[i * m->words + j / 64] |= UINT64_C(1) << j % 64;
    for (uint32_t a = 0; a < m->txns.n; a++) {
        if (a != i && !has(m, a, i))
            continue;
        uint64_t *row = m->rows + a * m->words;
        const uint64_t *behind = m->rows + j * m->words;
        for (size_t w = 0; w < m->words; w++)
            row[w] |= behind[w];
        row[j / 64] |= UINT64_C(1) << j % 64;
    }
    return true;
}

static void
relate_known(struct relation *m)
{
    const struct observed *o = m->x->o;
    for (uint32_t i = 0; i < m->txns.n; i++) {
        const uint32_t t = m->txns.at[i];
        if (o->prev[t] != OBS_NONE)
            relate(m, m->index[o->prev[t]], i);
        for (uint32_t r = o->read_first[t];
             r < o->read_first[t] + m->x->reads[t]; r++)
            if (m->x->writer[r] != OBS_INIT)
                relate(m, m->index[m->x->writer[r]], i);
    }
}

/* Apply both rules to read r and write v; false if nothing changed. */
static bool
infer(struct relation *m, uint32_t r, uint32_t v)
{
    const struct obs_read *read = &m->x->o->reads.at[r];
    const uint32_t w = m->x->writer[r], other = m->x->o->writes.at[v].txn;
    if (!execution_has_write(m->x, v) || other == w || other == read->txn)
        return false;
    const uint32_t t = m->index[read->txn], u = m->index[other];
    bool changed = false;
    if (w == OBS_INIT)
        return relate(m, t, u);
    if (has(m, m->index[w], u))
        changed |= relate(m, t, u);
    if (has(m, u, t))
        changed |= relate(m, u, m->index[w]);
    return changed;
}

static bool
infer_all(struct relation *m)
{
    const struct observed *o = m->x->o;
    bool changed = false;
    for (uint32_t i = 0; i < m->txns.n; i++) {
        const uint32_t t = m->txns.at[i];
        for (uint32_t r = o->read_first[t];
             r < o->read_first[t] + m->x->reads[t]; r++) {
            const key_id k = o->reads.at[r].key;
            for (uint32_t v = o->key_first[k]; v < o->key_first[k + 1]; v++)
                changed |= infer(m, r, o->key_write[v]);
        }
    }
    return changed;
}

static bool
is_cyclic(const struct relation *m)
{
    for (uint32_t i = 0; i < m->txns.n; i++)
        if (has(m, i, i))
            return true;
    return false;
}

bool
approx_is_cyclic(const struct execution *x)
{
    struct relation m = {.x = x};
    m.index = mem_alloc(x->o->n + 1, sizeof *m.index);
    for (uint32_t t = 0; t < x->o->n; t++) {
        m.index[t] = (uint32_t)m.txns.n;
        if (x->role[t] != ROLE_OUT)
            vec_push(&m.txns, t);
    }
    m.words = m.txns.n / 64 + 1;
    m.rows = mem_calloc(m.txns.n * m.words + 1, sizeof *m.rows);
    relate_known(&m);
    while (!is_cyclic(&m) && infer_all(&m))
        ;
    const bool cyclic = is_cyclic(&m);
    vec_free(&m.txns);
    mem_free(m.index);
    mem_free(m.rows);
    return cyclic;
}
