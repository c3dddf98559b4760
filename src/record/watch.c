/* watch.c -- see watch.h.
 *
 * watch_install.c makes them; watch_end.c reads the tables again at the end.
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

// Schemas of the server, and of recordings.
#define SYSTEM "'^(pg_|information_schema$|assay(_s[0-9]+)?$)'"

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
    "!~ " SYSTEM " and coalesce(array_to_string(c.reloptions, ','), '') !~ "
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
    "r.rolbypassrls) and n.nspname !~ " SYSTEM;

// Functions that may change to a superuser and back, which no message tells.
static const char role_changing[] =
    "select p.proname, 'function ' || p.oid::regprocedure || ' sets a role, so "
    "what it "
    "reads may not be reported: leave it out while you record' from pg_proc p "
    "join pg_namespace n on n.oid = p.pronamespace where n.nspname !~ " SYSTEM
    " and (exists (select "
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

static bool
is_part(const struct watched_table *t)
{
    return t->refusal &&
           strcmp(t->refusal, "it is a partition of another table") == 0;
}

/* Decide on a table: watch it, leave it out, or fail. */
static bool
decide(struct record_watch *w, uint32_t i, const char *only, bool has_policies,
       struct err *err)
{
    struct watched_table *t = &w->watched.tables.at[i];
    const char *why =
        t->is_partitioned
            ? "it is partitioned, and INSERT ... RETURNING would fail"
            : why_not(t, has_policies);
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

bool
watch_read_oids(struct record_watch *w, struct err *err)
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
        watch_read_oids(w, err) && decide_all(w, only, err))
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
        if (is_ours && t->refusal && !is_temporary(t) && !is_part(t))
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

/* The partitions of tables that are watched. */
static bool
read_parts(struct record_watch *w, struct err *err)
{
    struct result_rows r = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < w->watched.tables.n; i++) {
        const struct watched_table *t = &w->watched.tables.at[i];
        char sql[200];
        if (!t->is_partitioned || t->refusal)
            continue;
        snprintf(sql, sizeof sql,
                 "select relid::oid, relid::regclass, isleaf::int from "
                 "pg_partition_tree(%.20s) where level > 0",
                 w->oids.at[i]);
        ok = run(w->admin, sql, &r, "cannot read the catalog", err);
        for (size_t k = 0; ok && k < r.n; k++)
            vec_push(
                &w->parts,
                ((struct watch_part){
                    (uint32_t)strtoul(result_rows_get(&r, k, 0), NULL, 10), i,
                    watched_copy(&w->watched, result_rows_get(&r, k, 1)),
                    *result_rows_get(&r, k, 2) == '1'}));
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
    if (watch_read_oids(w, err) &&
        (!*m->owner || give_away(w, m->made, m->owner, err)) &&
        decide_made(w, m->made, m->text, err) && read_parts(w, err))
        return true;
    watch_free(w);
    return false;
}

void
watch_free(struct record_watch *w)
{
    watched_free(&w->watched);
    vec_free(&w->oids);
    vec_free(&w->kinds);
    vec_free(&w->parts);
    vec_free(&w->lost);
    buf_free(&w->unwatched);
    *w = (struct record_watch){0};
}
