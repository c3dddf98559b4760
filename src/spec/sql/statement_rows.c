/* statement_rows.c -- see statement_rows.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/sql/statement_rows.h"

#include "base/buf.h"
#include "spec/sql/clause.h"

#include <string.h>

/* "select 1", "select pg_advisory_lock(1)". */
static bool
parse_call(struct parser *p, struct spec_statement *out)
{
    out->kind = SPEC_QUIET;
    do {
        const struct token next = parser_next(p);
        if (next.kind == TOKEN_NUMBER || next.kind == TOKEN_STRING) {
            parser_skip(p);
            continue;
        }
        const char *name = parser_lower(p, next);
        if (strncmp(name, "pg_advisory_", 12) != 0 &&
            strcmp(name, "pg_sleep") != 0 && strcmp(name, "sleep") != 0)
            return parser_expected(p, "'from' and a table, or a constant");
        parser_skip(p);
        if (!parser_take(p, "("))
            return parser_expected(p, "'('");
        while (parser_next(p).kind == TOKEN_NUMBER || parser_sees(p, ","))
            parser_skip(p);
        if (!parser_take(p, ")"))
            return parser_expected(p, "numbers and ')'");
    } while (parser_take(p, ","));
    return parser_ends(p, "',' or the end of the statement");
}

/* The 'from' of a select, outside of parentheses; NULL: there is none. */
static const struct token *
find_from(const struct parser *p)
{
    struct parser look = *p;
    while (look.at < look.end && !parser_sees(&look, "from"))
        if (parser_take(&look, "("))
            parser_skip_parentheses(&look);
        else
            parser_skip(&look);
    return look.at < look.end ? look.at : NULL;
}

bool
statement_select(struct parser *p, const table_vec *tables,
                 struct spec_statement *out)
{
    const struct token *from = find_from(p);
    bool aggregates, orders, locks;
    if (!from)
        return parse_call(p, out);
    out->kind = SPEC_SELECT;
    struct parser items = *p;
    items.end = from;
    p->at = from + 1;
    if (!clause_table(p, tables, &out->table))
        return false;
    if (!clause_items(&items, out->table, &out->reads, &aggregates) ||
        !parser_ends(&items, "',' or 'from'")) {
        p->refusal = items.refusal;
        return false;
    }
    const struct token *rest = p->at;
    if (!clause_keys(p, out) ||
        !clause_order(p, out->table, &out->reads, &orders) ||
        !clause_lock(p, &locks) ||
        !parser_ends(p, "'where', 'order by', 'for update' or the end of the "
                        "statement"))
        return false;
    out->rest = parser_text(p, rest, p->at);
    return !(aggregates && (orders || locks)) ||
           parser_refuse(p, "an aggregate with 'order by' or a lock");
}

static bool
parse_assignment(struct parser *p, struct spec_statement *out, u32_vec *own)
{
    const struct token *begin = p->at;
    uint32_t column;
    if (!clause_column(p, out->table, &column))
        return false;
    if (column == out->table->key) {
        p->at = begin;
        return parser_expected(p, "a column that is not the primary key");
    }
    if (clause_has_column(&out->writes, column))
        return parser_refuse(p, "a column that is assigned twice");
    clause_add_column(&out->writes, column);
    if (!parser_take(p, "="))
        return parser_expected(p, "'='");
    u32_vec used = {0};
    const bool ok = clause_expression(p, out->table, &used);
    for (size_t i = 0; i < used.n; i++)
        clause_add_column(used.at[i] == column ? own : &out->reads, used.at[i]);
    vec_free(&used);
    return ok;
}

/* A column that is assigned must not be read by another assignment: databases
 * differ on whether that reads the old or the new value. */
static bool
join_reads(struct parser *p, struct spec_statement *out, const u32_vec *own)
{
    for (size_t i = 0; i < out->writes.n; i++)
        if (clause_has_column(&out->reads, out->writes.at[i]))
            return parser_refuse(
                p, "column '%s' is assigned and read by another assignment",
                out->table->columns.at[out->writes.at[i]]);
    for (size_t i = 0; i < own->n; i++)
        clause_add_column(&out->reads, own->at[i]);
    return true;
}

bool
statement_update(struct parser *p, const table_vec *tables,
                 struct spec_statement *out)
{
    out->kind = SPEC_UPDATE;
    if (!clause_table(p, tables, &out->table))
        return false;
    if (!parser_take(p, "set"))
        return parser_expected(p, "'set'");
    u32_vec own = {0};
    bool ok;
    do
        ok = parse_assignment(p, out, &own);
    while (ok && parser_take(p, ","));
    ok = ok && clause_keys(p, out) &&
         parser_ends(p, "',', 'where' or the end of the statement") &&
         join_reads(p, out, &own);
    vec_free(&own);
    return ok;
}

/* "(column, ...)", or all columns. */
static bool
parse_columns(struct parser *p, const struct spec_table *t, u32_vec *out)
{
    if (!parser_take(p, "(")) {
        for (uint32_t i = 0; i < t->columns.n; i++)
            vec_push(out, i);
        return true;
    }
    do {
        uint32_t column;
        if (!clause_column(p, t, &column))
            return false;
        vec_push(out, column);
    } while (parser_take(p, ","));
    return parser_take(p, ")") || parser_expected(p, "',' or ')'");
}

/* "(1, 'x')", and the place of its key. */
static bool
parse_row(struct parser *p, const u32_vec *columns, struct spec_statement *out,
          struct buf *keys)
{
    bool has_key = false;
    if (!parser_take(p, "("))
        return parser_expected(p, "'('");
    for (size_t i = 0;; i++) {
        const struct token *begin = p->at;
        if (!clause_expression(p, out->table, NULL))
            return false;
        struct parser again = *p;
        const char *key;
        again.at = begin;
        again.end = p->at;
        if (i < columns->n && columns->at[i] == out->table->key &&
            table_take_key(&again, out->table, &key) && again.at == p->at) {
            has_key = true;
            vec_push(&out->keys, key);
            buf_printf(keys, "%s%s", keys->n ? ", " : "",
                       parser_text(p, begin, p->at));
        }
        if (!parser_take(p, ","))
            break;
    }
    out->names_keys = out->names_keys && has_key;
    return parser_take(p, ")") || parser_expected(p, "',' or ')'");
}

static bool
parse_rows(struct parser *p, const u32_vec *columns, struct spec_statement *out)
{
    struct buf keys = {0}, condition = {0};
    out->names_keys = true;
    bool ok;
    do
        ok = parse_row(p, columns, out, &keys);
    while (ok && parser_take(p, ","));
    if (ok && out->names_keys) {
        buf_printf(&condition, "where %s in (%s)",
                   out->table->columns.at[out->table->key], keys.at);
        out->condition = arena_copy(p->arena, condition.at, condition.n);
    }
    buf_free(&keys);
    buf_free(&condition);
    return ok;
}

bool
statement_insert(struct parser *p, const table_vec *tables,
                 struct spec_statement *out)
{
    out->kind = SPEC_INSERT;
    if (!parser_take(p, "into"))
        return parser_expected(p, "'into'");
    if (!clause_table(p, tables, &out->table))
        return false;
    const struct token *begin = p->at;
    u32_vec columns = {0};
    bool ok = parse_columns(p, out->table, &columns) &&
              (parser_take(p, "values") || parser_expected(p, "'values'")) &&
              parse_rows(p, &columns, out) &&
              parser_ends(p, "',' or the end of the statement");
    vec_free(&columns);
    if (ok && !out->names_keys && !p->flavour->has_returning) {
        p->at = begin;
        ok = parser_expected(p, "a key that is a literal in every row");
    }
    for (uint32_t i = 0; ok && i < out->table->columns.n; i++)
        if (i != out->table->key)
            vec_push(&out->writes, i);
    return ok;
}

bool
statement_delete(struct parser *p, const table_vec *tables,
                 struct spec_statement *out)
{
    out->kind = SPEC_DELETE;
    if (!parser_take(p, "from"))
        return parser_expected(p, "'from'");
    if (!clause_table(p, tables, &out->table) || !clause_keys(p, out))
        return false;
    for (uint32_t i = 0; i < out->table->columns.n; i++)
        if (i != out->table->key)
            vec_push(&out->writes, i);
    return parser_ends(p, "'where' or the end of the statement");
}
