/* watch_install.c -- make the policies, the triggers and their functions.
 *
 * See watch.h.  The USING expression of a policy has two parts:
 *   - a select without columns of the table, which the server evaluates once
 *     per statement and table: it reports the snapshot of the statement;
 *   - a function with a very high cost, which comes after the conditions of the
 *     statement: it reports the version of the row.
 * Everything is made in one transaction.
 *
 * SPDX-License-Identifier: MIT */
#include "record/plain_role.h"
#include "record/watch.h"

#include <stdio.h>
#include <string.h>

#define RECORDED "current_setting('assay.record', true) = '1'"

/* --- SQL -------------------------------------------------------------------*/

static bool
run(struct connection *c, const char *sql, struct result_rows *out,
    const char *what, struct err *err)
{
    return c->driver->query(c, sql, out) == OUTCOME_OK ||
           err_set(err, ERR_IO, "%s: %s", what, c->message);
}

// clang-format off
/* Values of a row, unless JSON does not keep them exactly. */
#define VALUES(row)                                                            \
    "case when pg_catalog.jsonb_populate_record(" row                          \
    ", pg_catalog.to_jsonb(" row "))::pg_catalog.text = (" row                 \
    ")::pg_catalog.text then "                                                 \
    "pg_catalog.to_jsonb(" row ")::pg_catalog.text else '" WATCHED_INEXACT     \
    "' end"
#define VERSION(row)                                                           \
    "pg_catalog.concat(tg_relid::pg_catalog.int8, ':', " row                   \
    ".ctid, '/', " row ".xmin)"
#define LEVEL "pg_catalog.current_setting('transaction_isolation')"
#define SAY(detail)                                                            \
    "raise info using message = '" DRIVER_NOTICE "', detail = " detail "; "
#define FUNCTION "create function @."
#define LANGUAGE(what) " language plpgsql " what " as $f$ "

// Values are shown in the same way whatever a session has set.
#define SHOWN                                                                  \
    "set timezone = 'UTC' set intervalstyle = 'postgres' set bytea_output = "  \
    "'hex' set extra_float_digits = 1"

// In these texts '@' is the schema of the functions, '~' a table and '#' its
// object id.  The messages; tell.h reads them.
#define SCANS                                                                  \
    "pg_catalog.concat('g ', $1::pg_catalog.int8, ' ', "                       \
    "pg_catalog.pg_current_snapshot(), ' ', " LEVEL ")"
#define SAW                                                                    \
    "pg_catalog.concat($1, ' ', $2::pg_catalog.int8, ':', $3, '/', $4)"
#define WROTE                                                                  \
    "pg_catalog.concat('w ', tg_relid::pg_catalog.int8, ' ', "                 \
    "pg_catalog.pg_current_xact_id(), ' ', sub, ' ', " LEVEL                   \
    ", E'\\n', pg_catalog.left(tg_op, 1))"
#define WITH_ROW(row)                                                          \
    "told := pg_catalog.concat(told, E'\\n', " VERSION(row) ", E'\\n', "       \
    VALUES(row) "); "
#define TRIES                                                                  \
    "pg_catalog.concat('w ', tg_relid::pg_catalog.int8, ' 0 0 ', " LEVEL       \
    ", E'\\nP\\n\\n', " VALUES("new") ")"

#define SHAPE                                                                  \
    "select md5(concat((select concat_ws(' ', relkind, relhasrules, "          \
    "relispartition, relpersistence) from pg_class where oid = $1), "          \
    "(select string_agg(i::text, ',' order by inhrelid) from pg_inherits i "   \
    "where $1 in (inhparent, inhrelid)), (select string_agg(relid::text, ',' " \
    "order by relid) from pg_partition_tree($1)), (select string_agg("         \
    "concat_ws(' ', attnum, attname, atttypid, atttypmod), ',' order by "      \
    "attnum) from pg_attribute where attrelid = $1 and attnum > 0 and not "    \
    "attisdropped), (select string_agg(pg_get_indexdef(indexrelid), ',' "      \
    "order by indexrelid) from pg_index where indrelid = $1 and (indisunique " \
    "or indisexclusion)), (select string_agg(pg_get_constraintdef(oid), ',' "  \
    "order by oid) from pg_constraint where conrelid = $1 and contype <> "      \
    "'f'), (select count(*) from pg_policy where polrelid = $1 and "           \
    "left(polname, 6) <> 'assay_'))) || '-' || md5(concat((select string_agg(" \
    "pg_get_constraintdef(oid), ',' order by oid) from pg_constraint where "   \
    "conrelid = $1 and contype = 'f')))"
#define TABLE                                                                  \
    "pg_catalog.concat('t ', $1::pg_catalog.int8, ' ', "                       \
    "pg_catalog.pg_relation_filenode($1), ' ', @.shape($1), ' ', $2, ' ', "    \
    "$1::pg_catalog.regclass)"
#define ROW                                                                    \
    "pg_catalog.concat('w ', t::pg_catalog.int8, ' ', "                        \
    "pg_catalog.pg_current_xact_id(), ' ', sub, ' ', " LEVEL ", E'\\n', op, "  \
    "E'\\n', r.o::pg_catalog.int8, ':', r.c, '/', r.x, E'\\n', r.v)"

static const char functions[] =
    "create schema @; comment on schema @ is 'made by assay record; ''assay "
    "record --clean'' removes it'; "
    "create table @.assay_marks (mark int); "
    "create table @.assay_nodes (oid oid primary key, node oid); "
    "grant insert, select on @.assay_marks to public; "
    // one per statement and table
    FUNCTION "scans(oid) returns boolean" LANGUAGE("stable")
    "begin " SAY(SCANS) "return true; end$f$; "
    // one per row
    FUNCTION "saw(text, oid, tid, xid) returns boolean"
    LANGUAGE("volatile cost 1000000000")
    "begin " SAY(SAW) "return true; end$f$; "
    // A row that is deleted names its subtransaction, unless others lock it,
    // too; then a row that is written in the same subtransaction does.
    FUNCTION "wrote() returns trigger" LANGUAGE(SHOWN)
    "declare told text; sub xid; begin "
    "if tg_op <> 'DELETE' then sub := new.xmin; "
    "elsif old.xmax::pg_catalog.text::pg_catalog.int8 = "
    "pg_catalog.pg_current_xact_id()::pg_catalog.text::pg_catalog.int8 % "
    "4294967296 then sub := old.xmax; "
    "else insert into @.assay_marks values (0) returning xmin into sub; "
    "end if; told := " WROTE "; "
    "if tg_op <> 'INSERT' then " WITH_ROW("old") "end if; "
    "if tg_op <> 'DELETE' then " WITH_ROW("new") "end if; "
    SAY("told") "return null; end$f$; "
    FUNCTION "tries() returns trigger" LANGUAGE(SHOWN)
    "begin " SAY(TRIES) "return new; end$f$; ";

static const char functions_of_tables[] =
    FUNCTION "shape(oid) returns text language sql stable "
    "set search_path = pg_catalog as $f$ " SHAPE " $f$; "
    // what a table is, after it was made, altered ('m') or emptied ('e')
    FUNCTION "report_table(oid, text) returns void" LANGUAGE("")
    "begin " SAY(TABLE) "return; end$f$; "
    // every row as written by the subtransaction, or as deleted by it
    FUNCTION "report_rows(t oid, op text) returns void" LANGUAGE(SHOWN)
    "declare sub xid; r record; begin "
    "insert into @.assay_marks values (0) returning xmin into sub; "
    "for r in execute pg_catalog.format($q$select assay_t.tableoid o, "
    "assay_t.ctid c, assay_t.xmin x, " VALUES("assay_t") " v from only %s "
    "assay_t$q$, "
    "t::pg_catalog.regclass) loop " SAY(ROW) "end loop; end$f$; "
    FUNCTION "emptied() returns trigger" LANGUAGE("security definer set "
    "search_path = pg_catalog")
    "begin perform set_config('assay.record', '', true); "
    "if tg_when = 'BEFORE' then perform @.report_rows(tg_relid, 'D'); else "
    "perform @.report_table(tg_relid, 'e'); "
    "insert into @.assay_nodes values (tg_relid, "
    "pg_catalog.pg_relation_filenode(tg_relid)) on conflict (oid) do update "
    "set node = excluded.node; end if; "
    "perform set_config('assay.record', '1', true); "
    "return null; end$f$; "
    "grant usage on schema @ to public; "
    "grant execute on all functions in schema @ to public";

/* An expression that is evaluated in recorded sessions only. */
#define GUARD(call) "case when " RECORDED " then " call " else true end"
#define SEEN(letter) GUARD("@.saw('" letter "', tableoid, ctid, xmin)")
#define TRIGGER " on ~ for each row when (" RECORDED ") execute function @."

#define NODES                                                                  \
    "insert into @.assay_nodes values (#, pg_catalog.pg_relation_filenode(#))" \
    " on conflict (oid) do update set node = excluded.node"
#define EMPTY                                                                  \
    " truncate on ~ for each statement when (" RECORDED ") execute function "  \
    "@.emptied(); "

static const char of_policies[] =
    "create policy assay_s on ~ for select using ((select "
    GUARD("@.scans(#::oid)") ") and " SEEN("s") "); "
    "create policy assay_u on ~ for update using (" SEEN("u") ") with check "
    "(true); "
    "create policy assay_d on ~ for delete using (" SEEN("d") "); "
    "create policy assay_i on ~ for insert with check (true); "
    "alter table ~ enable row level security, force row level security; ";

static const char of_table[] =
    "create trigger zz_assay_note after insert or update or delete"
    TRIGGER "wrote(); "
    "create trigger zz_assay_propose before insert" TRIGGER "tries(); "
    "create trigger zz_assay_before before" EMPTY
    "create trigger zz_assay_after after" EMPTY
    "alter table ~ enable always trigger zz_assay_note, "
    "enable always trigger zz_assay_propose, "
    "enable always trigger zz_assay_before, "
    "enable always trigger zz_assay_after; "
    NODES;
// Tables that a recorded session makes are watched from the start.  Those that
// it alters stay watched, and if all rows are written anew, that is reported.
// '`' stands for the text of a new table.
static const char of_new_tables[] =
    FUNCTION "made() returns event_trigger" LANGUAGE("security definer set "
    "search_path = pg_catalog")
    "declare r record; sql text; begin "
    "if coalesce(current_setting('assay.record', true), '') <> '1' or "
    "coalesce(current_setting('assay.run', true), '') not in ('', '@') then "
    "return; end if; "
    "perform set_config('assay.record', '', true); "
    "for r in select distinct c.oid o, exists (select 1 from pg_policy p where "
    "p.polrelid = c.oid and p.polname = 'assay_s') old, c.relrowsecurity or "
    "c.relforcerowsecurity or c.relhasrules or exists (select 1 from pg_policy "
    "p where p.polrelid = c.oid) or exists (select 1 from pg_inherits i where "
    "c.oid in (inhparent, inhrelid)) other, pg_relation_filenode(c.oid) is "
    "distinct from (select node from @.assay_nodes n where n.oid = c.oid) "
    "anew, not (c.relrowsecurity and c.relforcerowsecurity) or exists (select "
    "1 from pg_trigger g where g.tgrelid = c.oid and left(tgname, 9) = "
    "'zz_assay_' and tgenabled <> 'A') broken "
    "from pg_event_trigger_ddl_commands() d join pg_class c on c.oid = "
    "coalesce((select indrelid from pg_index i where i.indexrelid = d.objid), "
    "d.objid) join pg_namespace n on n.oid = c.relnamespace where d.classid = "
    "'pg_class'::regclass and c.relkind = 'r' and c.relpersistence <> 't' and "
    "left(n.nspname, 3) <> 'pg_' and left(n.nspname, 5) <> 'assay' and "
    "n.nspname <> 'information_schema' loop "
    "if r.old then if r.broken then "
    "execute format('alter table %s enable row level security, force row level "
    "security, enable always trigger zz_assay_note, enable always trigger "
    "zz_assay_propose, enable always trigger zz_assay_before, enable always "
    "trigger zz_assay_after', r.o::regclass); end if; "
    "elsif r.other or tg_tag not like 'CREATE %' and tg_tag <> 'SELECT INTO' "
    "then continue; "
    "else "
    "sql := $sql$`$sql$; "
    "execute replace(replace(sql, chr(126), r.o::regclass::text), chr(35), "
    "r.o::text); end if; "
    "perform @.report_table(r.o, 'm'); "
    "if r.anew then perform @.report_rows(r.o, 'I'); "
    "insert into @.assay_nodes values (r.o, pg_relation_filenode(r.o)) on "
    "conflict (oid) do update set node = excluded.node; end if; "
    "end loop; "
    "perform set_config('assay.record', '1', true); end$f$; "
    "do $do$ begin if current_setting('is_superuser') = 'on' then "
    "create event trigger @ on ddl_command_end when tag in ('CREATE TABLE', "
    "'CREATE TABLE AS', 'SELECT INTO', 'ALTER TABLE', 'CREATE INDEX', 'CREATE "
    "SCHEMA') execute function @.made(); end if; end $do$";

// clang-format on

/* Append a text of the kind above. */
static void
put_text(struct buf *sql, const char *text, const char *schema,
         const char *table, const char *oid)
{
    for (const char *at = text; *at; at++) {
        const size_t n = strcspn(at, "@~#");
        buf_add(sql, at, n);
        at += n;
        if (!*at)
            break;
        buf_text(sql, *at == '@' ? schema : *at == '~' ? table : oid);
    }
}

/* --- installing ------------------------------------------------------------*/

static const char trial[] =
    "set local assay.record = '1'; create temporary table assay_trial (v int) "
    "on commit drop; create trigger zz_assay_note after insert on assay_trial "
    "for each row when (" RECORDED ") execute function @.wrote(); insert into "
    "assay_trial values (1); select @.scans(0), @.saw('s', 0, '(0,1)', '1'); "
    "reset assay.record";

/* Append what watches new tables. */
static void
put_new_tables(struct buf *sql, const char *schema)
{
    struct buf table = {0};
    const char *mark = strchr(of_new_tables, '`');
    char before[sizeof of_new_tables];
    snprintf(before, sizeof before, "%.*s", (int)(mark - of_new_tables),
             of_new_tables);
    put_text(&table, of_policies, schema, "~", "#");
    put_text(&table, of_table, schema, "~", "#");
    put_text(sql, before, schema, "", "");
    buf_text(sql, table.at);
    put_text(sql, mark + 1, schema, "", "");
    buf_free(&table);
}

/* Make the functions, and see whether they report what is expected, on a table
 * of our own. */
static bool
make_functions(struct record_watch *w, struct err *err)
{
    struct buf told = {0}, sql = {0};
    put_text(&sql, functions, w->schema, "", "");
    put_text(&sql, functions_of_tables, w->schema, "", "");
    buf_text(&sql, "; ");
    put_new_tables(&sql, w->schema);
    bool ok = run(w->admin, sql.at, NULL, "cannot make a schema", err);
    buf_clear(&sql);
    put_text(&sql, trial, w->schema, "", "");
    w->admin->notices = &told;
    ok = ok && run(w->admin, sql.at, NULL,
                   "the functions that report rows fail", err);
    w->admin->notices = NULL;
    size_t n = 0;
    for (size_t i = 0; i < told.n; i++)
        n += !told.at[i];
    buf_free(&told);
    buf_free(&sql);
    return ok && (n == 3 || err_set(err, ERR_IO,
                                    "the functions that report rows reported "
                                    "%zu times, expected 3",
                                    n));
}

/* Note a table or a part of one: its file, its shape, and its name. */
static bool
note_table(struct record_watch *w, const char *oid, const char *what,
           struct buf *out, struct err *err)
{
    struct result_rows r = {0};
    struct buf sql = {0};
    buf_printf(&sql,
               "select coalesce(pg_relation_filenode(%s), 0), %s.shape(%s), "
               "%s::regclass",
               oid, w->schema, oid, oid);
    const bool ok = run(w->admin, sql.at, &r, "cannot read the catalog", err);
    if (ok)
        buf_printf(out, "%s %s %s %s\n", what, result_rows_get(&r, 0, 0),
                   result_rows_get(&r, 0, 1), result_rows_get(&r, 0, 2));
    buf_free(&sql);
    result_rows_free(&r);
    return ok;
}

/* Note what the end is compared with. */
static bool
note_beginning(struct record_watch *w, struct buf *out, struct err *err)
{
    struct result_rows r = {0};
    char what[100];
    bool ok = run(w->admin, "select pg_current_snapshot()", &r,
                  "cannot read the snapshot", err);
    if (ok)
        buf_printf(out, "snapshot %s\n", result_rows_get(&r, 0, 0));
    for (uint32_t i = 0; ok && i < w->watched.tables.n; i++) {
        if (w->watched.tables.at[i].refusal)
            continue;
        snprintf(what, sizeof what, "table %.20s", w->oids.at[i]);
        ok = note_table(w, w->oids.at[i], what, out, err);
    }
    for (size_t i = 0; ok && i < w->parts.n; i++) {
        const struct watch_part *part = &w->parts.at[i];
        char oid[24];
        snprintf(oid, sizeof oid, "%u", part->oid);
        snprintf(what, sizeof what, "part %u %.20s", part->oid,
                 w->oids.at[part->table]);
        ok = note_table(w, oid, what, out, err);
    }
    if (ok && w->unwatched.n)
        buf_printf(out, "unwatched %s\n", w->unwatched.at);
    result_rows_free(&r);
    return ok;
}

static bool
install_table(struct record_watch *w, const char *name, const char *oid,
              bool has_rows, struct err *err)
{
    struct buf sql = {0};
    char what[200];
    snprintf(what, sizeof what, "cannot watch table %.100s", name);
    put_text(&sql, of_policies, w->schema, name, oid);
    if (has_rows)
        put_text(&sql, of_table, w->schema, name, oid);
    const bool ok = run(w->admin, sql.at, NULL, what, err);
    buf_free(&sql);
    return ok;
}

static bool
install_tables(struct record_watch *w, struct err *err)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < w->watched.tables.n; i++) {
        const struct watched_table *t = &w->watched.tables.at[i];
        if (!t->refusal)
            ok = install_table(w, t->name, w->oids.at[i], !t->is_partitioned,
                               err);
    }
    for (size_t i = 0; ok && i < w->parts.n; i++) {
        char oid[24];
        snprintf(oid, sizeof oid, "%u", w->parts.at[i].oid);
        ok = install_table(w, w->parts.at[i].name, oid, w->parts.at[i].has_rows,
                           err);
    }
    return ok;
}

/* Begin what is done as a whole; end it. */
static bool
begin(struct record_watch *w, struct err *err)
{
    return run(w->admin, "begin", NULL, "cannot begin", err) &&
           run(w->admin, "set local lock_timeout = '5s'", NULL, "cannot set",
               err);
}

static bool
commit(struct record_watch *w, bool ok, struct err *err)
{
    ok = ok && run(w->admin, "commit", NULL, "cannot install", err);
    if (!ok)
        w->admin->driver->query(w->admin, "rollback", NULL);
    return ok;
}

bool
watch_install(struct record_watch *w, struct buf *beginning, struct err *err)
{
    size_t found;
    return watch_clean(w->admin, &found, err) &&
           commit(
               w,
               begin(w, err) && make_functions(w, err) &&
                   (!w->has_plain_role || plain_role_install(w->admin, err)) &&
                   install_tables(w, err),
               err) &&
           note_beginning(w, beginning, err);
}

bool
watch_make_functions(struct connection *admin, const char *schema,
                     struct err *err)
{
    struct record_watch w = {.admin = admin};
    snprintf(w.schema, sizeof w.schema, "%s", schema);
    return commit(&w, begin(&w, err) && make_functions(&w, err), err);
}

bool
watch_install_tables(struct record_watch *w, struct buf *beginning,
                     struct err *err)
{
    return commit(w, begin(w, err) && install_tables(w, err), err) &&
           note_beginning(w, beginning, err);
}
