/* row_answer.c -- statements whose values are used, as by \gset.
 *
 * A select is run once, with the versions that it found and its own answer as
 * two parts of one statement, so that both are of one snapshot.  A select that
 * locks may see later versions of rows that it waited for, and one with a limit
 * may return any of several rows; they return both in the same rows instead.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_statement.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "prove/program/parser.h"
#include "spec/row/row_syntax.h"
#include "spec/row/sql_tree.h"

#include <stdio.h>
#include <string.h>

static bool
refuse(struct refusal *refusal, const char *text, const char *why)
{
    refusal->at = text;
    snprintf(refusal->text, sizeof refusal->text, "%.190s", why);
    return false;
}

/* The name that PostgreSQL gives a column, or "" for one of its making. */
static const char *
name_of(const PgQuery__ResTarget *t)
{
    const PgQuery__Node *n = t->val;
    if (*t->name)
        return t->name;
    while (n->node_case == PG_QUERY__NODE__NODE_TYPE_CAST)
        n = n->type_cast->arg;
    switch (n->node_case) {
    case PG_QUERY__NODE__NODE_COLUMN_REF:
        return sql_tree_column(n->column_ref);
    case PG_QUERY__NODE__NODE_FUNC_CALL:
        return sql_tree_function(n->func_call);
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
        return "coalesce";
    default:
        return "";
    }
}

/* What a statement returns. */
static PgQuery__Node *const *
list_of(const PgQuery__Node *n, size_t *count)
{
    *count = 0;
    switch (n->node_case) {
    case PG_QUERY__NODE__NODE_SELECT_STMT:
        *count = n->select_stmt->n_target_list;
        return n->select_stmt->target_list;
    case PG_QUERY__NODE__NODE_INSERT_STMT:
        *count = n->insert_stmt->n_returning_list;
        return n->insert_stmt->returning_list;
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
        *count = n->update_stmt->n_returning_list;
        return n->update_stmt->returning_list;
    case PG_QUERY__NODE__NODE_DELETE_STMT:
        *count = n->delete_stmt->n_returning_list;
        return n->delete_stmt->returning_list;
    default:
        return NULL;
    }
}

static bool
is_word(const struct token *t, const char *word)
{
    return t->kind == TOKEN_WORD && t->n == strlen(word) &&
           ascii_compare_n(t->at, word, t->n) == 0;
}

/* Whether a token is that of "is distinct from" or "is not distinct from". */
static bool
is_distinct(const struct token *t)
{
    return is_word(t, "distinct") &&
           (is_word(t - 1, "is") || is_word(t - 1, "not"));
}

/* The token at which the items of a select end: 'from', or the end. */
static struct token
find_from(const char *text)
{
    token_vec tokens = {0};
    size_t depth = 0, i = 1;
    tokens_read(text, flavour_of("postgresql"), &tokens);
    assert(tokens.n > 1);
    for (; tokens.at[i].kind != TOKEN_END; i++) {
        const struct token *t = &tokens.at[i];
        if (t->kind == TOKEN_SYMBOL)
            depth += (*t->at == '(') - (size_t)(*t->at == ')');
        if (!depth && is_word(t, "from") && !(i > 1 && is_distinct(t - 1)))
            break;
    }
    const struct token from = tokens.at[i];
    vec_free(&tokens);
    return from;
}

/* 'items' is the length of the select up to its 'from'. */
static const char *
with_answer(const struct watched *w, struct arena *arena, const char *text,
            size_t items, const struct row_statement *s)
{
    const char *part = w->dialect->union_part;
    struct buf sql = {0};
    if (s->locks || s->is_limited) {
        buf_add(&sql, text, items);
        buf_printf(&sql, ", " ROW_MARK_BOTH ", %s %s", s->versions,
                   text + items);
    } else {
        assert(strncmp(s->sql, "select ", 7) == 0);
        buf_printf(&sql, "%s(select ", part);
        for (size_t i = 0; i < s->answers.n; i++)
            buf_text(&sql, "null, ");
        buf_printf(&sql, ROW_MARK_VERSION ", %s) union all %s(", s->sql + 7,
                   part);
        buf_add(&sql, text, items);
        buf_text(&sql, ", " ROW_MARK_ANSWER);
        for (size_t i = 0; i < 2 * s->items.n; i++)
            buf_text(&sql, ", null");
        buf_printf(&sql, " %s)", text + items);
    }
    const char *copy = arena_copy(arena, sql.at, sql.n);
    buf_free(&sql);
    return copy;
}

/* What is run at once with the statement leaves no room for its answer. */
static void
run_alone(struct row_statement *s)
{
    row_statement_leave_out(s, s->inner_n ? "what other tables and subqueries "
                                            "were read"
                                          : "which rows were not returned, "
                                            "because of a limit or of locks");
    for (size_t i = 0; i < s->inner_n; i++)
        row_statement_free(&s->inner[i]);
    s->inner_n = s->places_n = 0;
    s->whole = s->seen = NULL;
    s->table = WATCHED_NONE;
}

bool
row_statement_answer(const struct watched *w, struct arena *arena,
                     const char *text, struct row_statement *s,
                     struct refusal *refusal)
{
    struct row_syntax syntax;
    PgQuery__ParseResult *tree;
    struct err err = {0};
    int at;
    size_t n = 0;
    bool ok = true;
    if (!row_syntax_translate(w->dialect, arena, text, &syntax, refusal))
        return false;
    if (!parser_parse(syntax.text, &tree, &at, &err))
        return refuse(refusal, text, err.text);
    assert(tree->n_stmts == 1);
    PgQuery__Node *const *list = list_of(tree->stmts[0]->stmt, &n);
    if (!n)
        ok = refuse(refusal, text,
                    "found a statement that returns nothing, expected one "
                    "with values for \\gset");
    for (size_t i = 0; ok && i < n; i++) {
        const char *name = name_of(list[i]->res_target);
        if (*name)
            vec_push(&s->answers, arena_copy(arena, name, strlen(name)));
        else
            ok = refuse(refusal, text,
                        "found a column without a name before \\gset, "
                        "expected names for all of them");
    }
    parser_free(tree);
    if (ok && s->whole && s->returns_versions && s->inner_n)
        ok = refuse(refusal, text, "a select with subqueries before \\gset");
    if (ok && s->whole)
        run_alone(s);
    if (ok && s->returns_versions) {
        const struct token from = find_from(syntax.text);
        if (s->locks && from.kind == TOKEN_END)
            return refuse(refusal, text, "a lock in EXISTS before \\gset");
        s->sql =
            with_answer(w, arena, text, (size_t)(from.at - syntax.text), s);
    }
    return ok;
}
