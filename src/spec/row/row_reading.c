/* row_reading.c -- see row_reading.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_reading.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "base/print.h"
#include "spec/row/row_dialect.h"
#include "spec/row/sql_function.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool
row_reading_refuse(struct row_reading *r, int at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!r->refusal->at) {
        r->refusal->at = r->written + (at < 0 ? 0 : at);
        print_args(r->refusal->text, sizeof r->refusal->text, format, args);
    }
    va_end(args);
    return false;
}

void
row_reading_leave_out(struct row_reading *r, const char *what)
{
    row_statement_leave_out(r->out, what);
}

/* --- words -----------------------------------------------------------------*/

bool
row_reading_is_word(const struct token *t, const char *word)
{
    return t->kind == TOKEN_WORD && strlen(word) == t->n &&
           ascii_compare_n(t->at, word, t->n) == 0;
}

size_t
row_reading_find_word(const struct row_reading *r, size_t from,
                      const char *const *words)
{
    int depth = 0;
    size_t i = from;
    for (; r->tokens.at[i].kind != TOKEN_END; i++) {
        const struct token *t = &r->tokens.at[i];
        if (t->kind == TOKEN_SYMBOL)
            depth += (*t->at == '(') - (*t->at == ')');
        const bool is_name = i && *r->tokens.at[i - 1].at == '.'; // "t.limit"
        for (size_t k = 0; depth == 0 && !is_name && words[k]; k++)
            if (row_reading_is_word(t, words[k]))
                return i;
    }
    return i;
}

size_t
row_reading_token_at(const struct row_reading *r, int at)
{
    size_t i = 0;
    while (r->tokens.at[i].kind != TOKEN_END &&
           r->tokens.at[i].at < r->text + at)
        i++;
    return i;
}

const char *
row_reading_text(struct row_reading *r, size_t from, size_t to)
{
    if (from >= to)
        return "";
    const struct token *last = &r->tokens.at[to - 1];
    const char *begin = r->tokens.at[from].at;
    return arena_copy(r->arena, r->written + (begin - r->text),
                      (size_t)(last->at + last->n - begin));
}

/* --- conditions ------------------------------------------------------------*/

/* The same as it is written, because the parser folds names. */
static const char *
written_alias(struct row_reading *r, const PgQuery__RangeVar *v)
{
    size_t i = row_reading_token_at(r, v->location);
    while (*r->tokens.at[i + 1].at == '.')
        i += 2;
    if (v->alias) {
        i++;
        i += row_reading_is_word(&r->tokens.at[i], "as");
    }
    return row_reading_text(r, i, i + 1);
}

const char *
row_reading_alias(struct row_reading *r, const PgQuery__RangeVar *v)
{
    if (r->watched->dialect->folds)
        return written_alias(r, v);
    struct buf name = {0};
    watched_put_name(&name, v->alias ? v->alias->aliasname : v->relname);
    const char *copy = arena_copy(r->arena, name.at, name.n);
    buf_free(&name);
    return copy;
}

/* Whether a column is one of the system's, which a row has only where it
 * is. */
static bool
is_of_system(const struct row_reading *r, const PgQuery__ColumnRef *c)
{
    const char *const *names = r->watched->dialect->places;
    const char *name = sql_tree_column(c);
    for (; *names; names++)
        if (ascii_compare(name, *names) == 0)
            return true;
    return false;
}

/* Whether a column is a row as a whole, which has one column more in the table
 * of versions. */
static bool
is_row_value(const struct row_reading *r, const PgQuery__ColumnRef *c)
{
    const PgQuery__RangeVar *v = r->tree.tables.at[0];
    const char *name = sql_tree_column(c);
    const uint32_t t = watched_find(r->watched, v->schemaname, v->relname);
    if (!r->watched->dialect->has_row_values || c->n_fields != 1 ||
        ascii_compare(name, v->alias ? v->alias->aliasname : v->relname) != 0)
        return false;
    for (size_t i = 0; i < r->watched->tables.at[t].columns.n; i++)
        if (ascii_compare(r->watched->tables.at[t].columns.at[i], name) == 0)
            return false;
    return true;
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
    if (ok && t.names_time && !r->watched->dialect->folds)
        ok = row_reading_refuse(r, 0,
                                "a condition with a literal that may mean the "
                                "time, such as 'now'");
    for (size_t i = 0; ok && i < t.columns.n; i++)
        if (is_of_system(r, t.columns.at[i]))
            ok = row_reading_refuse(r, t.columns.at[i]->location,
                                    "a condition about the place of a row");
        else if (is_row_value(r, t.columns.at[i]))
            ok = row_reading_refuse(r, t.columns.at[i]->location,
                                    "a condition about a row as a whole");
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
    r->out->alias = row_reading_alias(r, v);
    if (!where)
        return true;
    const size_t begin =
        row_reading_find_word(r, row_reading_token_at(r, from), begins);
    const size_t end = row_reading_find_word(r, begin, ends);
    assert(begin < end);
    const char *text = row_reading_text(r, begin + 1, end);
    r->out->condition = without_locks(r, text);
    row_inner_locate(r, r->tokens.at[begin + 1].at - r->text,
                     r->tokens.at[end].at - r->text, 0);
    if (r->out->places_n && strcmp(r->out->condition, text) != 0)
        return row_reading_refuse(r, 0, "a lock beside a subquery");
    row_reading_equalities(r, where);
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

/* Whether the rows that a merge changes also tell which rows of the source
 * matched none: that is why a row is inserted. */
static bool
is_match_told(const PgQuery__MergeStmt *s)
{
    bool inserts = false, changes_all = false;
    for (size_t i = 0; i < s->n_merge_when_clauses; i++) {
        const PgQuery__MergeWhenClause *w =
            s->merge_when_clauses[i]->merge_when_clause;
        inserts = inserts || !w->matched;
        changes_all = changes_all || (w->matched && !w->condition);
    }
    return !inserts || changes_all;
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
    const size_t source = row_reading_find_word(r, 0, using) + 1;
    const size_t condition = row_reading_find_word(r, source, on) + 1;
    size_t clause = row_reading_find_word(r, condition, when);
    size_t clauses = 0;
    for (size_t i = clause; i < r->tokens.n - 1;
         i = row_reading_find_word(r, i + 1, when))
        clauses++;
    if (clauses != s->n_merge_when_clauses) { // others are of CASE
        row_reading_leave_out(r, "which rows were not changed");
        return true;
    }
    struct buf text = {0};
    buf_printf(&text, "exists (select 1 from %s where (%s) and (false",
               row_reading_text(r, source, condition - 1),
               row_reading_text(r, condition, clause));
    for (size_t i = 0; i < s->n_merge_when_clauses; i++) {
        const PgQuery__MergeWhenClause *w =
            s->merge_when_clauses[i]->merge_when_clause;
        const size_t end = row_reading_find_word(r, clause, then);
        // "when matched and ... then"
        if (w->matched && w->condition)
            buf_printf(&text, " or (%s)", row_reading_text(r, clause + 3, end));
        else if (w->matched)
            buf_text(&text, " or true");
        clause = row_reading_find_word(r, end, when);
    }
    buf_text(&text, "))");
    if (!is_match_told(s))
        row_reading_leave_out(r, "which rows were matched and not changed");
    bool ok = check_condition(r, s->source_relation) &&
              check_condition(r, s->join_condition);
    for (size_t i = 0; ok && i < s->n_merge_when_clauses; i++)
        ok = check_condition(
            r, s->merge_when_clauses[i]->merge_when_clause->condition);
    r->out->table =
        watched_find(r->watched, s->relation->schemaname, s->relation->relname);
    r->out->alias = row_reading_alias(r, s->relation);
    r->out->condition = arena_copy(r->arena, text.at, text.n);
    buf_free(&text);
    return ok;
}
