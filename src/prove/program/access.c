/* access.c -- see access.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/access.h"

#include <string.h>

#define ROWS ((uint64_t)1 << ACCESS_ROWS)

static bool query_uses_source(const struct query *q, uint32_t source);

bool
expr_uses_source(const struct expr *e, uint32_t source)
{
    if (e->kind == EXPR_COLUMN)
        return e->source == source;
    if (e->query)
        return query_uses_source(e->query, source);
    for (uint32_t i = 0; i < expr_arity(e->kind); i++)
        if (expr_uses_source(e->arg[i], source))
            return true;
    return false;
}

static bool
query_uses_source(const struct query *q, uint32_t source)
{
    if (q->where && expr_uses_source(q->where, source))
        return true;
    for (uint32_t i = 0; i < q->n_targets; i++)
        if (expr_uses_source(q->targets[i].value, source))
            return true;
    for (uint32_t i = 0; i < q->n_aggregates; i++)
        if (q->aggregates[i].arg &&
            expr_uses_source(q->aggregates[i].arg, source))
            return true;
    for (uint32_t i = 0; i < q->n_order; i++)
        if (expr_uses_source(q->order[i].by, source))
            return true;
    return false;
}

bool
expr_has_query(const struct expr *e)
{
    if (!e)
        return false;
    if (e->query)
        return true;
    for (uint32_t i = 0; i < expr_arity(e->kind); i++)
        if (expr_has_query(e->arg[i]))
            return true;
    return false;
}

bool
statement_has_query(const struct statement *s, const struct table *t)
{
    bool has = s->query != NULL;
    for (size_t i = 0; i < (size_t)s->n_rows * t->n_columns; i++)
        has = has || expr_has_query(s->values[i]);
    return has;
}

/* The expression that a column must be equal to, or NULL. */
static const struct expr *
fixed_to(const struct expr *where, uint32_t source, uint32_t column)
{
    if (!where)
        return NULL;
    if (where->kind == EXPR_AND) {
        const struct expr *e = fixed_to(where->arg[0], source, column);
        return e ? e : fixed_to(where->arg[1], source, column);
    }
    if (where->kind != EXPR_EQ)
        return NULL;
    for (int i = 0; i < 2; i++) {
        const struct expr *side = where->arg[i], *other = where->arg[1 - i];
        if (side->kind == EXPR_COLUMN && side->source == source &&
            side->column == column && !expr_uses_source(other, source))
            return other;
    }
    return NULL;
}

bool
access_where_fixes_key(const struct expr *where, uint32_t source,
                       const struct table *t, const struct expr **keys)
{
    for (uint32_t i = 0; i < t->primary.n; i++) {
        const struct expr *e = fixed_to(where, source, t->primary.at[i]);
        if (!e)
            return false;
        if (keys)
            keys[i] = e;
    }
    return true;
}

/* Walking a function. */
struct walk {
    const struct program *p;
    const struct function *f;
    struct access *a;
};

static void walk_query(struct walk *w, const struct query *q);

static void
walk_expr(struct walk *w, const struct expr *e)
{
    if (!e)
        return;
    if (e->kind == EXPR_COLUMN)
        w->a->reads[w->f->source_tables[e->source]] |= (uint64_t)1 << e->column;
    if (e->query)
        walk_query(w, e->query);
    for (uint32_t i = 0; i < expr_arity(e->kind); i++)
        walk_expr(w, e->arg[i]);
}

static void
walk_query(struct walk *w, const struct query *q)
{
    for (uint32_t i = 0; i < q->n_sources; i++)
        w->a->reads[w->f->source_tables[q->sources[i]]] |= ROWS;
    walk_expr(w, q->where);
    for (uint32_t i = 0; i < q->n_targets; i++)
        walk_expr(w, q->targets[i].value);
    for (uint32_t i = 0; i < q->n_aggregates; i++)
        walk_expr(w, q->aggregates[i].arg);
    for (uint32_t i = 0; i < q->n_order; i++)
        walk_expr(w, q->order[i].by);
}

static uint64_t
columns_of(const struct expr *e)
{
    uint64_t columns =
        e->kind == EXPR_COLUMN ? (uint64_t)1 << e->column : (uint64_t)0;
    for (uint32_t i = 0; i < expr_arity(e->kind); i++)
        columns |= columns_of(e->arg[i]);
    return columns;
}

uint64_t
access_checked(const struct table *t, const struct statement *s)
{
    uint64_t sets = 0, checked = 0;
    for (uint32_t i = 0; i < s->n_sets; i++)
        sets |= (uint64_t)1 << s->sets[i].column;
    for (uint32_t i = 0; i < t->n_checks; i++) {
        const uint64_t columns = columns_of(t->checks[i]);
        if (columns & sets)
            checked |= columns & ~sets;
    }
    return checked;
}

/* Checking constraints reads other rows. */
static void
walk_constraints(struct walk *w, uint32_t table)
{
    const struct table *t = &w->p->tables.at[table];
    if (t->n_unique)
        w->a->reads[table] |= ROWS;
    for (uint32_t u = 0; u < t->n_unique; u++)
        for (uint32_t i = 0; i < t->unique[u].n; i++)
            w->a->reads[table] |= (uint64_t)1 << t->unique[u].at[i];
    for (uint32_t f = 0; f < t->n_foreign; f++)
        w->a->reads[t->foreign[f].table] |= ROWS;
}

static void
walk_delete(struct walk *w, uint32_t table)
{
    w->a->writes[table] |= ROWS;
    for (uint32_t c = 0; c < w->p->tables.n; c++)
        for (uint32_t f = 0; f < w->p->tables.at[c].n_foreign; f++) {
            const struct foreign_key *k = &w->p->tables.at[c].foreign[f];
            if (k->table != table)
                continue;
            w->a->reads[c] |= ROWS;
            for (uint32_t i = 0; i < k->columns.n; i++)
                w->a->reads[c] |= (uint64_t)1 << k->columns.at[i];
        }
}

static void
walk_write(struct walk *w, const struct statement *s)
{
    const struct table *t = &w->p->tables.at[s->table];
    w->a->reads[s->table] |= ROWS | access_checked(t, s);
    walk_expr(w, s->where);
    for (uint32_t i = 0; i < s->n_sets; i++) {
        w->a->writes[s->table] |= (uint64_t)1 << s->sets[i].column;
        walk_expr(w, s->sets[i].value);
    }
    for (uint32_t i = 0; i < s->n_returning; i++)
        walk_expr(w, s->returning[i].value);
    if (s->kind == STATEMENT_DELETE)
        walk_delete(w, s->table);
    if (s->kind == STATEMENT_INSERT) {
        w->a->writes[s->table] |= ROWS;
        for (uint32_t i = 0; i < t->n_columns; i++)
            w->a->writes[s->table] |= (uint64_t)1 << i;
        for (size_t i = 0; i < (size_t)s->n_rows * t->n_columns; i++)
            walk_expr(w, s->values[i]);
    }
    if (s->kind != STATEMENT_DELETE)
        walk_constraints(w, s->table);
}

/* Without the statements inside of it. */
static void
walk_statement(struct walk *w, const struct statement *s)
{
    if (s->query)
        walk_query(w, s->query);
    walk_expr(w, s->value);
    walk_expr(w, s->low);
    walk_expr(w, s->high);
    walk_expr(w, s->step);
    if (s->kind == STATEMENT_UPDATE || s->kind == STATEMENT_DELETE ||
        s->kind == STATEMENT_INSERT)
        walk_write(w, s);
}

static void
walk_block(struct walk *w, const struct block *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        walk_statement(w, b->at[i]);
        walk_block(w, &b->at[i]->body);
        walk_block(w, &b->at[i]->other);
    }
}

static void
allocate(struct access *a, const struct program *p)
{
    a->reads = mem_calloc(p->tables.n + 1, sizeof *a->reads);
    a->writes = mem_calloc(p->tables.n + 1, sizeof *a->writes);
}

void
access_init(struct access *a, const struct program *p, const struct function *f)
{
    allocate(a, p);
    struct walk w = {p, f, a};
    walk_block(&w, &f->body);
}

void
access_init_statement(struct access *a, const struct program *p,
                      const struct function *f, const struct statement *s)
{
    allocate(a, p);
    struct walk w = {p, f, a};
    walk_statement(&w, s);
}

void
access_free(struct access *a)
{
    mem_free(a->reads);
    mem_free(a->writes);
    memset(a, 0, sizeof *a);
}

bool
access_reads_from(const struct program *p, const struct access *a,
                  const struct access *b)
{
    for (uint32_t i = 0; i < p->tables.n; i++)
        if (a->reads[i] & b->writes[i])
            return true;
    return false;
}

static bool
is_constrained(const struct table *t, uint32_t column)
{
    for (uint32_t i = 0; i < t->n_unique; i++)
        if (columns_have(&t->unique[i], column))
            return true;
    for (uint32_t i = 0; i < t->n_foreign; i++)
        if (columns_have(&t->foreign[i].columns, column))
            return true;
    return false;
}

static bool
makes_room(const struct program *p, const struct block *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const struct statement *s = b->at[i];
        bool makes = s->kind == STATEMENT_DELETE || makes_room(p, &s->body) ||
                     makes_room(p, &s->other);
        for (uint32_t k = 0; k < s->n_sets; k++)
            makes = makes ||
                    is_constrained(&p->tables.at[s->table], s->sets[k].column);
        if (makes)
            return true;
    }
    return false;
}

bool
access_makes_room(const struct program *p, const struct function *f)
{
    return makes_room(p, &f->body);
}

static bool
has_write(const struct block *b, enum statement_kind kind, uint32_t table)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const struct statement *s = b->at[i];
        if ((s->kind == kind && s->table == table) ||
            has_write(&s->body, kind, table) ||
            has_write(&s->other, kind, table))
            return true;
    }
    return false;
}

bool
access_can_replace(const struct program *p, uint32_t table)
{
    bool deletes = false, inserts = false;
    assert(table < p->tables.n);
    for (size_t i = 0; i < p->functions.n; i++) {
        const struct block *body = &p->functions.at[i]->body;
        deletes = deletes || has_write(body, STATEMENT_DELETE, table);
        inserts = inserts || has_write(body, STATEMENT_INSERT, table);
    }
    return deletes && inserts;
}

static bool
looks_at(const struct program *p, const struct function *f,
         const struct block *b, uint32_t table)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const struct statement *s = b->at[i];
        struct access a;
        access_init_statement(&a, p, f, s);
        const bool reads = s->kind != STATEMENT_INSERT && a.reads[table] & ROWS;
        access_free(&a);
        if (reads || looks_at(p, f, &s->body, table) ||
            looks_at(p, f, &s->other, table))
            return true;
    }
    return false;
}

bool
access_looks_at(const struct program *p, const struct function *f,
                uint32_t table)
{
    return looks_at(p, f, &f->body, table);
}

/* Whether a block can end the function with RETURN ('returns' is set then), and
 * whether control can come out behind it. */
static bool
falls_through(const struct block *b, bool *returns)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const struct statement *s = b->at[i];
        switch (s->kind) {
        case STATEMENT_RAISE:
            return false;
        case STATEMENT_RETURN:
            *returns = true;
            return false;
        case STATEMENT_IF: {
            const bool body = falls_through(&s->body, returns);
            const bool other = falls_through(&s->other, returns);
            if (!body && !other)
                return false;
            break;
        }
        default:
            falls_through(&s->body, returns); // of a loop, which may not run
        }
    }
    return true;
}

bool
access_can_commit(const struct function *f)
{
    bool returns = false;
    return falls_through(&f->body, &returns) || returns;
}
