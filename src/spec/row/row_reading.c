/* row_reading.c -- see row_reading.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_reading.h"

#include "base/buf.h"
#include "spec/row/sql_function.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool
row_reading_refuse(struct row_reading *r, int at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!r->refusal->at) {
        r->refusal->at = r->text + (at < 0 ? 0 : at);
        vsnprintf(r->refusal->text, sizeof r->refusal->text, format, args);
    }
    va_end(args);
    return false;
}

void
row_reading_leave_out(struct row_reading *r, const char *what)
{
    if (!r->out->part)
        r->out->part = what;
}

/* --- words -----------------------------------------------------------------*/

static bool
is_word(const struct token *t, const char *word)
{
    return t->kind == TOKEN_WORD && strlen(word) == t->n &&
           strncasecmp(t->at, word, t->n) == 0;
}

/* The first of some words outside of parentheses, from a token on; the last
 * token, TOKEN_END, if there is none. */
static size_t
find_word(const struct row_reading *r, size_t from, const char *const *words)
{
    int depth = 0;
    size_t i = from;
    for (; r->tokens.at[i].kind != TOKEN_END; i++) {
        const struct token *t = &r->tokens.at[i];
        if (t->kind == TOKEN_SYMBOL)
            depth += (*t->at == '(') - (*t->at == ')');
        const bool is_name = i && *r->tokens.at[i - 1].at == '.'; // "t.limit"
        for (size_t k = 0; depth == 0 && !is_name && words[k]; k++)
            if (is_word(t, words[k]))
                return i;
    }
    return i;
}

/* The first token at or after a byte. */
static size_t
token_at(const struct row_reading *r, int at)
{
    size_t i = 0;
    while (r->tokens.at[i].kind != TOKEN_END &&
           r->tokens.at[i].at < r->text + at)
        i++;
    return i;
}

/* The text from one token up to another, which is left out. */
static const char *
text_between(struct row_reading *r, size_t from, size_t to)
{
    if (from >= to)
        return "";
    const struct token *last = &r->tokens.at[to - 1];
    const char *begin = r->tokens.at[from].at;
    return arena_copy(r->arena, begin, (size_t)(last->at + last->n - begin));
}

/* --- conditions ------------------------------------------------------------*/

/* The name that a statement has for the rows of a table, in SQL. */
static const char *
alias_of(struct row_reading *r, const PgQuery__RangeVar *v)
{
    struct buf name = {0};
    watched_put_name(&name, v->alias ? v->alias->aliasname : v->relname);
    const char *copy = arena_copy(r->arena, name.at, name.n);
    buf_free(&name);
    return copy;
}

/* Whether a column is one of the system's, which a row has only where it
 * is. */
static bool
is_of_system(const PgQuery__ColumnRef *c)
{
    static const char *const names[] = {"ctid", "xmin", "xmax",
                                        "cmin", "cmax", "tableoid"};
    const char *name = sql_tree_column(c);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* A condition is evaluated again after the run, so its value must not depend
 * on when that is.  Waiting for an advisory lock in it is allowed, as in
 * 'pg_advisory_lock(1) is not null'. */
static bool
check_condition(struct row_reading *r, const PgQuery__Node *where)
{
    struct sql_tree t = {0};
    sql_tree_add(&t, where ? &where->base : NULL);
    bool ok = !t.is_unstable ||
              row_reading_refuse(r, 0,
                                 "a condition that depends on the time "
                                 "or the user");
    for (size_t i = 0; ok && i < t.columns.n; i++)
        if (is_of_system(t.columns.at[i]))
            ok = row_reading_refuse(r, t.columns.at[i]->location,
                                    "a condition about the place of a row");
    for (size_t i = 0; ok && i < t.calls.n; i++) {
        const char *name = sql_tree_function(t.calls.at[i]);
        const enum sql_function kind = sql_function_kind(name);
        if (kind != SQL_FUNCTION_PURE && kind != SQL_FUNCTION_LOCK)
            ok =
                row_reading_refuse(r, t.calls.at[i]->location,
                                   "a condition that depends on '%.60s'", name);
    }
    sql_tree_free(&t);
    return ok;
}

/* Replace functions that take locks by one that does not; both are never
 * NULL. */
static const char *
without_locks(struct row_reading *r, const char *condition)
{
    struct buf out = {0};
    token_vec tokens = {0};
    tokens_read(condition, flavour_of("postgresql"), &tokens);
    const char *at = condition;
    for (size_t i = 0; i < tokens.n; i++) {
        const struct token *t = &tokens.at[i];
        const char *name = arena_copy(r->arena, t->at, t->n);
        if (t->kind != TOKEN_WORD ||
            sql_function_kind(name) != SQL_FUNCTION_LOCK)
            continue;
        buf_add(&out, at, (size_t)(t->at - at));
        buf_text(&out, "abs");
        at = t->at + t->n;
    }
    buf_text(&out, at);
    const char *copy = arena_copy(r->arena, out.at, out.n);
    vec_free(&tokens);
    buf_free(&out);
    return copy;
}

bool
row_reading_condition(struct row_reading *r, const PgQuery__RangeVar *v,
                      const PgQuery__Node *where, int from,
                      const char *const *ends)
{
    static const char *const begins[] = {"where", NULL};
    if (v->alias && v->alias->n_colnames)
        return row_reading_refuse(r, v->location,
                                  "names of columns in an "
                                  "alias");
    if (!check_condition(r, where))
        return false;
    r->out->table = watched_find(r->watched, v->schemaname, v->relname);
    r->out->alias = alias_of(r, v);
    if (!where)
        return true;
    const size_t begin = find_word(r, token_at(r, from), begins);
    const size_t end = find_word(r, begin, ends);
    assert(begin < end);
    r->out->condition = without_locks(r, text_between(r, begin + 1, end));
    return true;
}

/* --- selects ---------------------------------------------------------------*/

/* The tables of FROM and its joins; false if it has anything else. */
static bool
list_joined(const PgQuery__Node *n, const PgQuery__RangeVar **out, size_t room,
            size_t *count)
{
    if (n->node_case == PG_QUERY__NODE__NODE_JOIN_EXPR)
        return list_joined(n->join_expr->larg, out, room, count) &&
               list_joined(n->join_expr->rarg, out, room, count);
    if (n->node_case != PG_QUERY__NODE__NODE_RANGE_VAR || *count == room)
        return false;
    out[(*count)++] = n->range_var;
    return true;
}

/* Whether the order is one of columns alone, which the rewritten select has as
 * well. */
static bool
is_order_kept(const PgQuery__SelectStmt *s)
{
    for (size_t i = 0; i < s->n_sort_clause; i++) {
        const PgQuery__Node *n = s->sort_clause[i]->sort_by->node;
        if (n->node_case != PG_QUERY__NODE__NODE_COLUMN_REF)
            return false;
        const char *name = sql_tree_column(n->column_ref);
        for (size_t k = 0; k < s->n_target_list; k++)
            if (strcmp(s->target_list[k]->res_target->name, name) == 0)
                return false;
    }
    return true;
}

/* The 'from' before the first table; 0 if there is none, as in "table t". */
static size_t
find_from(const struct row_reading *r, const PgQuery__RangeVar *first)
{
    size_t i = token_at(r, first->location);
    while (i && !is_word(&r->tokens.at[i], "from"))
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
        const char *alias = alias_of(r, tables[i]);
        buf_text(&sql, i ? ", " : "select ");
        buf_printf(&sql, "case when %s.tableoid is not null then ", alias);
        watched_put_version(&sql, alias);
        buf_printf(&sql, " end, pg_catalog.to_jsonb(%s.*)", alias);
        vec_push(&r->out->items, watched_find(r->watched, tables[i]->schemaname,
                                              tables[i]->relname));
    }
    const size_t first = find_from(r, tables[0]);
    const size_t end = find_word(r, first, after);
    buf_printf(&sql, " %s", text_between(r, first, end));
    if (keeps_tail) {
        const size_t rest = find_word(r, end, tail);
        buf_printf(&sql, " %s", text_between(r, rest, r->tokens.n - 1));
    }
    const char *copy = arena_copy(r->arena, sql.at, sql.n);
    buf_free(&sql);
    return copy;
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
    const bool is_number = n && !s->limit_offset &&
                           n->node_case == PG_QUERY__NODE__NODE_A_CONST &&
                           n->a_const->val_case == PG_QUERY__A__CONST__VAL_IVAL;
    return is_number && n->a_const->ival->ival > 0
               ? (size_t)n->a_const->ival->ival
               : 0;
}

/* A select of tables alone, joined or not. */
static bool
read_tables(struct row_reading *r, const PgQuery__SelectStmt *s)
{
    enum { MOST = 16 };
    const PgQuery__RangeVar *tables[MOST];
    size_t n = 0;
    bool plain = !r->tree.subselects && !r->tree.names.n &&
                 s->op == PG_QUERY__SET_OPERATION__SETOP_NONE &&
                 !s->into_clause;
    for (size_t i = 0; plain && i < s->n_from_clause; i++)
        plain = list_joined(s->from_clause[i], tables, MOST, &n);
    if (!plain || n != r->tree.tables.n || !find_from(r, tables[0]))
        return row_reading_refuse(
            r, r->tree.tables.at[0]->location,
            "a select with subqueries, WITH, UNION or functions beside tables");
    const bool is_limited = s->limit_count || s->limit_offset;
    if ((is_limited || s->n_locking_clause) &&
        (!is_order_kept(s) || s->n_group_clause || s->n_distinct_clause ||
         s->having_clause))
        return row_reading_refuse(r, 0,
                                  "a limit or a lock with an order or "
                                  "groups of expressions");
    for (size_t i = 0; i < r->tree.calls.n; i++) {
        const PgQuery__FuncCall *call = r->tree.calls.at[i];
        const bool is_set =
            strcmp(sql_tree_function(call), "unnest") == 0 ||
            strcmp(sql_tree_function(call), "generate_series") == 0;
        if (is_set ||
            (is_limited && !call->over &&
             sql_function_kind(sql_tree_function(call)) != SQL_FUNCTION_LOCK))
            return row_reading_refuse(r, call->location,
                                      "a function that may change how many "
                                      "rows there are");
    }
    static const char *const ends[] = {"group", "having", "window",
                                       "order", "limit",  "offset",
                                       "fetch", "for",    NULL};
    r->out->returns_versions = true;
    r->out->locks = s->n_locking_clause > 0;
    r->out->sql = rewrite(r, s, tables, n);
    r->out->limit = constant_limit(s);
    if (n > 1)
        row_reading_leave_out(r, "which rows the join did not find");
    else if (is_limited || skips_locked(s))
        row_reading_leave_out(r, "which rows were not returned, because of a "
                                 "limit or of locks");
    if (n == 1 && !skips_locked(s) && (!is_limited || r->out->limit))
        return row_reading_condition(r, tables[0], s->where_clause,
                                     tables[0]->location, ends);
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
    while (!is_word(&r->tokens.at[begin], "exists"))
        begin++;
    begin += 2; // "exists" and "("
    for (end = begin; depth; end++)
        if (r->tokens.at[end].kind == TOKEN_SYMBOL)
            depth += (*r->tokens.at[end].at == '(') -
                     (size_t)(*r->tokens.at[end].at == ')');
    const char *inner = text_between(r, begin, end - 1);
    struct refusal refusal = {0};
    row_statement_free(r->out);
    return row_statement_parse(r->watched, r->arena, inner, r->out, &refusal) ||
           row_reading_refuse(
               r,
               (int)(r->tokens.at[begin].at - r->text + (refusal.at - inner)),
               "%s", refusal.text);
}

bool
row_reading_select(struct row_reading *r, const PgQuery__SelectStmt *s)
{
    if (r->tree.tables.n && !r->tree.writes && is_exists(s))
        return read_exists(r);
    r->out->is_quiet = !r->tree.tables.n;
    if (r->out->is_quiet)
        return true;
    if (!r->tree.writes)
        return read_tables(r, s);
    r->out->locks = true;
    row_reading_leave_out(r, "what other tables and subqueries were read");
    return true;
}

/* --- merge -----------------------------------------------------------------*/

/* The rows that a merge changes are those that match a row of the source and
 * one of the clauses that change.  The source must not be a table: its rows
 * must be the same after the run. */
static bool
is_merge_told(const struct row_reading *r, const PgQuery__MergeStmt *s)
{
    bool ok =
        r->tree.tables.n == 1 && !r->tree.names.n &&
        s->source_relation->node_case == PG_QUERY__NODE__NODE_RANGE_SUBSELECT;
    for (size_t i = 0; i < s->n_merge_when_clauses; i++) {
        const PgQuery__MergeWhenClause *w =
            s->merge_when_clauses[i]->merge_when_clause;
        ok = ok && (!w->matched ||
                    w->command_type != PG_QUERY__CMD_TYPE__CMD_NOTHING);
    }
    const uint32_t t =
        watched_find(r->watched, s->relation->schemaname, s->relation->relname);
    return ok && !r->watched->tables.at[t].has_own_triggers;
}

bool
row_reading_merge(struct row_reading *r, const PgQuery__MergeStmt *s)
{
    static const char *const using[] = {"using", NULL}, *const on[] = {"on",
                                                                       NULL};
    static const char *const when[] = {"when", NULL}, *const then[] = {"then",
                                                                       NULL};
    r->out->locks = true;
    if (!is_merge_told(r, s)) {
        row_reading_leave_out(r, "what other tables and subqueries were read");
        return true;
    }
    const size_t source = find_word(r, 0, using) + 1;
    const size_t condition = find_word(r, source, on) + 1;
    size_t clause = find_word(r, condition, when);
    size_t clauses = 0;
    for (size_t i = clause; i < r->tokens.n - 1; i = find_word(r, i + 1, when))
        clauses++;
    if (clauses != s->n_merge_when_clauses) { // others are of CASE
        row_reading_leave_out(r, "which rows were not changed");
        return true;
    }
    struct buf text = {0};
    buf_printf(&text, "exists (select 1 from %s where (%s) and (false",
               text_between(r, source, condition - 1),
               text_between(r, condition, clause));
    for (size_t i = 0; i < s->n_merge_when_clauses; i++) {
        const PgQuery__MergeWhenClause *w =
            s->merge_when_clauses[i]->merge_when_clause;
        const size_t end = find_word(r, clause, then);
        // "when matched and ... then"
        if (w->matched && w->condition)
            buf_printf(&text, " or (%s)", text_between(r, clause + 3, end));
        else if (w->matched)
            buf_text(&text, " or true");
        clause = find_word(r, end, when);
    }
    buf_text(&text, "))");
    bool ok = check_condition(r, s->join_condition);
    for (size_t i = 0; ok && i < s->n_merge_when_clauses; i++)
        ok = check_condition(
            r, s->merge_when_clauses[i]->merge_when_clause->condition);
    r->out->table =
        watched_find(r->watched, s->relation->schemaname, s->relation->relname);
    r->out->alias = alias_of(r, s->relation);
    r->out->condition = arena_copy(r->arena, text.at, text.n);
    buf_free(&text);
    return ok;
}
