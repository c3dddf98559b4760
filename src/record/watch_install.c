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
