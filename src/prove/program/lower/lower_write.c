/* lower_write.c -- INSERT, UPDATE, DELETE, and SELECT as statements.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include "prove/program/access.h"

#include <string.h>

struct statement *
statement_new(struct lower *l, enum statement_kind kind)
{
    struct statement *s = program_alloc(l->program, 1, sizeof *s);
    s->kind = kind;
    s->line = l->line;
    s->number = l->n_statements++;
    return s;
}

static const struct table *
table_of(const struct lower *l, const struct statement *s)
{
    return &l->program->tables.at[s->table];
}

/* Give a value the type of its column. */
static const struct expr *
fit(struct lower *l, struct expr *e, const struct table_column *column,
    int location)
{
    e = e ? lower_cast(l, e, column->type, location) : NULL;
    return lower_store(l, e, column->number, column->rounds);
}

/* What a column gets where nothing is said. */
static struct expr *
initial_value(struct lower *l, const struct statement *s, uint32_t c)
{
    const struct table_column *column = &table_of(l, s)->columns[c];
    if (column->generated)
        return expr_input(
            l, (struct input_site){INPUT_KEY, column->type, s->table, c});
    struct expr *e = expr_null(l);
    if (column->any_default) {
        e = expr_input(l, (struct input_site){INPUT_ANY, TYPE_INTEGER, 0, 0});
        return lower_opaque(l, "default",
                            (struct scalar_type){.type = column->type,
                                                 .number = column->number},
                            &e, 1);
    }
    if (column->initial)
        *e = *column->initial;
    e->type = column->type;
    if (e->kind == EXPR_INPUT)
        return expr_input(
            l, (struct input_site){INPUT_MOMENT, column->type, 0, 0});
    return e;
}

/* The value that a column is set to.  Where other tables are joined, only a
 * constant is sure to mean what it says. */
static const struct expr *
set_value(struct lower *l, const struct table_column *column,
          const PgQuery__ResTarget *target, bool joins)
{
    const struct scalar_type type = {.type = column->type,
                                     .number = column->number};
    struct expr *e = joins && !NODE_IS(target->val, A_CONST)
                         ? lower_any_value(l, type, NULL)
                         : lower_expr(l, target->val);
    return fit(l, e, column, target->location);
}

static bool
has_set(const struct statement *s, uint32_t c)
{
    for (uint32_t i = 0; i < s->n_sets; i++)
        if (s->sets[i].column == c)
            return true;
    return false;
}

static bool
lower_sets(struct lower *l, struct statement *s, PgQuery__Node *const *nodes,
           size_t n, bool joins)
{
    const struct table *t = table_of(l, s);
    s->n_sets = 0;
    s->sets = program_alloc(l->program, n + t->n_columns, sizeof *s->sets);
    for (size_t i = 0; i < n; i++) {
        const PgQuery__ResTarget *target = nodes[i]->res_target;
        const uint32_t c = lower_find_column(t, target->name);
        if (c == UINT32_MAX)
            return lower_fail(l, target->location,
                              "table %s has no column '%s'", t->name,
                              target->name);
        if (target->n_indirection)
            return lower_fail(l, target->location,
                              "SET of a part of column '%s' is not supported",
                              target->name);
        if (columns_have(&t->primary, c))
            return lower_fail(l, target->location,
                              "an update of the key column '%s' is not "
                              "supported",
                              target->name);
        if (NODE_IS(target->val, MULTI_ASSIGN_REF) && !joins)
            return lower_fail(l, target->location,
                              "SET (..) = (..) is not supported");
        for (uint32_t j = 0; j < s->n_sets; j++)
            if (s->sets[j].column == c && !lower_is_folded(t, c))
                return lower_fail(l, target->location,
                                  "column '%s' is set twice", target->name);
        if (has_set(s, c))
            continue;
        if (t->columns[c].always && !NODE_IS(target->val, SET_TO_DEFAULT))
            return lower_fail(l, target->location,
                              "column '%s' is GENERATED ALWAYS", target->name);
        struct assignment *set = &s->sets[s->n_sets++];
        set->column = c;
        set->value = NODE_IS(target->val, SET_TO_DEFAULT)
                         ? initial_value(l, s, c)
                         : set_value(l, &t->columns[c], target,
                                     joins || lower_is_folded(t, c));
        if (!set->value)
            return false;
    }
    return lower_updated(l, s);
}

/* The table of an UPDATE, DELETE or INSERT, as a new source. */
static bool
lower_relation(struct lower *l, struct statement *s,
               const PgQuery__RangeVar *range)
{
    if (!lower_find_table(l, range, &s->table))
        return false;
    l->level++;
    s->source = lower_add_source(
        l,
        program_copy(l->program,
                     range->alias ? range->alias->aliasname : range->relname),
        s->table);
    return true;
}

/* Whether such a write of the table is modelled. */
static bool
check_guard(struct lower *l, const struct statement *s, enum table_write w)
{
    static const char *const words[] = {"INSERT", "UPDATE", "DELETE"};
    const struct table *t = table_of(l, s);
    bool sets = w != TABLE_UPDATE;
    for (uint32_t i = 0; i < s->n_sets; i++)
        sets = sets || t->guarded_columns >> s->sets[i].column & 1;
    if (w == TABLE_DELETE && t->cascades)
        lower_partial(l, t->cascades);
    if (!t->guarded[w] || !sets)
        return true;
    return lower_fail(l, -1, "%s of table %s, which has %s, is not supported",
                      words[w], t->name, t->guarded[w]);
}

/* The condition of an UPDATE or DELETE that names other tables: it reads
 * whatever any part of the statement can read. */
static struct expr *
joined_condition(struct lower *l, const PgQuery__WithClause *with,
                 const PgQuery__Node *where, PgQuery__Node *const *from,
                 size_t n_from, PgQuery__Node *const *targets, size_t n_targets,
                 PgQuery__Node *const *returning, size_t n_returning)
{
    VEC(const void *) all = {0};
    vec_push(&all, with);
    vec_push(&all, where);
    for (size_t i = 0; i < n_from; i++)
        vec_push(&all, from[i]);
    for (size_t i = 0; i < n_targets; i++)
        vec_push(&all, targets[i]);
    for (size_t i = 0; i < n_returning; i++)
        vec_push(&all, returning[i]);
    struct expr *e = lower_any_condition(l, all.at, all.n);
    vec_free(&all);
    return e;
}

/* SET (a, b) = .. */
static bool
sets_several(const PgQuery__UpdateStmt *update)
{
    for (size_t i = 0; i < update->n_target_list; i++)
        if (NODE_IS(update->target_list[i]->res_target->val, MULTI_ASSIGN_REF))
            return true;
    return false;
}

static bool
targets_of(struct lower *l, PgQuery__Node *const *nodes, size_t n,
           struct target **targets, uint32_t *n_targets)
{
    return lower_targets(l, nodes, n, l->level, targets, n_targets);
}

static struct statement *
lower_update(struct lower *l, const PgQuery__UpdateStmt *update)
{
    struct statement *s = statement_new(l, STATEMENT_UPDATE);
    const bool joins =
        update->n_from_clause || update->with_clause || sets_several(update);
    if (!lower_relation(l, s, update->relation))
        return NULL;
    if (joins)
        s->where = joined_condition(
            l, update->with_clause, update->where_clause, update->from_clause,
            update->n_from_clause, update->target_list, update->n_target_list,
            update->returning_list, update->n_returning_list);
    else if (update->where_clause)
        s->where = lower_condition(l, update->where_clause);
    if (!s->where && (joins || update->where_clause))
        return NULL;
    if (!lower_sets(l, s, update->target_list, update->n_target_list, joins) ||
        !(joins ? lower_any_targets : targets_of)(
            l, update->returning_list, update->n_returning_list, &s->returning,
            &s->n_returning) ||
        !check_guard(l, s, TABLE_UPDATE))
        return NULL;
    return s;
}

static struct statement *
lower_delete(struct lower *l, const PgQuery__DeleteStmt *delete)
{
    struct statement *s = statement_new(l, STATEMENT_DELETE);
    const bool joins = delete->n_using_clause || delete->with_clause;
    if (!lower_relation(l, s, delete->relation) ||
        !check_guard(l, s, TABLE_DELETE))
        return NULL;
    if (joins)
        s->where = joined_condition(
            l, delete->with_clause, delete->where_clause, delete->using_clause,
            delete->n_using_clause, NULL, 0, delete->returning_list,
            delete->n_returning_list);
    else if (delete->where_clause)
        s->where = lower_condition(l, delete->where_clause);
    if (!s->where && (joins || delete->where_clause))
        return NULL;
    return (joins ? lower_any_targets : targets_of)(
               l, delete->returning_list, delete->n_returning_list,
               &s->returning, &s->n_returning)
               ? s
               : NULL;
}

/* Which columns the values of an INSERT are for. */
static bool
lower_insert_columns(struct lower *l, const struct statement *s,
                     const PgQuery__InsertStmt *insert, u32_vec *columns)
{
    const struct table *t = table_of(l, s);
    for (size_t i = 0; i < insert->n_cols; i++) {
        const PgQuery__ResTarget *target = insert->cols[i]->res_target;
        const uint32_t c = lower_find_column(t, target->name);
        if (c == UINT32_MAX)
            return lower_fail(l, target->location,
                              "table %s has no column '%s'", t->name,
                              target->name);
        if (target->n_indirection)
            return lower_fail(l, target->location,
                              "INSERT of a part of column '%s' is not "
                              "supported",
                              target->name);
        for (size_t j = 0; j < columns->n; j++)
            if (columns->at[j] == c && !lower_is_folded(t, c))
                return lower_fail(l, target->location,
                                  "column '%s' is named twice", target->name);
        vec_push(columns, c);
    }
    for (uint32_t c = 0; !insert->n_cols && c < t->n_columns - t->hidden_key;
         c++)
        vec_push(columns, c);
    return true;
}

/* One row of VALUES; what is left out gets its default. */
static bool
lower_row(struct lower *l, struct statement *s, PgQuery__Node *const *nodes,
          size_t n, const u32_vec *columns, const struct expr **out)
{
    const struct table *t = table_of(l, s);
    if (n > columns->n)
        return lower_fail(l, -1, "%zu values for %zu columns", n, columns->n);
    for (size_t i = 0; i < n; i++) {
        const uint32_t c = columns->at[i];
        if (NODE_IS(nodes[i], SET_TO_DEFAULT))
            continue;
        if (t->columns[c].always)
            return lower_fail(l, -1, "column '%s' is GENERATED ALWAYS",
                              t->columns[c].name);
        out[c] = fit(l, lower_expr(l, nodes[i]), &t->columns[c], -1);
        if (!out[c])
            return false;
    }
    for (uint32_t c = 0; c < t->n_columns; c++)
        if (!out[c])
            out[c] = initial_value(l, s, c);
    return true;
}

/* A row of anything, of which there may be any number. */
static bool
lower_any_row(struct lower *l, struct statement *s, const struct query *q,
              const u32_vec *columns)
{
    const struct table *t = table_of(l, s);
    s->n_rows = 1;
    s->values = program_alloc(l->program, t->n_columns, sizeof *s->values);
    for (uint32_t c = 0; c < t->n_columns; c++)
        s->values[c] = initial_value(l, s, c);
    for (size_t i = 0; i < columns->n && i < q->n_targets; i++) {
        const struct table_column *column = &t->columns[columns->at[i]];
        if (column->always)
            return lower_fail(l, -1, "column '%s' is GENERATED ALWAYS",
                              column->name);
        s->values[columns->at[i]] =
            fit(l,
                lower_any_value(l,
                                (struct scalar_type){.type = column->type,
                                                     .number = column->number},
                                NULL),
                column, -1);
    }
    s->any_rows = q;
    return true;
}

static bool
lower_insert_query(struct lower *l, struct statement *s,
                   const PgQuery__SelectStmt *select, const u32_vec *columns)
{
    const struct table *t = table_of(l, s);
    struct query *q = lower_query(l, select);
    if (!q)
        return false;
    if (q->any)
        return lower_any_row(l, s, q, columns);
    if (q->n_targets > columns->n)
        return lower_fail(l, -1, "%u values for %zu columns", q->n_targets,
                          columns->n);
    s->query = q;
    s->n_rows = 1;
    s->values = program_alloc(l->program, t->n_columns, sizeof *s->values);
    s->insert_targets =
        program_alloc(l->program, q->n_targets, sizeof *s->insert_targets);
    for (uint32_t i = 0; i < q->n_targets; i++) {
        const uint32_t c = s->insert_targets[i] = columns->at[i];
        if (t->columns[c].always)
            return lower_fail(l, -1, "column '%s' is GENERATED ALWAYS",
                              t->columns[c].name);
        if (q->targets[i].value->type != t->columns[c].type) {
            struct expr *copy = expr_new(l, EXPR_CONSTANT, TYPE_TEXT);
            *copy = *q->targets[i].value;
            q->targets[i].value = lower_cast(l, copy, t->columns[c].type, -1);
        }
        q->targets[i].value = lower_store(
            l, q->targets[i].value, t->columns[c].number, t->columns[c].rounds);
        s->values[c] = q->targets[i].value;
    }
    for (uint32_t c = 0; c < t->n_columns; c++)
        if (!s->values[c])
            s->values[c] = initial_value(l, s, c);
    return true;
}

static bool
lower_values(struct lower *l, struct statement *s,
             const PgQuery__InsertStmt *insert)
{
    u32_vec columns = {0};
    bool ok = lower_insert_columns(l, s, insert, &columns);
    const uint32_t n_columns = table_of(l, s)->n_columns;
    const PgQuery__SelectStmt *select =
        insert->select_stmt ? insert->select_stmt->select_stmt : NULL;
    if (ok && select && !select->n_values_lists) {
        ok = lower_insert_query(l, s, select, &columns);
    } else if (ok) {
        s->n_rows = select ? (uint32_t)select->n_values_lists : 1;
        l->in_rows = s->n_rows > 1;
        s->values = program_alloc(l->program, (size_t)s->n_rows * n_columns,
                                  sizeof *s->values);
        for (uint32_t r = 0; ok && r < s->n_rows; r++) {
            const PgQuery__List *row =
                select ? select->values_lists[r]->list : NULL;
            ok =
                lower_row(l, s, row ? row->items : NULL, row ? row->n_items : 0,
                          &columns, s->values + (size_t)r * n_columns);
        }
    }
    vec_free(&columns);
    return ok && lower_inserted(l, s);
}

static bool
lower_arbiter(struct lower *l, struct statement *s,
              const PgQuery__InferClause *infer)
{
    const struct table *t = table_of(l, s);
    if (!infer)
        return true;
    if (infer->where_clause || *infer->conname)
        return lower_fail(l, infer->location,
                          "ON CONFLICT with WHERE or a constraint's name is "
                          "not supported");
    s->n_arbiter = (uint32_t)infer->n_index_elems;
    s->arbiter = program_alloc(l->program, s->n_arbiter, sizeof *s->arbiter);
    for (uint32_t i = 0; i < s->n_arbiter; i++) {
        const char *name = infer->index_elems[i]->index_elem->name;
        s->arbiter[i] = table_find_column(t, name);
        if (s->arbiter[i] == UINT32_MAX)
            return lower_fail(l, infer->location, "table %s has no column '%s'",
                              t->name, name);
    }
    const struct columns all = {s->arbiter, s->n_arbiter};
    bool primary = t->primary.n == s->n_arbiter;
    for (uint32_t i = 0; i < t->primary.n; i++)
        primary = primary && columns_have(&all, t->primary.at[i]);
    if (!primary)
        return lower_fail(l, infer->location,
                          "ON CONFLICT on something else than the primary key "
                          "is not supported");
    return true;
}

static bool
lower_conflict(struct lower *l, struct statement *s,
               const PgQuery__OnConflictClause *clause)
{
    if (!clause)
        return true;
    s->on_conflict =
        clause->action == PG_QUERY__ON_CONFLICT_ACTION__ONCONFLICT_UPDATE
            ? CONFLICT_UPDATES
            : CONFLICT_NOTHING;
    if (!lower_arbiter(l, s, clause->infer))
        return false;
    if (table_of(l, s)->n_unique && !s->n_arbiter)
        return lower_fail(l, clause->location,
                          "ON CONFLICT without columns on a table with UNIQUE "
                          "is not supported");
    if (s->on_conflict == CONFLICT_NOTHING)
        return true;
    // A column without its table is one of both rows: ambiguous.
    s->excluded = lower_add_source(l, "excluded", s->table);
    if (clause->where_clause &&
        !(s->where = lower_condition(l, clause->where_clause)))
        return false;
    const bool ok =
        lower_sets(l, s, clause->target_list, clause->n_target_list, false) &&
        check_guard(l, s, TABLE_UPDATE);
    l->visible.n--;
    return ok;
}

/* WITH in front of an INSERT is WITH in front of its query. */
static bool
with_query(struct lower *l, const PgQuery__InsertStmt *insert)
{
    PgQuery__Node *select = insert->select_stmt;
    if (!NODE_IS(select, SELECT_STMT) || select->select_stmt->with_clause ||
        select->select_stmt->n_values_lists)
        return lower_fail(l, -1, "INSERT with WITH is not supported");
    l->with = insert->with_clause;
    return true;
}

static struct statement *
lower_insert(struct lower *l, const PgQuery__InsertStmt *insert)
{
    struct statement *s = statement_new(l, STATEMENT_INSERT);
    if (insert->override > PG_QUERY__OVERRIDING_KIND__OVERRIDING_NOT_SET) {
        lower_fail(l, -1, "OVERRIDING is not supported");
        return NULL;
    }
    const bool with = insert->with_clause != NULL;
    if (with && !with_query(l, insert))
        return NULL;
    if (!lower_find_table(l, insert->relation, &s->table) ||
        !check_guard(l, s, TABLE_INSERT) || !lower_values(l, s, insert) ||
        !lower_relation(l, s, insert->relation) ||
        !lower_conflict(l, s, insert->on_conflict_clause) ||
        !lower_targets(l, insert->returning_list, insert->n_returning_list,
                       l->level, &s->returning, &s->n_returning))
        return NULL;
    return s->any_rows ? lower_any_rows(l, s->any_rows, s) : s;
}

static struct statement *
lower_select(struct lower *l, const PgQuery__SelectStmt *select)
{
    struct statement *s = statement_new(l, STATEMENT_SELECT);
    s->query = lower_query(l, select);
    return s->query ? s : NULL;
}

/* RETURNING is evaluated when the rows have changed, which a query in it does
 * not see. */
static bool
check_returning(struct lower *l, const struct statement *s)
{
    for (uint32_t i = 0; i < s->n_returning; i++)
        if (expr_has_query(s->returning[i].value))
            return lower_fail(l, -1, "a query in RETURNING is not supported");
    return true;
}

/* Whether the statement reads tables, or rows that it changes. */
static bool
reads_tables(const struct lower *l, const struct statement *s)
{
    if (s->kind == STATEMENT_INSERT)
        return s->on_conflict == CONFLICT_UPDATES ||
               statement_has_query(s, table_of(l, s));
    bool reads = s->kind != STATEMENT_SELECT || s->query->n_sources;
    for (uint32_t i = 0; !reads && i < s->query->n_targets; i++)
        reads = expr_has_query(s->query->targets[i].value);
    return reads || expr_has_query(s->query->where);
}

struct statement *
lower_sql(struct lower *l, const PgQuery__Node *node)
{
    const size_t visible = l->visible.n;
    const uint32_t level = l->level;
    const size_t sources = l->sources.n;
    struct statement *s = NULL;
    l->reads_before = l->in_rows = false;
    l->with = NULL;
    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_SELECT_STMT:
        s = lower_select(l, node->select_stmt);
        break;
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
        s = lower_update(l, node->update_stmt);
        break;
    case PG_QUERY__NODE__NODE_DELETE_STMT:
        s = lower_delete(l, node->delete_stmt);
        break;
    case PG_QUERY__NODE__NODE_INSERT_STMT:
        s = lower_insert(l, node->insert_stmt);
        break;
    default:
        lower_fail(l, -1,
                   "a statement that is not supported, expected "
                   "SELECT, INSERT, UPDATE or DELETE");
    }
    l->visible.n = visible;
    l->level = level;
    l->with = NULL;
    l->in_rows = false;
    if (s && l->reads_before && reads_tables(l, s)) {
        lower_fail(l, -1,
                   "a call of a VOLATILE function that reads tables, beside "
                   "other reads, is not supported");
        return NULL;
    }
    if (!s || !check_returning(l, s))
        return NULL;
    const struct statement *write = s;
    while (write->kind == STATEMENT_IF || write->kind == STATEMENT_WHILE)
        write =
            write->body
                .at[write->kind == STATEMENT_IF && write->body.n > 1 ? 1 : 0];
    return lower_audit(l, node, sources, write) ? s : NULL;
}
