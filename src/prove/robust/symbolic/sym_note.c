/* sym_note.c -- what a run reads, noted so that edges.h can be asked.
 *
 * A read is noted with the variables and the rows as they were, so that its
 * condition can be evaluated again on rows that others write.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/symbolic/runs.h"

#include "prove/program/access.h"
#include "prove/robust/proof/footprint.h"

#include <string.h>

static void use_query(const struct query *q, uint32_t source, uint64_t *used);

/* Add the columns of the source that the expression mentions. */
static void
use_expr(const struct expr *e, uint32_t source, uint64_t *used)
{
    if (!e)
        return;
    if (e->kind == EXPR_COLUMN && e->source == source)
        *used |= (uint64_t)1 << e->column;
    if (e->query)
        use_query(e->query, source, used);
    for (uint32_t i = 0; i < expr_arity(e->kind); i++)
        use_expr(e->arg[i], source, used);
}

static void
use_query(const struct query *q, uint32_t source, uint64_t *used)
{
    use_expr(q->where, source, used);
    for (uint32_t i = 0; i < q->n_targets; i++)
        use_expr(q->targets[i].value, source, used);
    for (uint32_t i = 0; i < q->n_aggregates; i++)
        use_expr(q->aggregates[i].arg, source, used);
    for (uint32_t i = 0; i < q->n_order; i++)
        use_expr(q->order[i].by, source, used);
}

struct sym_read *
sym_note_read(struct sym_runner *r, uint32_t table)
{
    struct terms *t = r->t;
    const struct function *f = r->function;
    const uint32_t n = r->s->slots[table];
    struct sym_read read = {.statement = r->statement,
                            .table = table,
                            .coarse = r->s->coarse,
                            .live = r->live,
                            .early = r->is_early,
                            .none = t->no};
    read.variables = arena_alloc(&r->s->arena,
                                 (f->n_variables + 1) * sizeof *read.variables);
    memcpy(read.variables, r->variables,
           f->n_variables * sizeof *read.variables);
    read.rows = arena_alloc(&r->s->arena, (n + 1) * sizeof *read.rows);
    read.only = arena_alloc(&r->s->arena, (n + 1) * sizeof *read.only);
    for (uint32_t i = 0; i < n; i++) {
        read.rows[i] = sym_row(r, table, i);
        read.only[i] = t->yes;
    }
    vec_push(&r->run->reads, read);
    return &vec_top(&r->run->reads);
}

void
sym_note_latest(struct sym_runner *r)
{
    if (!r->views->latest)
        return;
    struct sym_read *late = &vec_top(&r->run->reads);
    late->early = r->t->no;
    for (uint32_t i = 0; i < r->s->slots[late->table]; i++)
        late->rows[i] = sym_checked_row(r, late->table, i);
}

/* PostgreSQL does not find a row again that was deleted and inserted while a
 * statement waited for it.  Then the statement has seen that it is gone, as in
 * neither the older nor the newer state: a read of both. */
static void
note_replaced(struct sym_runner *r, size_t read, const term *chosen)
{
    struct terms *t = r->t;
    const struct sym_read newer = r->run->reads.at[read];
    const uint32_t n = r->s->slots[newer.table];
    if (!access_can_replace(r->s->program, newer.table))
        return;
    term *replaced = arena_alloc(&r->s->arena, (n + 1) * sizeof *replaced);
    for (uint32_t i = 0; i < n; i++)
        replaced[i] =
            term_and(t, term_fresh(t, "replaced", true),
                     term_and(t, chosen[i], sym_row(r, newer.table, i)->alive));
    r->replaced = replaced;
    for (int late = 0; late < 2; late++) {
        struct sym_read gone = newer;
        gone.live = term_and(t, gone.live, r->mixed);
        gone.early = late ? t->no : t->yes;
        gone.coarse = true;
        gone.used = 0;
        gone.only = replaced;
        vec_push(&r->run->reads, gone);
    }
}

/* A statement that waited has also read the older rows, at a time of which
 * nothing is known. */
static void
note_older(struct sym_runner *r, size_t read)
{
    struct terms *t = r->t;
    if (r->mixed == t->no)
        return;
    struct sym_read *newer = &r->run->reads.at[read];
    struct sym_read older = *newer;
    const uint32_t n = r->s->slots[older.table];
    const struct columns *key = &r->s->program->tables.at[older.table].primary;
    // Keys do not change, so rows come in the same order then and now.
    for (uint32_t i = 0; i < key->n; i++)
        older.sorts &= ~((uint64_t)1 << key->at[i]);
    older.live = term_and(t, older.live, r->mixed);
    older.early = term_fresh(t, "early", true);
    // Which rows match is all that it takes from there; what is set or
    // returned is evaluated on the new rows.
    older.used = older.sorts;
    older.rows = arena_alloc(&r->s->arena, (n + 1) * sizeof *older.rows);
    older.only = arena_alloc(&r->s->arena, (n + 1) * sizeof *older.only);
    term *chosen = arena_alloc(&r->s->arena, (n + 1) * sizeof *chosen);
    for (uint32_t i = 0; i < n; i++) {
        older.rows[i] = sym_old_row(r, older.table, i);
        r->bound[older.source] = older.rows[i]->columns;
        chosen[i] = term_and(
            t, older.rows[i]->alive,
            expr_has_query(older.where) ? t->yes : sym_holds(r, older.where));
        older.only[i] = t->yes;
        if (older.sorts || older.coarse)
            continue;
        // A row that matched then is decided by what it is now; one that did
        // not is left out because of what it was.
        older.only[i] = term_not(t, chosen[i]);
        newer->only[i] = term_and(t, newer->only[i],
                                  term_or(t, term_not(t, r->mixed), chosen[i]));
    }
    vec_push(&r->run->reads, older);
    note_replaced(r, read, chosen);
}

/* Where rows mix columns of several writers, nothing can be evaluated again: a
 * read is of all columns that it mentions, in rows that have the key it names.
 */
static void
coarsen(struct sym_runner *r, struct sym_read *read)
{
    struct terms *t = r->t;
    const struct table *shape = &r->s->program->tables.at[read->table];
    const struct expr *keys[64];
    if (!r->s->coarse)
        return;
    read->coarse = true;
    use_expr(read->where, read->source, &read->used);
    if (!footprint_is_lookup(read->where, read->source, shape, keys))
        return;
    struct symbol *row =
        arena_alloc(&r->s->arena, shape->n_columns * sizeof *row);
    for (uint32_t i = 0; i < shape->primary.n; i++)
        row[shape->primary.at[i]] = sym_evaluate(r, keys[i]);
    for (uint32_t j = 0; j < r->s->slots[read->table]; j++)
        read->only[j] =
            term_and(t, read->only[j],
                     symbolic_columns_match(
                         t, &shape->primary, row, &shape->primary,
                         r->views->before->rows[read->table][j].columns));
}

void
sym_note_write_read(struct sym_runner *r, const struct statement *s)
{
    const size_t at = r->run->reads.n;
    struct sym_read *read = sym_note_read(r, s->table);
    read->source = s->source;
    read->where = s->where;
    read->coarse = expr_has_query(s->where);
    read->used |= access_checked(&r->s->program->tables.at[s->table], s);
    for (uint32_t i = 0; i < s->n_sets; i++)
        use_expr(s->sets[i].value, s->source, &read->used);
    for (uint32_t i = 0; i < s->n_returning; i++)
        use_expr(s->returning[i].value, s->source, &read->used);
    if (read->coarse)
        use_expr(s->where, s->source, &read->used);
    coarsen(r, read);
    note_older(r, at);
}

/* Whether the row of the source and the variables are all that it needs. */
static bool
is_about(const struct expr *e, uint32_t source)
{
    if (!e)
        return true;
    if (e->query || (e->kind == EXPR_COLUMN && e->source != source))
        return false;
    for (uint32_t i = 0; i < expr_arity(e->kind); i++)
        if (!is_about(e->arg[i], source))
            return false;
    return true;
}

/* Whether what the query chooses rows by can be evaluated again for a row. */
static bool
is_about_row(const struct query *q)
{
    bool is = q->n_sources == 1 && is_about(q->where, q->sources[0]);
    for (uint32_t i = 0; is && i < q->n_aggregates; i++)
        is = is_about(q->aggregates[i].arg, q->sources[0]);
    for (uint32_t i = 0; is && i < q->n_order; i++)
        is = is_about(q->order[i].by, q->sources[0]);
    return is;
}

void
sym_note_query(struct sym_runner *r, const struct query *q)
{
    const bool coarse = !is_about_row(q);
    for (uint32_t i = 0; i < q->n_sources; i++) {
        const uint32_t source = q->sources[i];
        struct sym_read *read =
            sym_note_read(r, r->function->source_tables[source]);
        read->source = source;
        read->where = q->where;
        read->coarse = coarse;
        if (read->coarse)
            use_expr(q->where, source, &read->used);
        for (uint32_t k = 0; k < q->n_targets; k++)
            use_expr(q->targets[k].value, source, &read->used);
        for (uint32_t k = 0; k < q->n_aggregates; k++)
            use_expr(q->aggregates[k].arg, source, &read->used);
        for (uint32_t k = 0; k < q->n_order; k++)
            use_expr(q->order[k].by, source, &read->sorts);
        read->used |= read->sorts;
        coarsen(r, read);
        if (q->lock)
            note_older(r, r->run->reads.n - 1);
    }
}

/* A query inside of a condition on rows uses the columns of outer rows, too:
 * that is for the outer one's 'coarse'.  Checks of constraints read rows
 * without saying so. */
void
sym_note_constraint(struct sym_runner *r, uint32_t table,
                    const struct columns *columns)
{
    struct sym_read *read = sym_note_read(r, table);
    read->coarse = true;
    for (uint32_t i = 0; i < columns->n; i++)
        read->used |= (uint64_t)1 << columns->at[i];
    sym_note_latest(r);
}

/* The same for rows with the values that a row has in other columns. */
void
sym_note_values(struct sym_runner *r, uint32_t table,
                const struct columns *columns, const struct symbol *row,
                const struct columns *from)
{
    struct sym_read *read = sym_note_read(r, table);
    read->columns = columns;
    read->values = arena_alloc(&r->s->arena, columns->n * sizeof *read->values);
    for (uint32_t i = 0; i < columns->n; i++)
        read->values[i] = row[from->at[i]];
    for (uint32_t i = 0; read->coarse && i < columns->n; i++)
        read->used |= (uint64_t)1 << columns->at[i];
    sym_note_latest(r);
}
