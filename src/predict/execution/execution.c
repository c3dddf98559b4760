/* execution.c -- see execution.h.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/execution/execution.h"

#include "history/builder/builder.h"

void
execution_init(struct execution *x, const struct observed *o, bool is_strict)
{
    *x = (struct execution){.o = o, .is_strict = is_strict};
    x->role = mem_alloc(o->n + 1, sizeof *x->role);
    x->reads = mem_alloc(o->n + 1, sizeof *x->reads);
    x->writer = mem_alloc(o->reads.n + 1, sizeof *x->writer);
    execution_clear(x);
}

void
execution_free(struct execution *x)
{
    mem_free(x->role);
    mem_free(x->reads);
    mem_free(x->writer);
}

void
execution_copy(struct execution *to, const struct execution *from)
{
    assert(to->o == from->o);
    const struct observed *o = to->o;
    memcpy(to->role, from->role, o->n * sizeof *to->role);
    memcpy(to->reads, from->reads, o->n * sizeof *to->reads);
    memcpy(to->writer, from->writer, o->reads.n * sizeof *to->writer);
    to->goes_on = from->goes_on;
    to->by_rows = from->by_rows;
}

void
execution_clear(struct execution *x)
{
    const struct observed *o = x->o;
    memset(x->role, ROLE_OUT, o->n * sizeof *x->role);
    memset(x->reads, 0, o->n * sizeof *x->reads);
    for (size_t r = 0; r < o->reads.n; r++)
        x->writer[r] = o->reads.at[r].writer;
}

void
execution_add_base(struct execution *x, uint32_t t)
{
    const struct observed *o = x->o;
    if (t == OBS_INIT || t == OBS_NONE)
        return;
    assert(!o->looped[t]);
    for (uint32_t s = 0; s < o->n_sessions; s++) {
        const uint32_t first = o->chains.first[s];
        const uint32_t end = first + clocks_get(&o->clocks, t, s);
        for (uint32_t u = end; u > first && x->role[u - 1] != ROLE_BASE; u--) {
            x->role[u - 1] = ROLE_BASE;
            x->reads[u - 1] = observed_reads(o, u - 1);
        }
    }
}

void
execution_add_boundary(struct execution *x, uint32_t t, uint32_t reads)
{
    assert(x->role[t] == ROLE_OUT && reads <= observed_reads(x->o, t));
    x->role[t] = ROLE_BOUNDARY;
    x->reads[t] = reads;
}

bool
execution_has_write(const struct execution *x, uint32_t write)
{
    const struct obs_write *w = &x->o->writes.at[write];
    return x->role[w->txn] == ROLE_BASE ||
           (x->role[w->txn] == ROLE_BOUNDARY &&
            (!x->is_strict || w->reads_before < x->reads[w->txn] ||
             write < x->goes_on));
}

bool
execution_has_read(const struct execution *x, uint32_t read)
{
    const uint32_t t = x->o->reads.at[read].txn;
    return x->role[t] != ROLE_OUT && read - x->o->read_first[t] < x->reads[t];
}

uint32_t
execution_changed(const struct execution *x)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < x->o->reads.n; r++)
        n += execution_has_read(x, r) &&
             x->writer[r] != x->o->reads.at[r].writer;
    return n;
}

static uint32_t
count_role(const struct execution *x, enum role role)
{
    uint32_t n = 0;
    for (uint32_t t = 0; t < x->o->n; t++)
        n += x->role[t] == role;
    return n;
}

uint32_t
execution_boundaries(const struct execution *x)
{
    return count_role(x, ROLE_BOUNDARY);
}

uint32_t
execution_txns(const struct execution *x)
{
    return x->o->n - count_role(x, ROLE_OUT);
}

/* --- parts ---------------------------------------------------------------- */

void
excerpt_init(struct excerpt *p, const struct observed *o)
{
    p->txn = mem_calloc(o->n + 1, sizeof *p->txn);
    p->read = mem_calloc(o->reads.n + 1, sizeof *p->read);
    p->write = mem_calloc(o->writes.n + 1, sizeof *p->write);
}

void
excerpt_free(struct excerpt *p)
{
    mem_free(p->txn);
    mem_free(p->read);
    mem_free(p->write);
}

/* --- as a history for the engines ----------------------------------------- */

/* Values stand for writers, 0 for the initial transaction. */
static struct atom
value_of(uint32_t writer)
{
    return atom_int(writer == OBS_INIT ? 0 : (int64_t)writer + 1);
}

static void
add_read(const struct execution *x, uint32_t r, struct builder *b, txn_id t,
         struct origin *origin)
{
    const struct obs_read *read = &x->o->reads.at[r];
    struct err err = {0};
    if (!builder_read(b, t, atom_int(read->key), value_of(x->writer[r]), &err))
        assert(false); // no limit is met by a part of what was read
    vec_push(&origin->ops, 2 * r);
}

/* Whether an earlier write of the transaction of w is to the same row. */
static bool
has_row(const struct execution *x, uint32_t w)
{
    const struct observed *o = x->o;
    const uint32_t row = o->rows[o->writes.at[w].key];
    for (uint32_t v = o->write_first[o->writes.at[w].txn]; v < w; v++)
        if (o->rows[o->writes.at[v].key] == row && execution_has_write(x, v))
            return true;
    return false;
}

/* Rows are keys behind all others. */
static void
add_row(const struct execution *x, uint32_t w, struct builder *b, txn_id t,
        struct origin *origin)
{
    const struct observed *o = x->o;
    const struct obs_write *write = &o->writes.at[w];
    const int64_t key = (int64_t)o->n_keys + o->rows[write->key];
    struct err err = {0};
    if (!builder_write(b, t, atom_int(key), value_of(write->txn), &err))
        assert(false);
    vec_push(&origin->ops, 2 * w + 1);
}

static void
add_write(const struct execution *x, uint32_t w, struct builder *b, txn_id t,
          struct origin *origin)
{
    const struct obs_write *write = &x->o->writes.at[w];
    struct err err = {0};
    if (!builder_write(b, t, atom_int(write->key), value_of(write->txn), &err))
        assert(false);
    vec_push(&origin->ops, 2 * w + 1);
    if (x->by_rows && !has_row(x, w))
        add_row(x, w, b, t, origin);
}

static void
add_txn(const struct execution *x, const struct excerpt *part, uint32_t t,
        struct builder *b, struct origin *origin)
{
    const struct observed *o = x->o;
    struct err err = {0};
    txn_id id;
    if (!builder_txn(b, builder_session(b, atom_int(o->session[t])), &id, &err))
        assert(false);
    vec_push(&origin->txns, t);
    const uint32_t first = o->read_first[t];
    uint32_t w = o->write_first[t];
    for (uint32_t r = first; r <= o->read_first[t + 1]; r++) {
        for (; w < o->write_first[t + 1] &&
               o->writes.at[w].reads_before <= r - first;
             w++)
            if (execution_has_write(x, w) && (!part || part->write[w]))
                add_write(x, w, b, id, origin);
        if (r < o->read_first[t + 1] && execution_has_read(x, r) &&
            (!part || part->read[r]))
            add_read(x, r, b, id, origin);
    }
}

void
execution_history(const struct execution *x, const struct excerpt *part,
                  struct history *out, struct origin *origin)
{
    struct builder *b = builder_new(atom_int(0));
    vec_clear(&origin->txns);
    vec_clear(&origin->ops);
    for (uint32_t t = 0; t < x->o->n; t++)
        if (x->role[t] != ROLE_OUT && (!part || part->txn[t]))
            add_txn(x, part, t, b, origin);
    struct err err = {0};
    if (!builder_finish(b, out, &err))
        assert(false);
}
