/* plain_role.c -- see plain_role.h.
 *
 * Invariants:
 *   (1) one role per database, named by the database's object id; its comment
 *       says that it is ours, and without it the role is not touched;
 *   (2) what belonged to others is noted in assay.owners, by object id;
 *   (3) one superuser per recording, noted in assay.superuser: new objects
 *       belong to the role, and go to that superuser in the end.
 *
 * SPDX-License-Identifier: MIT */
#include "record/plain_role.h"

#include "spec/row/watched.h"

#include <stdio.h>
#include <string.h>

#define NAME                                                                   \
    "'assay_recorded_' || (select oid from pg_database where datname = "       \
    "current_database())"
#define COMMENT "made by assay record"

static bool
run(struct connection *c, const char *sql, struct result_rows *out,
    const char *what, struct err *err)
{
    return c->driver->query(c, sql, out) == OUTCOME_OK ||
           err_set(err, ERR_IO, "%s: %s", what, c->message);
}

bool
plain_role_is_possible(struct connection *admin, bool *out, struct err *err)
{
    struct result_rows r = {0};
    const bool ok = run(admin, "select current_setting('is_superuser')", &r,
                        "cannot ask for the administrator's rights", err);
    *out = ok && strcmp(result_rows_get(&r, 0, 0), "on") == 0;
    result_rows_free(&r);
    return ok;
}

// pg_database_owner cannot have members of its own.  Views of catalogs only
// are left alone: nothing is recorded of those.
static const char install[] =
    "create table assay.superuser (name name primary key); "
    "create table assay.owners (class oid, object oid, owner oid); "
    "do $do$ declare r record; app text := " NAME "; begin "
    "execute format('create role %I nologin inherit createdb createrole', "
    "app); "
    "execute format('comment on role %I is ''" COMMENT "''', app); "
    "for r in select rolname from pg_roles where rolname <> "
    "'pg_database_owner' and rolname !~ '^assay_recorded_' loop "
    "execute format('grant %I to %I', r.rolname, app); end loop; "
    "for r in select c.oid, c.relowner from pg_class c join pg_roles o on "
    "o.oid = c.relowner join pg_namespace n on n.oid = c.relnamespace where "
    "c.relkind = 'v' and (o.rolsuper or o.rolbypassrls) and n.nspname !~ "
    "'^pg_' and n.nspname not in ('information_schema', 'assay') and exists "
    "(select 1 from pg_rewrite w join pg_depend d on d.classid = "
    "'pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = "
    "'pg_class'::regclass join pg_class t on t.oid = d.refobjid join "
    "pg_namespace m on m.oid = t.relnamespace where w.ev_class = c.oid and "
    "t.oid <> c.oid and m.nspname !~ '^pg_' and m.nspname <> "
    "'information_schema') loop "
    "insert into assay.owners values ('pg_class'::regclass, r.oid, "
    "r.relowner); "
    "execute format('alter view %s owner to %I', r.oid::regclass, app); "
    "end loop; "
    "for r in select p.oid, p.proowner from pg_proc p join pg_roles o on o.oid "
    "= p.proowner join pg_namespace n on n.oid = p.pronamespace where "
    "p.prosecdef and (o.rolsuper or o.rolbypassrls) and n.nspname !~ '^pg_' "
    "and n.nspname not in ('information_schema', 'assay') loop "
    "insert into assay.owners values ('pg_proc'::regclass, r.oid, r.proowner); "
    "execute format('alter routine %s owner to %I', r.oid::regprocedure, app); "
    "end loop; end $do$";

bool
plain_role_install(struct connection *admin, struct err *err)
{
    return run(admin, install, NULL,
               "cannot make a role in which superusers are recorded", err);
}

static const char find[] =
    "select rolname from pg_roles where rolname = " NAME
    " and shobj_description(oid, 'pg_authid') = '" COMMENT "'";

// In the order of (2), (3), and the role itself.
static const char restore[] =
    "do $do$ declare r record; app text := " NAME "; begin "
    "if to_regclass('assay.owners') is not null then "
    "for r in select case o.class when 'pg_class'::regclass then 'view ' || "
    "o.object::regclass else 'routine ' || o.object::regprocedure end what, "
    "pg_get_userbyid(o.owner) owner from assay.owners o where exists (select 1 "
    "from pg_class c where c.oid = o.object and o.class = 'pg_class'::regclass "
    "and pg_get_userbyid(c.relowner) = app) or exists (select 1 from pg_proc p "
    "where p.oid = o.object and o.class = 'pg_proc'::regclass and "
    "pg_get_userbyid(p.proowner) = app) loop "
    "execute format('alter %s owner to %I', r.what, r.owner); end loop; "
    "for r in select name from assay.superuser loop "
    "execute format('reassign owned by %I to %I', app, r.name); end loop; "
    "end if; "
    "execute format('drop owned by %I', app); "
    "execute format('drop role %I', app); end $do$";

bool
plain_role_remove(struct connection *admin, struct err *err)
{
    static const char what[] = "cannot remove the role of recorded superusers";
    struct result_rows r = {0};
    bool ok = run(admin, find, &r, what, err);
    if (ok && r.n)
        ok = run(admin, restore, NULL, what, err);
    result_rows_free(&r);
    return ok;
}

/* The superuser that is recorded; the first that logs in (3). */
static bool
note_superuser(struct connection *admin, const char *name, char *why,
               size_t room)
{
    struct result_rows r = {0};
    struct buf sql = {0};
    buf_text(&sql, "insert into assay.superuser select ");
    watched_put_literal(&sql, name);
    buf_text(&sql, " where not exists (select 1 from assay.superuser)");
    const bool ok =
        admin->driver->query(admin, sql.at, NULL) == OUTCOME_OK &&
        admin->driver->query(admin, "select name from assay.superuser", &r) ==
            OUTCOME_OK;
    const char *noted = ok ? result_rows_get(&r, 0, 0) : "";
    const bool same = ok && strcmp(noted, name) == 0;
    if (!ok)
        snprintf(why, room, "assay record: %.200s", admin->message);
    else if (!same)
        snprintf(why, room,
                 "assay record: superuser %.60s is recorded already, and new "
                 "objects get one owner; connect as %.60s or as a plain role",
                 noted, noted);
    buf_free(&sql);
    result_rows_free(&r);
    return same;
}

bool
plain_role_of(struct connection *admin, const char *superuser, char *role,
              char *why, size_t room)
{
    // The search path begins with a schema named after the role.
    static const char schema[] = "select 1 from pg_namespace where nspname = ";
    struct result_rows r = {0};
    struct buf sql = {0};
    bool ok = admin->driver->query(admin, find, &r) == OUTCOME_OK && r.n;
    if (ok)
        snprintf(role, PLAIN_ROLE_NAME, "%s", result_rows_get(&r, 0, 0));
    else
        snprintf(why, room,
                 "assay record: role %.60s is a superuser, so the database "
                 "does not report what it reads, and only a superuser in --to "
                 "can make a plain role for it",
                 superuser);
    buf_text(&sql, schema);
    watched_put_literal(&sql, superuser);
    if (ok && admin->driver->query(admin, sql.at, &r) == OUTCOME_OK && r.n) {
        snprintf(why, room,
                 "assay record: schema %.60s is found by the name of the "
                 "superuser, who is recorded under another name; connect as a "
                 "plain role that is a member of it",
                 superuser);
        ok = false;
    }
    buf_free(&sql);
    result_rows_free(&r);
    return ok && note_superuser(admin, superuser, why, room);
}
