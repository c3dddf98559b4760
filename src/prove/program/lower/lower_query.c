/* lower_query.c -- SELECT: joins become conditions, '*' becomes columns.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include "prove/program/access.h"

#include <string.h>

bool
lower_is_named(const struct table *t, const PgQuery__RangeVar *range)
{
    const char *dot = strrchr(t->name, '.');
    return strcmp(dot ? dot + 1 : t->name, range->relname) == 0 &&
           (!*range->schemaname || !*t->schema ||
            strcmp(t->schema, range->schemaname) == 0);
}

uint32_t
lower_table_of(const struct lower *l, const PgQuery__RangeVar *range)
{
    uint32_t found = UINT32_MAX;
    bool several = false;
    PgQuery__RangeVar now = *range;
    now.relname = (char *)(uintptr_t)lower_table_now(l, range->relname);
    range = &now;
    for (uint32_t i = 0; i < l->program->tables.n; i++) {
        const struct table *t = &l->program->tables.at[i];
        if (!lower_is_named(t, range))
            continue;
        if (*range->schemaname && strcmp(t->schema, range->schemaname) == 0)
            return i;
        several = several || found != UINT32_MAX;
        found = i;
    }
    return several ? UINT32_MAX : found;
}

bool
lower_find_table(struct lower *l, const PgQuery__RangeVar *range,
                 uint32_t *table)
{
    *table = lower_table_of(l, range);
    if (*table == UINT32_MAX)
        return lower_fail(l, range->location, "there is no table '%s'",
                          range->relname);
    const struct table *t = &l->program->tables.at[*table];
    if (t->unknown)
        return lower_fail(l, range->location, "table %s is not modelled (%s)",
                          t->name, t->unknown);
    return true;
}

uint32_t
lower_add_source(struct lower *l, const char *name, uint32_t table)
{
    const uint32_t source = (uint32_t)l->sources.n;
    vec_push(&l->sources, table);
    const struct visible v = {name, source, table, l->level};
    vec_push(&l->visible, v);
    return source;
}

static bool
add_condition(struct lower *l, struct query *q, struct expr *condition)
{
    if (!condition)
        return false;
    q->where =
        q->where ? expr_binary(l, EXPR_AND, q->where, condition) : condition;
    return true;
}

static bool
lower_range(struct lower *l, const PgQuery__RangeVar *range)
{
    uint32_t table;
    if (!lower_find_table(l, range, &table))
        return false;
    if (range->alias && range->alias->n_colnames)
        return lower_fail(l, range->location,
                          "an alias with names of columns is not supported");
    const char *name = range->alias ? range->alias->aliasname : range->relname;
    for (size_t i = 0; i < l->visible.n; i++)
        if (l->visible.at[i].level == l->level &&
            strcmp(l->visible.at[i].name, name) == 0)
            return lower_fail(l, range->location,
                              "'%s' names two tables of the query", name);
    lower_add_source(l, program_copy(l->program, name), table);
    return true;
}

/* The condition a.x = b.x of USING (x), where b is the last table and a is the
 * only one before it that has such a column. */
static struct expr *
lower_using(struct lower *l, size_t first, const char *name, int location)
{
    struct expr *side[2] = {NULL, NULL};
    for (size_t i = first; i < l->visible.n; i++) {
        const struct visible *v = &l->visible.at[i];
        const uint32_t c =
            table_find_column(&l->program->tables.at[v->table], name);
        const bool last = i + 1 == l->visible.n;
        if (c == UINT32_MAX)
            continue;
        if (side[last]) {
            lower_fail(l, location, "'%s' is a column of several tables", name);
            return NULL;
        }
        side[last] = expr_column(l, v->source, c);
    }
    if (!side[0] || !side[1]) {
        lower_fail(l, location, "USING (%s), which is not in both tables",
                   name);
        return NULL;
    }
    return lower_operator(l, "=", side[0], side[1], location);
}

static bool
lower_from(struct lower *l, struct query *q, const PgQuery__Node *node,
           size_t first)
{
    if (NODE_IS(node, RANGE_VAR))
        return lower_range(l, node->range_var);
    if (!NODE_IS(node, JOIN_EXPR))
        return lower_fail(l, -1,
                          "FROM with something else than tables, which is not "
                          "supported");
    const PgQuery__JoinExpr *join = node->join_expr;
    if (join->jointype != PG_QUERY__JOIN_TYPE__JOIN_INNER || join->is_natural)
        return lower_fail(l, -1, "an outer or natural join is not supported");
    if (join->alias || join->join_using_alias)
        return lower_fail(l, -1, "an alias of a join is not supported");
    if (l->depth == PROGRAM_DEPTH)
        return lower_fail(l, -1, "more than %d joins", PROGRAM_DEPTH);
    l->merged = l->merged || join->n_using_clause;
    l->depth++;
    const bool ok = lower_from(l, q, join->larg, first) &&
                    lower_from(l, q, join->rarg, first);
    l->depth--;
    if (!ok ||
        (join->quals && !add_condition(l, q, lower_condition(l, join->quals))))
        return false;
    for (size_t i = 0; i < join->n_using_clause; i++)
        if (!add_condition(
                l, q,
                lower_using(l, first, join->using_clause[i]->string->sval, -1)))
            return false;
    return true;
}

/* Add the columns of the visible tables of this query, or of one of them. */
static bool
add_star(struct lower *l, const char *only, uint32_t level,
         struct target **targets, uint32_t *n)
{
    bool any = false;
    if (!only && l->merged)
        return lower_fail(l, -1, "'*' of a join with USING is not supported");
    for (size_t i = 0; i < l->visible.n; i++) {
        const struct visible v = l->visible.at[i];
        if (v.level != level || (only && strcmp(only, v.name) != 0))
            continue;
        any = true;
        const struct table *t = &l->program->tables.at[v.table];
        const uint32_t columns = t->n_columns - t->hidden_key;
        struct target *all =
            program_alloc(l->program, *n + columns, sizeof *all);
        if (*n)
            memcpy(all, *targets, *n * sizeof *all);
        for (uint32_t c = 0; c < columns; c++) {
            all[*n + c].name = t->columns[c].name;
            all[*n + c].value = expr_column(l, v.source, c);
        }
        *targets = all;
        *n += columns;
    }
    return any || lower_fail(l, -1, "'*' without a table");
}

static const char *
target_name(const PgQuery__ResTarget *target)
{
    if (target->name && *target->name)
        return target->name;
    if (NODE_IS(target->val, COLUMN_REF)) {
        const PgQuery__ColumnRef *ref = target->val->column_ref;
        return lower_last_name(ref->fields, ref->n_fields);
    }
    if (NODE_IS(target->val, FUNC_CALL)) {
        const PgQuery__FuncCall *call = target->val->func_call;
        return lower_last_name(call->funcname, call->n_funcname);
    }
    return "?column?";
}

bool
lower_targets(struct lower *l, PgQuery__Node *const *nodes, size_t n,
              uint32_t level, struct target **targets, uint32_t *n_targets)
{
    *targets = NULL;
    *n_targets = 0;
    for (size_t i = 0; i < n; i++) {
        const PgQuery__ResTarget *target = nodes[i]->res_target;
        const PgQuery__Node *val = target->val;
        if (NODE_IS(val, COLUMN_REF) &&
            NODE_IS(val->column_ref->fields[val->column_ref->n_fields - 1],
                    A_STAR)) {
            const char *only = val->column_ref->n_fields == 2
                                   ? val->column_ref->fields[0]->string->sval
                                   : NULL;
            if (!add_star(l, only, level, targets, n_targets))
                return false;
            continue;
        }
        struct expr *e = lower_expr(l, val);
        if (!e)
            return false;
        if (e->type == TYPE_UNKNOWN)
            e->type = TYPE_INTEGER;
        struct target *all =
            program_alloc(l->program, *n_targets + 1, sizeof *all);
        if (*n_targets)
            memcpy(all, *targets, *n_targets * sizeof *all);
        all[*n_targets].name = program_copy(l->program, target_name(target));
        all[(*n_targets)++].value = e;
        *targets = all;
    }
    return true;
}

/* The target that a name alone means in ORDER BY, before any column; NULL where
 * there is none. */
static const struct expr *
target_named(const struct query *q, const PgQuery__Node *node)
{
    if (!NODE_IS(node, COLUMN_REF) || node->column_ref->n_fields != 1 ||
        !NODE_IS(node->column_ref->fields[0], STRING))
        return NULL;
    for (uint32_t i = 0; i < q->n_targets; i++)
        if (strcmp(q->targets[i].name,
                   node->column_ref->fields[0]->string->sval) == 0)
            return q->targets[i].value;
    return NULL;
}

static bool
lower_order(struct lower *l, struct query *q, const PgQuery__SelectStmt *select)
{
    q->n_order = (uint32_t)select->n_sort_clause;
    q->order = program_alloc(l->program, q->n_order, sizeof *q->order);
    for (uint32_t i = 0; i < q->n_order; i++) {
        const PgQuery__SortBy *by = select->sort_clause[i]->sort_by;
        if (by->sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_USING ||
            by->sortby_nulls > PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT)
            return lower_fail(l, by->location,
                              "ORDER BY with USING or NULLS is not supported");
        const struct expr *e = target_named(q, by->node);
        if (!e)
            e = lower_expr(l, by->node);
        if (!e)
            return false;
        if (e->kind == EXPR_CONSTANT || expr_has_query(e))
            return lower_fail(l, by->location,
                              "ORDER BY a position or a query is not "
                              "supported");
        if (e->type == TYPE_TEXT || e->type == TYPE_OPAQUE) {
            // Some order: a number for each value.
            struct expr *copy = expr_new(l, e->kind, e->type);
            *copy = *e;
            e = lower_opaque_total(
                l, "", (struct scalar_type){.type = TYPE_INTEGER}, &copy, 1);
        }
        q->order[i].by = e;
        q->order[i].descending =
            by->sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
    }
    return true;
}

static bool
lower_limit(struct lower *l, struct query *q, const PgQuery__SelectStmt *select)
{
    q->limit = -1;
    if (select->limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES)
        return lower_fail(l, -1, "WITH TIES is not supported");
    if (select->limit_offset)
        return lower_fail(l, -1, "OFFSET is not supported");
    if (!select->limit_count)
        return true;
    const struct expr *e = lower_expr(l, select->limit_count);
    if (!e)
        return false;
    if (e->kind != EXPR_CONSTANT || e->value.null || e->value.number != 1)
        return lower_fail(l, -1, "LIMIT other than 1 is not supported");
    q->limit = 1;
    return true;
}

static bool
lower_locks(struct lower *l, struct query *q, const PgQuery__SelectStmt *select)
{
    for (size_t i = 0; i < select->n_locking_clause; i++) {
        const PgQuery__LockingClause *lock =
            select->locking_clause[i]->locking_clause;
        if (lock->wait_policy > PG_QUERY__LOCK_WAIT_POLICY__LockWaitBlock)
            return lower_fail(l, -1, "SKIP LOCKED or NOWAIT is not supported");
        if (lock->strength == PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORKEYSHARE)
            return lower_fail(l, -1, "FOR KEY SHARE is not supported");
        if (lock->n_locked_rels)
            return lower_fail(l, -1, "FOR UPDATE OF is not supported");
        if (lock->strength >=
            PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORNOKEYUPDATE)
            q->lock = LOCK_UPDATE;
        else if (q->lock == LOCK_NONE)
            q->lock = LOCK_SHARE;
    }
    return true;
}

/* DISTINCT alone is a list of one empty node. */
static bool
has_kind(const PgQuery__Node *node)
{
    return node && node->node_case != PG_QUERY__NODE__NODE__NOT_SET;
}

/* What a SELECT may not have. */
static bool
check_select(struct lower *l, const PgQuery__SelectStmt *s)
{
    const char *what = s->n_group_clause || s->having_clause ? "GROUP BY"
                       : s->op > PG_QUERY__SET_OPERATION__SETOP_NONE
                           ? "UNION, INTERSECT or EXCEPT"
                       : s->with_clause || l->with ? "WITH"
                       : s->n_window_clause        ? "WINDOW"
                       : s->n_values_lists         ? "VALUES"
                       : s->into_clause            ? "SELECT INTO a table"
                       : s->n_distinct_clause && has_kind(s->distinct_clause[0])
                           ? "DISTINCT ON"
                           : NULL;
    return !what || lower_fail(l, -1, "%s is not supported", what);
}

static bool
lower_parts(struct lower *l, struct query *q, const PgQuery__SelectStmt *select)
{
    const size_t first = l->visible.n;
    for (size_t i = 0; i < select->n_from_clause; i++)
        if (!lower_from(l, q, select->from_clause[i], first))
            return false;
    q->n_sources = (uint32_t)(l->visible.n - first);
    q->sources = program_alloc(l->program, q->n_sources, sizeof *q->sources);
    for (uint32_t i = 0; i < q->n_sources; i++)
        q->sources[i] = l->visible.at[first + i].source;
    if (select->where_clause &&
        !add_condition(l, q, lower_condition(l, select->where_clause)))
        return false;
    l->in_targets = true;
    const bool ok = lower_targets(l, select->target_list, select->n_target_list,
                                  l->level, &q->targets, &q->n_targets);
    l->in_targets = false;
    return ok && lower_order(l, q, select) && lower_limit(l, q, select) &&
           lower_locks(l, q, select);
}

/* A target beside aggregates may name no column of the query's own. */
static bool
check_aggregates(struct lower *l, const struct query *q)
{
    for (uint32_t i = 0; q->distinct && i < q->n_targets; i++)
        if (q->targets[i].value->type == TYPE_OPAQUE)
            return lower_fail(l, -1,
                              "DISTINCT of a type that is not understood");
    for (uint32_t i = 0; i < q->n_aggregates; i++)
        if (q->aggregates[i].distinct && q->aggregates[i].arg &&
            q->aggregates[i].arg->type == TYPE_OPAQUE)
            return lower_fail(l, -1,
                              "DISTINCT of a type that is not understood");
    if (!q->n_aggregates)
        return true;
    if (q->lock != LOCK_NONE || q->distinct || q->n_order || q->limit >= 0)
        return lower_fail(l, -1,
                          "an aggregate with DISTINCT, ORDER BY, LIMIT or a "
                          "lock is not supported");
    for (uint32_t i = 0; i < q->n_targets; i++) {
        if (expr_has_query(q->targets[i].value))
            return lower_fail(l, -1,
                              "a query beside an aggregate is not supported");
        for (uint32_t j = 0; j < q->n_sources; j++)
            if (expr_uses_source(q->targets[i].value, q->sources[j]))
                return lower_fail(l, -1, "a column beside an aggregate");
    }
    return true;
}

static struct query *
read_query(struct lower *l, const PgQuery__SelectStmt *select)
{
    struct query *q = program_alloc(l->program, 1, sizeof *q);
    q->line = l->line;
    if (!check_select(l, select))
        return NULL;
    const size_t visible = l->visible.n, depth = l->depth;
    const bool in_targets = l->in_targets, merged = l->merged;
    l->merged = false;
    if (depth == PROGRAM_DEPTH || l->in_aggregate) {
        lower_fail(l, -1, "a query in an aggregate, or too deep");
        return NULL;
    }
    // Aggregates of the query around this one wait at the front.
    const size_t first = l->aggregates.n;
    l->level++;
    l->depth++;
    q->distinct = select->n_distinct_clause > 0;
    const bool ok = lower_parts(l, q, select);
    l->in_targets = in_targets;
    l->merged = merged;
    l->level--;
    l->depth--;
    l->visible.n = visible;
    if (!ok)
        return NULL;
    if (first) {
        lower_fail(l, -1, "a query beside an aggregate is not supported");
        return NULL;
    }
    q->n_aggregates = (uint32_t)l->aggregates.n;
    q->aggregates =
        program_alloc(l->program, q->n_aggregates, sizeof *q->aggregates);
    if (q->n_aggregates)
        memcpy(q->aggregates, l->aggregates.at,
               q->n_aggregates * sizeof *q->aggregates);
    vec_clear(&l->aggregates);
    return check_aggregates(l, q) ? q : NULL;
}

struct query *
lower_query(struct lower *l, const PgQuery__SelectStmt *select)
{
    struct lower_mark mark;
    lower_mark(l, &mark);
    struct query *q = read_query(l, select);
    if (q || !l->function)
        return q;
    lower_return(l, &mark);
    return lower_any_query(l, select);
}
