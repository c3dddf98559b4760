/* footprint.c -- see footprint.h.
 *
 * Two lookups are one where their keys are the same expressions of variables
 * that are assigned at most once.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/proof/footprint.h"

#include "prove/program/access.h"

#include <string.h>

struct key {
    uint32_t table;
    const struct expr *at[64];
};

struct walk {
    const struct program *p;
    const struct function *f;
    struct footprint *out;
    uint32_t *assigned; // how often, of each variable
    bool repeats;       // any number of times, with any keys
    VEC(struct key) keys;
};

/* Whether the expression is the same wherever it is evaluated. */
static bool
is_stable(const struct walk *w, const struct expr *e)
{
    if (e->kind == EXPR_VARIABLE)
        return w->assigned[e->index] <=
               (e->index < w->f->n_parameters ? 0u : 1u);
    if (e->kind == EXPR_INPUT)
        return false;
    for (uint32_t i = 0; i < expr_arity(e->kind); i++)
        if (!is_stable(w, e->arg[i]))
            return false;
    return true;
}

static bool
same_expr(const struct expr *a, const struct expr *b)
{
    if (a->kind != b->kind || a->query || b->query)
        return false;
    if (a->kind == EXPR_CONSTANT)
        return a->value.null == b->value.null &&
               a->value.number == b->value.number;
    if (a->kind == EXPR_VARIABLE)
        return a->index == b->index;
    if (expr_arity(a->kind) == 0)
        return false;
    for (uint32_t i = 0; i < expr_arity(a->kind); i++)
        if (!same_expr(a->arg[i], b->arg[i]))
            return false;
    return true;
}

static bool
mentions_rows(const struct expr *e)
{
    if (e->kind == EXPR_COLUMN || e->kind == EXPR_AGGREGATE || e->query)
        return true;
    for (uint32_t i = 0; i < expr_arity(e->kind); i++)
        if (mentions_rows(e->arg[i]))
            return true;
    return false;
}

bool
footprint_is_lookup(const struct expr *where, uint32_t source,
                    const struct table *t, const struct expr **keys)
{
    if (!access_where_fixes_key(where, source, t, keys))
        return false;
    for (uint32_t i = 0; i < t->primary.n; i++)
        if (mentions_rows(keys[i]))
            return false;
    return true;
}

/* Count a key, unless it is one that was counted. */
static void
add_key(struct walk *w, uint32_t table, const struct expr *const *exprs)
{
    const uint32_t n = w->p->tables.at[table].primary.n;
    struct key key = {.table = table};
    bool stable = true;
    for (uint32_t i = 0; i < n; i++) {
        key.at[i] = exprs[i];
        stable = stable && is_stable(w, exprs[i]);
    }
    for (size_t k = 0; stable && k < w->keys.n; k++) {
        bool same = w->keys.at[k].table == table;
        for (uint32_t i = 0; same && i < n; i++)
            same = same_expr(w->keys.at[k].at[i], exprs[i]);
        if (same)
            return;
    }
    if (stable)
        vec_push(&w->keys, key);
    w->out->lookups[table]++;
}

static void
walk_condition(struct walk *w, const struct expr *where, uint32_t source)
{
    const uint32_t table = w->f->source_tables[source];
    const struct expr *keys[64];
    if (!w->repeats &&
        footprint_is_lookup(where, source, &w->p->tables.at[table], keys))
        add_key(w, table, keys);
    else
        w->out->scans[table] = true;
}

static void walk_query(struct walk *w, const struct query *q);

static void
walk_expr(struct walk *w, const struct expr *e)
{
    if (!e)
        return;
    if (e->query)
        walk_query(w, e->query);
    for (uint32_t i = 0; i < expr_arity(e->kind); i++)
        walk_expr(w, e->arg[i]);
}

static void
walk_query(struct walk *w, const struct query *q)
{
    for (uint32_t i = 0; i < q->n_sources; i++)
        walk_condition(w, q->where, q->sources[i]);
    walk_expr(w, q->where);
    for (uint32_t i = 0; i < q->n_targets; i++)
        walk_expr(w, q->targets[i].value);
    for (uint32_t i = 0; i < q->n_aggregates; i++)
        walk_expr(w, q->aggregates[i].arg);
    for (uint32_t i = 0; i < q->n_order; i++)
        walk_expr(w, q->order[i].by);
}

/* The row that a foreign key of a new value points to is looked up. */
static void
walk_foreign(struct walk *w, uint32_t table, const struct expr *const *values)
{
    const struct table *t = &w->p->tables.at[table];
    for (uint32_t f = 0; f < t->n_foreign; f++) {
        const struct foreign_key *k = &t->foreign[f];
        const struct table *to = &w->p->tables.at[k->table];
        const struct expr *keys[64];
        bool all = true, any = false;
        for (uint32_t i = 0; i < k->columns.n; i++)
            for (uint32_t j = 0; j < to->primary.n; j++)
                if (to->primary.at[j] == k->referenced.at[i]) {
                    keys[j] = values[k->columns.at[i]];
                    all = all && keys[j] && !mentions_rows(keys[j]);
                    any = any || values[k->columns.at[i]];
                }
        if (w->repeats)
            w->out->scans[k->table] = true;
        else if (all)
            add_key(w, k->table, keys);
        else if (any)
            w->out->lookups[k->table]++; // of which the rest is in the row
    }
}

/* The rows of an INSERT, which may be any number of them. */
static void
walk_rows(struct walk *w, const struct statement *s)
{
    const struct table *t = &w->p->tables.at[s->table];
    const bool outer = w->repeats;
    w->repeats = outer || s->query;
    if (w->repeats)
        w->out->scans[s->table] = w->out->scan_writes[s->table] = true;
    for (uint32_t r = 0; r < s->n_rows; r++) {
        const struct expr *const *row = s->values + (size_t)r * t->n_columns;
        const struct expr *keys[64];
        for (uint32_t i = 0; i < t->primary.n; i++)
            keys[i] = row[t->primary.at[i]];
        if (!w->repeats)
            add_key(w, s->table, keys);
        for (uint32_t c = 0; c < t->n_columns; c++)
            walk_expr(w, row[c]);
        walk_foreign(w, s->table, row);
    }
    w->repeats = outer;
}

static void
walk_write(struct walk *w, const struct statement *s)
{
    const struct table *t = &w->p->tables.at[s->table];
    const struct expr *values[64] = {NULL};
    if (s->kind != STATEMENT_INSERT)
        walk_condition(w, s->where, s->source);
    if (s->kind != STATEMENT_INSERT && w->out->scans[s->table])
        w->out->scan_writes[s->table] = true;
    walk_expr(w, s->where);
    for (uint32_t i = 0; i < s->n_sets; i++) {
        walk_expr(w, s->sets[i].value);
        values[s->sets[i].column] = s->sets[i].value;
    }
    if (s->n_sets)
        walk_foreign(w, s->table, values);
    if (s->kind == STATEMENT_INSERT)
        walk_rows(w, s);
    // A check for other rows with the same values, or for children.
    if (t->n_unique)
        w->out->scans[s->table] = true;
    for (uint32_t c = 0; s->kind == STATEMENT_DELETE && c < w->p->tables.n; c++)
        for (uint32_t f = 0; f < w->p->tables.at[c].n_foreign; f++)
            if (w->p->tables.at[c].foreign[f].table == s->table)
                w->out->scans[c] = true;
}

static void
count_assignments(struct walk *w, const struct block *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const struct statement *s = b->at[i];
        if (s->kind == STATEMENT_ASSIGN || s->kind == STATEMENT_RANGE)
            w->assigned[s->variable]++;
        for (uint32_t k = 0; k < s->n_into; k++)
            w->assigned[s->into[k]]++;
        count_assignments(w, &s->body);
        count_assignments(w, &s->other);
    }
}

/* Whether a query that locks rows reads other rows as well. */
static bool
reads_more(const struct query *q)
{
    bool more = q->n_sources > 1 || expr_has_query(q->where);
    for (uint32_t i = 0; i < q->n_targets; i++)
        more = more || expr_has_query(q->targets[i].value);
    for (uint32_t i = 0; i < q->n_order; i++)
        more = more || expr_has_query(q->order[i].by);
    return more;
}

/* Whether the statement, when it has to wait, looks at several rows of which
 * some are older than others.  A loop takes its locks while it runs. */
static bool
is_mixed(const struct statement *s)
{
    const bool locks = s->query && s->query->lock;
    if (locks && (s->kind == STATEMENT_FOR || s->kind == STATEMENT_INSERT))
        return true;
    if (s->kind == STATEMENT_UPDATE || s->kind == STATEMENT_DELETE ||
        s->kind == STATEMENT_INSERT) {
        bool reads = expr_has_query(s->where);
        for (uint32_t i = 0; i < s->n_sets; i++)
            reads = reads || expr_has_query(s->sets[i].value);
        return reads;
    }
    return locks && reads_more(s->query);
}

static void walk_block(struct walk *w, const struct block *b);

static void
walk_statement(struct walk *w, const struct statement *s)
{
    const bool outer = w->repeats, loop = statement_is_loop(s);
    if ((loop || (s->kind == STATEMENT_INSERT && s->query)) && !w->out->repeats)
        w->out->repeats = s->line;
    if (is_mixed(s) && !w->out->mixed)
        w->out->mixed = s->line;
    if (s->query)
        walk_query(w, s->query);
    walk_expr(w, s->low);
    walk_expr(w, s->high);
    walk_expr(w, s->step);
    w->repeats = outer || loop;
    walk_expr(w, s->value);
    if (s->kind == STATEMENT_UPDATE || s->kind == STATEMENT_DELETE ||
        s->kind == STATEMENT_INSERT)
        walk_write(w, s);
    walk_block(w, &s->body);
    walk_block(w, &s->other);
    w->repeats = outer;
}

static void
walk_block(struct walk *w, const struct block *b)
{
    for (uint32_t i = 0; i < b->n; i++)
        walk_statement(w, b->at[i]);
}

void
footprint_init(struct footprint *f, const struct program *p,
               const struct function *function)
{
    memset(f, 0, sizeof *f);
    f->lookups = mem_calloc(p->tables.n + 1, sizeof *f->lookups);
    f->scans = mem_calloc(p->tables.n + 1, sizeof *f->scans);
    f->scan_writes = mem_calloc(p->tables.n + 1, sizeof *f->scan_writes);
    struct walk w = {.p = p, .f = function, .out = f};
    w.assigned = mem_calloc(function->n_variables + 1, sizeof *w.assigned);
    // An initial value is an assignment, too.
    for (uint32_t i = 0; i < function->n_variables; i++)
        w.assigned[i] = function->variables[i].initial != NULL;
    count_assignments(&w, &function->body);
    walk_block(&w, &function->body);
    mem_free(w.assigned);
    vec_free(&w.keys);
}

void
footprint_free(struct footprint *f)
{
    mem_free(f->lookups);
    mem_free(f->scans);
    mem_free(f->scan_writes);
    memset(f, 0, sizeof *f);
}
