/* edges.c -- see edges.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/proof/edges.h"

#include "prove/robust/symbolic/runs.h"

/* A runner for evaluating expressions of a read again. */
static struct sym_runner
evaluator(struct symbolic *s, const struct sym_run *run,
          const struct sym_read *read, struct sym_run *nothing,
          const struct symbol **bound)
{
    *nothing = (struct sym_run){.function = run->function,
                                .aborts = s->terms->no,
                                .uncertain = s->terms->no};
    return (struct sym_runner){.s = s,
                               .t = s->terms,
                               .function = run->function,
                               .run = nothing,
                               .live = read->live,
                               .variables = read->variables,
                               .bound = bound};
}

/* Whether a row with these values comes behind the first one. */
static term
is_behind(struct sym_runner *r, const struct sym_read *read)
{
    struct terms *t = r->t;
    term behind = t->no;
    if (read->extreme) {
        const struct symbol x = sym_evaluate(r, read->extreme->arg);
        const term worse = read->extreme->kind == AGGREGATE_MIN
                               ? term_less(t, read->best->value, x.value)
                               : term_less(t, x.value, read->best->value);
        behind = term_or(t, x.null, worse);
    }
    for (uint32_t i = read->order ? read->order->n_order : 0; i-- > 0;) {
        struct symbol x = sym_evaluate(r, read->order->order[i].by);
        struct symbol first = read->best[i];
        const term same = symbol_same(t, x, first);
        if (read->order->order[i].descending) {
            const struct symbol swap = x;
            x = first;
            first = swap;
        }
        const bool boolean = read->order->order[i].by->type == TYPE_BOOLEAN;
        const term below = boolean
                               ? term_and(t, term_not(t, first.value), x.value)
                               : term_less(t, first.value, x.value);
        const term less =
            term_and(t, term_not(t, first.null), term_or(t, x.null, below));
        behind = term_or(t, less, term_and(t, same, behind));
    }
    return term_and(t, term_not(t, read->none), behind);
}

/* Whether the row counts for the read: it matches, and is not behind. */
static term
counts(struct symbolic *s, const struct sym_run *run,
       const struct sym_read *read, const struct cell_row *row)
{
    struct terms *t = s->terms;
    struct sym_run nothing;
    const struct symbol **bound =
        mem_calloc(run->function->n_sources + 1, sizeof *bound);
    struct sym_runner r = evaluator(s, run, read, &nothing, bound);
    bound[read->source] = row->columns;
    term match = row->alive;
    if (match != t->no) {
        match = term_and(t, match, sym_holds(&r, read->where));
        for (uint32_t i = 0; read->columns && i < read->columns->n; i++) {
            const struct symbol x = row->columns[read->columns->at[i]];
            const struct symbol y = read->values[i];
            match = term_and(t, match, term_not(t, term_or(t, x.null, y.null)));
            match = term_and(t, match, term_equal(t, x.value, y.value));
        }
        if (read->extreme || read->order)
            match = term_and(t, match, term_not(t, is_behind(&r, read)));
    }
    mem_free(bound);
    sym_run_free(&nothing);
    return match;
}

/* Whether the run sets one of the columns. */
static term
sets_used(struct terms *t, const struct table *table, const struct effect *e,
          uint64_t used)
{
    term any = t->no;
    for (uint32_t i = 0; i < table->n_columns; i++)
        if (used >> i & 1)
            any = term_or(t, any, e->sets[i]);
    return any;
}

static term
is_read(struct terms *t, const struct sym_read *read, uint32_t slot,
        enum edge_reads which)
{
    term is = term_and(t, read->live, read->only[slot]);
    if (which == READS_EXACT && read->coarse)
        return t->no;
    if (which == READS_EARLY)
        is = term_and(t, is, read->early);
    if (which == READS_LATE)
        is = term_and(t, is, term_not(t, read->early));
    return is;
}

/* Collect the columns of the source that the condition mentions, as bits;
 * false where it depends on other rows, too. */
static bool
columns_of(const struct expr *e, uint32_t source, uint64_t *columns)
{
    if (!e)
        return true;
    if (e->query || (e->kind == EXPR_COLUMN && e->source != source))
        return false;
    if (e->kind == EXPR_COLUMN)
        *columns |= (uint64_t)1 << e->column;
    for (uint32_t i = 0; i < expr_arity(e->kind); i++)
        if (!columns_of(e->arg[i], source, columns))
            return false;
    return true;
}

/* The one column by which rows come to match the read or no longer do, as a
 * bit; 0 where there are several, or none. */
static uint64_t
deciding_column(const struct table *table, const struct sym_read *read)
{
    uint64_t columns = 0;
    if (read->extreme || read->order || read->columns ||
        !columns_of(read->where, read->source, &columns))
        return 0;
    for (uint32_t i = 0; i < table->primary.n; i++)
        columns &= ~((uint64_t)1 << table->primary.at[i]);
    return columns & (columns - 1) ? 0 : columns;
}

/* What a read may have been written several times before b came.
 *
 * Of those who set a column that a uses, the first one found it as a saw it;
 * the others follow from there by ww edges.  So do those that set the column
 * which decides whether the row matches, if another one had changed that
 * before, and if they set nothing else that a uses. */
static term
rw_next_on(struct symbolic *s, const struct edge_end *a,
           const struct sym_read *read, const struct edge_end *b, uint32_t slot)
{
    struct terms *t = s->terms;
    const struct table *table = &s->program->tables.at[read->table];
    const struct effect *e = &b->run->effects[read->table][slot];
    const struct cell_row *saw = read->rows[slot];
    const struct cell_row *before = &b->before->rows[read->table][slot];
    const struct cell_row *after = &b->after->rows[read->table][slot];
    const uint64_t decides = deciding_column(table, read);
    const term stays = term_and(t, saw->alive, before->alive);
    const term seen = counts(s, a->run, read, saw);
    const term now = counts(s, a->run, read, after);
    term changes = term_not(t, term_equal(t, seen, now)), used = t->no;
    for (uint32_t i = 0; i < table->n_columns; i++)
        if (read->used >> i & 1)
            used = term_or(
                t, used,
                term_and(t, e->sets[i],
                         term_implies(t, stays,
                                      symbol_same(t, saw->columns[i],
                                                  before->columns[i]))));
    if (decides) {
        const term was = counts(s, a->run, read, before);
        const term more = sets_used(t, table, e, read->used & ~decides);
        const term late = term_and(t, term_and(t, stays, after->alive),
                                   term_not(t, term_equal(t, was, seen)));
        changes = term_and(t, changes, term_or(t, term_not(t, late), more));
    }
    return term_or(t, changes, term_and(t, term_and(t, seen, now), used));
}

static term
rw_on(struct symbolic *s, const struct edge_end *a, const struct sym_read *read,
      const struct edge_end *b, uint32_t slot, bool next)
{
    struct terms *t = s->terms;
    const struct table *table = &s->program->tables.at[read->table];
    const struct effect *e = &b->run->effects[read->table][slot];
    const term used = sets_used(t, table, e, read->used);
    if (e->sets_alive == t->no && used == t->no && !read->where &&
        !read->columns)
        return t->no;
    if (read->coarse)
        return term_or(t, e->sets_alive, used);
    const term writes = sym_writes(s, b->run, read->table, slot);
    if (writes == t->no)
        return t->no;
    if (next)
        return term_and(t, writes, rw_next_on(s, a, read, b, slot));
    const term seen = counts(s, a->run, read, read->rows[slot]);
    const term now =
        counts(s, a->run, read, &b->after->rows[read->table][slot]);
    return term_and(t, writes,
                    term_or(t, term_not(t, term_equal(t, seen, now)),
                            term_and(t, term_and(t, seen, now), used)));
}

static term
any_rw(struct symbolic *s, const struct edge_end *a, enum edge_reads which,
       const struct edge_end *b, bool next)
{
    struct terms *t = s->terms;
    term edge = t->no;
    for (size_t i = 0; i < a->run->reads.n; i++) {
        const struct sym_read *read = &a->run->reads.at[i];
        for (uint32_t j = 0; j < s->slots[read->table]; j++) {
            const term is = is_read(t, read, j, which);
            if (is != t->no)
                edge = term_or(t, edge,
                               term_and(t, is, rw_on(s, a, read, b, j, next)));
        }
    }
    return edge;
}

term
edge_rw(struct symbolic *s, const struct edge_end *a, enum edge_reads which,
        const struct edge_end *b)
{
    return any_rw(s, a, which, b, false);
}

/* Where a's write is what b saw: the columns that a set and b uses are equal
 * in what a left and what b saw. */
static term
saw_values(struct symbolic *s, const struct edge_end *a,
           const struct sym_read *read, uint32_t slot)
{
    struct terms *t = s->terms;
    const struct table *table = &s->program->tables.at[read->table];
    const struct effect *e = &a->run->effects[read->table][slot];
    const struct cell_row *left = &a->after->rows[read->table][slot];
    term some = t->no;
    for (uint32_t i = 0; i < table->n_columns; i++)
        if (read->used >> i & 1)
            some = term_or(t, some,
                           term_and(t, e->sets[i],
                                    symbol_same(t, left->columns[i],
                                                read->rows[slot]->columns[i])));
    return some;
}

static term
wr_on(struct symbolic *s, const struct edge_end *a, const struct edge_end *b,
      const struct sym_read *read, uint32_t slot)
{
    struct terms *t = s->terms;
    const struct table *table = &s->program->tables.at[read->table];
    const struct effect *e = &a->run->effects[read->table][slot];
    const term writes = sym_writes(s, a->run, read->table, slot);
    if (writes == t->no)
        return t->no;
    if (read->coarse)
        return term_or(t, e->sets_alive, sets_used(t, table, e, read->used));
    const term before =
        counts(s, b->run, read, &a->before->rows[read->table][slot]);
    const term left =
        counts(s, b->run, read, &a->after->rows[read->table][slot]);
    const term seen = counts(s, b->run, read, read->rows[slot]);
    const term changed = term_not(t, term_equal(t, before, left));
    return term_and(t, writes,
                    term_or(t, term_and(t, changed, term_equal(t, left, seen)),
                            term_and(t, term_and(t, left, seen),
                                     saw_values(s, a, read, slot))));
}

term
edge_wr(struct symbolic *s, const struct edge_end *a, const struct edge_end *b,
        enum edge_reads which)
{
    struct terms *t = s->terms;
    term edge = t->no;
    for (size_t i = 0; i < b->run->reads.n; i++) {
        const struct sym_read *read = &b->run->reads.at[i];
        for (uint32_t j = 0; j < s->slots[read->table]; j++) {
            const term is = is_read(t, read, j, which);
            if (is != t->no)
                edge =
                    term_or(t, edge, term_and(t, is, wr_on(s, a, b, read, j)));
        }
    }
    return edge;
}

term
edge_ww(struct symbolic *s, const struct edge_end *a, const struct edge_end *b)
{
    return sym_write_same(s, a->run, b->run);
}

/* Both set a column, and b found it as a left it. */
static term
ww_next(struct symbolic *s, const struct edge_end *a, const struct edge_end *b)
{
    struct terms *t = s->terms;
    term edge = t->no;
    for (uint32_t i = 0; i < s->program->tables.n; i++)
        for (uint32_t j = 0; j < s->slots[i]; j++) {
            const struct effect *x = &a->run->effects[i][j];
            const struct effect *y = &b->run->effects[i][j];
            const struct cell_row *left = &a->after->rows[i][j];
            const struct cell_row *found = &b->before->rows[i][j];
            const term stays = term_and(t, left->alive, found->alive);
            edge =
                term_or(t, edge,
                        term_and(t, term_and(t, x->sets_alive, y->sets_alive),
                                 term_equal(t, left->alive, found->alive)));
            for (uint32_t c = 0; c < s->program->tables.at[i].n_columns; c++)
                edge = term_or(
                    t, edge,
                    term_and(t, term_and(t, x->sets[c], y->sets[c]),
                             term_implies(t, stays,
                                          symbol_same(t, left->columns[c],
                                                      found->columns[c]))));
        }
    return edge;
}

term
edge_next(struct symbolic *s, const struct edge_end *a,
          const struct edge_end *b)
{
    struct terms *t = s->terms;
    return term_or(t, ww_next(s, a, b),
                   term_or(t, any_rw(s, a, READS_ALL, b, true),
                           edge_wr(s, a, b, READS_ALL)));
}
