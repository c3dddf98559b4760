/* row_sqlite.c -- rows of SQLite.
 *
 * A table beside each table has the number of the version that each row has.
 * Triggers write it, in the transaction of the statement, so it is seen when
 * the version is.  They tell changes by the function assay_note, which the
 * driver adds to each connection and which draws the numbers; it writes
 * nothing.  A writer has locked the whole file anyway, or with a shared cache
 * the table; reading and writing the second table together with the first locks
 * nothing that another transaction could have had.
 *
 * The second table and the triggers have the name of the first in theirs: what
 * several runs make in one file has names of its own, because their tables do.
 *
 * The values of a version are texts of SQL, as quote() makes them, separated by
 * commas.
 *
 * SPDX-License-Identifier: MIT */
#include "base/ascii.h"
#include "spec/row/row_dialect.h"
#include "spec/row/watched_checks_table.h"

#include <stdlib.h>
#include <string.h>

/* --- tables ----------------------------------------------------------------*/

enum {
    COLUMN_NAME,
    COLUMN_TYPE,
    COLUMN_WITHOUT_ROWID,
    COLUMN_STRICT,
    COLUMN_SQL,
    COLUMN_TRIGGERS,
    COLUMN_UNIQUE,
    COLUMN_FOREIGN,
    COLUMNS
};

static const char tables_query[] =
    "select t.name, t.type, t.wr, t.strict, coalesce(s.sql, ''), "
    "exists (select 1 from sqlite_schema g where g.type = 'trigger' and "
    "g.tbl_name = t.name collate nocase), "
    "exists (select 1 from pragma_index_list(t.name) where \"unique\" and "
    "origin <> 'pk'), "
    "(select foreign_keys from pragma_foreign_keys) and (exists (select 1 from "
    "pragma_foreign_key_list(t.name)) or exists (select 1 from sqlite_schema "
    "p, pragma_foreign_key_list(p.name) f where p.type = 'table' and "
    "f.\"table\" = t.name collate nocase)) "
    "from pragma_table_list t left join sqlite_schema s on s.name = t.name and "
    "s.type in ('table', 'view') where t.schema = 'main' and t.name not like "
    "'sqlite\\_%' escape '\\' order by s.rowid";

// Indexes of a part of the rows or of expressions, and texts that are compared
// without case, are not understood.
static const char unique_query[] =
    "select t.name, l.name, coalesce(x.name, ''), '', '', l.partial or x.name "
    "is null or x.coll <> 'BINARY' from pragma_table_list t, "
    "pragma_index_list(t.name) l, pragma_index_xinfo(l.name) x where t.schema "
    "= 'main' and l.\"unique\" and x.key = 1 order by t.name, l.seq, x.seqno";

// Nothing tells whether a foreign key is deferred.
static const char foreign_query[] =
    "select t.name, f.id, f.\"from\", f.\"table\", coalesce(f.\"to\", (select "
    "k.name from pragma_table_info(f.\"table\") k where k.pk = f.seq + 1), "
    "''), "
    "f.on_delete = 'SET DEFAULT' or f.on_update = 'SET DEFAULT' or s.sql like "
    "'%deferred%' from pragma_table_list t join sqlite_schema s on s.name = "
    "t.name, pragma_foreign_key_list(t.name) f where t.schema = 'main' and "
    "(select foreign_keys from pragma_foreign_keys) order by t.name, f.id, "
    "f.seq";

static const char columns_query[] =
    "select t.name, c.name, c.type, c.pk, c.hidden from pragma_table_list t, "
    "pragma_table_xinfo(t.name) c where t.schema = 'main' and c.hidden <> 1 "
    "order by t.name, c.cid";

static const char *
why_refused(const struct result_rows *r, size_t i)
{
    const char *type = result_rows_get(r, i, COLUMN_TYPE);
    if (strcmp(type, "table") != 0)
        return strcmp(type, "view") == 0 ? "it is a view"
                                         : "it is a virtual table";
    if (row_dialect_is_one(r, i, COLUMN_TRIGGERS))
        return "it has triggers";
    if (row_dialect_has_word("sqlite", result_rows_get(r, i, COLUMN_SQL),
                             "collate"))
        return "a column has a collation";
    if (row_dialect_has_word("sqlite", result_rows_get(r, i, COLUMN_SQL),
                             "conflict"))
        return "a constraint has ON CONFLICT";
    return NULL;
}

static void
add_table(struct watched *w, const struct result_rows *r, size_t i)
{
    const char *sql = result_rows_get(r, i, COLUMN_SQL);
    const char *name = result_rows_get(r, i, COLUMN_NAME);
    struct watched_table t = {
        .name = row_dialect_name(w, name, watched_put_name),
        .schema = "main",
        .relation = watched_copy(w, name),
        .is_visible = true,
        .refusal = why_refused(r, i),
        .has_other_unique = row_dialect_is_one(r, i, COLUMN_UNIQUE),
        .has_conditions = row_dialect_has_word("sqlite", sql, "check") ||
                          row_dialect_has_word("sqlite", sql, "not"),
        .has_rowid = !row_dialect_is_one(r, i, COLUMN_WITHOUT_ROWID),
        .is_strict = row_dialect_is_one(r, i, COLUMN_STRICT),
    };
    vec_push(&w->tables, t);
}

/* Whether a type has a part: this decides about its affinity. */
static bool
has_part(const char *type, const char *part)
{
    for (; *type; type++)
        if (ascii_compare_n(type, part, strlen(part)) == 0)
            return true;
    return false;
}

/* Whether equal values of a column have one text: its affinity makes integers
 * or texts of them. */
static bool
names_rows(const char *type)
{
    return has_part(type, "int") || has_part(type, "char") ||
           has_part(type, "clob") || has_part(type, "text");
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
        const char *name = watched_copy(w, result_rows_get(r, i, 1));
        const char *type = watched_copy(w, result_rows_get(r, i, 2));
        const bool is_key = *result_rows_get(r, i, 3) != '0';
        vec_push(&t->columns, name);
        vec_push(&t->types, type);
        if (has_part(type, "int"))
            vec_push(&t->integers, name);
        else if (names_rows(type))
            vec_push(&t->texts, name);
        keys += is_key;
        is_named = is_named && (!is_key || names_rows(type));
        if (ascii_compare(name, "rowid") == 0 && !t->refusal)
            t->refusal = "a column is called rowid";
    }
    for (size_t k = 1; is_named && k <= keys; k++)
        for (size_t i = 0; i < r->n; i++)
            if (strcmp(result_rows_get(r, i, 0), t->relation) == 0 &&
                strtoul(result_rows_get(r, i, 3), NULL, 10) == k)
                vec_push(&t->keys, watched_copy(w, result_rows_get(r, i, 1)));
    if (!t->has_rowid && !t->keys.n && !t->refusal)
        t->refusal = "keys that are equal may be written in several ways";
    t->has_other_unique = t->has_other_unique || (keys && !t->keys.n);
}

static bool
read_tables(struct connection *c, const struct watched *before,
            struct watched *out, struct err *err)
{
    struct result_rows tables = {0}, columns = {0};
    struct result_rows unique = {0}, foreign = {0};
    const bool ok = row_dialect_ask(c, tables_query, &tables, err) &&
                    row_dialect_ask(c, columns_query, &columns, err) &&
                    row_dialect_ask(c, unique_query, &unique, err) &&
                    row_dialect_ask(c, foreign_query, &foreign, err);
    assert(!ok || !tables.n || tables.width == COLUMNS);
    for (size_t i = 0; ok && i < tables.n; i++) {
        if (before && watched_has(before, "main",
                                  result_rows_get(&tables, i, COLUMN_NAME)))
            continue;
        add_table(out, &tables, i);
        add_columns(out, &columns, &vec_top(&out->tables));
    }
    if (ok) {
        watched_checks_take(out, &unique);
        watched_checks_take(out, &foreign);
    }
    result_rows_free(&tables);
    result_rows_free(&columns);
    result_rows_free(&unique);
    result_rows_free(&foreign);
    return ok;
}

/* --- triggers --------------------------------------------------------------*/

/* "quote(r.a) || ',' || ..."; a line feed is written as char(10), because lines
 * separate the parts of what is told.  Of a text with a zero byte only the part
 * before it would be told. */
static void
put_values(struct buf *sql, const struct watched_table *t, const char *row)
{
    buf_text(sql, "case when false");
    for (size_t i = 0; i < t->columns.n; i++) {
        struct buf name = {0};
        watched_put_name(&name, t->columns.at[i]);
        buf_printf(sql, " or typeof(%s.%s) = 'text' and instr(%s.%s, char(0))",
                   row, name.at, row, name.at);
        buf_free(&name);
    }
    buf_text(sql, " then '" WATCHED_INEXACT "' else ");
    for (size_t i = 0; i < t->columns.n; i++) {
        buf_printf(sql, "%sreplace(quote(%s.", i ? " || ',' || " : "", row);
        watched_put_name(sql, t->columns.at[i]);
        buf_text(sql, "), char(10), '''||char(10)||''')");
    }
    buf_text(sql, " end");
}

/* The name of what belongs to a table: a word and the table's own name. */
static void
put_beside(struct buf *sql, const char *word, const struct watched_table *t)
{
    struct buf name = {0};
    buf_printf(&name, "assay_%s_%s", word, t->relation);
    watched_put_name(sql, name.at);
    buf_free(&name);
}

/* "assay_row = r.rowid", or the same for all columns of the key. */
static void
put_match(struct buf *sql, const struct watched_table *t, const char *row)
{
    if (t->has_rowid) {
        buf_printf(sql, "assay_row = %s.rowid", row);
        return;
    }
    for (size_t i = 0; i < t->keys.n; i++) {
        buf_printf(sql, "%sk%zu = %s.", i ? " and " : "", i, row);
        watched_put_name(sql, t->keys.at[i]);
    }
}

static void
put_place(struct buf *sql, const struct watched_table *t, const char *row)
{
    if (t->has_rowid)
        buf_printf(sql, "%s%srowid", row, *row ? "." : "");
    for (size_t i = 0; !t->has_rowid && i < t->keys.n; i++) {
        buf_printf(sql, "%s%s%s", i ? ", " : "", row, *row ? "." : "");
        watched_put_name(sql, t->keys.at[i]);
    }
}

static void
put_version(struct buf *sql, const struct watched_table *t, const char *row)
{
    buf_text(sql, "(select assay_ver from ");
    put_beside(sql, "rows", t);
    buf_text(sql, " where ");
    put_match(sql, t, row);
    buf_char(sql, ')');
}

static void
put_row(struct buf *sql, const struct watched *w, uint32_t table,
        const char *row)
{
    const struct watched_table *t = &w->tables.at[table];
    put_version(sql, t, row);
    buf_text(sql, ", ");
    put_values(sql, t, row);
}

/* What the second table has after a row was changed. */
static void
put_forget(struct buf *sql, const struct watched_table *t)
{
    buf_text(sql, "delete from ");
    put_beside(sql, "rows", t);
    buf_text(sql, " where ");
    put_match(sql, t, "old");
    buf_text(sql, "; ");
}

static void
put_remember(struct buf *sql, const struct watched_table *t)
{
    buf_text(sql, "insert into ");
    put_beside(sql, "rows", t);
    buf_text(sql, " values (");
    put_place(sql, t, "new");
    buf_text(sql, ", assay_note()); ");
}

/* The trigger of one kind of change: 'I', 'U' or 'D'. */
static void
put_trigger(struct buf *sql, const struct watched_table *t, size_t i,
            char letter)
{
    const char *change = letter == 'I'   ? "insert"
                         : letter == 'U' ? "update"
                                         : "delete";
    buf_text(sql, "create trigger ");
    put_beside(sql, change, t);
    buf_printf(sql, " after %s on %s begin select assay_note('%zu', '%c'",
               change, t->name, i, letter);
    if (letter != 'I') {
        buf_text(sql, ", ");
        put_version(sql, t, "old");
        buf_text(sql, ", ");
        put_values(sql, t, "old");
    }
    if (letter != 'D') {
        buf_text(sql, ", ");
        put_values(sql, t, "new");
    }
    buf_text(sql, "); ");
    if (letter != 'I')
        put_forget(sql, t);
    if (letter != 'D')
        put_remember(sql, t);
    buf_text(sql, "end");
}

/* A row that an insert is about to add.  A key that SQLite chooses later is
 * NULL or -1 there. */
static void
put_proposal(struct buf *sql, const struct watched_table *t, size_t i)
{
    buf_text(sql, "create trigger ");
    put_beside(sql, "propose", t);
    buf_printf(sql, " before insert on %s", t->name);
    for (size_t k = 0; k < t->keys.n; k++) {
        buf_text(sql, k ? " and new." : " when new.");
        watched_put_name(sql, t->keys.at[k]);
        buf_text(sql, " is not null");
    }
    if (t->keys.n == 1) {
        buf_text(sql, " and new.");
        watched_put_name(sql, t->keys.at[0]);
        buf_text(sql, " is not -1");
    }
    buf_printf(sql, " begin select assay_note('%zu', 'P', '', ", i);
    put_values(sql, t, "new");
    buf_text(sql, "); end");
}

/* The second table, with the rows that the setup left. */
static void
put_table(struct buf *sql, const struct watched_table *t)
{
    buf_text(sql, "create table ");
    put_beside(sql, "rows", t);
    buf_text(sql, " (");
    if (t->has_rowid)
        buf_text(sql, "assay_row integer primary key, assay_ver)");
    for (size_t k = 0; !t->has_rowid && k < t->keys.n; k++)
        buf_printf(sql, "k%zu, ", k);
    for (size_t k = 0; !t->has_rowid && k < t->keys.n; k++)
        buf_printf(sql, "%sk%zu", k ? ", " : "assay_ver, primary key (", k);
    buf_text(sql, t->has_rowid ? "" : ")) without rowid");
}

/* Remove the second table of a table of this run.  Ours has a column assay_ver;
 * any other is a user's. */
static void
remove_table(const struct watched_table *t, struct connection *c)
{
    struct buf sql = {0};
    buf_text(&sql, "select assay_ver from ");
    put_beside(&sql, "rows", t);
    buf_text(&sql, " limit 0");
    const bool is_ours = c->driver->query(c, sql.at, NULL) == OUTCOME_OK;
    buf_clear(&sql);
    buf_text(&sql, "drop table ");
    put_beside(&sql, "rows", t);
    if (is_ours)
        c->driver->query(c, sql.at, NULL);
    buf_free(&sql);
}

static bool
install_table(const struct watched_table *t, size_t i, struct connection *c,
              struct err *err)
{
    struct buf sql = {0};
    remove_table(t, c); // of a run that was killed
    put_table(&sql, t);
    bool ok = row_dialect_make(c, &sql, err);
    if (ok) {
        buf_text(&sql, "insert into ");
        put_beside(&sql, "rows", t);
        buf_text(&sql, " select ");
        put_place(&sql, t, "");
        buf_printf(&sql, ", assay_note('V') from %s", t->name);
        ok = row_dialect_make(c, &sql, err);
    }
    for (const char *letter = "IUD"; ok && *letter; letter++) {
        put_trigger(&sql, t, i, *letter);
        ok = row_dialect_make(c, &sql, err);
    }
    if (ok && t->keys.n) {
        put_proposal(&sql, t, i);
        ok = row_dialect_make(c, &sql, err);
    }
    buf_free(&sql);
    return ok;
}

static bool
install(const struct watched *w, struct connection *c, struct err *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < w->tables.n; i++)
        if (!w->tables.at[i].refusal)
            ok = install_table(&w->tables.at[i], i, c, err);
    return ok;
}

/* The triggers go with their tables. */
static void
remove_tables(const struct watched *w, struct connection *c)
{
    for (size_t i = 0; i < w->tables.n; i++)
        remove_table(&w->tables.at[i], c);
}

/* --- all versions ----------------------------------------------------------*/

static void
put_create(struct buf *sql, const struct watched_table *t)
{
    buf_text(sql, "create temp table assay_versions (assay_n integer "
                  "primary key");
    for (size_t i = 0; i < t->columns.n; i++) {
        buf_text(sql, ", ");
        watched_put_name(sql, t->columns.at[i]);
        buf_printf(sql, " %s", t->types.at[i]);
    }
    buf_text(sql, t->is_strict ? ") strict" : ")");
}

/* An integer, a text or NULL: what a column may be in a history. */
static void
put_plain(struct buf *sql, const char *column)
{
    struct buf name = {0};
    watched_put_name(&name, column);
    buf_printf(sql,
               "case when typeof(%s) = 'blob' then quote(%s) when typeof(%s) = "
               "'real' or length(%s) > 18 then cast(%s as text) else %s end",
               name.at, name.at, name.at, name.at, name.at, name.at);
    buf_free(&name);
}

/* NULL if a part of it is, or is a blob: a text may be written like one. */
static void
put_key(struct buf *sql, const struct watched_table *t)
{
    buf_text(sql, t->keys.n ? "case when true" : "'null'");
    for (size_t i = 0; i < t->keys.n; i++) {
        buf_text(sql, " and typeof(");
        watched_put_name(sql, t->keys.at[i]);
        buf_text(sql, ") not in ('null', 'blob')");
    }
    if (t->keys.n)
        buf_text(sql,
                 t->keys.n > 1 ? " then json_array(" : " then json_quote(");
    for (size_t i = 0; i < t->keys.n; i++) {
        buf_text(sql, i ? ", " : "");
        put_plain(sql, t->keys.at[i]);
    }
    buf_text(sql, t->keys.n ? ") end" : "");
}

static void
put_shown(struct buf *sql, const struct watched_table *t)
{
    buf_text(sql, "json_object(");
    for (size_t i = 0; i < t->columns.n; i++) {
        buf_text(sql, i ? ", " : "");
        watched_put_literal(sql, t->columns.at[i]);
        buf_text(sql, ", ");
        put_plain(sql, t->columns.at[i]);
    }
    buf_char(sql, ')');
}

static void
put_integer(struct buf *sql, const char *column)
{
    struct buf name = {0};
    watched_put_name(&name, column);
    buf_printf(sql, "case typeof(%s) when 'integer' then %s end", name.at,
               name.at);
    buf_free(&name);
}

static void
put_text(struct buf *sql, const char *column)
{
    struct buf name = {0};
    watched_put_name(&name, column);
    buf_printf(sql, "case typeof(%s) when 'text' then %s end", name.at,
               name.at);
    buf_free(&name);
}

static const struct row_versions_sql versions = {
    .put_create = put_create,
    .put_version = row_dialect_put_version,
    .put_from = row_dialect_put_temporary,
    .put_integer = put_integer,
    .put_text = put_text,
    .put_key = put_key,
    .put_shown = put_shown,
    .name = "temp.assay_versions",
};

static const char *const places[] = {"rowid", "oid", "_rowid_", NULL};

static const char settings[] =
    "select 'case_sensitive_like', 'a' not like 'A', '' union all select "
    "'foreign_keys', foreign_keys, '' from pragma_foreign_keys union all "
    "select 'ignore_check_constraints', ignore_check_constraints, '' from "
    "pragma_ignore_check_constraints";

// pragma_table_list is as old as SQLite 3.37.  Without recursive triggers none
// tells of a row that 'replace' deletes.
const struct row_dialect row_dialect_sqlite = {
    .scheme = "sqlite",
    .able = "select json_array(count(*)) from pragma_table_list",
    .folds = true,
    .tells_replaced = true,
    .prepare = "pragma recursive_triggers=1",
    .begin = "begin",
    .order = "1",
    .drop = "",
    .union_part = "select * from ",
    .settings = settings,
    .places = places,
    .read = read_tables,
    .install = install,
    .remove = remove_tables,
    .put_name = watched_put_name,
    .put_row = put_row,
    .versions = &versions,
};
