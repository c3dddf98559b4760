/* row_select.c -- the reads of a select.
 *
 * It is run with the same FROM, WHERE, limits and locks, and returns the
 * versions that it found instead of what it asked for.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_reading.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "spec/row/row_dialect.h"
#include "spec/row/sql_function.h"

#include <string.h>

/* The tables of FROM and its joins; false if it has anything else.  The tables
 * of a join that has an alias cannot be named. */
static bool
list_joined(const PgQuery__Node *n, const PgQuery__RangeVar **out, size_t room,
            size_t *count)
{
    if (n->node_case == PG_QUERY__NODE__NODE_JOIN_EXPR)
        return !n->join_expr->alias &&
               list_joined(n->join_expr->larg, out, room, count) &&
               list_joined(n->join_expr->rarg, out, room, count);
    if (n->node_case != PG_QUERY__NODE__NODE_RANGE_VAR || *count == room)
        return false;
    out[(*count)++] = n->range_var;
    return true;
}

/* Whether an order by that name may be one by what the select computes.
 * PostgreSQL names a column after what it is made of: "select id::text from t
 * order by id" sorts texts. */
static bool
is_computed(const struct row_reading *r, const PgQuery__ResTarget *column,
            const PgQuery__ColumnRef *order, bool is_join)
{
    const char *name = sql_tree_column(order);
    const bool folds = r->watched->dialect->folds;
    if (*column->name)
        return (folds ? ascii_compare(column->name, name)
                      : strcmp(column->name, name)) == 0;
    if (folds || order->n_fields > 1)
        return false;
    switch (column->val->node_case) {
    case PG_QUERY__NODE__NODE_COLUMN_REF:
        return is_join &&
               strcmp(sql_tree_column(column->val->column_ref), name) == 0;
    case PG_QUERY__NODE__NODE_A_CONST:
    case PG_QUERY__NODE__NODE_BOOL_EXPR:
    case PG_QUERY__NODE__NODE_NULL_TEST:
        return false;
    case PG_QUERY__NODE__NODE_FUNC_CALL:
        return strcmp(sql_tree_function(column->val->func_call), name) == 0;
    case PG_QUERY__NODE__NODE_A_EXPR:
        return column->val->a_expr->kind ==
               PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF;
    default:
        return true;
    }
}

/* Whether the order is one of columns alone, which the rewritten select has as
 * well. */
static bool
is_order_kept(const struct row_reading *r, const PgQuery__SelectStmt *s,
              bool is_join)
{
    for (size_t i = 0; i < s->n_sort_clause; i++) {
        const PgQuery__Node *n = s->sort_clause[i]->sort_by->node;
        if (n->node_case != PG_QUERY__NODE__NODE_COLUMN_REF)
            return false;
        for (size_t k = 0; k < s->n_target_list; k++)
            if (is_computed(r, s->target_list[k]->res_target, n->column_ref,
                            is_join))
                return false;
    }
    return true;
}

/* Whether no two rows of a table are at the same place in the order: it has all
 * columns of the key. */
static bool
is_order_total(const struct row_reading *r, const PgQuery__SelectStmt *s,
               const PgQuery__RangeVar *v)
{
    const uint32_t t = watched_find(r->watched, v->schemaname, v->relname);
    const text_vec *keys = &r->watched->tables.at[t].keys;
    bool is_total = keys->n > 0;
    for (size_t k = 0; is_total && k < keys->n; k++) {
        bool has_key = false;
        for (size_t i = 0; i < s->n_sort_clause; i++) {
            const PgQuery__Node *n = s->sort_clause[i]->sort_by->node;
            has_key = has_key || ascii_compare(sql_tree_column(n->column_ref),
                                               keys->at[k]) ==
                                     0; // is_order_kept: it is a column
        }
        is_total = has_key;
    }
    return is_total;
}

/* The 'from' before the first table; 0 if there is none, as in "table t". */
static size_t
find_from(const struct row_reading *r, const PgQuery__RangeVar *first)
{
    size_t i = row_reading_token_at(r, first->location);
    while (i && !row_reading_is_word(&r->tokens.at[i], "from"))
        i--;
    return i;
}

/* "select version, values, ... from ..." with the clauses that decide which
 * rows are read. */
static const char *
rewrite(struct row_reading *r, const PgQuery__SelectStmt *s,
        const PgQuery__RangeVar *const *tables, size_t n)
{
    static const char *const after[] = {"group", "having", "window",
                                        "order", "limit",  "offset",
                                        "fetch", "for",    NULL};
    static const char *const tail[] = {"order", "limit", "offset",
                                       "fetch", "for",   NULL};
    const bool is_limited = s->limit_count || s->limit_offset;
    const bool keeps_tail = is_limited || s->n_locking_clause;
    struct buf sql = {0};
    for (size_t i = 0; i < n; i++) {
        const char *alias = row_reading_alias(r, tables[i]);
        buf_text(&sql, i ? ", " : "select ");
        const uint32_t t =
            watched_find(r->watched, tables[i]->schemaname, tables[i]->relname);
        r->watched->dialect->put_row(&sql, r->watched, t, alias);
        vec_push(&r->out->items, t);
    }
    const size_t n_select = strlen("select ");
    r->out->versions =
        arena_copy(r->arena, sql.at + n_select, sql.n - n_select);
    const size_t first = find_from(r, tables[0]);
    const size_t end = row_reading_find_word(r, first, after);
    buf_printf(&sql, " %s", row_reading_text(r, first, end));
    if (keeps_tail) {
        const size_t rest = row_reading_find_word(r, end, tail);
        buf_printf(&sql, " %s", row_reading_text(r, rest, r->tokens.n - 1));
    }
    const char *copy = arena_copy(r->arena, sql.at, sql.n);
    buf_free(&sql);
    return copy;
}

/* Whether an index besides that of the key may have all columns of a table that
 * the select names, so that InnoDB need not look at the row, nor lock it. */
static bool
is_in_index(const struct row_reading *r, const struct watched_table *t)
{
    bool is_in = t->has_other_index;
    for (size_t i = 0; is_in && i < r->tree.columns.n; i++) {
        const char *name = sql_tree_column(r->tree.columns.at[i]);
        bool is_column = !*name, is_indexed = false; // "" is '*'
        for (size_t k = 0; k < t->columns.n; k++)
            is_column = is_column || ascii_compare(t->columns.at[k], name) == 0;
        for (size_t k = 0; k < t->indexed.n; k++)
            is_indexed =
                is_indexed || ascii_compare(t->indexed.at[k], name) == 0;
        is_in = !is_column || is_indexed;
    }
    return is_in;
}

static bool
skips_locked(const PgQuery__SelectStmt *s)
{
    for (size_t i = 0; i < s->n_locking_clause; i++)
        if (s->locking_clause[i]->locking_clause->wait_policy ==
            PG_QUERY__LOCK_WAIT_POLICY__LockWaitSkip)
            return true;
    return false;
}

/* The limit, if it is a number and nothing is skipped; otherwise 0. */
static size_t
constant_limit(const PgQuery__SelectStmt *s)
{
    const PgQuery__Node *n = s->limit_count;
    const bool is_number =
        n && !s->limit_offset &&
        s->limit_option != PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES &&
        n->node_case == PG_QUERY__NODE__NODE_A_CONST &&
        n->a_const->val_case == PG_QUERY__A__CONST__VAL_IVAL;
    return is_number && n->a_const->ival->ival > 0
               ? (size_t)n->a_const->ival->ival
               : 0;
}

/* Whether it computes over rows that a limit does not return. */
static bool
has_window(const struct row_reading *r)
{
    for (size_t i = 0; i < r->tree.calls.n; i++)
        if (r->tree.calls.at[i]->over)
            return true;
    return false;
}

/* Whether the rows of a select of one table tell which rows it did not return,
 * also because of a limit or of locks.  Without an order any rows that match
 * are an answer to a limit. */
static bool
tells_missing(const struct row_reading *r, const PgQuery__SelectStmt *s)
{
    const bool is_limited = s->limit_count || s->limit_offset;
    const bool is_ordered = is_limited && s->n_sort_clause;
    return (!is_limited || (constant_limit(s) && !has_window(r))) &&
           (r->watched->dialect->has_writing_with ||
            (!skips_locked(s) && !is_ordered));
}

/* "id, v desc" of "order by id, v desc limit 1". */
static const char *
read_order(struct row_reading *r, size_t from)
{
    static const char *const order[] = {"order", NULL};
    static const char *const after[] = {"limit", "offset", "fetch", "for",
                                        NULL};
    const size_t begin = row_reading_find_word(r, from, order);
    return row_reading_text(r, begin + 2,
                            row_reading_find_word(r, begin, after));
}

/* How far a select of one table looks, if there is a limit, and which rows it
 * may skip. */
static void
read_reach(struct row_reading *r, const PgQuery__SelectStmt *s,
           const PgQuery__RangeVar *v)
{
    const bool is_limited = s->limit_count || s->limit_offset;
    if (!r->watched->dialect->has_writing_with)
        return;
    if (is_limited && s->n_sort_clause)
        r->out->order = read_order(r, row_reading_token_at(r, v->location));
    r->out->skips_locked = skips_locked(s);
    if (!r->out->skips_locked && !(r->out->order && r->out->locks))
        return;
    struct buf sql = {0};
    buf_text(&sql, "select ");
    r->watched->dialect->put_row(&sql, r->watched, r->out->table,
                                 r->out->alias);
    buf_printf(&sql, " from %s as %s",
               r->watched->tables.at[r->out->table].name, r->out->alias);
    if (*r->out->condition)
        buf_printf(&sql, " where (%s)", r->out->condition);
    if (r->out->order)
        buf_printf(&sql, " order by %s", r->out->order);
    r->out->seen = arena_copy(r->arena, sql.at, sql.n);
    buf_free(&sql);
}

/* A select that has no table but in subqueries. */
static bool
is_of_inner(struct row_reading *r, const PgQuery__SelectStmt *s)
{
    for (size_t i = 0; i < r->tree.calls.n; i++)
        if (sql_function_kind(sql_tree_function(r->tree.calls.at[i])) !=
            SQL_FUNCTION_PURE)
            return false;
    return !s->n_from_clause && !s->n_locking_clause && row_inner_read(r) &&
           r->tree.tables.n == r->inner.n;
}

/* Whether the rewritten select finds the same rows, and locks no others. */
static bool
check_rewritten(struct row_reading *r, const PgQuery__SelectStmt *s,
                const PgQuery__RangeVar *const *tables, size_t n)
{
    const bool is_limited = s->limit_count || s->limit_offset;
    if ((is_limited || s->n_locking_clause) &&
        (!is_order_kept(r, s, n > 1) || s->n_group_clause ||
         s->n_distinct_clause || s->having_clause))
        return row_reading_refuse(r, 0,
                                  "a limit or a lock with an order or "
                                  "groups of expressions");
    for (size_t i = 0; i < n; i++)
        if (is_in_index(
                r, &r->watched->tables.at[watched_find(
                       r->watched, tables[i]->schemaname, tables[i]->relname)]))
            return row_reading_refuse(r, tables[i]->location,
                                      "an index has all columns that are read, "
                                      "so recording would lock more");
    for (size_t i = 0; i < r->tree.calls.n; i++) {
        const PgQuery__FuncCall *call = r->tree.calls.at[i];
        const bool is_set =
            strcmp(sql_tree_function(call), "unnest") == 0 ||
            strcmp(sql_tree_function(call), "generate_series") == 0;
        if (row_inner_is_inside(r, call->location))
            continue;
        if (is_set ||
            (is_limited && !call->over &&
             sql_function_kind(sql_tree_function(call)) != SQL_FUNCTION_LOCK))
            return row_reading_refuse(r, call->location,
                                      "a function that may change how many "
                                      "rows there are");
    }
    return true;
}

/* The condition of a select of one table, and how far it looks. */
static bool
read_missing(struct row_reading *r, const PgQuery__SelectStmt *s,
             const PgQuery__RangeVar *v)
{
    static const char *const ends[] = {"group", "having", "window",
                                       "order", "limit",  "offset",
                                       "fetch", "for",    NULL};
    const bool is_told = tells_missing(r, s);
    const bool is_limited = s->limit_count || s->limit_offset;
    if (!is_told)
        row_reading_leave_out(r, "which rows were not returned, because of a "
                                 "limit or of locks");
    if ((skips_locked(s) && !is_told) || (is_limited && !r->out->limit))
        return true;
    if (!row_reading_condition(r, v, s->where_clause, v->location, ends))
        return false;
    if (is_told)
        read_reach(r, s, v);
    return true;
}

/* "select * from t, u": all rows of each. */
static bool
is_product(struct row_reading *r, const PgQuery__SelectStmt *s, size_t n)
{
    if (n == 1 || s->n_from_clause != n || s->where_clause || s->limit_count ||
        s->limit_offset || s->n_locking_clause ||
        !r->watched->dialect->has_writing_with)
        return false;
    assert(!r->inner.n);
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = row_inner_add_table(r, s->from_clause[i]->range_var);
    if (!ok)
        row_inner_drop(r);
    return ok;
}

/* A select of tables alone, joined or not. */
static bool
read_tables(struct row_reading *r, const PgQuery__SelectStmt *s)
{
    enum { MOST = 16 };
    const PgQuery__RangeVar *tables[MOST];
    size_t n = 0;
    bool plain = !r->tree.names.n &&
                 s->op == PG_QUERY__SET_OPERATION__SETOP_NONE &&
                 !s->into_clause;
    r->out->returns_versions = true;
    if (plain && is_of_inner(r, s))
        return true;
    row_inner_drop(r);
    for (size_t i = 0; plain && i < s->n_from_clause; i++)
        plain = list_joined(s->from_clause[i], tables, MOST, &n);
    plain = plain && n && row_inner_read(r);
    if (!plain || n + r->inner.n != r->tree.tables.n || (n > 1 && r->inner.n) ||
        !find_from(r, tables[0]))
        return row_reading_refuse(
            r, r->tree.tables.at[0]->location,
            "a select with subqueries, WITH, UNION or functions beside tables");
    if (*r->tokens.at[0].at == '(')
        return row_reading_refuse(r, 0, "a select in parentheses");
    if (!check_rewritten(r, s, tables, n))
        return false;
    if (is_product(r, s, n))
        return true;
    r->out->locks = s->n_locking_clause > 0;
    r->out->is_limited = s->limit_count || s->limit_offset;
    r->out->picks_any =
        r->out->is_limited && (n > 1 || !is_order_total(r, s, tables[0]));
    r->out->sql = rewrite(r, s, tables, n);
    r->out->limit = constant_limit(s);
    if (n == 1)
        return read_missing(r, s, tables[0]);
    row_reading_leave_out(r, "which rows the join did not find");
    return true;
}

/* "select exists (select ...)" reads what the inner select reads. */
static bool
is_exists(const PgQuery__SelectStmt *s)
{
    if (s->n_from_clause || s->where_clause || s->with_clause ||
        s->n_target_list != 1)
        return false;
    const PgQuery__Node *n = s->target_list[0]->res_target->val;
    return n && n->node_case == PG_QUERY__NODE__NODE_SUB_LINK &&
           n->sub_link->sub_link_type ==
               PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK;
}

static bool
read_exists(struct row_reading *r)
{
    size_t begin = 0, end, depth = 1;
    while (!row_reading_is_word(&r->tokens.at[begin], "exists"))
        begin++;
    begin += 2; // "exists" and "("
    for (end = begin; depth; end++)
        if (r->tokens.at[end].kind == TOKEN_SYMBOL)
            depth += (*r->tokens.at[end].at == '(') -
                     (size_t)(*r->tokens.at[end].at == ')');
    const char *inner = row_reading_text(r, begin, end - 1);
    struct refusal refusal = {0};
    row_statement_free(r->out);
    if (!row_reading_parse(r->watched, r->arena, inner, r->out, &refusal))
        return row_reading_refuse(
            r, (int)(r->tokens.at[begin].at - r->text + (refusal.at - inner)),
            "%s", refusal.text);
    r->out->dropped = NULL;     // EXISTS does not look at the items
    r->out->is_limited = false; // nor does it matter which row it finds
    return true;
}

/* A function that acts (sql_function.h) among the items of a select, or of one
 * inside of it; NULL if there is none. */
static const char *
find_dropped(struct row_reading *r, const PgQuery__SelectStmt *s)
{
    struct sql_tree t = {0};
    const char *found = NULL;
    for (size_t i = 0; i < s->n_target_list; i++)
        sql_tree_add(&t, &s->target_list[i]->base);
    for (size_t i = 0; i < t.calls.n; i++) {
        const char *name = sql_tree_function(t.calls.at[i]);
        if (sql_function_acts(name))
            found = arena_copy(r->arena, name, strlen(name));
    }
    for (size_t i = 0; !found && i < r->selects.n; i++)
        found = r->selects.at[i].dropped;
    sql_tree_free(&t);
    return found;
}

bool
row_reading_select(struct row_reading *r, const PgQuery__SelectStmt *s)
{
    if (r->tree.tables.n && !r->tree.writes && is_exists(s))
        return read_exists(r);
    r->out->is_quiet = !r->tree.tables.n;
    if (r->out->is_quiet)
        return true;
    if (!r->tree.writes) {
        if (!read_tables(r, s))
            return false;
        r->out->dropped = find_dropped(r, s);
        return true;
    }
    r->out->locks = true;
    row_reading_leave_out(r, "what other tables and subqueries were read");
    return true;
}
