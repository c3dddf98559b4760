/* row_mariadb.c -- rows of MariaDB.
 *
 * The name of a version is in a column of its row that is invisible, so '*',
 * 'insert into t values' and 'returning *' do not have it.  Triggers give it a
 * new value and tell changes in a variable of the session, which is part of no
 * transaction and is asked for after each statement.  Nothing else is written
 * or read, so no lock is added.  The column is added without copying the table:
 * of rows that a copy wrote InnoDB keeps locks that it would release at READ
 * COMMITTED.
 *
 * An update that leaves a row as it is makes no version: InnoDB does not write
 * it, and triggers must not make it do so.  It is told with the name that the
 * row has already (row_notes.h).
 *
 * The values of a version are texts of SQL in hexadecimal, separated by commas.
 *
 * SPDX-License-Identifier: MIT */
#include "base/container/hash.h"
#include "spec/row/row_dialect.h"
#include "spec/row/watched_checks_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define VERSION "assay_version"
#define TOLD "@assay_told"

/* --- tables ----------------------------------------------------------------*/

enum {
    COLUMN_NAME,
    COLUMN_TYPE,
    COLUMN_ENGINE,
    COLUMN_TRIGGERS,
    COLUMN_UNIQUE,
    COLUMN_FOREIGN,
    COLUMN_CASCADE,
    COLUMN_CHECK,
    COLUMN_TWICE,
    COLUMNS
};

static const char tables_query[] =
    "select t.table_name, t.table_type, t.engine, "
    "exists (select 1 from information_schema.triggers g where "
    "g.event_object_schema = database() and g.event_object_table = "
    "t.table_name), "
    "exists (select 1 from information_schema.statistics s where "
    "s.table_schema = database() and s.table_name = t.table_name and "
    "s.non_unique = 0 and s.index_name <> 'PRIMARY'), "
    "exists (select 1 from information_schema.referential_constraints r where "
    "r.constraint_schema = database() and t.table_name in (r.table_name, "
    "r.referenced_table_name)), "
    "exists (select 1 from information_schema.referential_constraints r where "
    "r.constraint_schema = database() and t.table_name in (r.table_name, "
    "r.referenced_table_name) and (r.update_rule not in ('RESTRICT', "
    "'NO ACTION') or r.delete_rule not in ('RESTRICT', 'NO ACTION'))), "
    "exists (select 1 from information_schema.check_constraints k where "
    "k.constraint_schema = database() and k.table_name = t.table_name), "
    "(select count(*) > 1 from information_schema.tables o where "
    "o.table_schema = database() and lower(o.table_name) = "
    "lower(t.table_name)) "
    "from information_schema.tables t where t.table_schema = database() "
    "order by t.create_time, t.table_name";

// Whether an index besides that of the key has the column, too.
static const char columns_query[] =
    "select c.table_name, c.column_name, c.data_type, "
    "coalesce((select s.seq_in_index from information_schema.statistics s "
    "where s.table_schema = c.table_schema and s.table_name = c.table_name and "
    "s.index_name = 'PRIMARY' and s.column_name = c.column_name), 0), "
    "c.extra, coalesce(c.collation_name, ''), "
    "exists (select 1 from information_schema.statistics s where "
    "s.table_schema = c.table_schema and s.table_name = c.table_name and "
    "s.index_name <> 'PRIMARY' and s.column_name = c.column_name), "
    "c.column_type like '%zerofill%' "
    "from information_schema.columns c where c.table_schema = database() "
    "order by c.table_name, c.ordinal_position";

// Indexes of the beginnings of texts are not understood.
static const char unique_query[] =
    "select table_name, index_name, column_name, '', '', sub_part is not null "
    "or index_type <> 'BTREE' from information_schema.statistics where "
    "table_schema = database() and non_unique = 0 order by table_name, "
    "index_name, seq_in_index";

static const char foreign_query[] =
    "select table_name, constraint_name, column_name, referenced_table_name, "
    "referenced_column_name, referenced_table_schema <> table_schema from "
    "information_schema.key_column_usage where table_schema = database() and "
    "referenced_table_name is not null and @@foreign_key_checks order by "
    "table_name, constraint_name, ordinal_position";

static const char functions_query[] =
    "select lower(routine_name) from information_schema.routines where "
    "routine_schema = database() and routine_type = 'FUNCTION'";

static const char *
why_refused(const struct result_rows *r, size_t i)
{
    const struct {
        bool is_so;
        const char *why;
    } reasons[] = {
        {strcmp(result_rows_get(r, i, COLUMN_TYPE), "VIEW") == 0,
         "it is a view"},
        {strcmp(result_rows_get(r, i, COLUMN_TYPE), "BASE TABLE") != 0,
         "it is no plain table"},
        {strcmp(result_rows_get(r, i, COLUMN_ENGINE), "InnoDB") != 0,
         "its engine is not InnoDB"},
        {row_dialect_is_one(r, i, COLUMN_TRIGGERS), "it has triggers"},
        {row_dialect_is_one(r, i, COLUMN_CASCADE),
         "a foreign key changes rows"},
        {row_dialect_is_one(r, i, COLUMN_TWICE),
         "another table has the same name in "
         "another case"},
    };
    for (size_t k = 0; k < sizeof reasons / sizeof reasons[0]; k++)
        if (reasons[k].is_so)
            return reasons[k].why;
    return NULL;
}

static void
put_name(struct buf *sql, const char *name)
{
    buf_char(sql, '`');
    for (; *name; name++) {
        if (*name == '`')
            buf_char(sql, '`');
        buf_char(sql, *name);
    }
    buf_char(sql, '`');
}

static void
add_table(struct watched *w, const struct result_rows *r, size_t i,
          const char *schema)
{
    const char *name = result_rows_get(r, i, COLUMN_NAME);
    struct watched_table t = {
        .name = row_dialect_name(w, name, put_name),
        .schema = watched_copy(w, schema),
        .relation = watched_copy(w, name),
        .is_visible = true,
        .refusal = why_refused(r, i),
        .has_other_unique = row_dialect_is_one(r, i, COLUMN_UNIQUE),
        .has_conditions = row_dialect_is_one(r, i, COLUMN_CHECK) ||
                          row_dialect_is_one(r, i, COLUMN_FOREIGN),
    };
    vec_push(&w->tables, t);
}

/* Whether the words have a text between blanks. */
static bool
has_word(const char *words, const char *text)
{
    const char *at = strstr(words, text);
    const size_t n = strlen(text);
    for (; at; at = strstr(at + 1, text))
        if (at > words && at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

static bool
is_integer(const char *type)
{
    return has_word(" tinyint smallint mediumint int bigint ", type);
}

static bool
is_text(const char *type)
{
    return has_word(" char varchar tinytext text mediumtext longtext ", type);
}

/* A float is not shown exactly, and other types are no texts. */
static bool
is_exact(const char *type)
{
    return is_integer(type) || is_text(type) ||
           has_word(" decimal double date datetime time timestamp year enum "
                    "set ",
                    type);
}

/* Whether two keys are equal only if their texts are. */
static bool
names_rows(const char *type, const char *extra, const char *collation)
{
    const size_t n = strlen(collation);
    const bool is_binary =
        n > 10 && strcmp(collation + n - 10, "_nopad_bin") == 0;
    return !strstr(extra, "GENERATED") && strcmp(type, "double") != 0 &&
           is_exact(type) && (!is_text(type) || is_binary);
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
        const char *extra = result_rows_get(r, i, 4);
        const bool is_key = *result_rows_get(r, i, 3) != '0';
        vec_push(&t->columns, name);
        vec_push(&t->types, type);
        if (is_integer(type))
            vec_push(&t->integers, name);
        if (row_dialect_is_one(r, i, 6) || is_key)
            vec_push(&t->indexed, name);
        t->has_other_index = t->has_other_index || row_dialect_is_one(r, i, 6);
        keys += is_key;
        is_named =
            is_named &&
            (!is_key || names_rows(type, extra, result_rows_get(r, i, 5)));
        if (strstr(extra, "on update"))
            vec_push(&t->renewed, name);
        if (!is_exact(type) && !t->refusal)
            t->refusal = "the type of a column is not recorded";
        if (row_dialect_is_one(r, i, 7) && !t->refusal)
            t->refusal = "a column has ZEROFILL";
        if (strstr(extra, "INVISIBLE") && !t->refusal)
            t->refusal = "a column is invisible";
    }
    for (size_t k = 1; is_named && k <= keys; k++)
        for (size_t i = 0; i < r->n; i++)
            if (strcmp(result_rows_get(r, i, 0), t->relation) == 0 &&
                strtoul(result_rows_get(r, i, 3), NULL, 10) == k)
                vec_push(&t->keys, watched_copy(w, result_rows_get(r, i, 1)));
    t->has_other_unique = t->has_other_unique || (keys && !t->keys.n);
}

static bool
read_tables(struct connection *c, const struct watched *before,
            struct watched *out, struct err *err)
{
    struct result_rows tables = {0}, columns = {0}, schema = {0};
    struct result_rows unique = {0}, foreign = {0}, functions = {0};
    const bool ok = row_dialect_ask(c, "select database()", &schema, err) &&
                    row_dialect_ask(c, tables_query, &tables, err) &&
                    row_dialect_ask(c, columns_query, &columns, err) &&
                    row_dialect_ask(c, unique_query, &unique, err) &&
                    row_dialect_ask(c, foreign_query, &foreign, err) &&
                    row_dialect_ask(c, functions_query, &functions, err);
    assert(!ok || !tables.n || tables.width == COLUMNS);
    const char *home = result_rows_get(&schema, 0, 0);
    for (size_t i = 0; ok && i < tables.n; i++) {
        if (before &&
            watched_has(before, home, result_rows_get(&tables, i, COLUMN_NAME)))
            continue;
        add_table(out, &tables, i, home);
        add_columns(out, &columns, &vec_top(&out->tables));
    }
    if (ok) {
        watched_checks_take(out, &unique);
        watched_checks_take(out, &foreign);
    }
    for (size_t i = 0; ok && i < functions.n; i++)
        vec_push(&out->functions,
                 watched_copy(out, result_rows_get(&functions, i, 0)));
    result_rows_free(&functions);
    result_rows_free(&unique);
    result_rows_free(&foreign);
    result_rows_free(&schema);
    result_rows_free(&tables);
    result_rows_free(&columns);
    return ok;
}

/* --- triggers --------------------------------------------------------------*/

static void
put_values(struct buf *sql, const struct watched_table *t, const char *row)
{
    buf_text(sql, "concat_ws(','");
    for (size_t i = 0; i < t->columns.n; i++) {
        buf_printf(sql, ", coalesce(concat('_utf8mb4 x''', hex(convert(%s.",
                   row);
        put_name(sql, t->columns.at[i]);
        buf_text(sql, " using utf8mb4)), ''''), 'NULL')");
    }
    buf_char(sql, ')');
}

static void
put_row(struct buf *sql, const struct watched *w, uint32_t table,
        const char *row)
{
    buf_printf(sql, "%s." VERSION ", ", row);
    put_values(sql, &w->tables.at[table], row);
}

/* "create trigger assay_WORD_TABLE when on t for each row ".  Names of triggers
 * are those of the whole database, and other runs have theirs there; a table's
 * own name may be too long to be a part of another one. */
static void
put_create_trigger(struct buf *sql, const struct watched_table *t,
                   const char *word, const char *when)
{
    buf_printf(
        sql, "create trigger assay_%s_%016" PRIx64 " %s on %s for each row ",
        word, hash_bytes(t->relation, strlen(t->relation)), when, t->name);
}

/* "set @told = concat(@told, ...)": the number of the table, a letter, and one
 * or two versions, each with its name and its values, all in lines of their
 * own. */
static void
put_told(struct buf *sql, const struct watched_table *t, size_t i, char letter)
{
    buf_printf(sql, "set " TOLD " = concat(" TOLD ", '%zu\n%c'", i, letter);
    if (letter == 'U' || letter == 'D') {
        buf_text(sql, ", '\n', old." VERSION ", '\n', ");
        put_values(sql, t, "old");
    }
    if (letter == 'U' || letter == 'I') {
        buf_text(sql, ", '\n', new." VERSION ", '\n', ");
        put_values(sql, t, "new");
    }
    if (letter == 'P') {
        buf_text(sql, ", '\n\n', ");
        put_values(sql, t, "new");
    }
    buf_text(sql, ", ';')");
}

static void
put_trigger(struct buf *sql, const struct watched_table *t, size_t i,
            char letter)
{
    put_create_trigger(sql, t,
                       letter == 'I'   ? "insert"
                       : letter == 'U' ? "update"
                                       : "delete",
                       letter == 'I'   ? "after insert"
                       : letter == 'U' ? "after update"
                                       : "after delete");
    put_told(sql, t, i, letter);
}

/* A row that is changed gets a new version. */
static void
put_renewal(struct buf *sql, const struct watched_table *t)
{
    put_create_trigger(sql, t, "renew", "before update");
    buf_text(sql, "set new." VERSION " = if(");
    put_values(sql, t, "old");
    buf_text(sql, " = ");
    put_values(sql, t, "new");
    buf_text(sql, ", old." VERSION ", uuid_short())");
}

/* A row that an insert is about to add.  A key that MariaDB chooses later is
 * NULL or 0 there. */
static void
put_proposal(struct buf *sql, const struct watched_table *t, size_t i)
{
    put_create_trigger(sql, t, "propose", "before insert");
    buf_text(sql, "if true");
    for (size_t k = 0; k < t->keys.n; k++) {
        buf_text(sql, " and new.");
        put_name(sql, t->keys.at[k]);
        buf_text(sql, " is not null");
    }
    if (t->keys.n == 1) {
        buf_text(sql, " and new.");
        put_name(sql, t->keys.at[0]);
        buf_text(sql, " not in ('0')");
    }
    buf_text(sql, " then ");
    put_told(sql, t, i, 'P');
    buf_text(sql, "; end if");
}

/* The rows of the setup.  A column that an update sets to the time keeps its
 * value. */
static void
put_numbers(struct buf *sql, const struct watched_table *t)
{
    buf_printf(sql, "update %s set " VERSION " = uuid_short()", t->name);
    for (size_t i = 0; i < t->renewed.n; i++) {
        buf_text(sql, ", ");
        put_name(sql, t->renewed.at[i]);
        buf_text(sql, " = ");
        put_name(sql, t->renewed.at[i]);
    }
}

static bool
install_table(const struct watched_table *t, size_t i, struct connection *c,
              struct err *err)
{
    struct buf sql = {0};
    buf_printf(&sql,
               "alter table %s add column " VERSION
               " bigint unsigned invisible "
               "not null default 0, algorithm=instant",
               t->name);
    bool ok = row_dialect_make(c, &sql, err);
    if (ok) {
        put_numbers(&sql, t);
        ok = row_dialect_make(c, &sql, err);
    }
    if (ok) {
        put_create_trigger(&sql, t, "number", "before insert");
        buf_text(&sql, "set new." VERSION " = uuid_short()");
        ok = row_dialect_make(c, &sql, err);
    }
    for (const char *letter = "IUD"; ok && *letter; letter++) {
        put_trigger(&sql, t, i, *letter);
        ok = row_dialect_make(c, &sql, err);
    }
    if (ok) {
        put_renewal(&sql, t);
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
remove_nothing(const struct watched *w, struct connection *c)
{
    (void)w;
    (void)c;
}

/* --- all versions ----------------------------------------------------------*/

static void
put_create(struct buf *sql, const struct watched_table *t)
{
    buf_printf(sql,
               "create temporary table assay_versions (primary key (assay_n)) "
               "as select 0 as assay_n, t.* from %s t limit 0",
               t->name);
}

/* An integer or a text: what a column may be in a history. */
static void
put_plain(struct buf *sql, const struct watched_table *t, const char *column)
{
    size_t i = 0;
    while (strcmp(t->columns.at[i], column) != 0)
        i++;
    struct buf name = {0};
    put_name(&name, column);
    if (is_integer(t->types.at[i]))
        buf_printf(sql, "if(length(%s) > 18, concat('\"', %s, '\"'), %s)",
                   name.at, name.at, name.at);
    else
        buf_printf(sql, "json_quote(convert(%s using utf8mb4))", name.at);
    buf_free(&name);
}

static void
put_key(struct buf *sql, const struct watched_table *t)
{
    buf_text(sql, t->keys.n ? "concat(" : "'null'");
    for (size_t i = 0; i < t->keys.n; i++) {
        buf_text(sql, i ? ", ',', " : t->keys.n > 1 ? "'[', " : "");
        put_plain(sql, t, t->keys.at[i]);
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
        buf_text(sql, ", ':', coalesce(");
        put_plain(sql, t, t->columns.at[i]);
        buf_text(sql, ", 'null')");
        buf_free(&name);
    }
    buf_text(sql, ", '}')");
}

static void
put_from(struct buf *sql, const char *alias)
{
    buf_printf(sql, "assay_versions as %s", alias ? alias : "assay_t");
}

static const struct row_versions_sql versions = {
    .put_create = put_create,
    .put_version = row_dialect_put_version,
    .put_from = put_from,
    .put_integer = put_name,
    .put_key = put_key,
    .put_shown = put_shown,
    .name = "assay_versions",
};

static const char *const places[] = {"_rowid", VERSION, NULL};
static const char *const numbers[] = {"decimal", "double", "year", NULL};

static const char settings[] =
    "select 'sql_mode', @@sql_mode, '' union all select 'time_zone', "
    "@@time_zone, '' union all select 'collation_connection', "
    "@@collation_connection, '' union all select 'character_set_client', "
    "@@character_set_client, '' union all select 'foreign_key_checks', "
    "@@foreign_key_checks, '' union all select 'div_precision_increment', "
    "@@div_precision_increment, '' union all select 'default_week_format', "
    "@@default_week_format, '' union all select 'lc_time_names', "
    "@@lc_time_names, '' union all select 'old_mode', @@old_mode, '' union all "
    "select 'sql_auto_is_null', @@sql_auto_is_null, '0' union all select "
    "'sql_select_limit', @@sql_select_limit, '18446744073709551615' limit 99";

const struct row_dialect row_dialect_mariadb = {
    .scheme = "mariadb",
    .able = "select 1 from dual where database() is not null and version() "
            "like '%MariaDB%' and substring_index(version(), '.', 1) * 1000 + "
            "substring_index(substring_index(version(), '.', 2), '.', -1) >= "
            "10004",
    .folds = true,
    .tells_replaced = true,
    .waits_for_rows = true,
    .begin = "start transaction",
    .order = "1",
    .drop = "",
    .union_part = "",
    .replace = "REPLACE deletes rows here that it would update otherwise",
    .settings = settings,
    .places = places,
    .numbers = numbers,
    .read = read_tables,
    .install = install,
    .remove = remove_nothing,
    .put_name = put_name,
    .put_row = put_row,
    .versions = &versions,
};
