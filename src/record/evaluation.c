/* evaluation.c -- see evaluation.h.
 *
 * SPDX-License-Identifier: MIT */
#include "record/evaluation.h"

#include <stdlib.h>
#include <string.h>

bool
evaluation_query(struct evaluation *e, const char *sql, struct result_rows *out)
{
    return e->c->driver->query(e->c, sql, out) == OUTCOME_OK;
}

/* --- states ----------------------------------------------------------------*/

static bool
sees(const struct evaluation *e, const char *snapshot, uint32_t txn)
{
    const struct recorded_act *act = &e->a->acts.at[txn - 1];
    return act->status == TXN_COMMITTED && act->xid &&
           tell_sees(snapshot, act->xid);
}

/* Whether a step of a transaction sees a version. */
bool
evaluation_sees(const struct evaluation *e, uint32_t version, uint32_t txn,
                const struct recorded_step *s, const char *snapshot)
{
    const struct recorded_version *v = &e->a->versions.at[version];
    const bool is_made =
        v->maker == txn ? v->made_by < s->number && !v->is_undone
        : v->maker      ? !v->is_undone && sees(e, snapshot, v->maker)
                        : v->is_initial;
    const bool is_removed = v->remover == txn
                                ? v->removed_by < s->number
                                : v->remover && sees(e, snapshot, v->remover);
    return is_made && !is_removed;
}

/* The name that the row of a version has in the database now. */
static const char *
name_now(const struct evaluation *e, uint32_t version)
{
    const uint32_t n = e->there.at[version];
    return n ? strings_get(&e->physical, n - 1).text
             : strings_get(&e->a->names, version).text;
}

/* The table that has the row of a version: a partition, if there are any. */
static const char *
place_of(const struct evaluation *e, uint32_t version)
{
    const char *name = strings_get(&e->a->names, version).text;
    const uint32_t oid = (uint32_t)strtoul(name, NULL, 10);
    for (size_t i = 0; i < e->a->watch->parts.n; i++)
        if (e->a->watch->parts.at[i].oid == oid)
            return e->a->watch->parts.at[i].name;
    return e->a->watch->watched.tables.at[e->a->versions.at[version].table]
        .name;
}

bool
evaluation_take_out(struct evaluation *e, uint32_t version)
{
    const char *name = name_now(e, version);
    const char *open = strchr(name, '('), *close = strchr(name, ')');
    struct buf sql = {0};
    buf_printf(&sql, "delete from only %s where ctid = '%.*s'",
               place_of(e, version), (int)(close + 1 - open), open);
    const bool ok = evaluation_query(e, sql.at, NULL) && e->c->changed == 1;
    buf_free(&sql);
    e->changes++;
    return ok;
}

bool
evaluation_put_in(struct evaluation *e, uint32_t version)
{
    const struct recorded_version *v = &e->a->versions.at[version];
    const char *table = place_of(e, version);
    struct buf sql = {0};
    struct result_rows r = {0};
    if (!v->values || tell_begins(v->values, WATCHED_INEXACT))
        return false;
    buf_printf(&sql,
               "insert into %s overriding system value select * from "
               "jsonb_populate_record(null::%s, ",
               table, table);
    watched_put_literal(&sql, v->values);
    buf_text(&sql, "::jsonb) returning concat(tableoid::int8, ':', ctid, '/', "
                   "xmin)");
    const bool ok = evaluation_query(e, sql.at, &r) && r.n == 1;
    if (ok) {
        const char *name = result_rows_get(&r, 0, 0);
        const uint32_t id = strings_add(&e->physical, name, strlen(name));
        while (e->version_of.n <= id)
            vec_push(&e->version_of, 0);
        e->version_of.at[id] = version + 1;
        e->there.at[version] = id + 1;
    }
    buf_free(&sql);
    result_rows_free(&r);
    e->changes++;
    return ok;
}

/* Whether a version is in the tables as they are. */
static bool
is_last(const struct evaluation *e, uint32_t version)
{
    const struct recorded_version *v = &e->a->versions.at[version];
    const bool is_made =
        v->maker ? !v->is_undone &&
                       e->a->acts.at[v->maker - 1].status == TXN_COMMITTED
                 : v->is_initial;
    return is_made && !v->remover;
}

/* Turn the tables into the state that a step saw. */
bool
evaluation_make_state(struct evaluation *e, uint32_t txn,
                      const struct recorded_step *s, const char *snapshot)
{
    bool ok = true;
    memset(e->there.at, 0, e->there.n * sizeof *e->there.at);
    for (uint32_t i = 0; ok && i < e->a->versions.n; i++)
        if (is_last(e, i) && !evaluation_sees(e, i, txn, s, snapshot))
            ok = evaluation_take_out(e, i);
    for (uint32_t i = 0; ok && i < e->a->versions.n; i++)
        if (!is_last(e, i) && evaluation_sees(e, i, txn, s, snapshot))
            ok = evaluation_put_in(e, i);
    return ok;
}

/* --- answers ---------------------------------------------------------------*/

static int
compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int
compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The version that a report names, in the tables as they are now. */
static bool
find_version(struct evaluation *e, const char *name, uint32_t *out)
{
    size_t before = e->physical.all.n;
    uint32_t id = strings_add(&e->physical, name, strlen(name));
    if (id < before && id < e->version_of.n && e->version_of.at[id] != 0) {
        *out = e->version_of.at[id] - 1;
        return true;
    }
    before = e->a->names.all.n;
    id = strings_add(&e->a->names, name, strlen(name));
    *out = id;
    return id < e->a->versions.n;
}

/* What was reported: rows found, and values written. */
static void
take_reports(struct evaluation *e, struct what_if_answer *out, text_vec *lines,
             struct arena *arena)
{
    for (size_t at = 0, n; at < e->notices.n; at += n + 1) {
        struct told_fact t;
        n = strlen(e->notices.at + at);
        tell_read(&t, e->notices.at + at, arena);
        if (t.kind == TOLD_SEEN && !tell_is_proposed(t.version)) {
            uint32_t version = 0;
            out->is_known &= find_version(e, t.version, &version);
            vec_push(&out->found, version);
        } else if (t.kind == TOLD_WRITE) {
            struct buf line = {0};
            buf_printf(&line, "%u %c %s %s", t.oid, t.letter,
                       t.before.values ? t.before.values : "",
                       t.after.values ? t.after.values : "");
            vec_push(lines, arena_copy(arena, line.at, line.n));
            buf_free(&line);
        }
    }
}

static void
take_rows(const struct result_rows *r, text_vec *lines, struct arena *arena)
{
    for (size_t i = 0; i < r->n; i++) {
        struct buf line = {0};
        for (size_t k = 0; k < r->width; k++)
            buf_printf(&line, "%s%s\x1f",
                       result_rows_is_null(r, i, k) ? "-" : "+",
                       result_rows_get(r, i, k));
        vec_push(lines, arena_copy(arena, line.n ? line.at : "", line.n));
        buf_free(&line);
    }
}

/* Sort, and leave out repetitions. */
void
evaluation_sort(u32_vec *found)
{
    size_t n = 0;
    if (found->n)
        qsort(found->at, found->n, sizeof *found->at, compare_numbers);
    for (size_t i = 0; i < found->n; i++)
        if (!n || found->at[n - 1] != found->at[i])
            found->at[n++] = found->at[i];
    found->n = n;
}

/* Run the statements one after the other; their rows become lines. */
static bool
run_all(struct evaluation *e, text_vec *lines, struct arena *arena)
{
    struct result_rows r = {0};
    bool ok = true;
    for (size_t at = 0; ok && at < e->execute.n;
         at += strlen(e->execute.at + at) + 1) {
        ok = evaluation_query(e, e->execute.at + at, &r);
        if (ok)
            take_rows(&r, lines, arena);
    }
    result_rows_free(&r);
    return ok;
}

/* Run the prepared statement as its user, and take everything back. */
bool
evaluation_run(struct evaluation *e, struct what_if_answer *out)
{
    struct arena arena = {0};
    text_vec lines = {0};
    buf_clear(&out->text);
    vec_clear(&out->found);
    buf_clear(&e->notices);
    out->is_known = true;
    if (!evaluation_query(e, e->enter.at, NULL))
        return false;
    e->c->notices = &e->notices;
    out->is_ok = run_all(e, &lines, &arena);
    e->c->notices = NULL;
    take_reports(e, out, &lines, &arena);
    if (lines.n)
        qsort(lines.at, lines.n, sizeof *lines.at, compare_texts);
    for (size_t i = 0; i < lines.n; i++)
        buf_printf(&out->text, "%s\n", lines.at[i]);
    buf_printf(&out->text, "%s", out->is_ok ? "" : "failed");
    evaluation_sort(&out->found);
    vec_free(&lines);
    arena_free(&arena);
    e->a->whats_if++;
    return evaluation_query(e, "rollback to assay_run; release assay_run",
                            NULL);
}
