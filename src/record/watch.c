/* watch.c -- see watch.h.
 *
 * watch_install.c makes them.
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

/* --- SQL -------------------------------------------------------------------*/

static bool
run(struct connection *c, const char *sql, struct result_rows *out,
    const char *what, struct err *err)
{
    return c->driver->query(c, sql, out) == OUTCOME_OK ||
           err_set(err, ERR_IO, "%s: %s", what, c->message);
}

/* --- what is refused -------------------------------------------------------*/

// Objects through which a plain role reads tables with the rights of one to
// whom row security does not apply.
static const char bypassing[] =
    "select c.relname, 'view ' || c.oid::regclass || ' belongs to ' || "
    "r.rolname || ', to "
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
    "union all select p.proname, 'function ' || p.oid::regprocedure || ' is "
    "SECURITY "
    "DEFINER and belongs to ' || r.rolname || ', to whom row security does not "
    "apply, so what it reads is not reported: give it a plain owner' from "
    "pg_proc p join pg_roles r on r.oid = p.proowner join pg_namespace n on "
    "n.oid = p.pronamespace where p.prosecdef and (r.rolsuper or "
    "r.rolbypassrls) and n.nspname !~ '^pg_' and n.nspname not in "
    "('information_schema', 'assay')";

// Functions that may change to a superuser and back, which no message tells.
static const char role_changing[] =
    "select p.proname, 'function ' || p.oid::regprocedure || ' sets a role, so "
    "what it "
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
