/* assumptions.c -- see assumptions.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/assumptions.h"

/* What a program does with values that can be special. */
struct uses {
    const struct program *program;
    bool dates;   // adds days to dates
    bool numbers; // calculates with numeric
    bool secured; // has tables with row-level security
    bool blanks;  // stores texts in columns of limited length
};

static void use_query(struct uses *u, const struct query *q);

static bool
is_numeric(const struct expr *e)
{
    return e && e->type == TYPE_INTEGER && e->number == NUMBER_NUMERIC;
}

static void
use_expr(struct uses *u, const struct expr *e)
{
    if (!e)
        return;
    const bool calculates = e->kind == EXPR_NEGATE ||
                            (e->kind >= EXPR_ADD && e->kind <= EXPR_MODULO);
    if (calculates && e->type == TYPE_DATE)
        u->dates = true;
    if (calculates && (is_numeric(e->arg[0]) || is_numeric(e->arg[1])))
        u->numbers = true;
    if (e->query)
        use_query(u, e->query);
    for (uint32_t i = 0; i < expr_arity(e->kind); i++)
        use_expr(u, e->arg[i]);
}

static void
use_targets(struct uses *u, const struct target *targets, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        use_expr(u, targets[i].value);
}

static void
use_query(struct uses *u, const struct query *q)
{
    use_expr(u, q->where);
    use_targets(u, q->targets, q->n_targets);
    for (uint32_t i = 0; i < q->n_aggregates; i++) {
        const struct aggregate *a = &q->aggregates[i];
        use_expr(u, a->arg);
        if (a->kind == AGGREGATE_SUM && is_numeric(a->arg))
            u->numbers = true;
    }
    for (uint32_t i = 0; i < q->n_order; i++)
        use_expr(u, q->order[i].by);
}

/* A value is stored in a column. */
static void
use_store(struct uses *u, const struct table *t, uint32_t column,
          const struct expr *value)
{
    const struct table_column *c = &t->columns[column];
    use_expr(u, value);
    if (c->type == TYPE_TEXT && c->limit && value &&
        value->kind != EXPR_CONSTANT)
        u->blanks = true;
}

static void
use_write(struct uses *u, const struct statement *s)
{
    const struct table *t = &u->program->tables.at[s->table];
    use_expr(u, s->where);
    for (uint32_t i = 0; i < s->n_sets; i++)
        use_store(u, t, s->sets[i].column, s->sets[i].value);
    for (uint32_t r = 0; r < s->n_rows; r++)
        for (uint32_t c = 0; c < t->n_columns; c++)
            use_store(u, t, c, s->values[(size_t)r * t->n_columns + c]);
    for (uint32_t i = 0; s->insert_targets && i < s->query->n_targets; i++)
        use_store(u, t, s->insert_targets[i], s->query->targets[i].value);
    use_targets(u, s->returning, s->n_returning);
}

static void
use_block(struct uses *u, const struct block *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const struct statement *s = b->at[i];
        if (s->query)
            use_query(u, s->query);
        if (s->kind == STATEMENT_INSERT || s->kind == STATEMENT_UPDATE ||
            s->kind == STATEMENT_DELETE)
            use_write(u, s);
        use_expr(u, s->value);
        use_expr(u, s->low);
        use_expr(u, s->high);
        use_expr(u, s->step);
        use_block(u, &s->body);
        use_block(u, &s->other);
    }
}

static void
use_table(struct uses *u, const struct table *t)
{
    for (uint32_t i = 0; i < t->n_columns; i++)
        use_expr(u, t->columns[i].initial);
    for (uint32_t i = 0; i < t->n_checks; i++)
        use_expr(u, t->checks[i]);
}

static void
use_function(struct uses *u, const struct function *f)
{
    for (uint32_t i = 0; i < f->n_variables; i++)
        use_expr(u, f->variables[i].initial);
    use_block(u, &f->body);
}

/* Whether data or arguments have dates.  A date that is calculated from
 * current_date alone is finite. */
static bool
has_dates(const struct program *p)
{
    for (size_t i = 0; i < p->tables.n; i++)
        for (uint32_t c = 0; c < p->tables.at[i].n_columns; c++)
            if (p->tables.at[i].columns[c].type == TYPE_DATE)
                return true;
    for (size_t i = 0; i < p->functions.n; i++)
        for (uint32_t v = 0; v < p->functions.at[i]->n_parameters; v++)
            if (p->functions.at[i]->variables[v].type == TYPE_DATE)
                return true;
    return false;
}

void
program_assumptions(const struct program *p, struct buf *out)
{
    struct uses u = {.program = p};
    for (size_t i = 0; i < p->tables.n; i++)
        use_table(&u, &p->tables.at[i]);
    for (size_t i = 0; i < p->functions.n; i++)
        use_function(&u, p->functions.at[i]);
    for (size_t i = 0; i < p->invariants.n; i++) {
        use_expr(&u, p->invariants.at[i].given);
        use_expr(&u, p->invariants.at[i].then);
    }
    u.numbers = u.numbers && program_has_fractions(p);
    u.dates = u.dates && has_dates(p);
    for (size_t i = 0; i < p->tables.n; i++)
        u.secured = u.secured || p->tables.at[i].secured;
    if (u.secured)
        buf_text(out, "roles that bypass row-level security");
    if (!u.numbers && !u.dates && !u.blanks)
        return;
    buf_text(out, u.secured ? ", and data without " : "data without ");
    if (u.numbers || u.dates)
        buf_text(out, u.numbers ? "infinity and NaN" : "infinity");
    if (u.blanks)
        buf_printf(out, "%stexts that end in blanks",
                   u.numbers || u.dates ? ", and without " : "");
}
