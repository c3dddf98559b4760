/* row_duckdb.c -- rows of DuckDB.
 *
 * It has no triggers, so changes are found by comparing tables before and after
 * a statement, in its transaction (row_compare.h): nobody waits for a reader
 * here, and none fails because of one.  RETURNING must not be added to an
 * update: DuckDB then deletes and inserts the row, and the update is refused
 * where it would have been lost.
 *
 * Versions have numbers (row_book.h).  Where a row had the same values before,
 * the version is logged in a table assay_log to which rows are only added, so
 * that two transactions never write the same of its rows:
 *
 *     t  the number of the table
 *     i  which row of it: its key, or the number in a column assay_row that a
 *        table without such a key gets.  A rowid would not do: that of a new
 *        row changes when it is committed
 *     w  the values of the version
 *     v  its number
 *
 * Two transactions may update different columns of one row, and both commit;
 * the row that is left then is none that a statement made (row_dialect.h).
 *
 * SPDX-License-Identifier: MIT */
#include "base/ascii.h"
#include "spec/row/row_book.h"
#include "spec/row/row_compare.h"
#include "spec/row/row_dialect.h"
#include "spec/row/watched_checks_table.h"

#include <string.h>

#define LOG "assay_log"
#define ROWS "assay_row_numbers" // a sequence
#define ROW "assay_row"

/* --- tables ----------------------------------------------------------------*/

enum {
    COLUMN_NAME,
    COLUMN_SQL,
    COLUMN_UNIQUE,
    COLUMN_FOREIGN,
    COLUMN_COLLATION,
    COLUMNS
};

static const char tables_query[] =
    "select t.table_name, t.sql, (exists (select 1 from duckdb_indexes() i "
    "where i.table_oid = t.table_oid and i.is_unique and not i.is_primary) or "
    "exists (select 1 from duckdb_constraints() c where c.table_oid = "
    "t.table_oid and c.constraint_type = 'UNIQUE'))::int, exists (select 1 "
    "from duckdb_constraints() c where c.constraint_type = 'FOREIGN KEY' and "
    "(c.table_oid = t.table_oid or c.referenced_table = t.table_name))::int, "
    "(current_setting('default_collation') <> '')::int from duckdb_tables() t "
    "where t.database_name = current_database() and t.schema_name = 'main' and "
    "not t.temporary and not t.internal order by t.table_oid";

// The place of a column in the primary key, from 1 on.
static const char columns_query[] =
    "select c.table_name, c.column_name, c.data_type, coalesce((select "
    "list_position(p.constraint_column_names, c.column_name) from "
    "duckdb_constraints() p where p.table_oid = c.table_oid and "
    "p.constraint_type = 'PRIMARY KEY'), 0) from duckdb_columns() c where "
    "c.database_name = current_database() and c.schema_name = 'main' and not "
    "c.internal order by c.table_name, c.column_index";

// The columns of unique constraints and indexes; an expression in an index is
// none.
static const char unique_query[] =
    "select c.t, c.n, c.l[i], '', '', 0 from (select table_name as t, "
    "constraint_name as n, constraint_column_names as l from "
    "duckdb_constraints() where constraint_type = 'UNIQUE' and database_name = "
    "current_database() and schema_name = 'main' union all select table_name, "
    "index_name, string_split(trim(expressions, '[]'), ', ') from "
    "duckdb_indexes() where is_unique and not is_primary and database_name = "
    "current_database() and schema_name = 'main') c, unnest(range(1, len(c.l) "
    "+ 1)) u(i) order by c.t, c.n, i";

static const char foreign_query[] =
    "select c.table_name, c.constraint_name, c.constraint_column_names[i], "
    "c.referenced_table, c.referenced_column_names[i], 0 from "
    "duckdb_constraints() c, unnest(range(1, len(c.constraint_column_names) + "
    "1)) u(i) where c.constraint_type = 'FOREIGN KEY' and c.database_name = "
    "current_database() and c.schema_name = 'main' order by c.table_name, "
    "c.constraint_name, i";

static const char functions_query[] =
    "select distinct lower(function_name) from duckdb_functions() where not "
    "internal";

static bool
begins_with(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strncmp(text, *words, strlen(*words)) == 0)
            return true;
    return false;
}

static bool
is_integer(const char *type)
{
    static const char *const types[] = {"BIGINT", "INTEGER", "SMALLINT",
                                        "TINYINT", NULL};
    return begins_with(type, types) && !strchr(type, '[');
}

/* Whether equal values of a type have one text. */
static bool
names_rows(const char *type)
{
    static const char *const types[] = {
        "BIGINT",   "BOOLEAN",   "DATE",     "DECIMAL", "ENUM",      "HUGEINT",
        "INTEGER",  "SMALLINT",  "TIME",     "TINYINT", "TIMESTAMP", "UBIGINT",
        "UINTEGER", "USMALLINT", "UTINYINT", "UUID",    "VARCHAR",   NULL};
    return begins_with(type, types);
}

/* Whether the text of a value is all of it. */
static bool
is_exact(const char *type)
{
    static const char *const types[] = {"DOUBLE", "FLOAT", NULL};
    const bool is_nested = strchr(type, '[') && *type != 'E'; // ENUM('[')
    return !is_nested && !strstr(type, "WITH TIME ZONE") &&
           (names_rows(type) || begins_with(type, types));
}

static void
add_table(struct watched *w, const struct result_rows *r, size_t i)
{
    const char *name = result_rows_get(r, i, COLUMN_NAME);
    const char *sql = result_rows_get(r, i, COLUMN_SQL);
    struct watched_table t = {
        .name = row_dialect_name(w, name, watched_put_name),
        .schema = "main",
        .relation = watched_copy(w, name),
        .is_visible = true,
        .has_other_unique = row_dialect_is_one(r, i, COLUMN_UNIQUE),
        .has_conditions = row_dialect_has_word("duckdb", sql, "check") ||
                          row_dialect_has_word("duckdb", sql, "not") ||
                          row_dialect_is_one(r, i, COLUMN_FOREIGN),
    };
    if (row_dialect_has_word("duckdb", sql, "collate") ||
        row_dialect_is_one(r, i, COLUMN_COLLATION))
        t.refusal = "a column has a collation";
    if (row_dialect_has_word("duckdb", sql, "generated"))
        t.refusal = "a column is generated";
    vec_push(&w->tables, t);
}

static void
add_columns(struct watched *w, const struct result_rows *r,
            struct watched_table *t)
{
    size_t keys = 0;
    bool is_named = true;
    for (size_t i = 0; i < r->n; i++) {
        if (strcmp(result_rows_get(r, i, 0), t->relation) != 0)
            continue;
        const char *type = watched_copy(w, result_rows_get(r, i, 2));
        const bool is_key = *result_rows_get(r, i, 3) != '0';
        vec_push(&t->columns, watched_copy(w, result_rows_get(r, i, 1)));
        vec_push(&t->types, type);
        if (is_integer(type))
            vec_push(&t->integers, vec_top(&t->columns));
        if (strcmp(type, "VARCHAR") == 0)
            vec_push(&t->texts, vec_top(&t->columns));
        keys += is_key;
        is_named = is_named && (!is_key || names_rows(type));
        if (!is_exact(type) && !t->refusal)
            t->refusal = "the type of a column is not recorded";
        if (ascii_compare(vec_top(&t->columns), "rowid") == 0 && !t->refusal)
            t->refusal = "a column is called rowid";
    }
    for (size_t k = 1; is_named && k <= keys; k++)
        for (size_t i = 0; i < r->n; i++)
            if (strcmp(result_rows_get(r, i, 0), t->relation) == 0 &&
                *result_rows_get(r, i, 3) == (char)('0' + k))
                vec_push(&t->keys, watched_copy(w, result_rows_get(r, i, 1)));
    if (keys > 9 && !t->refusal)
        t->refusal = "its key has more than nine columns";
    t->has_row_numbers = !t->keys.n;
    if (keys && !t->keys.n && !t->part) {
        t->has_other_unique = true;
        t->part = "what unique indexes read";
    }
}

static bool
read_tables(struct connection *c, const struct watched *before,
            struct watched *out, struct err *err)
{
    struct result_rows tables = {0}, columns = {0}, functions = {0};
    struct result_rows unique = {0}, foreign = {0};
    const bool ok = row_dialect_ask(c, tables_query, &tables, err) &&
                    row_dialect_ask(c, columns_query, &columns, err) &&
                    row_dialect_ask(c, unique_query, &unique, err) &&
                    row_dialect_ask(c, foreign_query, &foreign, err) &&
                    row_dialect_ask(c, functions_query, &functions, err);
    assert(!ok || !tables.n || tables.width == COLUMNS);
    for (size_t i = 0; ok && i < tables.n; i++) {
        const char *name = result_rows_get(&tables, i, COLUMN_NAME);
        if (before && watched_has(before, "main", name))
            continue;
        add_table(out, &tables, i);
        add_columns(out, &columns, &vec_top(&out->tables));
    }
    for (size_t i = 0; ok && i < functions.n; i++)
        vec_push(&out->functions,
                 watched_copy(out, result_rows_get(&functions, i, 0)));
    if (ok) {
        watched_checks_take(out, &unique);
        watched_checks_take(out, &foreign);
    }
    result_rows_free(&unique);
    result_rows_free(&foreign);
    result_rows_free(&tables);
    result_rows_free(&columns);
    result_rows_free(&functions);
    return ok;
}

/* --- rows ------------------------------------------------------------------*/

/* "decode(unhex('...')),NULL": what can be inserted again.  A text with a zero
 * byte would end there where it is compared or shown. */
static void
put_values(struct buf *sql, const struct watched_table *t, const char *row)
{
    buf_text(sql, "case when false");
    for (size_t i = 0; i < t->texts.n; i++) {
        buf_printf(sql, " or contains(%s.", row);
        watched_put_name(sql, t->texts.at[i]);
        buf_text(sql, ", chr(0))");
    }
    buf_text(sql, " then '" WATCHED_INEXACT "' else '' end || concat_ws(','");
    for (size_t i = 0; i < t->columns.n; i++) {
        buf_printf(sql, ", coalesce('decode(unhex(''' || hex(%s.", row);
        watched_put_name(sql, t->columns.at[i]);
        buf_text(sql, "::varchar) || '''))', 'NULL')");
    }
    buf_char(sql, ')');
}

/* Which row it is, as a text. */
static void
put_identity(struct buf *sql, const struct watched_table *t, const char *row)
{
    if (t->has_row_numbers)
        buf_printf(sql, "%s." ROW "::varchar", row);
    for (size_t i = 0; i < t->keys.n; i++) {
        buf_printf(sql, "%shex(%s.", i ? ", " : "concat_ws(',', ", row);
        watched_put_name(sql, t->keys.at[i]);
        buf_text(sql, "::varchar)");
    }
    buf_text(sql, t->has_row_numbers ? "" : ")");
}

/* Versions have no names here, so there is the identity instead
 * (row_book.h). */
static void
put_row(struct buf *sql, const struct watched *w, uint32_t table,
        const char *row)
{
    const struct watched_table *t = &w->tables.at[table];
    buf_printf(sql, "case when %s.rowid is not null then ", row);
    put_identity(sql, t, row);
    buf_text(sql, " end, ");
    put_values(sql, t, row);
}

/* "x.id in (cast(decode(unhex('37')) as INTEGER), ...)", or the same of the
 * identity. */
static void
put_among(struct buf *sql, const struct watched_table *t, const char *row,
          const struct result_rows *rows)
{
    const bool is_key = t->keys.n == 1;
    size_t column = 0;
    while (is_key && strcmp(t->columns.at[column], t->keys.at[0]) != 0)
        column++;
    if (is_key) {
        buf_printf(sql, "%s.", row);
        watched_put_name(sql, t->keys.at[0]);
    } else {
        put_identity(sql, t, row);
    }
    for (size_t i = 0; i < rows->n; i++)
        buf_printf(sql, is_key ? "%scast(decode(unhex('%s')) as %s)" : "%s'%s'",
                   i ? ", " : " in (", result_rows_get(rows, i, 0),
                   t->types.at[column]);
    buf_char(sql, ')');
}

static void
put_logged(struct buf *sql, uint32_t table, const char *identity,
           const char *values, uint32_t number)
{
    buf_printf(sql, "%s(%u, ", sql->n ? ", " : "insert into " LOG " values ",
               table);
    watched_put_literal(sql, identity);
    buf_text(sql, ", ");
    watched_put_literal(sql, values);
    buf_printf(sql, ", %u)", number);
}

static void
put_lookup(struct buf *sql, uint32_t table, const char *identity,
           const char *values)
{
    buf_printf(sql, "select max(v) from " LOG " where t = %u and i = ", table);
    watched_put_literal(sql, identity);
    buf_text(sql, " and w = ");
    watched_put_literal(sql, values);
}

/* Number the rows that the setup left. */
static bool
number_rows(const struct watched *w, uint32_t table, struct connection *c,
            struct err *err)
{
    struct result_rows rows = {0};
    struct buf sql = {0};
    bool ignored;
    buf_text(&sql, "select ");
    put_row(&sql, w, table, "x");
    buf_printf(&sql, " from %s x", w->tables.at[table].name);
    const bool ok = row_dialect_ask(c, sql.at, &rows, err);
    for (size_t i = 0; ok && i < rows.n; i++)
        row_book_add(w->book, table, result_rows_get(&rows, i, 0),
                     result_rows_get(&rows, i, 1), &ignored);
    result_rows_free(&rows);
    buf_free(&sql);
    return ok;
}

static bool
install_table(const struct watched *w, uint32_t table, struct connection *c,
              struct err *err)
{
    const struct watched_table *t = &w->tables.at[table];
    struct buf sql = {0};
    bool ok = true;
    if (t->has_row_numbers) {
        buf_printf(&sql,
                   "alter table %s add column " ROW
                   " bigint default nextval('" ROWS "')",
                   t->name);
        ok = row_dialect_make(c, &sql, err);
    }
    buf_free(&sql);
    return ok && number_rows(w, table, c, err);
}

/* A table of that name with other columns is a user's. */
static void
remove_log(const struct watched *w, struct connection *c)
{
    (void)w;
    if (c->driver->query(c, "select t, i, w, v from " LOG " limit 0", NULL) ==
        OUTCOME_OK)
        c->driver->query(c, "drop table " LOG, NULL);
    c->driver->query(c, "drop sequence if exists " ROWS, NULL);
}

static bool
install(const struct watched *w, struct connection *c, struct err *err)
{
    static const char *const made[] = {
        "create sequence " ROWS,
        "create table " LOG " (t integer, i varchar, w varchar, v bigint)"};
    bool ok = true;
    remove_log(w, c); // of a run that was killed
    row_book_clear(w->book);
    for (size_t i = 0; ok && i < sizeof made / sizeof made[0]; i++) {
        struct buf sql = {0};
        buf_text(&sql, made[i]);
        ok = row_dialect_make(c, &sql, err);
        buf_free(&sql);
    }
    for (uint32_t i = 0; ok && i < w->tables.n; i++)
        if (!w->tables.at[i].refusal)
            ok = install_table(w, i, c, err);
    return ok;
}

/* --- all versions ----------------------------------------------------------*/

static void
put_create(struct buf *sql, const struct watched_table *t)
{
    buf_text(sql, "create temp table assay_versions as select 0::bigint as "
                  "assay_n");
    for (size_t i = 0; i < t->columns.n; i++) {
        buf_text(sql, ", ");
        watched_put_name(sql, t->columns.at[i]);
    }
    buf_printf(sql, " from %s limit 0", t->name);
}

static void
put_temporary(struct buf *sql, const struct watched_table *t)
{
    buf_printf(sql,
               "create or replace temp table assay_proposed as select * from "
               "%s limit 0",
               t->name);
}

/* An integer, a text or NULL, as JSON. */
static void
put_plain(struct buf *sql, const char *column)
{
    struct buf name = {0};
    watched_put_name(&name, column);
    buf_printf(sql,
               "case when %s is null then 'null' when contains(typeof(%s), "
               "'INT') and length(%s::varchar) < 19 then %s::varchar else "
               "to_json(%s::varchar)::varchar end",
               name.at, name.at, name.at, name.at, name.at);
    buf_free(&name);
}

static void
put_key(struct buf *sql, const struct watched_table *t)
{
    buf_text(sql, t->keys.n ? "concat(" : "'null'");
    for (size_t i = 0; i < t->keys.n; i++) {
        buf_text(sql, i ? ", ',', " : t->keys.n > 1 ? "'[', " : "");
        put_plain(sql, t->keys.at[i]);
    }
    buf_text(sql, t->keys.n > 1 ? ", ']')" : t->keys.n ? ")" : "");
}

static void
put_shown(struct buf *sql, const struct watched_table *t)
{
    buf_text(sql, "concat('{'");
    for (size_t i = 0; i < t->columns.n; i++) {
        struct buf name = {0};
        buf_json(&name, t->columns.at[i], strlen(t->columns.at[i]));
        buf_text(sql, i ? ", ',', " : ", ");
        watched_put_literal(sql, name.at);
        buf_text(sql, ", ':', ");
        put_plain(sql, t->columns.at[i]);
        buf_free(&name);
    }
    buf_text(sql, ", '}')");
}

static const struct row_versions_sql versions = {
    .put_create = put_create,
    .put_version = row_dialect_put_version,
    .put_from = row_dialect_put_temporary,
    .put_key = put_key,
    .put_shown = put_shown,
    .put_integer = watched_put_name,
    .put_text = watched_put_name,
    .name = "temp.assay_versions",
};

static const struct row_compare_sql compare = {
    .put_values = put_values,
    .put_temporary = put_temporary,
    .temporary = "temp.assay_proposed",
    .put_among = put_among,
    .put_logged = put_logged,
    .put_lookup = put_lookup,
};

static const char *const places[] = {"rowid", ROW, NULL};

const struct row_dialect row_dialect_duckdb = {
    .scheme = "duckdb",
    .able = "select to_json(1)",
    .folds = true,
    .has_row_values = true,
    .begin = "begin",
    .order = "1",
    .drop = "",
    .union_part = "",
    .places = places,
    .read = read_tables,
    .install = install,
    .remove = remove_log,
    .put_name = watched_put_name,
    .put_row = put_row,
    .versions = &versions,
    .compare = &compare,
    .merges_columns = true,
};
