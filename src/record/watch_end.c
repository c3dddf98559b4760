/* watch_end.c -- the tables at the end of a recording.
 *
 * See watch.h.  The tables are read again, so that those that were made while
 * it recorded have their columns and constraints, and what is said of the
 * others is true.  A table is watched to the end if nothing of ours was taken
 * from it, and neither its shape nor its file has changed without a report.
 *
 * SPDX-License-Identifier: MIT */
#include "record/table_reports.h"
#include "record/watch.h"
#include "record/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of a partitioned table, its partitions have the triggers.
static const char state_query[] =
    "select c.oid, coalesce(pg_relation_filenode(c.oid), 0), c.relrowsecurity "
    "and c.relforcerowsecurity and (select count(*) from pg_policy p where "
    "p.polrelid = c.oid and p.polname ~ '^assay_') = 4 and (select count(*) "
    "from pg_trigger t where t.tgrelid = c.oid and t.tgname ~ '^zz_assay_' and "
    "t.tgenabled = 'A') = case c.relkind when 'p' then 0 else 4 end, "
    "c.oid::regclass, %s.shape(c.oid), c.relispartition from pg_class c join "
    "pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p', "
    "'m', 'f') and n.nspname !~ '^(pg_|assay)' and n.nspname <> "
    "'information_schema' and c.relpersistence <> 't'";

enum {
    STATE_OID,
    STATE_NODE,
    STATE_IS_WHOLE,
    STATE_NAME,
    STATE_SHAPE,
    STATE_IS_PART
};

static uint32_t
number(const char *text)
{
    return (uint32_t)strtoul(text, NULL, 10);
}

uint32_t
watch_table(const struct record_watch *w, uint32_t oid)
{
    uint32_t found = WATCHED_NONE;
    for (uint32_t i = 0; i < w->oids.n; i++)
        if (number(w->oids.at[i]) == oid)
            found = i;
    for (size_t i = 0; i < w->parts.n; i++)
        if (w->parts.at[i].oid == oid)
            found = w->parts.at[i].table;
    return found != WATCHED_NONE && w->watched.tables.at[found].refusal
               ? WATCHED_NONE
               : found;
}

void
watch_take_beginning(struct record_watch *w, struct connection *admin,
                     const char *beginning)
{
    *w = (struct record_watch){.admin = admin, .schema = "assay"};
    const char *unwatched = strstr(beginning, "unwatched ");
    if (unwatched)
        buf_add(&w->unwatched, unwatched + 10, strcspn(unwatched + 10, "\n"));
}

/* Why a table that was watched is left out, or NULL; 'i' is its row of the
 * state. */
static const char *
why_lost(const struct table_report *t, const struct result_rows *r, size_t i)
{
    if (i == r->n)
        return "was dropped";
    if (t->has_changed)
        return "was altered after it was used";
    if (!table_report_had(t, result_rows_get(r, i, STATE_NODE)))
        return "was rewritten by CLUSTER or VACUUM FULL";
    if (!table_report_has_shape(t, result_rows_get(r, i, STATE_SHAPE)))
        return "was altered";
    if (*result_rows_get(r, i, STATE_IS_WHOLE) != 't')
        return "lost the policies or triggers of the recording";
    return NULL;
}

static size_t
find_row(const struct result_rows *r, uint32_t oid)
{
    size_t i = 0;
    while (i < r->n && number(result_rows_get(r, i, STATE_OID)) != oid)
        i++;
    return i;
}

static bool
is_lost(const struct record_watch *w, uint32_t oid)
{
    for (size_t i = 0; i < w->lost.n; i++)
        if (w->lost.at[i].oid == oid)
            return true;
    return false;
}

static void
add_lost(struct record_watch *w, const struct table_report *t, const char *why)
{
    struct buf text = {0};
    buf_printf(&text, "rows of table %s, which %s", t->name, why);
    const char *copy = watched_copy(&w->watched, text.at);
    buf_free(&text);
    vec_push(&w->lost, ((struct watch_lost){t->oid, copy}));
    if (t->root != t->oid && !is_lost(w, t->root))
        vec_push(&w->lost, ((struct watch_lost){t->root, copy}));
}

/* Constraints with tables that are not watched are not evaluated, nor are
 * foreign keys of tables that got some after they were used. */
static void
drop_checks(struct record_watch *w, const struct table_reports *reports)
{
    size_t n = 0;
    for (size_t i = 0; i < w->watched.checks.n; i++) {
        struct watched_check *c = &w->watched.checks.at[i];
        struct watched_table *t = &w->watched.tables.at[c->table];
        struct watched_table *o = &w->watched.tables.at[c->other];
        const struct table_report *r =
            table_reports_find(reports, number(w->oids.at[c->table]));
        const bool is_left_out =
            is_lost(w, number(w->oids.at[c->table])) ||
            is_lost(w, number(w->oids.at[c->other])) ||
            (c->kind == WATCHED_FOREIGN && r && r->has_new_keys);
        if (!is_left_out) {
            w->watched.checks.at[n++] = *c;
            continue;
        }
        t->part = t->part ? t->part : "what foreign keys read";
        o->part = o->part ? o->part : "what foreign keys read";
        vec_free(&c->names);
        vec_free(&c->other_names);
    }
    w->watched.checks.n = n;
}

void
watch_lose(struct record_watch *w, const struct table_reports *reports,
           uint32_t oid, const char *why)
{
    const uint32_t table = watch_table(w, oid);
    if (table == WATCHED_NONE)
        return;
    const struct table_report t = {.oid = oid,
                                   .root = number(w->oids.at[table]),
                                   .name = w->watched.tables.at[table].name};
    add_lost(w, &t, why);
    w->watched.tables.at[table].refusal = "it is left out";
    drop_checks(w, reports);
}

static void
find_lost(struct record_watch *w, const struct table_reports *reports,
          const struct result_rows *state)
{
    for (size_t i = 0; i < reports->all.n; i++) {
        const struct table_report *t = &reports->all.at[i];
        const char *why = why_lost(t, state, find_row(state, t->oid));
        if (why)
            add_lost(w, t, why);
    }
    for (size_t i = 0; i < reports->all.n; i++) { // the parts of lost tables
        const struct table_report *t = &reports->all.at[i];
        if (!is_lost(w, t->oid) && is_lost(w, t->root))
            add_lost(w, t, "is part of a table that is left out");
    }
}

/* Names of tables that are not watched. */
static void
find_unwatched(struct record_watch *w, const struct table_reports *reports,
               const struct watched *before, const text_vec *oids,
               const struct result_rows *state)
{
    for (size_t i = 0; i < state->n; i++) {
        const char *oid = result_rows_get(state, i, STATE_OID);
        const char *name = result_rows_get(state, i, STATE_NAME);
        const char *dot = strrchr(name, '.');
        bool is_known = table_reports_find(reports, number(oid)) != NULL;
        for (size_t k = 0; k < oids->n && k < before->tables.n; k++)
            is_known |= strcmp(oids->at[k], oid) == 0;
        if (is_known || *result_rows_get(state, i, STATE_IS_PART) == 't' ||
            (w->text && !words_has(w->text, dot ? dot + 1 : name)) ||
            (w->unwatched.n && strstr(w->unwatched.at, name)))
            continue;
        buf_printf(&w->unwatched, "%s%s", w->unwatched.n ? ", " : "", name);
    }
}

/* Keep what was true at the beginning and is not any more. */
static void
merge(struct watched *now, const struct watched *before)
{
    for (size_t i = 0; i < before->functions.n; i++)
        vec_push(&now->functions, watched_copy(now, before->functions.at[i]));
    for (size_t i = 0; i < before->tables.n; i++) {
        const struct watched_table *b = &before->tables.at[i];
        const uint32_t k = watched_find(now, b->schema, b->relation);
        if (k == WATCHED_NONE)
            continue;
        struct watched_table *t = &now->tables.at[k];
        if (!t->part && b->part)
            t->part = watched_copy(now, b->part);
        t->has_own_triggers |= b->has_own_triggers;
        t->shows_old_rows |= b->shows_old_rows;
        t->may_keep_updates |= b->may_keep_updates;
        t->may_keep_deletes |= b->may_keep_deletes;
    }
}

static void
find_parts(struct record_watch *w, const struct table_reports *reports)
{
    vec_clear(&w->parts);
    for (size_t i = 0; i < reports->all.n; i++) {
        const struct table_report *t = &reports->all.at[i];
        const uint32_t table =
            t->root == t->oid ? WATCHED_NONE : watch_table(w, t->root);
        if (table != WATCHED_NONE)
            vec_push(&w->parts,
                     ((struct watch_part){t->oid, table,
                                          watched_copy(&w->watched, t->name),
                                          strcmp(t->node, "0") != 0}));
    }
}

bool
watch_read_end(struct record_watch *w, const char *beginning,
               const struct table_reports *reports, struct err *err)
{
    struct result_rows state = {0};
    struct watched before = w->watched;
    text_vec oids = {0};
    struct buf sql = {0};
    (void)beginning;
    for (size_t i = 0; i < w->oids.n; i++)
        vec_push(&oids, w->oids.at[i]);
    buf_printf(&sql, state_query, w->schema);
    bool ok =
        w->admin->driver->query(w->admin, sql.at, &state) == OUTCOME_OK ||
        err_set(err, ERR_IO, "cannot read the catalog: %s", w->admin->message);
    ok = ok && watched_read(w->admin, NULL, &w->watched, err);
    if (ok) {
        vec_clear(&w->oids);
        vec_clear(&w->kinds);
        ok = watch_read_oids(w, err);
        merge(&w->watched, &before);
        find_lost(w, reports, &state);
        for (uint32_t i = 0; ok && i < w->watched.tables.n; i++) {
            const uint32_t oid = number(w->oids.at[i]);
            struct table_report *t = table_reports_find(reports, oid);
            const size_t row = find_row(&state, oid);
            if (t && t->has_rows && row < state.n)
                t->has_new_keys |=
                    strcmp(t->shape,
                           result_rows_get(&state, row, STATE_SHAPE)) != 0;
            w->watched.tables.at[i].refusal =
                t && t->root == oid && !is_lost(w, oid) ? NULL
                                                        : "it is not watched";
        }
        find_parts(w, reports);
        drop_checks(w, reports);
        find_unwatched(w, reports, &before, &oids, &state);
        watched_free(&before);
    } else {
        w->watched = before;
    }
    vec_free(&oids);
    buf_free(&sql);
    result_rows_free(&state);
    return ok;
}
