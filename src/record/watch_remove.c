/* watch_remove.c -- remove what watch.c has installed; who may record.
 *
 * See watch.h.  Schema "assay" is only dropped if its comment says that it is
 * ours.
 *
 * SPDX-License-Identifier: MIT */
#include "record/watch.h"

#include <stdio.h>
#include <string.h>

#define LOCK "4714523068"

static bool
run(struct connection *c, const char *sql, struct result_rows *out,
    const char *what, struct err *err)
{
    return c->driver->query(c, sql, out) == OUTCOME_OK ||
           err_set(err, ERR_IO, "%s: %s", what, c->message);
}

static const char installed_query[] =
    "select c.oid::regclass, exists (select 1 from pg_policy p where "
    "p.polrelid "
    "= c.oid and p.polname = 'assay_s')::int from pg_class c where exists "
    "(select 1 from pg_policy p where p.polrelid = c.oid and p.polname in "
    "('assay_s', 'assay_u', 'assay_d', 'assay_i')) or exists (select 1 from "
    "pg_trigger t where t.tgrelid = c.oid and t.tgname in ('zz_assay_note', "
    "'zz_assay_propose'))";

static const char schema_query[] =
    "select coalesce(obj_description(oid, 'pg_namespace') ~ '^made by assay "
    "record', false), nspname from pg_namespace where nspname = 'assay' or "
    "(nspname ~ '^assay_s[0-9]+$' and obj_description(oid, 'pg_namespace') ~ "
    "'^made by assay record')";

// Roles that scripted.c has made, of runs that are over.
static const char role_query[] =
    "select rolname from pg_roles where rolname ~ '^assay_r[0-9]+$' and "
    "shobj_description(oid, 'pg_authid') = 'made by assay record' and not "
    "exists (select 1 from pg_stat_activity where pid::text = "
    "substr(rolname, 8))";

static void
put_remove(struct buf *sql, const char *table, bool has_policies)
{
    static const char letters[] = "sudi";
    for (const char *l = letters; *l; l++)
        buf_printf(sql, "drop policy if exists assay_%c on %s; ", *l, table);
    if (has_policies)
        buf_printf(sql,
                   "alter table %s no force row level security; alter table %s "
                   "disable row level security; ",
                   table, table);
    buf_printf(sql,
               "drop trigger if exists zz_assay_note on %s; drop trigger if "
               "exists zz_assay_propose on %s; ",
               table, table);
}

/* Remove roles; one that owns something in another database stays. */
static void
remove_roles(struct connection *c)
{
    struct result_rows roles = {0};
    struct buf sql = {0};
    const bool ok = c->driver->query(c, role_query, &roles) == OUTCOME_OK;
    for (size_t i = 0; ok && i < roles.n; i++) {
        const char *role = result_rows_get(&roles, i, 0);
        buf_clear(&sql);
        buf_printf(&sql, "drop owned by %s cascade; drop role %s", role, role);
        c->driver->query(c, sql.at, NULL);
    }
    buf_free(&sql);
    result_rows_free(&roles);
}

bool
watch_clean(struct connection *c, size_t *found, struct err *err)
{
    static const char what[] = "cannot remove what recording needs";
    struct result_rows tables = {0}, schemas = {0};
    struct buf sql = {0};
    *found = 0;
    bool ok = run(c, schema_query, &schemas, what, err) &&
              run(c, installed_query, &tables, what, err);
    for (size_t i = 0; ok && i < schemas.n; i++)
        if (*result_rows_get(&schemas, i, 0) != 't')
            ok = err_set(err, ERR_USAGE,
                         "schema assay is there and was not made by 'assay "
                         "record'; rename it");
    if (ok && (schemas.n || tables.n)) {
        for (size_t i = 0; i < tables.n; i++)
            put_remove(&sql, result_rows_get(&tables, i, 0),
                       *result_rows_get(&tables, i, 1) == '1');
        for (size_t i = 0; i < schemas.n; i++)
            buf_printf(&sql, "drop schema %s cascade; ",
                       result_rows_get(&schemas, i, 1));
        buf_text(&sql, "commit");
        ok = run(c, "begin; set local lock_timeout = '5s'", NULL, what, err) &&
             plain_role_remove(c, err) && run(c, sql.at, NULL, what, err);
        if (!ok)
            c->driver->query(c, "rollback", NULL);
        *found = tables.n;
    }
    if (ok)
        remove_roles(c);
    buf_free(&sql);
    result_rows_free(&tables);
    result_rows_free(&schemas);
    return ok;
}

bool
watch_claim(struct connection *c, bool is_shared, struct err *err)
{
    struct result_rows r = {0};
    bool ok = run(c,
                  is_shared ? "select pg_try_advisory_lock_shared(" LOCK ")"
                            : "select pg_try_advisory_lock(" LOCK ")",
                  &r, "cannot take a lock", err);
    if (ok && *result_rows_get(&r, 0, 0) != 't')
        ok = err_set(err, ERR_USAGE,
                     "another 'assay record' is recording this database");
    result_rows_free(&r);
    return ok;
}

bool
watch_admits(struct connection *c, const char *user, char *role, char *why,
             size_t room)
{
    struct result_rows r = {0};
    struct buf sql = {0};
    buf_text(&sql, "select rolsuper, rolbypassrls, (select min(b.rolname) from "
                   "pg_roles b where b.rolbypassrls and not b.rolsuper and "
                   "b.oid <> r.oid and pg_has_role(r.oid, b.oid, 'member')) "
                   "from pg_roles r where rolname = ");
    watched_put_literal(&sql, user);
    const bool known = c->driver->query(c, sql.at, &r) == OUTCOME_OK && r.n;
    const bool is_super = known && *result_rows_get(&r, 0, 0) == 't';
    const bool bypasses = known && *result_rows_get(&r, 0, 1) == 't';
    const char *other = known ? result_rows_get(&r, 0, 2) : "";
    bool ok = true;
    *role = 0;
    if (bypasses && !is_super) {
        snprintf(why, room,
                 "assay record: role %.60s has BYPASSRLS, so the database does "
                 "not report what it reads. Connect as a plain role that has "
                 "its rights on the tables: create role recorded login; grant "
                 "%.60s to recorded",
                 user, user);
        ok = false;
    } else if (*other) {
        snprintf(why, room,
                 "assay record: role %.60s can become %.60s, which has "
                 "BYPASSRLS, so what it reads may not be reported. Take "
                 "BYPASSRLS from that role while you record",
                 user, other);
        ok = false;
    } else if (is_super) {
        ok = plain_role_of(c, user, role, why, room);
    }
    buf_free(&sql);
    result_rows_free(&r);
    return ok; // the server itself refuses a role that it does not know
}
