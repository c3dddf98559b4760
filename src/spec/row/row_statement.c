/* row_statement.c -- see row_statement.h.
 *
 * The tree says what a statement consists of.  The texts of its clauses are
 * found by their words, outside of parentheses, in its tokens.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_statement.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "spec/row/row_dialect.h"
#include "spec/row/row_reading.h"
#include "spec/row/sql_function.h"
#include "spec/row/sql_tree.h"

#include <stdio.h>
#include <string.h>

/* --- statements that change rows -------------------------------------------*/

/* The one table of a statement, which it also changes, besides those of selects
 * inside of it. */
static bool
is_about_one_table(struct row_reading *r)
{
    return row_inner_read(r) && r->tree.tables.n == 1 + r->inner.n &&
           !r->tree.names.n && r->tree.writes == 1;
}

/* A trigger may keep a row as it is, so the rows that were changed are not
 * all that the condition holds for. */
static bool
is_told_exactly(const struct row_reading *r, const PgQuery__RangeVar *v)
{
    const uint32_t t = watched_find(r->watched, v->schemaname, v->relname);
    return !r->watched->tables.at[t].has_own_triggers;
}

/* Whether the statement names no other columns but those it assigns: it does
 * not depend on which version of a row it finds. */
static bool
reads_key_only(const struct row_reading *r, const PgQuery__RangeVar *v)
{
    const struct watched_table *t =
        &r->watched->tables
             .at[watched_find(r->watched, v->schemaname, v->relname)];
    for (size_t i = 0; i < r->tree.columns.n; i++) {
        const char *name = sql_tree_column(r->tree.columns.at[i]);
        bool is_key = row_inner_is_inside(r, r->tree.columns.at[i]->location);
        for (size_t k = 0; k < t->keys.n; k++)
            is_key = is_key || (r->watched->dialect->folds
                                    ? ascii_compare(t->keys.at[k], name)
                                    : strcmp(t->keys.at[k], name)) == 0;
        if (!is_key)
            return false;
    }
    return t->keys.n > 0;
}

static bool
read_change(struct row_reading *r, const PgQuery__RangeVar *relation,
            const PgQuery__Node *where)
{
    r->out->locks = true;
    if (!is_about_one_table(r) || !is_told_exactly(r, relation)) {
        row_inner_drop(r);
        row_reading_leave_out(r, "what other tables and subqueries were read");
        return true;
    }
    static const char *const ends[] = {"returning", NULL};
    r->out->is_blind = reads_key_only(r, relation) &&
                       !r->watched->tables
                            .at[watched_find(r->watched, relation->schemaname,
                                             relation->relname)]
                            .shows_old_rows;
    return row_reading_condition(r, relation, where, relation->location, ends);
}

/* Whether an update leaves the columns of the key alone. */
static bool
keeps_keys(const struct row_reading *r, const PgQuery__UpdateStmt *s)
{
    const uint32_t t =
        watched_find(r->watched, s->relation->schemaname, s->relation->relname);
    const text_vec *keys = &r->watched->tables.at[t].keys;
    for (size_t i = 0; i < s->n_target_list; i++) {
        const PgQuery__Node *n = s->target_list[i];
        if (n->node_case != PG_QUERY__NODE__NODE_RES_TARGET)
            return false;
        for (size_t k = 0; k < keys->n; k++)
            if (ascii_compare(n->res_target->name, keys->at[k]) == 0)
                return false;
    }
    return true;
}

/* Whether it assigns an element or a field of a column, as in "set a[1] = 2":
 * it keeps the rest of the column, and so reads it. */
static bool
assigns_parts(const PgQuery__UpdateStmt *s)
{
    for (size_t i = 0; i < s->n_target_list; i++) {
        const PgQuery__Node *n = s->target_list[i];
        if (n->node_case != PG_QUERY__NODE__NODE_RES_TARGET ||
            n->res_target->n_indirection)
            return true;
    }
    return false;
}

static bool
read_update(struct row_reading *r, const PgQuery__UpdateStmt *s)
{
    const bool ok = read_change(r, s->relation, s->where_clause);
    r->out->is_blind = r->out->is_blind && !assigns_parts(s);
    r->out->keeps_keys =
        ok && r->out->table != WATCHED_NONE && keeps_keys(r, s);
    return ok;
}

static bool
read_delete(struct row_reading *r, const PgQuery__DeleteStmt *s)
{
    const bool ok = read_change(r, s->relation, s->where_clause);
    r->out->only_deletes = ok && r->out->table != WATCHED_NONE;
    return ok;
}

/* The token after the table of an insert and its alias. */
static size_t
after_table(const struct row_reading *r, const PgQuery__InsertStmt *s)
{
    size_t i = row_reading_token_at(r, s->relation->location) + 1;
    while (*r->tokens.at[i].at == '.')
        i += 2;
    return i + (s->relation->alias ? 2 : 0); // "as x"
}

/* Name the columns of an insert that names none: its table has one more
 * here. */
static const char *
with_columns(struct row_reading *r, const PgQuery__InsertStmt *s,
             const struct watched_table *t)
{
    const size_t i = after_table(r, s);
    struct buf sql = {0};
    buf_printf(&sql, "%s (", row_reading_text(r, 0, i));
    for (size_t k = 0; k < t->columns.n; k++) {
        buf_text(&sql, k ? ", " : "");
        watched_put_name(&sql, t->columns.at[k]);
    }
    buf_printf(&sql, ") %s", row_reading_text(r, i, r->tokens.n - 1));
    const char *copy = arena_copy(r->arena, sql.at, sql.n);
    buf_free(&sql);
    return copy;
}

/* A table without a key has one more column where rows are told by numbers. */
static bool
pass_row_numbers(struct row_reading *r, const PgQuery__InsertStmt *s,
                 const struct watched_table *t)
{
    struct sql_tree source = {0};
    bool has_star = false, has_numbers = false;
    sql_tree_add(&source, s->select_stmt ? &s->select_stmt->base : NULL);
    for (size_t i = 0; i < source.columns.n; i++)
        has_star = has_star || !*sql_tree_column(source.columns.at[i]);
    for (size_t i = 0; i < source.tables.n; i++) {
        const PgQuery__RangeVar *v = source.tables.at[i];
        const uint32_t u = watched_find(r->watched, v->schemaname, v->relname);
        // A name that WITH defines is no table.
        has_numbers = has_numbers || (u != WATCHED_NONE &&
                                      r->watched->tables.at[u].has_row_numbers);
    }
    sql_tree_free(&source);
    if (has_star && has_numbers)
        return row_reading_refuse(
            r, 0, "an insert of '*' from a table without a primary key");
    if (t->has_row_numbers && !s->n_cols && s->select_stmt)
        r->out->sql = with_columns(r, s, t);
    return true;
}

/* Where what an insert proposes ends: "on conflict" or "returning".  Another
 * 'on' is one of a join. */
static size_t
find_source_end(const struct row_reading *r, size_t from)
{
    static const char *const ends[] = {"on", "returning", NULL};
    size_t i = row_reading_find_word(r, from, ends);
    while (row_reading_is_word(&r->tokens.at[i], "on") &&
           !row_reading_is_word(&r->tokens.at[i + 1], "conflict"))
        i = row_reading_find_word(r, i + 1, ends);
    return i;
}

/* The WITH before an insert, or "". */
static const char *
read_with(struct row_reading *r, const PgQuery__InsertStmt *s)
{
    size_t i = row_reading_token_at(r, s->relation->location);
    while (i && !row_reading_is_word(&r->tokens.at[i], "insert"))
        i--;
    return row_reading_text(r, 0, i);
}

/* Read the select of "insert into t select ... from u". */
static bool
read_source(struct row_reading *r, const PgQuery__InsertStmt *s)
{
    static const char *const begins[] = {"select", NULL};
    const size_t begin = row_reading_find_word(r, 0, begins);
    const size_t end = find_source_end(r, begin);
    return r->watched->dialect->has_writing_with &&
           r->tokens.at[begin].kind != TOKEN_END &&
           row_inner_add(r, &s->select_stmt->base, begin, end);
}

/* Whether it is known what an insert read to make its rows. */
static bool
is_source_known(struct row_reading *r, const PgQuery__InsertStmt *s)
{
    if (r->tree.tables.n == 1 && r->tree.writes == 1)
        return true;
    if (r->tree.names.n || r->tree.writes > 1)
        return false;
    const bool known =
        row_inner_read(r) &&
        (r->tree.tables.n == 1 + r->inner.n || read_source(r, s));
    if (!known || r->tree.tables.n != 1 + r->inner.n)
        row_inner_drop(r);
    return r->inner.n > 0;
}

/* Note what an insert is about to add, where nothing else tells of a row that
 * was in its way.  It is evaluated once more, so it must have the same value
 * then. */
static bool
read_proposal(struct row_reading *r, const PgQuery__InsertStmt *s, uint32_t t)
{
    for (size_t i = 0; i < r->tree.calls.n; i++) {
        const PgQuery__FuncCall *call = r->tree.calls.at[i];
        const char *name = sql_tree_function(call);
        if (sql_function_kind(name) != SQL_FUNCTION_PURE &&
            strcmp(name, "now") != 0) // it is when the transaction began
            return row_reading_refuse(r, call->location,
                                      "'%.60s' beside ON CONFLICT, which is "
                                      "called twice when it is recorded",
                                      name);
    }
    const size_t from = after_table(r, s);
    r->out->proposed = t;
    r->out->proposal = row_reading_text(r, from, find_source_end(r, from));
    r->out->proposal_with = read_with(r, s);
    return true;
}

static bool
read_insert(struct row_reading *r, const PgQuery__InsertStmt *s)
{
    const uint32_t t =
        watched_find(r->watched, s->relation->schemaname, s->relation->relname);
    const struct watched_table *table = &r->watched->tables.at[t];
    if (r->syntax.replaces && r->watched->dialect->replace)
        return row_reading_refuse(r, 0, "%s", r->watched->dialect->replace);
    if (!pass_row_numbers(r, s, table))
        return false;
    if (!is_source_known(r, s))
        row_reading_leave_out(r, "what other tables and subqueries were read");
    r->out->is_insert = true;
    if (r->tree.writes == 1)
        r->out->changed = t;
    r->out->shows_conflict = table->keys.n && !table->has_other_unique &&
                             !table->has_own_triggers && !s->on_conflict_clause;
    r->out->may_conflict =
        s->on_conflict_clause || r->syntax.replaces || r->syntax.ignores;
    // A row is added or updated; unique indexes are checked by themselves.
    const bool updates = r->watched->checks.n && s->on_conflict_clause &&
                         s->on_conflict_clause->action ==
                             PG_QUERY__ON_CONFLICT_ACTION__ONCONFLICT_UPDATE;
    if (r->out->may_conflict && !updates &&
        (!table->keys.n || table->has_other_unique ||
         (r->syntax.ignores && table->has_conditions)))
        row_reading_leave_out(r, "which row was in the way of an insert");
    if (r->out->may_conflict && r->watched->dialect->compare && table->keys.n &&
        s->select_stmt && !read_proposal(r, s, t))
        return false;
    if (r->syntax.ignores && table->has_conditions)
        r->out->may_conflict = false; // another constraint may keep it out
    if (s->on_conflict_clause && s->on_conflict_clause->where_clause)
        row_reading_leave_out(r, "which rows the condition of ON CONFLICT "
                                 "left as they were");
    return true;
}

/* --- all of them -----------------------------------------------------------*/

static bool
has_option(PgQuery__Node *const *options, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (options[i]->node_case == PG_QUERY__NODE__NODE_DEF_ELEM &&
            strcmp(options[i]->def_elem->defname, name) == 0)
            return true;
    return false;
}

/* "alter index i set (fastupdate = on)": how rows are stored from now on. */
static bool
sets_storage(const PgQuery__AlterTableStmt *s)
{
    bool ok = s->n_cmds > 0;
    for (size_t i = 0; ok && i < s->n_cmds; i++) {
        const PgQuery__AlterTableCmd *c = s->cmds[i]->alter_table_cmd;
        ok = c->subtype == PG_QUERY__ALTER_TABLE_TYPE__AT_SetRelOptions ||
             c->subtype == PG_QUERY__ALTER_TABLE_TYPE__AT_ResetRelOptions;
    }
    return ok;
}

/* Statements that neither read nor write rows, nor move them.  Those that are
 * not about settings end transactions in other databases. */
static bool
is_quiet(const struct row_reading *r, const PgQuery__Node *n)
{
    if (r->watched->dialect->folds &&
        n->node_case != PG_QUERY__NODE__NODE_VARIABLE_SET_STMT)
        return false;
    switch (n->node_case) {
    case PG_QUERY__NODE__NODE_LOCK_STMT:
    case PG_QUERY__NODE__NODE_INDEX_STMT:
    case PG_QUERY__NODE__NODE_REINDEX_STMT:
    case PG_QUERY__NODE__NODE_LISTEN_STMT:
    case PG_QUERY__NODE__NODE_UNLISTEN_STMT:
    case PG_QUERY__NODE__NODE_NOTIFY_STMT:
    case PG_QUERY__NODE__NODE_CHECK_POINT_STMT:
        return true;
    case PG_QUERY__NODE__NODE_VACUUM_STMT:
        return !has_option(n->vacuum_stmt->options, n->vacuum_stmt->n_options,
                           "full");
    case PG_QUERY__NODE__NODE_EXPLAIN_STMT:
        return !has_option(n->explain_stmt->options, n->explain_stmt->n_options,
                           "analyze");
    case PG_QUERY__NODE__NODE_DROP_STMT:
        return n->drop_stmt->remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_INDEX;
    case PG_QUERY__NODE__NODE_VARIABLE_SET_STMT:
        return sql_function_is_setting(n->variable_set_stmt->name);
    case PG_QUERY__NODE__NODE_ALTER_TABLE_STMT:
        return sets_storage(n->alter_table_stmt);
    default:
        return false;
    }
}

/* Whether the tables are PostgreSQL's own: what it says of itself is no row of
 * a history. */
static bool
is_of_catalog(const struct row_reading *r)
{
    bool ok =
        r->tree.tables.n && !r->tree.writes && !r->watched->dialect->folds;
    for (size_t i = 0; ok && i < r->tree.tables.n; i++) {
        const PgQuery__RangeVar *v = r->tree.tables.at[i];
        ok = strcmp(v->schemaname, "pg_catalog") == 0 ||
             (!*v->schemaname && strncmp(v->relname, "pg_", 3) == 0 &&
              watched_find(r->watched, "", v->relname) == WATCHED_NONE);
    }
    return ok;
}

static bool
read_node(struct row_reading *r, const PgQuery__Node *n)
{
    r->out->is_quiet = is_quiet(r, n);
    if (r->out->is_quiet)
        return true;
    sql_tree_add(&r->tree, &n->base);
    if (!row_accept_names(r))
        return false;
    if (n->node_case == PG_QUERY__NODE__NODE_SELECT_STMT && is_of_catalog(r)) {
        r->out->is_quiet = true;
        return row_accept_functions(r);
    }
    if (r->tree.has_cursor || r->tree.has_parameter)
        return row_reading_refuse(r, 0, "a cursor or a parameter");
    if (n->node_case == PG_QUERY__NODE__NODE_SELECT_STMT ||
        n->node_case == PG_QUERY__NODE__NODE_INSERT_STMT ||
        n->node_case == PG_QUERY__NODE__NODE_UPDATE_STMT ||
        n->node_case == PG_QUERY__NODE__NODE_DELETE_STMT ||
        n->node_case == PG_QUERY__NODE__NODE_MERGE_STMT) {
        if (!row_accept_functions(r) || !row_accept_tables(r, n))
            return false;
    }
    switch (n->node_case) {
    case PG_QUERY__NODE__NODE_SELECT_STMT:
        return row_reading_select(r, n->select_stmt);
    case PG_QUERY__NODE__NODE_INSERT_STMT:
        return read_insert(r, n->insert_stmt);
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
        return read_update(r, n->update_stmt);
    case PG_QUERY__NODE__NODE_DELETE_STMT:
        return read_delete(r, n->delete_stmt);
    case PG_QUERY__NODE__NODE_MERGE_STMT:
        return row_reading_merge(r, n->merge_stmt);
    default: {
        char quoted[ERR_QUOTE_ROOM];
        const struct token first = r->tokens.at[0];
        return row_reading_refuse(
            r, 0,
            "found '%s', expected begin, commit, rollback, savepoint, select, "
            "insert, update, delete, merge or set",
            err_quote(quoted, sizeof quoted, first.at, first.n));
    }
    }
}

bool
row_statement_load(void)
{
    struct err err = {0};
    return parser_load(&err);
}

bool
row_reading_parse(const struct watched *w, struct arena *arena,
                  const char *text, struct row_statement *out,
                  struct refusal *refusal)
{
    *out = (struct row_statement){.watched = w,
                                  .sql = text,
                                  .table = WATCHED_NONE,
                                  .proposed = WATCHED_NONE,
                                  .changed = WATCHED_NONE,
                                  .condition = "",
                                  .alias = ""};
    struct row_reading r = {.watched = w,
                            .arena = arena,
                            .written = text,
                            .out = out,
                            .refusal = refusal};
    PgQuery__ParseResult *tree;
    struct err err = {0};
    int at;
    if (!row_syntax_translate(w->dialect, arena, text, &r.syntax, refusal))
        return false;
    r.text = r.syntax.text;
    tokens_read(r.text, flavour_of("postgresql"), &r.tokens);
    bool ok = parser_parse(r.text, &tree, &at, &err);
    if (!ok)
        row_reading_refuse(&r, at < 0 ? 0 : at, "%s", err.text);
    else if (tree->n_stmts != 1)
        ok = row_reading_refuse(&r, 0, "found %zu statements, expected one",
                                tree->n_stmts);
    else
        ok = read_node(&r, tree->stmts[0]->stmt);
    if (!ok)
        row_inner_drop(&r);
    row_inner_finish(&r);
    parser_free(tree);
    sql_tree_free(&r.tree);
    vec_free(&r.tokens);
    if (!ok)
        row_statement_free(out);
    return ok;
}

bool
row_statement_parse(const struct watched *w, struct arena *arena,
                    const char *text, struct row_statement *out,
                    struct refusal *refusal)
{
    if (!row_reading_parse(w, arena, text, out, refusal))
        return false;
    if (!out->dropped)
        return true;
    refusal->at = text;
    snprintf(refusal->text, sizeof refusal->text,
             "'%.60s' among the items of a select of tables is not called when "
             "it is recorded",
             out->dropped);
    row_statement_free(out);
    return false;
}

void
row_statement_free(struct row_statement *s)
{
    for (size_t i = 0; i < s->inner_n; i++)
        row_statement_free(&s->inner[i]);
    vec_free(&s->items);
    vec_free(&s->answers);
}

bool
row_statement_created(const char *setup, struct arena *arena, text_vec *out)
{
    PgQuery__ParseResult *tree;
    struct err err = {0};
    int at;
    if (!parser_parse(setup, &tree, &at, &err))
        return false;
    for (size_t i = 0; i < tree->n_stmts; i++) {
        const PgQuery__Node *n = tree->stmts[i]->stmt;
        const PgQuery__RangeVar *v =
            n->node_case == PG_QUERY__NODE__NODE_CREATE_STMT
                ? n->create_stmt->relation
            : n->node_case == PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT
                ? n->create_table_as_stmt->into->rel
                : NULL;
        if (!v || strcmp(v->relpersistence, "t") == 0)
            continue;
        struct buf name = {0};
        if (*v->schemaname) {
            watched_put_name(&name, v->schemaname);
            buf_char(&name, '.');
        }
        watched_put_name(&name, v->relname);
        vec_push(out, arena_copy(arena, name.at, name.n));
        buf_free(&name);
    }
    parser_free(tree);
    return true;
}
