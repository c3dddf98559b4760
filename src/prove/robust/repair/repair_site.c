/* repair_site.c -- which changes a program offers; see repair_site.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/repair/repair_site.h"

#include "prove/program/access.h"

struct finder {
    const struct program *program;
    uint32_t number; // of the function
    const struct function *function;
    repair_sites *out;
};

static bool
uses_variable(const struct expr *e, uint32_t variable)
{
    if (!e)
        return false;
    if (e->kind == EXPR_VARIABLE && e->index == variable)
        return true;
    for (uint32_t i = 0; i < expr_arity(e->kind); i++)
        if (uses_variable(e->arg[i], variable))
            return true;
    return false;
}

/* Whether the condition is about one row alone: no other source, no query. */
static bool
is_plain(const struct expr *e, uint32_t source)
{
    if (!e)
        return true;
    if (e->query || (e->kind == EXPR_COLUMN && e->source != source))
        return false;
    for (uint32_t i = 0; i < expr_arity(e->kind); i++)
        if (!is_plain(e->arg[i], source))
            return false;
    return true;
}

/* Whether the table has a column that is not part of its key. */
static bool
has_column(const struct table *t)
{
    return t->n_columns > t->primary.n;
}

static void
add_read(struct finder *f, const struct statement *s, const struct query *q)
{
    if (!q || q->n_sources != 1 || !is_plain(q->where, q->sources[0]))
        return;
    const uint32_t table = f->function->source_tables[q->sources[0]];
    struct repair_site c = {
        .function = f->number, .statement = s, .query = q, .table = table};
    c.kind = REPAIR_LOCK;
    if (!q->lock)
        vec_push(f->out, c);
    c.kind = REPAIR_PROMOTE;
    if (has_column(&f->program->tables.at[table]) && q->limit < 0)
        vec_push(f->out, c);
}

/* Reads in an expression of a statement, in front of which there is room. */
static void
add_expr(struct finder *f, const struct statement *s, const struct expr *e)
{
    if (!e)
        return;
    if (e->query)
        add_read(f, s, e->query);
    for (uint32_t i = 0; i < expr_arity(e->kind); i++)
        add_expr(f, s, e->arg[i]);
}

static void
add_reads(struct finder *f, const struct block *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const struct statement *s = b->at[i];
        if (s->kind == STATEMENT_SELECT || s->kind == STATEMENT_ROWS ||
            s->kind == STATEMENT_FOR)
            add_read(f, s, s->query);
        if ((s->kind == STATEMENT_IF || s->kind == STATEMENT_ASSIGN ||
             s->kind == STATEMENT_RETURN) &&
            !uses_variable(s->value, function_found(f->function)))
            add_expr(f, s, s->value);
        add_reads(f, &s->body);
        add_reads(f, &s->other);
    }
}

/* --- constraints ----------------------------------------------------------*/

/* The variable that the column is compared with, or NULL. */
static const struct expr *
looked_for(const struct expr *where, uint32_t source, uint32_t column)
{
    if (!where)
        return NULL;
    if (where->kind == EXPR_AND) {
        const struct expr *e = looked_for(where->arg[0], source, column);
        return e ? e : looked_for(where->arg[1], source, column);
    }
    for (int i = 0; where->kind == EXPR_EQ && i < 2; i++) {
        const struct expr *a = where->arg[i], *b = where->arg[1 - i];
        if (a->kind == EXPR_COLUMN && a->source == source &&
            a->column == column && b->kind == EXPR_VARIABLE)
            return b;
    }
    return NULL;
}

/* The column into which an INSERT puts the variable, or UINT32_MAX. */
static uint32_t
column_of(const struct program *p, const struct statement *insert,
          uint32_t variable)
{
    const uint32_t n = p->tables.at[insert->table].n_columns;
    for (uint32_t i = 0; insert->n_rows == 1 && i < n; i++)
        if (insert->values[i]->kind == EXPR_VARIABLE &&
            insert->values[i]->index == variable)
            return i;
    return UINT32_MAX;
}

static void
add_unique(struct finder *f, const struct query *q,
           const struct statement *insert)
{
    const struct table *t = &f->program->tables.at[insert->table];
    uint64_t columns = 0;
    for (uint32_t i = 0; i < t->n_columns; i++) {
        const struct expr *e = looked_for(q->where, q->sources[0], i);
        if (e && column_of(f->program, insert, e->index) == i)
            columns |= (uint64_t)1 << i;
    }
    bool is_key = true;
    for (uint32_t i = 0; i < t->primary.n; i++)
        is_key = is_key && columns >> t->primary.at[i] & 1;
    const struct repair_site c = {.kind = REPAIR_UNIQUE,
                                  .function = f->number,
                                  .table = insert->table,
                                  .columns = columns};
    if (columns && !is_key)
        vec_push(f->out, c);
}

static void
add_foreign(struct finder *f, const struct query *q,
            const struct statement *insert)
{
    const uint32_t parent = f->function->source_tables[q->sources[0]];
    const struct table *t = &f->program->tables.at[parent];
    if (t->primary.n != 1 || t->hidden_key)
        return; // a key of several columns: their order would be a guess
    const struct expr *e =
        looked_for(q->where, q->sources[0], t->primary.at[0]);
    const uint32_t column =
        e ? column_of(f->program, insert, e->index) : UINT32_MAX;
    const struct table *child = &f->program->tables.at[insert->table];
    for (uint32_t i = 0; i < child->n_foreign; i++)
        if (child->foreign[i].table == parent)
            return;
    const struct repair_site c = {.kind = REPAIR_FOREIGN,
                                  .function = f->number,
                                  .table = insert->table,
                                  .columns = (uint64_t)1 << (column % 64),
                                  .parent = parent};
    if (column != UINT32_MAX)
        vec_push(f->out, c);
}

static void
each_insert(struct finder *f, const struct query *q, const struct block *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const struct statement *s = b->at[i];
        if (s->kind == STATEMENT_INSERT && !s->query) {
            const uint32_t table = f->function->source_tables[q->sources[0]];
            if (s->table == table)
                add_unique(f, q, s);
            else
                add_foreign(f, q, s);
        }
        each_insert(f, q, &s->body);
        each_insert(f, q, &s->other);
    }
}

/* Constraints that say what the reads before an insert look for. */
static void
add_constraints(struct finder *f, const struct block *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const struct statement *s = b->at[i];
        const struct query *q = s->kind == STATEMENT_SELECT ? s->query : NULL;
        if (s->kind == STATEMENT_IF && s->value->kind == EXPR_EXISTS)
            q = s->value->query;
        if (q && q->n_sources == 1 && !q->n_aggregates)
            each_insert(f, q, &f->function->body);
        add_constraints(f, &s->body);
        add_constraints(f, &s->other);
    }
}

static void
add_levels(struct finder *f, enum level level)
{
    struct repair_site c = {.kind = REPAIR_LEVEL, .function = f->number};
    for (int i = 0; i < 2; i++) {
        c.level = i ? LEVEL_SER : LEVEL_SI;
        if (c.level > level)
            vec_push(f->out, c);
    }
}

void
repair_sites_find(const struct program *p, const struct level_choice *levels,
                  repair_sites *out)
{
    for (uint32_t i = 0; i < p->functions.n; i++) {
        struct finder f = {p, i, p->functions.at[i], out};
        // What is not VOLATILE may neither write nor lock.
        if (!f.function->snapshot) {
            const struct repair_site guard = {.kind = REPAIR_GUARD,
                                              .function = i};
            add_reads(&f, &f.function->body);
            add_constraints(&f, &f.function->body);
            vec_push(out, guard);
        }
        add_levels(&f, isolation_of(levels, i));
    }
}
