/* watch.c -- see watch.h.
 *
 * The USING expression of a policy has two parts:
 *   - a select without columns of the table, which the server evaluates once
 *     per statement and table: it reports the snapshot of the statement;
 *   - a function with a very high cost, which comes after the conditions of the
 *     statement: it reports the version of the row.
 *
 * Invariants:
 *   (1) a table with row security, policies or rules of its own is refused, so
 *       undoing needs no memory of what was there;
 *   (2) everything is installed in one transaction, and removed in one;
 *   (3) schema "assay" is only dropped if its comment says that it is ours.
 *
 * SPDX-License-Identifier: MIT */
#include "record/watch.h"

#include <stdio.h>
#include <stdlib.h>
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

// The messages; tell.h reads them.
static const char functions[] =
    "create schema assay; "
    "comment on schema assay is "
    "'made by assay record; ''assay record "
    "--clean'' removes it'; "
    "create function assay.scans(oid) returns boolean language plpgsql stable "
    "as $f$begin raise info using message = '" DRIVER_NOTICE "', detail = "
    "pg_catalog.concat('g ', $1::pg_catalog.int8, ' ', "
    "pg_catalog.pg_current_snapshot(), ' ', " LEVEL "); return true; end$f$; "
    "create function assay.saw(text, oid, tid, xid) returns boolean language "
    "plpgsql volatile cost 1000000000 as $f$begin raise info using message = "
    "'" DRIVER_NOTICE "', detail = pg_catalog.concat($1, ' ', "
    "$2::pg_catalog.int8, ':', $3, '/', $4); return true; end$f$; "
    "create function assay.wrote() returns trigger language plpgsql as $f$\n"
    "declare told text := pg_catalog.concat('w ', tg_relid::pg_catalog.int8,\n"
    "  ' ', pg_catalog.pg_current_xact_id(), ' ', case tg_op when 'DELETE'\n"
    "  then old.xmax else new.xmin end, ' ', " LEVEL ", E'\\n',\n"
    "  pg_catalog.left(tg_op, 1));\n"
    "begin\n"
    "  if tg_op <> 'INSERT' then\n"
    "    told := pg_catalog.concat(told, E'\\n', " VERSION(
        "old") ", E'\\n',\n"
               "      " VALUES(
                   "old") ");\n"
                          "  end if;\n"
                          "  if tg_op <> 'DELETE' then\n"
                          "    told := pg_catalog.concat(told, "
                          "E'\\n', " VERSION(
                              "new") ", E'\\n',\n"
                                     "      " VALUES(
                                         "new") ");\n"
                                                "  end if;\n"
                                                "  raise info using message = "
                                                "'" DRIVER_NOTICE
                                                "', detail = told;\n"
                                                "  return null;\n"
                                                "end $f$; "
                                                "create function assay.tries() "
                                                "returns trigger language "
                                                "plpgsql as $f$\n"
                                                "begin\n"
                                                "  raise info using message = "
                                                "'" DRIVER_NOTICE
                                                "', detail =\n"
                                                "    pg_catalog.concat('w ', "
                                                "tg_relid::pg_catalog.int8, ' "
                                                "0 0 ', " LEVEL ",\n      "
                                                "E'\\nP\\n\\n', " VALUES(
                                                    "new") ");\n"
                                                           "  return new;\n"
                                                           "end $f$; "
                                                           "grant usage on "
                                                           "schema assay to "
                                                           "public; "
                                                           "grant execute on "
                                                           "all functions in "
                                                           "schema assay to "
                                                           "public";

/* An expression that is evaluated in recorded sessions only. */
#define GUARD(call) "case when " RECORDED " then " call " else true end"
#define SEEN(letter) GUARD("assay.saw('" letter "', tableoid, ctid, xmin)")
#define TRIGGER " for each row when (" RECORDED ") execute function assay."

static void
put_install(struct buf *sql, const char *table, const char *oid)
{
    buf_printf(
        sql,
        "create policy assay_s on %s for select using ((select " GUARD(
            "assay.scans(%s::oid)") ") and " SEEN("s") "); "
                                                       "create policy assay_u "
                                                       "on %s for update using "
                                                       "(" SEEN(
                                                           "u") ") with check "
                                                                "(true); "
                                                                "create policy "
                                                                "assay_d on %s "
                                                                "for delete "
                                                                "using (" SEEN(
                                                                    "d") "); "
                                                                         "creat"
                                                                         "e "
                                                                         "polic"
                                                                         "y "
                                                                         "assay"
                                                                         "_i "
                                                                         "on "
                                                                         "%s "
                                                                         "for "
                                                                         "inser"
                                                                         "t "
                                                                         "with "
                                                                         "check"
                                                                         " ("
                                                                         "true)"
                                                                         "; "
                                                                         "alter"
                                                                         " tabl"
                                                                         "e %s "
                                                                         "enabl"
                                                                         "e "
                                                                         "row "
                                                                         "level"
                                                                         " secu"
                                                                         "rity;"
                                                                         " "
                                                                         "alter"
                                                                         " tabl"
                                                                         "e %s "
                                                                         "force"
                                                                         " row "
                                                                         "level"
                                                                         " secu"
                                                                         "rity;"
                                                                         " ",
        table, oid, table, table, table, table, table);
    buf_printf(sql,
               "create trigger zz_assay_note after insert or update or delete "
               "on %s" TRIGGER "wrote(); "
               "create trigger zz_assay_propose before insert on %s" TRIGGER
               "tries(); "
               "alter table %s enable always trigger zz_assay_note, "
               "enable always trigger zz_assay_propose; ",
               table, table, table);
}

/* --- what is refused -------------------------------------------------------*/

// Objects through which a plain role reads tables with the rights of one to
// whom row security does not apply.
static const char bypassing[] =
    "select 'view ' || c.oid::regclass || ' belongs to ' || r.rolname || ', to "
    "whom row security does not apply, so what it reads is not reported: "
    "''alter view ' || c.oid::regclass || ' set (security_invoker)'' from "
    "PostgreSQL 15 on, or give it a plain owner' from pg_class c join pg_roles "
    "r on r.oid = c.relowner join pg_namespace n on n.oid = c.relnamespace "
    "where c.relkind = 'v' and (r.rolsuper or r.rolbypassrls) and n.nspname "
    "!~ '^pg_' and n.nspname not in ('information_schema', 'assay') and "
    "coalesce(array_to_string(c.reloptions, ','), '') !~ "
    "'security_invoker=(true|on|1)' and exists (select 1 from pg_rewrite w "
    "join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = "
    "w.oid and d.refclassid = 'pg_class'::regclass join pg_class t on t.oid = "
    "d.refobjid join pg_namespace m on m.oid = t.relnamespace where w.ev_class "
    "= c.oid and t.oid <> c.oid and m.nspname !~ '^pg_' and m.nspname <> "
    "'information_schema') "
    "union all select 'function ' || p.oid::regprocedure || ' is SECURITY "
    "DEFINER and belongs to ' || r.rolname || ', to whom row security does not "
    "apply, so what it reads is not reported: give it a plain owner' from "
    "pg_proc p join pg_roles r on r.oid = p.proowner join pg_namespace n on "
    "n.oid = p.pronamespace where p.prosecdef and (r.rolsuper or "
    "r.rolbypassrls) and n.nspname !~ '^pg_' and n.nspname not in "
    "('information_schema', 'assay') limit 1";

// Functions that may change to a superuser and back, which no message tells.
static const char role_changing[] =
    "select 'function ' || p.oid::regprocedure || ' sets a role, so what it "
    "reads may not be reported: leave it out while you record' from pg_proc p "
    "join pg_namespace n on n.oid = p.pronamespace where n.nspname !~ '^pg_' "
    "and n.nspname not in ('information_schema', 'assay') and (exists (select "
    "1 from unnest(p.proconfig) s where s ~* '^(role|session_auth)') or "
    "p.prosrc ~* '\\mset\\s+(local\\s+|session\\s+)?(role|session\\s+"
    "authorization)\\M' or p.prosrc ~* 'set_config\\s*\\(\\s*''(role|"
    "session_auth)') limit 1";

static const char policies_query[] =
    "select c.oid, exists (select 1 from pg_policy p where p.polrelid = c.oid)"
    "::int, (c.relrowsecurity or c.relforcerowsecurity)::int from pg_class c "
    "where c.relkind in ('r', 'p')";

static bool
is_listed(const char *list, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += n)
        if ((at == list || at[-1] == ',') && (!at[n] || at[n] == ','))
            return true;
    return false;
}

/* Why a table cannot be watched, or NULL. */
static const char *
why_not(const struct watched_table *t, bool has_policies)
{
    if (has_policies)
        return "it has row security of its own";
    if (t->is_partitioned)
        return "it is partitioned, and INSERT ... RETURNING would fail";
    return t->refusal;
}

static bool
is_view(const struct watched_table *t)
{
    return t->refusal && strcmp(t->refusal, "it is a view") == 0;
}

static bool
is_temporary(const struct watched_table *t)
{
    return t->refusal && strcmp(t->refusal, "it is temporary") == 0;
}

/* Decide on a table: watch it, leave it out, or fail. */
static bool
decide(struct record_watch *w, uint32_t i, const char *only, bool has_policies,
       struct err *err)
{
    struct watched_table *t = &w->watched.tables.at[i];
    const char *why = why_not(t, has_policies);
    if (only && !is_listed(only, t->name))
        t->refusal = "it is not among --tables";
    else if (why && !is_view(t) && !is_temporary(t))
        return err_set(err, ERR_USAGE,
                       "table %s cannot be recorded: %s; --tables names those "
                       "that are to be recorded",
                       t->name, why);
    if (t->refusal && !is_temporary(t) && strcmp(t->schema, "assay") != 0)
        buf_printf(&w->unwatched, "%s%s", w->unwatched.n ? ", " : "", t->name);
    return true;
}

static bool
has_policies(const struct result_rows *r, const char *oid)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(result_rows_get(r, i, 0), oid) == 0)
            return *result_rows_get(r, i, 1) == '1' ||
                   *result_rows_get(r, i, 2) == '1';
    return false;
}

static bool
read_oids(struct record_watch *w, struct err *err)
{
    struct result_rows r = {0};
    struct buf sql = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < w->watched.tables.n; i++) {
        buf_clear(&sql);
        buf_text(&sql,
                 "select c.oid, c.relkind from pg_class c where c.oid = ");
        watched_put_literal(&sql, w->watched.tables.at[i].name);
        buf_text(&sql, "::regclass");
        ok = run(w->admin, sql.at, &r, "cannot read the catalog", err);
        vec_push(&w->oids,
                 watched_copy(&w->watched, result_rows_get(&r, 0, 0)));
        vec_push(&w->kinds, *result_rows_get(&r, 0, 1));
    }
    buf_free(&sql);
    result_rows_free(&r);
    return ok;
}

/* The tables that watched_read found; views are not tables, and are read
 * through the tables behind them. */
static bool
decide_all(struct record_watch *w, const char *only, struct err *err)
{
    struct result_rows r = {0};
    bool ok = run(w->admin, policies_query, &r, "cannot read the catalog", err);
    for (uint32_t i = 0; ok && i < w->watched.tables.n; i++)
        if (w->kinds.at[i] != 'v')
            ok = decide(w, i, only, has_policies(&r, w->oids.at[i]), err);
    result_rows_free(&r);
    return ok;
}

static bool
refuse_if_any(struct connection *c, const char *query, struct err *err)
{
    struct result_rows r = {0};
    bool ok = run(c, query, &r, "cannot read the catalog", err);
    if (ok && r.n)
        ok = err_set(err, ERR_USAGE, "%s", result_rows_get(&r, 0, 0));
    result_rows_free(&r);
    return ok;
}

bool
watch_read(struct record_watch *w, struct connection *admin, const char *only,
           struct err *err)
{
    *w = (struct record_watch){.admin = admin};
    if (!watched_read(admin, NULL, &w->watched, err))
        return false;
    if (plain_role_is_possible(admin, &w->has_plain_role, err) &&
        refuse_if_any(admin, role_changing, err) &&
        (w->has_plain_role || refuse_if_any(admin, bypassing, err)) &&
        read_oids(w, err) && decide_all(w, only, err))
        return true;
    watch_free(w);
    return false;
}

bool
watch_read_again(struct record_watch *w, struct connection *admin,
                 const char *beginning, struct err *err)
{
    *w = (struct record_watch){.admin = admin};
    if (!watched_read(admin, NULL, &w->watched, err))
        return false;
    if (!read_oids(w, err)) {
        watch_free(w);
        return false;
    }
    for (uint32_t i = 0; i < w->watched.tables.n; i++) {
        char start[64];
        snprintf(start, sizeof start, "table %.20s ", w->oids.at[i]);
        w->watched.tables.at[i].refusal =
            strstr(beginning, start) ? NULL : "it was not watched";
    }
    const char *unwatched = strstr(beginning, "unwatched ");
    if (unwatched)
        buf_add(&w->unwatched, unwatched + 10, strcspn(unwatched + 10, "\n"));
    return true;
}

/* --- installing ------------------------------------------------------------*/

/* See whether the functions report what is expected, on a table of our own. */
static bool
try_functions(struct connection *c, struct err *err)
{
    struct buf told = {0};
    c->notices = &told;
    bool ok = run(c,
                  "set local assay.record = '1'; create temporary table "
                  "assay_trial (v int) on commit drop; create trigger "
                  "zz_assay_note after insert on assay_trial for each row when "
                  "(" RECORDED ") execute function assay.wrote(); insert into "
                  "assay_trial values (1); select assay.scans(0), "
                  "assay.saw('s', 0, '(0,1)', '1'); reset assay.record",
                  NULL, "the functions that report rows fail", err);
    c->notices = NULL;
    size_t n = 0;
    for (size_t i = 0; i < told.n; i++)
        n += !told.at[i];
    buf_free(&told);
    return ok && (n == 3 || err_set(err, ERR_IO,
                                    "the functions that report rows reported "
                                    "%zu times, expected 3",
                                    n));
}

/* Note what has to be the same in the end. */
static bool
note_beginning(struct record_watch *w, struct buf *out, struct err *err)
{
    struct result_rows r = {0};
    bool ok = run(w->admin, "select pg_current_snapshot()", &r,
                  "cannot read the snapshot", err);
    if (ok)
        buf_printf(out, "snapshot %s\n", result_rows_get(&r, 0, 0));
    for (uint32_t i = 0; ok && i < w->watched.tables.n; i++) {
        if (w->watched.tables.at[i].refusal)
            continue;
        char sql[100];
        snprintf(sql, sizeof sql, "select pg_relation_filenode(%.20s)",
                 w->oids.at[i]);
        ok = run(w->admin, sql, &r, "cannot read the catalog", err);
        if (ok)
            buf_printf(out, "table %s %s\n", w->oids.at[i],
                       result_rows_get(&r, 0, 0));
    }
    if (ok && w->unwatched.n)
        buf_printf(out, "unwatched %s\n", w->unwatched.at);
    result_rows_free(&r);
    return ok;
}

static bool
install_tables(struct record_watch *w, struct err *err)
{
    bool ok = true;
    struct buf sql = {0};
    for (uint32_t i = 0; ok && i < w->watched.tables.n; i++) {
        const struct watched_table *t = &w->watched.tables.at[i];
        if (t->refusal)
            continue;
        char what[200];
        snprintf(what, sizeof what, "cannot watch table %.100s", t->name);
        buf_clear(&sql);
        put_install(&sql, t->name, w->oids.at[i]);
        ok = run(w->admin, sql.at, NULL, what, err);
    }
    buf_free(&sql);
    return ok;
}

bool
watch_install(struct record_watch *w, struct buf *beginning, struct err *err)
{
    struct connection *c = w->admin;
    size_t found;
    bool ok =
        watch_clean(c, &found, err) &&
        run(c, "begin", NULL, "cannot begin", err) &&
        run(c, "set local lock_timeout = '5s'", NULL, "cannot set", err) &&
        run(c, functions, NULL, "cannot make schema assay", err) &&
        try_functions(c, err) &&
        (!w->has_plain_role || plain_role_install(c, err)) &&
        install_tables(w, err) && run(c, "commit", NULL, "cannot install", err);
    if (!ok)
        c->driver->query(c, "rollback", NULL);
    return ok && note_beginning(w, beginning, err);
}

/* --- the end ---------------------------------------------------------------*/

static const char state_query[] =
    "select c.oid, pg_relation_filenode(c.oid), c.relrowsecurity and "
    "c.relforcerowsecurity and (select count(*) from pg_policy p where "
    "p.polrelid = c.oid and p.polname ~ '^assay_') = 4 and (select count(*) "
    "from pg_trigger t where t.tgrelid = c.oid and t.tgname ~ '^zz_assay_' and "
    "t.tgenabled = 'A') = 2, c.oid::regclass from pg_class c join pg_namespace "
    "n on n.oid = c.relnamespace where c.relkind in ('r', 'p', 'm', 'f') and "
    "n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'assay') "
    "and c.relpersistence <> 't'";

/* Check one row of the state against the lines of the beginning. */
static bool
check_table(struct record_watch *w, const struct result_rows *r, size_t i,
            const char *beginning, struct err *err)
{
    const char *oid = result_rows_get(r, i, 0);
    const char *name = result_rows_get(r, i, 3);
    char start[64], line[128];
    snprintf(start, sizeof start, "table %.20s ", oid);
    snprintf(line, sizeof line, "table %.20s %.20s\n", oid,
             result_rows_get(r, i, 1));
    const char *at = strstr(beginning, start);
    if (!at) {
        if (!w->unwatched.n || !strstr(w->unwatched.at, name))
            buf_printf(&w->unwatched, "%s%s", w->unwatched.n ? ", " : "", name);
        return true;
    }
    if (strncmp(at, line, strlen(line)) != 0)
        return err_set(err, ERR_FEATURE,
                       "table %s was emptied or rewritten while it was "
                       "recorded (TRUNCATE, ALTER TABLE, CLUSTER, VACUUM "
                       "FULL), so its versions have other names now",
                       name);
    return *result_rows_get(r, i, 2) == 't' ||
           err_set(err, ERR_FEATURE,
                   "the policies or triggers of table %s were changed while it "
                   "was recorded",
                   name);
}

static size_t
count(const char *text, const char *start)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, start)); at++)
        n++;
    return n;
}

bool
watch_check_end(struct record_watch *w, const char *beginning, struct err *err)
{
    struct result_rows r = {0};
    size_t known = 0;
    bool ok = run(w->admin, state_query, &r, "cannot read the catalog", err);
    for (size_t i = 0; ok && i < r.n; i++) {
        char start[64];
        snprintf(start, sizeof start, "table %.20s ",
                 result_rows_get(&r, i, 0));
        known += strstr(beginning, start) != NULL;
        ok = check_table(w, &r, i, beginning, err);
    }
    if (ok && known != count(beginning, "table "))
        ok = err_set(err, ERR_FEATURE,
                     "a table was dropped while it was recorded");
    result_rows_free(&r);
    return ok;
}

void
watch_free(struct record_watch *w)
{
    watched_free(&w->watched);
    vec_free(&w->oids);
    vec_free(&w->kinds);
    buf_free(&w->unwatched);
    *w = (struct record_watch){0};
}
