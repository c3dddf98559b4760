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

#include "record/words.h"

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
#define SAY(detail)                                                            \
    "raise info using message = '" DRIVER_NOTICE "', detail = " detail "; "
#define FUNCTION "create function @."
#define LANGUAGE(what) " language plpgsql " what " as $f$ "

// In these texts '@' is the schema of the functions, '~' a table and '#' its
// object id.  The messages; tell.h reads them.
#define SCANS                                                                  \
    "pg_catalog.concat('g ', $1::pg_catalog.int8, ' ', "                       \
    "pg_catalog.pg_current_snapshot(), ' ', " LEVEL ")"
#define SAW                                                                    \
    "pg_catalog.concat($1, ' ', $2::pg_catalog.int8, ':', $3, '/', $4)"
#define WROTE                                                                  \
    "pg_catalog.concat('w ', tg_relid::pg_catalog.int8, ' ', "                 \
    "pg_catalog.pg_current_xact_id(), ' ', case tg_op when 'DELETE' then "     \
    "old.xmax else new.xmin end, ' ', " LEVEL                                  \
    ", E'\\n', pg_catalog.left(tg_op, 1))"
#define WITH_ROW(row)                                                          \
    "told := pg_catalog.concat(told, E'\\n', " VERSION(row) ", E'\\n', "       \
    VALUES(row) "); "
#define TRIES                                                                  \
    "pg_catalog.concat('w ', tg_relid::pg_catalog.int8, ' 0 0 ', " LEVEL       \
    ", E'\\nP\\n\\n', " VALUES("new") ")"

static const char functions[] =
    "create schema @; comment on schema @ is 'made by assay record; ''assay "
    "record --clean'' removes it'; "
    // one per statement and table
    FUNCTION "scans(oid) returns boolean" LANGUAGE("stable")
    "begin " SAY(SCANS) "return true; end$f$; "
    // one per row
    FUNCTION "saw(text, oid, tid, xid) returns boolean"
    LANGUAGE("volatile cost 1000000000")
    "begin " SAY(SAW) "return true; end$f$; "
    FUNCTION "wrote() returns trigger" LANGUAGE("")
    "declare told text := " WROTE "; begin "
    "if tg_op <> 'INSERT' then " WITH_ROW("old") "end if; "
    "if tg_op <> 'DELETE' then " WITH_ROW("new") "end if; "
    SAY("told") "return null; end$f$; "
    FUNCTION "tries() returns trigger" LANGUAGE("")
    "begin " SAY(TRIES) "return new; end$f$; "
    "grant usage on schema @ to public; "
    "grant execute on all functions in schema @ to public";

/* An expression that is evaluated in recorded sessions only. */
#define GUARD(call) "case when " RECORDED " then " call " else true end"
#define SEEN(letter) GUARD("@.saw('" letter "', tableoid, ctid, xmin)")
#define TRIGGER " on ~ for each row when (" RECORDED ") execute function @."

static const char of_table[] =
    "create policy assay_s on ~ for select using ((select "
    GUARD("@.scans(#::oid)") ") and " SEEN("s") "); "
    "create policy assay_u on ~ for update using (" SEEN("u") ") with check "
    "(true); "
    "create policy assay_d on ~ for delete using (" SEEN("d") "); "
    "create policy assay_i on ~ for insert with check (true); "
    "alter table ~ enable row level security, force row level security; "
    "create trigger zz_assay_note after insert or update or delete"
    TRIGGER "wrote(); "
    "create trigger zz_assay_propose before insert" TRIGGER "tries(); "
    "alter table ~ enable always trigger zz_assay_note, "
    "enable always trigger zz_assay_propose";

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

/* --- what is refused -------------------------------------------------------*/

// Objects through which a plain role reads tables with the rights of one to
// whom row security does not apply.
static const char bypassing[] =
    "select c.relname, 'view ' || c.oid::regclass || ' belongs to ' || r.rolname || ', to "
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
    "union all select p.proname, 'function ' || p.oid::regprocedure || ' is SECURITY "
    "DEFINER and belongs to ' || r.rolname || ', to whom row security does not "
    "apply, so what it reads is not reported: give it a plain owner' from "
    "pg_proc p join pg_roles r on r.oid = p.proowner join pg_namespace n on "
    "n.oid = p.pronamespace where p.prosecdef and (r.rolsuper or "
    "r.rolbypassrls) and n.nspname !~ '^pg_' and n.nspname not in "
    "('information_schema', 'assay')";

// Functions that may change to a superuser and back, which no message tells.
static const char role_changing[] =
    "select p.proname, 'function ' || p.oid::regprocedure || ' sets a role, so what it "
    "reads may not be reported: leave it out while you record' from pg_proc p "
    "join pg_namespace n on n.oid = p.pronamespace where n.nspname !~ '^pg_' "
    "and n.nspname not in ('information_schema', 'assay') and (exists (select "
    "1 from unnest(p.proconfig) s where s ~* '^(role|session_auth)') or "
    "p.prosrc ~* '\\mset\\s+(local\\s+|session\\s+)?(role|session\\s+"
    "authorization)\\M' or p.prosrc ~* 'set_config\\s*\\(\\s*''(role|"
    "session_auth)')";

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
        ok = err_set(err, ERR_USAGE, "%s", result_rows_get(&r, 0, 1));
    result_rows_free(&r);
    return ok;
}

bool
watch_read(struct record_watch *w, struct connection *admin, const char *only,
           struct err *err)
{
    *w = (struct record_watch){.admin = admin, .schema = "assay"};
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

/* Note that something is not watched, if a text names it. */
static void
note_unwatched(struct record_watch *w, const char *name, const char *shown,
               const char *text)
{
    if (words_has(text, name))
        buf_printf(&w->unwatched, "%s%s", w->unwatched.n ? ", " : "", shown);
}

/* Give what reads with the rights of others to a role to which row security
 * applies. */
static bool
give_away(struct record_watch *w, const struct watched *made, const char *owner,
          struct err *err)
{
    struct buf sql = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < w->watched.tables.n; i++) {
        const struct watched_table *t = &w->watched.tables.at[i];
        if (!strchr("vm", w->kinds.at[i]) ||
            !watched_has(made, t->schema, t->relation))
            continue;
        buf_clear(&sql);
        buf_printf(&sql, "alter %sview %s owner to \"%s\"",
                   w->kinds.at[i] == 'm' ? "materialized " : "", t->name,
                   owner);
        ok = run(w->admin, sql.at, NULL, "cannot give away a view", err);
    }
    buf_free(&sql);
    return ok;
}

/* Tables of others are not watched, nor are those that cannot be. */
static bool
decide_made(struct record_watch *w, const struct watched *made,
            const char *text, struct err *err)
{
    struct result_rows r = {0};
    bool ok = run(w->admin, policies_query, &r, "cannot read the catalog", err);
    for (uint32_t i = 0; ok && i < w->watched.tables.n; i++) {
        struct watched_table *t = &w->watched.tables.at[i];
        const bool is_ours = watched_has(made, t->schema, t->relation);
        if (w->kinds.at[i] == 'v')
            continue;
        t->refusal = is_ours ? why_not(t, has_policies(&r, w->oids.at[i]))
                             : "it is not of the setup";
        if (is_ours && t->refusal && !is_temporary(t))
            buf_printf(&w->unwatched, "%s%s", w->unwatched.n ? ", " : "",
                       t->name);
        else if (!is_ours)
            note_unwatched(w, t->relation, t->name, text);
    }
    static const char *const queries[] = {bypassing, role_changing};
    for (size_t q = 0; ok && q < 2; q++) {
        ok = run(w->admin, queries[q], &r, "cannot read the catalog", err);
        for (size_t i = 0; ok && i < r.n; i++)
            note_unwatched(w, result_rows_get(&r, i, 0),
                           result_rows_get(&r, i, 0), text);
    }
    result_rows_free(&r);
    return ok;
}

bool
watch_read_made(struct record_watch *w, struct connection *admin,
                const struct watch_made *m, struct err *err)
{
    *w = (struct record_watch){.admin = admin, .text = m->text};
    snprintf(w->schema, sizeof w->schema, "%s", m->schema);
    if (!watched_read(admin, NULL, &w->watched, err))
        return false;
    if (read_oids(w, err) &&
        (!*m->owner || give_away(w, m->made, m->owner, err)) &&
        decide_made(w, m->made, m->text, err))
        return true;
    watch_free(w);
    return false;
}

bool
watch_read_again(struct record_watch *w, struct connection *admin,
                 const char *beginning, struct err *err)
{
    *w = (struct record_watch){.admin = admin, .schema = "assay"};
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

static const char trial[] =
    "set local assay.record = '1'; create temporary table assay_trial (v int) "
    "on commit drop; create trigger zz_assay_note after insert on assay_trial "
    "for each row when (" RECORDED ") execute function @.wrote(); insert into "
    "assay_trial values (1); select @.scans(0), @.saw('s', 0, '(0,1)', '1'); "
    "reset assay.record";

/* Make the functions, and see whether they report what is expected, on a table
 * of our own. */
static bool
make_functions(struct record_watch *w, struct err *err)
{
    struct buf told = {0}, sql = {0};
    put_text(&sql, functions, w->schema, "", "");
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
        put_text(&sql, of_table, w->schema, t->name, w->oids.at[i]);
        ok = run(w->admin, sql.at, NULL, what, err);
    }
    buf_free(&sql);
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
           commit(w,
                  begin(w, err) && make_functions(w, err) &&
                      (!w->has_plain_role ||
                       plain_role_install(w->admin, err)) &&
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

/* Whether a table was there when the tables were read. */
static bool
is_known(const struct record_watch *w, const char *oid)
{
    for (size_t i = 0; i < w->oids.n; i++)
        if (strcmp(w->oids.at[i], oid) == 0)
            return true;
    return false;
}

/* The last part of a name. */
static const char *
last(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

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
    if (!at && w->text && (is_known(w, oid) || !words_has(w->text, last(name))))
        return true; // it was decided on, or is another's
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
