/* repaired.c -- programs with changes; see repair_site.h.
 *
 * Functions that change are copied; the rest is shared with the program.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/repair/repair_site.h"

#include <string.h>

/* A copy in progress. */
struct changer {
    struct repaired *c;
    const repair_sites *changes;
    const bool *chosen;
    uint32_t number; // of the function
    struct function *function;
};

static void *
alloc(struct repaired *c, size_t n, size_t size)
{
    void *const memory = arena_alloc(&c->arena, n * size + 1);
    memset(memory, 0, n * size);
    return memory;
}

static struct expr *
new_expr(struct repaired *c, enum expr_kind kind, enum value_type type)
{
    struct expr *e = alloc(c, 1, sizeof *e);
    e->kind = kind;
    e->type = type;
    return e;
}

static struct expr *
new_number(struct repaired *c, int64_t n)
{
    struct expr *e = new_expr(c, EXPR_CONSTANT, TYPE_INTEGER);
    e->value.number = n;
    return e;
}

static struct expr *
new_column(struct repaired *c, uint32_t source, uint32_t column,
           enum value_type type)
{
    struct expr *e = new_expr(c, EXPR_COLUMN, type);
    e->source = source;
    e->column = column;
    return e;
}

static struct statement *
new_statement(struct changer *x, enum statement_kind kind, uint32_t line)
{
    struct statement *s = alloc(x->c, 1, sizeof *s);
    s->kind = kind;
    s->line = line;
    s->number = x->function->n_statements++;
    return s;
}

/* PERFORM 1 FROM t WHERE .. FOR UPDATE. */
static struct statement *
new_lock(struct changer *x, const struct repair_site *change)
{
    struct query *q = alloc(x->c, 1, sizeof *q);
    struct statement *s =
        new_statement(x, STATEMENT_SELECT, change->statement->line);
    q->line = change->query->line;
    q->sources = change->query->sources;
    q->n_sources = 1;
    q->where = change->query->where;
    q->targets = alloc(x->c, 1, sizeof *q->targets);
    q->targets[0] = (struct target){"", new_number(x->c, 1)};
    q->n_targets = 1;
    q->limit = -1;
    q->lock = LOCK_UPDATE;
    s->query = q;
    s->hidden = true;
    return s;
}

/* UPDATE t SET c = c WHERE .. */
static struct statement *
new_promotion(struct changer *x, const struct repair_site *change)
{
    const struct table *t = &x->c->program.tables.at[change->table];
    struct statement *s =
        new_statement(x, STATEMENT_UPDATE, change->statement->line);
    uint32_t column = 0;
    while (columns_have(&t->primary, column))
        column++;
    assert(column < t->n_columns);
    s->table = change->table;
    s->source = change->query->sources[0];
    s->where = change->query->where;
    s->sets = alloc(x->c, 1, sizeof *s->sets);
    s->sets[0] = (struct assignment){
        column, new_column(x->c, s->source, column, t->columns[column].type)};
    s->n_sets = 1;
    return s;
}

/* INSERT INTO guard VALUES (1, 0) ON CONFLICT (id) DO UPDATE SET n = guard.n +
 * 1. */
static struct statement *
new_guard(struct changer *x)
{
    struct function *f = x->function;
    struct statement *s = new_statement(x, STATEMENT_INSERT, f->line);
    uint32_t *tables = alloc(x->c, f->n_sources + 2, sizeof *tables);
    if (f->n_sources)
        memcpy(tables, f->source_tables, f->n_sources * sizeof *tables);
    tables[f->n_sources] = tables[f->n_sources + 1] = x->c->guard;
    s->table = x->c->guard;
    s->source = f->n_sources;
    s->excluded = f->n_sources + 1;
    f->source_tables = tables;
    f->n_sources += 2;
    s->values = alloc(x->c, 2, sizeof *s->values);
    s->values[0] = new_number(x->c, 1);
    s->values[1] = new_number(x->c, 0);
    s->n_rows = 1;
    s->on_conflict = CONFLICT_UPDATES;
    s->arbiter = alloc(x->c, 1, sizeof *s->arbiter);
    s->n_arbiter = 1;
    struct expr *sum = new_expr(x->c, EXPR_ADD, TYPE_INTEGER);
    sum->arg[0] = new_column(x->c, s->source, 1, TYPE_INTEGER);
    sum->arg[1] = new_number(x->c, 1);
    s->sets = alloc(x->c, 1, sizeof *s->sets);
    s->sets[0] = (struct assignment){1, sum};
    s->n_sets = 1;
    return s;
}

/* Whether the query of the statement itself can take FOR UPDATE. */
static bool
can_lock(const struct repair_site *c)
{
    return c->statement->query == c->query && !c->query->n_aggregates &&
           !c->query->distinct;
}

static void copy_block(struct changer *x, struct block *b);

/* Put a copy of the statement into the block, behind what stands in front of
 * it now. */
static void
copy_statement(struct changer *x, const struct statement *from,
               struct block *to)
{
    struct statement *s = alloc(x->c, 1, sizeof *s);
    *s = *from;
    for (size_t i = 0; i < x->changes->n; i++) {
        const struct repair_site *c = &x->changes->at[i];
        if (!x->chosen[i] || c->function != x->number || c->statement != from)
            continue;
        if (c->kind == REPAIR_PROMOTE) {
            to->at[to->n++] = new_promotion(x, c);
        } else if (!can_lock(c)) {
            to->at[to->n++] = new_lock(x, c);
        } else {
            struct query *q = alloc(x->c, 1, sizeof *q);
            *q = *c->query;
            q->lock = LOCK_UPDATE;
            s->query = q;
        }
    }
    copy_block(x, &s->body);
    copy_block(x, &s->other);
    to->at[to->n++] = s;
}

static void
copy_block(struct changer *x, struct block *b)
{
    if (!b->n)
        return;
    const struct block from = *b;
    b->at = alloc(x->c, from.n + x->changes->n, sizeof *b->at);
    b->n = 0;
    for (uint32_t i = 0; i < from.n; i++)
        copy_statement(x, from.at[i], b);
}

static void
change_function(struct changer *x)
{
    struct repaired *c = x->c;
    bool any = false, guards = false;
    for (size_t i = 0; i < x->changes->n; i++) {
        const struct repair_site *change = &x->changes->at[i];
        const bool here = x->chosen[i] && change->function == x->number;
        any = any || (here && change->kind <= REPAIR_PROMOTE);
        guards = guards || (here && change->kind == REPAIR_GUARD);
    }
    if (!any && !guards)
        return;
    struct function *f = alloc(c, 1, sizeof *f);
    *f = *c->program.functions.at[x->number];
    x->function = f;
    copy_block(x, &f->body);
    if (guards) {
        struct block b = {alloc(c, f->body.n + 1, sizeof *b.at), f->body.n + 1};
        b.at[0] = new_guard(x);
        if (f->body.n)
            memcpy(b.at + 1, f->body.at, f->body.n * sizeof *b.at);
        f->body = b;
    }
    c->program.functions.at[x->number] = f;
}

/* --- tables ---------------------------------------------------------------*/

static struct columns
columns_of(struct repaired *c, uint64_t bits)
{
    struct columns out = {alloc(c, 64, sizeof *out.at), 0};
    for (uint32_t i = 0; i < 64; i++)
        if (bits >> i & 1)
            out.at[out.n++] = i;
    return out;
}

static void
add_unique(struct repaired *c, const struct repair_site *change)
{
    struct table *t = &c->program.tables.at[change->table];
    struct columns *all = alloc(c, t->n_unique + 1, sizeof *all);
    if (t->n_unique)
        memcpy(all, t->unique, t->n_unique * sizeof *all);
    all[t->n_unique++] = columns_of(c, change->columns);
    t->unique = all;
}

static void
add_foreign(struct repaired *c, const struct repair_site *change)
{
    struct table *t = &c->program.tables.at[change->table];
    struct foreign_key *all = alloc(c, t->n_foreign + 1, sizeof *all);
    if (t->n_foreign)
        memcpy(all, t->foreign, t->n_foreign * sizeof *all);
    all[t->n_foreign++] =
        (struct foreign_key){columns_of(c, change->columns), change->parent,
                             c->program.tables.at[change->parent].primary};
    t->foreign = all;
}

static void
add_guard(struct repaired *c)
{
    struct table t = {.name = "guard", .n_columns = 2};
    if (c->guard != UINT32_MAX)
        return;
    c->guard = (uint32_t)c->program.tables.n;
    t.columns = alloc(c, 2, sizeof *t.columns);
    t.columns[0] = (struct table_column){
        .name = "id", .type = TYPE_INTEGER, .not_null = true};
    t.columns[1] = (struct table_column){
        .name = "n", .type = TYPE_INTEGER, .not_null = true};
    t.primary = columns_of(c, 1);
    t.file = "";
    vec_push(&c->program.tables, t);
}

void
repaired_init(struct repaired *c, const struct program *p,
              const struct level_choice *levels, const repair_sites *changes,
              const bool *chosen)
{
    memset(c, 0, sizeof *c);
    c->guard = UINT32_MAX;
    c->program = *p;
    memset(&c->program.tables, 0, sizeof c->program.tables);
    memset(&c->program.functions, 0, sizeof c->program.functions);
    for (size_t i = 0; i < p->tables.n; i++)
        vec_push(&c->program.tables, p->tables.at[i]);
    for (size_t i = 0; i < p->functions.n; i++)
        vec_push(&c->program.functions, p->functions.at[i]);
    isolation_copy(&c->levels, levels);
    for (size_t i = 0; i < changes->n; i++) {
        const struct repair_site *change = &changes->at[i];
        if (!chosen[i])
            continue;
        if (change->kind == REPAIR_UNIQUE)
            add_unique(c, change);
        if (change->kind == REPAIR_FOREIGN)
            add_foreign(c, change);
        if (change->kind == REPAIR_GUARD)
            add_guard(c);
        if (change->kind == REPAIR_LEVEL)
            isolation_set(&c->levels, p, change->function, change->level);
    }
    for (uint32_t i = 0; i < p->functions.n; i++) {
        struct changer x = {c, changes, chosen, i, NULL};
        change_function(&x);
    }
}

void
repaired_free(struct repaired *c)
{
    isolation_free(&c->levels);
    vec_free(&c->program.tables);
    vec_free(&c->program.functions);
    arena_free(&c->arena);
}

/* --- in words -------------------------------------------------------------*/

static void
show_columns(const struct table *t, uint64_t columns, struct buf *out)
{
    const char *separator = "";
    for (uint32_t i = 0; i < t->n_columns; i++)
        if (columns >> i & 1) {
            buf_printf(out, "%s%s", separator, t->columns[i].name);
            separator = ", ";
        }
}

void
repair_site_show(const struct program *p, const struct repair_site *c,
                 struct buf *out)
{
    const struct table *t = &p->tables.at[c->table];
    const char *const name = p->functions.at[c->function]->name;
    switch (c->kind) {
    case REPAIR_LOCK:
        buf_printf(out, "%s, line %u: %s of %s", name, c->statement->line,
                   can_lock(c) ? "FOR UPDATE in the SELECT"
                               : "in front, PERFORM .. FOR UPDATE of the rows",
                   t->name);
        break;
    case REPAIR_PROMOTE: {
        uint32_t column = 0;
        while (columns_have(&t->primary, column))
            column++;
        buf_printf(out,
                   "%s, line %u: in front, UPDATE %s SET %s = %s of the "
                   "rows that are read",
                   name, c->statement->line, t->name, t->columns[column].name,
                   t->columns[column].name);
        break;
    }
    case REPAIR_UNIQUE:
        buf_printf(out, "table %s: UNIQUE (", t->name);
        show_columns(t, c->columns, out);
        buf_char(out, ')');
        break;
    case REPAIR_FOREIGN:
        buf_printf(out, "table %s: FOREIGN KEY (", t->name);
        show_columns(t, c->columns, out);
        buf_printf(out, ") REFERENCES %s", p->tables.at[c->parent].name);
        break;
    case REPAIR_GUARD:
        buf_printf(out,
                   "%s: first, write the row of a guard table that has "
                   "one",
                   name);
        break;
    case REPAIR_LEVEL:
        buf_printf(out, "%s: %s", name,
                   c->level == LEVEL_SI ? "REPEATABLE READ" : "SERIALIZABLE");
        break;
    }
}
