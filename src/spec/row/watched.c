/* watched.c -- see watched.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/watched.h"

#include "base/ascii.h"
#include "driver/sql/sql.h"
#include "spec/row/row_book.h"
#include "spec/row/row_dialect.h"
#include "spec/row/watched_checks.h"
#include "spec/row/watched_functions.h"

#include <stdlib.h>
#include <string.h>

#define FUNCTION "assay_note_row"

/* --- SQL -------------------------------------------------------------------*/

static void
put_quoted(struct buf *sql, const char *text, char quote)
{
    buf_char(sql, quote);
    for (; *text; text++) {
        if (*text == quote)
            buf_char(sql, quote);
        buf_char(sql, *text);
    }
    buf_char(sql, quote);
}

void
watched_put_literal(struct buf *sql, const char *text)
{
    put_quoted(sql, text, '\'');
}

void
watched_put_name(struct buf *sql, const char *name)
{
    put_quoted(sql, name, '"');
}

static void
put_version(struct buf *sql, const char *row)
{
    buf_printf(sql,
               "pg_catalog.concat(%s.tableoid::pg_catalog.int8, ':', %s.ctid, "
               "'/', %s.xmin)",
               row, row, row);
}

static void
put_values(struct buf *sql, const char *row)
{
    buf_printf(sql,
               "case when pg_catalog.jsonb_populate_record(%s, "
               "pg_catalog.to_jsonb(%s))::pg_catalog.text = "
               "(%s)::pg_catalog.text then pg_catalog.to_jsonb(%s)"
               "::pg_catalog.text else '" WATCHED_INEXACT "' end",
               row, row, row, row);
}

/* --- tables ----------------------------------------------------------------*/

enum {
    COLUMN_OID,
    COLUMN_NAME,
    COLUMN_SCHEMA,
    COLUMN_RELATION,
    COLUMN_VISIBLE,
    COLUMN_KIND,
    COLUMN_IS_PARTITION,
    COLUMN_INHERITS,
    COLUMN_RULES,
    COLUMN_TRIGGERS,
    COLUMN_UNIQUE,
    COLUMN_TEMPORARY,
    COLUMNS
};

/* Triggers of the table and of its partitions, as a sum of these. */
enum {
    TRIGGER_IS_THERE = 1,
    TRIGGER_MAY_KEEP_UPDATE = 2, // a row may stay as it is
    TRIGGER_MAY_KEEP_DELETE = 4,
    TRIGGER_MAY_READ = 8
};

// What has no other words than these, outside of strings and comments, reads
// and writes nothing: it tells of the row, changes it, and returns it or not.
#define TRIGGER_IS_QUIET                                                       \
    "t.tgqual is null and l.lanname = 'plpgsql' and p.proconfig is null and "  \
    "t.tgname ~ '^[a-y_]' and not exists (select 1 from pg_operator o join "   \
    "pg_proc q on q.oid = o.oprcode join pg_language m on m.oid = q.prolang "  \
    "where o.oprnamespace <> 'pg_catalog'::regnamespace and m.lanname not in " \
    "('c', 'internal')) and regexp_replace(p.prosrc, '--[^\\n]*|''[^'']*''"    \
    "', '', 'g') ~* '^(?:[-[:space:];=,<>+*|:]|\\m[0-9]+\\M|\\m(?:new|old)"    \
    "\\.[a-z_][a-z0-9_]*\\M|\\m(?:begin|end|if|then|elsif|elseif|else|tg_op|"  \
    "raise|notice|return|new|old|and|or|not)\\M)*$'"

#define TRIGGERS                                                               \
    "select coalesce(bit_or(1 + case when (t.tgtype & 19) = 19 then 2 else 0 " \
    "end + case when (t.tgtype & 11) = 11 then 4 else 0 end + case when "      \
    "" TRIGGER_IS_QUIET " then 0 else 8 end), 0) from pg_trigger t join "      \
    "pg_proc p on p.oid = t.tgfoid join pg_language l on l.oid = p.prolang "   \
    "where not t.tgisinternal and t.tgname !~ '^zz_assay_' and (t.tgrelid = "  \
    "c.oid or t.tgrelid in (select "                                           \
    "relid from pg_partition_tree(c.oid)))"

static const char tables_query[] =
    "select c.oid, c.oid::regclass, n.nspname, c.relname, "
    "pg_table_is_visible(c.oid)::int, c.relkind, c.relispartition::int, "
    "(exists (select 1 from pg_inherits i join pg_class p on p.oid = "
    "i.inhparent where p.relkind = 'r' and c.oid in (inhrelid, "
    "inhparent)))::int, "
    "(c.relhasrules or c.relrowsecurity)::int, "
    "(" TRIGGERS "), "
    "(exists (select 1 from pg_index i where i.indrelid = c.oid and "
    "(i.indisunique or i.indisexclusion) and not (" WATCHED_NAMES_ROWS
    ")))::int, "
    "(c.relpersistence = 't')::int "
    "from pg_class c join pg_namespace n on n.oid = c.relnamespace "
    "where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname !~ '^pg_' and "
    "n.nspname <> 'information_schema' order by c.oid";

static const char columns_query[] =
    "select a.attrelid, a.attname, coalesce(array_position(i.indkey, "
    "a.attnum), -1), (a.atttypid in ('int2'::regtype, 'int4'::regtype, "
    "'int8'::regtype))::int, (a.atttypid in ('text'::regtype, "
    "'varchar'::regtype) and exists (select 1 from pg_collation o where o.oid "
    "= a.attcollation and o.collisdeterministic))::int from pg_attribute a "
    "left join pg_index i on "
    "i.indrelid = "
    "a.attrelid and " WATCHED_NAMES_ROWS " and a.attnum = any (i.indkey[0:"
    "i.indnkeyatts - 1]) where a.attnum > 0 and not a.attisdropped "
    "order by a.attrelid, 3, a.attnum";

static const char *
why_refused(const struct result_rows *r, size_t i)
{
    const char kind = *result_rows_get(r, i, COLUMN_KIND);
    const struct {
        bool is_so;
        const char *why;
    } reasons[] = {
        {kind == 'v' || kind == 'm', "it is a view"},
        {kind == 'f', "it is a foreign table"},
        {*result_rows_get(r, i, COLUMN_IS_PARTITION) == '1',
         "it is a partition of another table"},
        {*result_rows_get(r, i, COLUMN_INHERITS) == '1',
         "it inherits, or others inherit from it"},
        {*result_rows_get(r, i, COLUMN_RULES) == '1',
         "it has rules or row security"},
        {*result_rows_get(r, i, COLUMN_TEMPORARY) == '1', "it is temporary"},
    };
    for (size_t k = 0; k < sizeof reasons / sizeof reasons[0]; k++)
        if (reasons[k].is_so)
            return reasons[k].why;
    return NULL;
}

static void
add_table(struct watched *w, const struct result_rows *r, size_t i)
{
    const unsigned long triggers =
        strtoul(result_rows_get(r, i, COLUMN_TRIGGERS), NULL, 10);
    struct watched_table t = {
        .name = watched_copy(w, result_rows_get(r, i, COLUMN_NAME)),
        .schema = watched_copy(w, result_rows_get(r, i, COLUMN_SCHEMA)),
        .relation = watched_copy(w, result_rows_get(r, i, COLUMN_RELATION)),
        .is_visible = *result_rows_get(r, i, COLUMN_VISIBLE) == '1',
        .refusal = why_refused(r, i),
        .is_partitioned = *result_rows_get(r, i, COLUMN_KIND) == 'p',
        .has_own_triggers = (triggers & TRIGGER_MAY_READ) != 0,
        .shows_old_rows = (triggers & TRIGGER_IS_THERE) != 0,
        .may_keep_updates = (triggers & TRIGGER_MAY_KEEP_UPDATE) != 0,
        .may_keep_deletes = (triggers & TRIGGER_MAY_KEEP_DELETE) != 0,
        .has_other_unique = *result_rows_get(r, i, COLUMN_UNIQUE) == '1',
    };
    if (t.has_own_triggers)
        t.part = "what the triggers of the table read";
    vec_push(&w->tables, t);
}

static bool
ask(struct connection *c, const char *sql, size_t width,
    struct result_rows *out, struct err *err)
{
    if (c->driver->query(c, sql, out) != OUTCOME_OK)
        return err_set(err, ERR_IO, "cannot read the catalog: %s", c->message);
    return !out->n || out->width == width ||
           err_set(err, ERR_IO,
                   "cannot read the catalog: found %zu columns, expected %zu",
                   out->width, width);
}

/* The columns, which come by table; those of the key are also in the order of
 * the key. */
static void
add_columns(struct watched *w, const struct result_rows *r, const char *oid,
            struct watched_table *t)
{
    for (size_t i = 0; i < r->n; i++) {
        if (strcmp(result_rows_get(r, i, 0), oid) != 0)
            continue;
        const char *name = watched_copy(w, result_rows_get(r, i, 1));
        vec_push(&t->columns, name);
        if (*result_rows_get(r, i, 3) == '1')
            vec_push(&t->integers, name);
        if (*result_rows_get(r, i, 4) == '1')
            vec_push(&t->texts, name);
        if (*result_rows_get(r, i, 2) != '-')
            vec_push(&t->keys, name);
    }
}

bool
watched_has(const struct watched *w, const char *schema, const char *relation)
{
    for (size_t i = 0; i < w->tables.n; i++)
        if (strcmp(w->tables.at[i].schema, schema) == 0 &&
            strcmp(w->tables.at[i].relation, relation) == 0)
            return true;
    return false;
}

/* With this setting a backslash in a literal means something to the server, and
 * nothing to the parser. */
static bool
expect_plain_literals(struct connection *c, struct err *err)
{
    struct result_rows r = {0};
    bool ok = ask(c, "select current_setting('standard_conforming_strings')", 1,
                  &r, err);
    if (ok && (!r.n || strcmp(result_rows_get(&r, 0, 0), "on") != 0))
        ok = err_set(err, ERR_USAGE,
                     "standard_conforming_strings is off, expected on: its "
                     "literals are not understood");
    result_rows_free(&r);
    return ok;
}

static bool
read_tables(struct connection *c, const struct watched *before,
            struct watched *out, struct err *err)
{
    struct result_rows tables = {0}, columns = {0};
    bool ok = expect_plain_literals(c, err) &&
              ask(c, tables_query, COLUMNS, &tables, err) &&
              ask(c, columns_query, 5, &columns, err);
    for (size_t i = 0; ok && i < tables.n; i++) {
        if (before &&
            watched_has(before, result_rows_get(&tables, i, COLUMN_SCHEMA),
                        result_rows_get(&tables, i, COLUMN_RELATION)))
            continue;
        add_table(out, &tables, i);
        add_columns(out, &columns, result_rows_get(&tables, i, COLUMN_OID),
                    &vec_top(&out->tables));
    }
    ok = ok && watched_checks_read(c, out, err) &&
         watched_functions_read(c, out, err);
    result_rows_free(&tables);
    result_rows_free(&columns);
    return ok;
}

bool
watched_read(struct connection *c, const struct watched *before,
             struct watched *out, struct err *err)
{
    *out = (struct watched){.dialect = row_dialect_of(sql_product(c->driver))};
    assert(out->dialect);
    if (out->dialect->compare)
        out->book = row_book_new();
    const bool ok = out->dialect->read(c, before, out, err) &&
                    setup_objects_read(c, before ? &before->objects : NULL,
                                       &out->arena, &out->objects, err);
    if (!ok)
        watched_free(out);
    return ok;
}

void
watched_free(struct watched *w)
{
    for (size_t i = 0; i < w->tables.n; i++) {
        vec_free(&w->tables.at[i].keys);
        vec_free(&w->tables.at[i].columns);
        vec_free(&w->tables.at[i].types);
        vec_free(&w->tables.at[i].integers);
        vec_free(&w->tables.at[i].texts);
        vec_free(&w->tables.at[i].indexed);
        vec_free(&w->tables.at[i].renewed);
    }
    for (size_t i = 0; i < w->checks.n; i++) {
        vec_free(&w->checks.at[i].names);
        vec_free(&w->checks.at[i].other_names);
    }
    vec_free(&w->tables);
    vec_free(&w->objects);
    vec_free(&w->functions);
    vec_free(&w->operators);
    vec_free(&w->checked_types);
    vec_free(&w->checks);
    row_book_free(w->book);
    arena_free(&w->arena);
    *w = (struct watched){0};
}

uint32_t
watched_find(const struct watched *w, const char *schema, const char *relation)
{
    int (*compare)(const char *, const char *) =
        w->dialect->folds ? ascii_compare : strcmp;
    for (uint32_t i = 0; i < w->tables.n; i++) {
        const struct watched_table *t = &w->tables.at[i];
        if (compare(t->relation, relation) == 0 &&
            (*schema ? compare(t->schema, schema) == 0 : t->is_visible))
            return i;
    }
    return WATCHED_NONE;
}

/* --- triggers --------------------------------------------------------------*/

/* A notice has the number of the table, a letter and up to two versions, each
 * with its name and its values as JSON, all in lines of their own.  A row that
 * an insert is about to add is told with the letter P: if a conflict keeps it
 * out, nothing else tells. */
static void
put_function(struct buf *sql)
{
    struct buf old_row = {0}, new_row = {0};
    put_values(&old_row, "old");
    put_values(&new_row, "new");
    buf_printf(
        sql,
        "create or replace function " FUNCTION
        "() returns trigger language plpgsql as "
        "$f$\n"
        "declare told text := tg_argv[0] || E'\\n' || left(tg_op, 1);\n"
        "begin\n"
        "  if tg_when = 'BEFORE' and tg_op = 'INSERT' then\n"
        "    raise info using message = '" DRIVER_NOTICE "', detail =\n"
        "      tg_argv[0] || E'\\nP\\n\\n' || %s;\n"
        "    return new;\n"
        "  end if;\n"
        "  if tg_when = 'BEFORE' then\n"
        "    raise info using message = '" DRIVER_NOTICE "', detail =\n"
        "      tg_argv[0] || E'\\nF\\n' || concat(tg_relid::int8, ':',\n"
        "      old.ctid, '/', old.xmin) || E'\\n' || %s;\n"
        "    if tg_op = 'DELETE' then return old; end if;\n"
        "    return new;\n"
        "  end if;\n"
        "  if tg_op <> 'INSERT' then\n"
        "    told := told || E'\\n' || concat(tg_relid::int8, ':', old.ctid,\n"
        "      '/', old.xmin) || E'\\n' || %s;\n"
        "  end if;\n"
        "  if tg_op <> 'DELETE' then\n"
        "    told := told || E'\\n' || concat(tg_relid::int8, ':', new.ctid,\n"
        "      '/', new.xmin) || E'\\n' || %s;\n"
        "  end if;\n"
        "  raise info using message = '" DRIVER_NOTICE "', detail = told;\n"
        "  return null;\n"
        "end $f$",
        new_row.at, old_row.at, old_row.at, new_row.at);
    buf_free(&old_row);
    buf_free(&new_row);
}

static bool
must(struct connection *c, const char *sql, struct err *err)
{
    return c->driver->query(c, sql, NULL) == OUTCOME_OK ||
           err_set(err, ERR_IO, "cannot make the triggers that record: %s",
                   c->message);
}

/* Where other triggers may keep a row as it is, one that comes before them
 * tells that it was found. */
static void
put_found_trigger(struct buf *sql, const struct watched_table *t, size_t i)
{
    if (t->has_own_triggers || (!t->may_keep_updates && !t->may_keep_deletes))
        return;
    buf_printf(sql,
               "create trigger \"!assay_found\" before %s on %s for each row "
               "execute function " FUNCTION "('%zu')",
               !t->may_keep_deletes   ? "update"
               : !t->may_keep_updates ? "delete"
                                      : "update or delete",
               t->name, i);
}

static bool
install_all(const struct watched *w, struct connection *c, struct err *err)
{
    struct buf function = {0};
    put_function(&function);
    bool ok = must(c, function.at, err);
    buf_free(&function);
    for (size_t i = 0; ok && i < w->tables.n; i++) {
        const struct watched_table *t = &w->tables.at[i];
        if (t->refusal)
            continue;
        struct buf sql = {0};
        buf_printf(&sql,
                   "create trigger zz_assay_note after insert or update or "
                   "delete on %s for each row execute function " FUNCTION
                   "('%zu'); create trigger zz_assay_propose before insert on "
                   "%s for each row execute function " FUNCTION "('%zu')",
                   t->name, i, t->name, i);
        ok = must(c, sql.at, err);
        buf_clear(&sql);
        put_found_trigger(&sql, t, i);
        ok = ok && (!sql.n || must(c, sql.at, err));
        buf_free(&sql);
    }
    return ok;
}

// Several runs in one database share the function, and make and remove it one
// after the other.
#define ALONE "select pg_catalog.pg_advisory_xact_lock(4714523067)"

/* At once, so that the function is not there without triggers that need it. */
static bool
install(const struct watched *w, struct connection *c, struct err *err)
{
    bool ok = must(c, "begin", err) && must(c, ALONE, err) &&
              install_all(w, c, err) && must(c, "commit", err);
    if (!ok)
        c->driver->query(c, "rollback", NULL);
    return ok;
}

/* The triggers are gone with their tables.  If those of another run need the
 * function, PostgreSQL keeps it. */
static void
remove_function(const struct watched *w, struct connection *c)
{
    (void)w;
    c->driver->query(c, ALONE "; drop function if exists " FUNCTION "()", NULL);
}

const char *
watched_copy(struct watched *w, const char *text)
{
    return arena_copy(&w->arena, text, strlen(text));
}

bool
watched_install(const struct watched *w, struct connection *c, struct err *err)
{
    return w->dialect->install(w, c, err);
}

void
watched_remove(const struct watched *w, struct connection *c)
{
    if (w->dialect) // otherwise nothing was made
        w->dialect->remove(w, c);
}

static void
put_row(struct buf *sql, const struct watched *w, uint32_t table,
        const char *row)
{
    (void)w;
    (void)table;
    buf_printf(sql, "case when %s.tableoid is not null then ", row);
    put_version(sql, row);
    struct buf all = {0};
    buf_printf(&all, "%s.*", row);
    buf_text(sql, " end, ");
    put_values(sql, all.at);
    buf_free(&all);
}

static const char *const places[] = {"ctid", "xmin",     "xmax", "cmin",
                                     "cmax", "tableoid", NULL};

// Other databases with PostgreSQL's protocol name versions of rows otherwise,
// and before release 13 partitioned tables have no triggers before inserts.
// Any more digits than 0 show a floating-point number exactly.
static const char settings[] =
    "select name, case when name <> 'extra_float_digits' or setting::int < 1 "
    "then setting else '1' end, case name when 'session_replication_role' then "
    "'origin' when 'extra_float_digits' then '1' else '' end from pg_settings "
    "where name in ('DateStyle', 'IntervalStyle', 'TimeZone', 'array_nulls', "
    "'bytea_output', 'default_text_search_config', 'extra_float_digits', "
    "'lc_monetary', 'lc_numeric', 'lc_time', 'search_path', "
    "'session_replication_role', 'standard_conforming_strings', "
    "'timezone_abbreviations', 'transform_null_equals', 'xmlbinary', "
    "'xmloption') order by name";

const struct row_dialect row_dialect_postgresql = {
    .scheme = "postgresql",
    .has_writing_with = true,
    .tells_replaced = true,
    .waits_for_rows = true,
    .able = "select 1 from pg_language where lanname = 'plpgsql' and "
            "current_setting('server_version_num')::int >= 130000 and "
            "version() like 'PostgreSQL %' and version() not like '%-YB-%'",
    .begin = "begin isolation level repeatable read",
    .order = "t.tableoid, t.ctid",
    .drop = " cascade",
    .union_part = "",
    .settings = settings,
    .places = places,
    .read = read_tables,
    .install = install,
    .remove = remove_function,
    .put_row = put_row,
    .versions = &row_versions_postgresql,
};
