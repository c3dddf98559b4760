/* statement.c -- see statement.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/statement.h"

#include "base/buf.h"
#include "driver/driver.h"
#include "spec/clause.h"

#include <string.h>
#include <strings.h>

static bool
at_end(struct parser *p, const char *expected)
{
    return parser_next(p).kind == TOKEN_END || parser_expected(p, expected);
}

/* --- transactions ----------------------------------------------------------*/

/* The level is one word, "serializable", or two. */
static bool
parse_level(struct parser *p, struct spec_statement *out)
{
    const struct token *begin = p->at;
    if (!parser_take(p, "serializable")) {
        if (parser_take(p, "repeatable"))
            parser_take(p, "read");
        else if (parser_take(p, "read"))
            parser_skip(p);
    }
    enum isolation isolation;
    if (!isolation_parse(parser_text(p, begin, p->at), &isolation)) {
        p->at = begin;
        return parser_expected(p, "an isolation level");
    }
    out->isolation = isolation_names[isolation];
    return true;
}

/* "isolation level ...", "read only", "deferrable". */
static bool
parse_modes(struct parser *p, struct spec_statement *out)
{
    while (parser_next(p).kind != TOKEN_END) {
        bool ok;
        if (parser_take(p, "isolation"))
            ok = parser_take(p, "level") ? parse_level(p, out) : false;
        else if (parser_take(p, "read"))
            ok = parser_take(p, "only") || parser_take(p, "write");
        else if (parser_take(p, "not"))
            ok = parser_take(p, "deferrable");
        else
            ok = parser_take(p, "deferrable");
        if (!ok)
            return parser_expected(p, "an isolation level, 'read only', 'read "
                                      "write', 'deferrable' or the end");
        parser_take(p, ",");
    }
    return true;
}

static bool
parse_begin(struct parser *p, struct spec_statement *out)
{
    out->kind = SPEC_BEGIN;
    if (!parser_take(p, "work"))
        parser_take(p, "transaction");
    return parse_modes(p, out);
}

static bool
parse_end(struct parser *p, enum spec_statement_kind kind,
          struct spec_statement *out)
{
    out->kind = kind;
    if (!parser_take(p, "work"))
        parser_take(p, "transaction");
    return at_end(p, "the end of the statement");
}

/* --- statements without rows -----------------------------------------------*/

/* "set transaction ...", and settings that change no result. */
static bool
parse_set(struct parser *p, struct spec_statement *out)
{
    static const char *const names[] = {
        "deadlock_timeout", "lock_timeout", "statement_timeout",
        "client_min_messages", "innodb_lock_wait_timeout"};
    out->kind = SPEC_QUIET;
    if (parser_take(p, "transaction"))
        return parse_modes(p, out);
    if (!parser_take(p, "local"))
        parser_take(p, "session");
    const char *name = parser_lower(p, parser_next(p));
    bool known = strncmp(name, "enable_", 7) == 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        known = known || strcmp(name, names[i]) == 0;
    if (!known)
        return parser_expected(p, "'transaction' or a setting that cannot "
                                  "change a result");
    parser_skip(p);
    if (!parser_take(p, "="))
        parser_take(p, "to");
    parser_skip(p);
    return at_end(p, "the end of the statement");
}

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
    return at_end(p, "',' or the end of the statement");
}

/* Those that take locks, wait or tidy up, and show no row. */
static bool
is_quiet(struct parser *p)
{
    static const char *const words[] = {"lock",   "vacuum",   "analyze",
                                        "listen", "unlisten", "checkpoint"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (parser_sees(p, words[i]))
            return p->flavour->runs_many; // elsewhere "lock" commits
    return false;
}

/* --- statements about rows -------------------------------------------------*/

/* Where the 'from' of a select is, outside of parentheses; NULL: nowhere. */
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

static bool
parse_select(struct parser *p, const table_vec *tables,
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
        !at_end(&items, "',' or 'from'")) {
        p->refusal = items.refusal;
        return false;
    }
    const struct token *rest = p->at;
    if (!clause_keys(p, out) ||
        !clause_order(p, out->table, &out->reads, &orders) ||
        !clause_lock(p, &locks) ||
        !at_end(p, "'where', 'order by', 'for update' or the end of the "
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
    if (column_is_in(&out->writes, column))
        return parser_refuse(p, "a column that is assigned twice");
    column_add(&out->writes, column);
    if (!parser_take(p, "="))
        return parser_expected(p, "'='");
    u32_vec used = {0};
    const bool ok = clause_expression(p, out->table, &used);
    for (size_t i = 0; i < used.n; i++)
        column_add(used.at[i] == column ? own : &out->reads, used.at[i]);
    vec_free(&used);
    return ok;
}

/* A column that is assigned must not be read by another assignment: databases
 * differ on whether that is the old value. */
static bool
join_reads(struct parser *p, struct spec_statement *out, const u32_vec *own)
{
    for (size_t i = 0; i < out->writes.n; i++)
        if (column_is_in(&out->reads, out->writes.at[i]))
            return parser_refuse(
                p, "column '%s' is assigned, and read by another assignment",
                out->table->columns.at[out->writes.at[i]]);
    for (size_t i = 0; i < own->n; i++)
        column_add(&out->reads, own->at[i]);
    return true;
}

static bool
parse_update(struct parser *p, const table_vec *tables,
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
         at_end(p, "',', 'where' or the end of the statement") &&
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

/* "(1, 'x')", and where its key stands. */
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

static bool
parse_insert(struct parser *p, const table_vec *tables,
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
              at_end(p, "',' or the end of the statement");
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

static bool
parse_delete(struct parser *p, const table_vec *tables,
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
    return at_end(p, "'where' or the end of the statement");
}

/* --- all of them -----------------------------------------------------------*/

static bool
parse(struct parser *p, const table_vec *tables, struct spec_statement *out)
{
    if (parser_take(p, "begin"))
        return parse_begin(p, out);
    if (parser_take(p, "start"))
        return parser_sees(p, "transaction")
                   ? parse_begin(p, out)
                   : parser_expected(p, "'transaction'");
    if (parser_take(p, "commit") || parser_take(p, "end"))
        return parse_end(p, SPEC_COMMIT, out);
    if (parser_take(p, "rollback") || parser_take(p, "abort"))
        return parse_end(p, SPEC_ROLLBACK, out);
    if (parser_take(p, "select"))
        return parse_select(p, tables, out);
    if (parser_take(p, "insert"))
        return parse_insert(p, tables, out);
    if (parser_take(p, "update"))
        return parse_update(p, tables, out);
    if (parser_take(p, "delete"))
        return parse_delete(p, tables, out);
    if (parser_take(p, "set"))
        return parse_set(p, out);
    out->kind = SPEC_QUIET;
    return is_quiet(p) ||
           parser_expected(p, "begin, commit, rollback, select, insert, "
                              "update, delete or set");
}

bool
statement_parse(struct parser *p, const table_vec *tables,
                struct spec_statement *out)
{
    *out = (struct spec_statement){
        .text = parser_text(p, p->at, p->end),
        .isolation = "",
        .rest = "",
        .condition = "",
    };
    if (parse(p, tables, out))
        return true;
    assert(p->refusal.at);
    statement_free(out);
    return false;
}

void
statement_free(struct spec_statement *s)
{
    vec_free(&s->keys);
    vec_free(&s->reads);
    vec_free(&s->writes);
}
