/* sweep_results.c -- see sweep_results.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/sweep_results.h"

#include "driver/sql/sql.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// The last two statements fail if the tables are those of another program.
static const char schema[] =
    "create table if not exists run (command text not null, target text not "
    "null, level text not null, workload text not null, seed integer not null, "
    "verdict text not null, note text, committed integer, aborted integer, "
    "unknown integer, seconds real, anomaly text, headline text, "
    "primary key (command, target, level, workload, seed)); "
    // Apart, so that the files of releases before this table stay as they are.
    "create table if not exists power (command text not null, target text not "
    "null, level text not null, workload text not null, seed integer not null, "
    "committed integer, pairs integer, conflicts integer, weakness text, "
    "primary key (command, target, level, workload, seed)); "
    "create table if not exists anomaly (target text not null, name text not "
    "null, edges text not null, transactions integer not null, level text, "
    "workload text, seed integer, command text, headline text, history text, "
    "primary key (target, name, edges)); "
    "select command, target, level, workload, seed, verdict, anomaly from run "
    "where 1 = 0; "
    "select target, name, edges, transactions, history from anomaly "
    "where 1 = 0";

bool
sweep_results_open(struct sweep_results *r, const char *path, struct err *err)
{
    struct buf target = {0};
    buf_text(&target, "sqlite:");
    for (const char *at = path; *at; at++)
        if (*at == '%' || *at == '?')
            buf_printf(&target, "%%%02X", (unsigned)*at);
        else
            buf_char(&target, *at);
    *r = (struct sweep_results){0};
    bool ok = database_open(target.at, ISOLATION_UNCHANGED, NULL, &r->db, err);
    buf_free(&target);
    if (!ok)
        return false;
    ok = r->db.driver->connect(&r->db, 0, 0, &r->connection, err);
    if (!ok)
        r->connection = NULL;
    ok = ok && sql_run(r->connection, schema, err);
    if (!ok)
        sweep_results_close(r);
    return ok;
}

void
sweep_results_close(struct sweep_results *r)
{
    if (r->connection)
        r->db.driver->disconnect(r->connection);
    database_close(&r->db);
    *r = (struct sweep_results){0};
}

/* --- statements ------------------------------------------------------------*/

/* Append a text as a literal. */
static void
put_text(struct buf *sql, const char *text)
{
    buf_char(sql, '\'');
    for (; *text; text++) {
        if (*text == '\'')
            buf_char(sql, '\'');
        buf_char(sql, *text);
    }
    buf_char(sql, '\'');
}

static void
put_texts(struct buf *sql, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        buf_text(sql, i ? ", " : "");
        put_text(sql, texts[i]);
    }
}

bool
sweep_results_has(struct sweep_results *r, const struct sweep_cell *cell,
                  bool *out, struct err *err)
{
    const char *const texts[] = {cell->command, cell->target, cell->level,
                                 cell->workload};
    struct buf sql = {0};
    struct result_rows rows = {0};
    buf_text(&sql, "select 1 from run where (command, target, level, workload, "
                   "seed) = (");
    put_texts(&sql, texts, 4);
    buf_printf(&sql, ", %" PRIu64 ")", cell->seed);
    const bool ok = sql_must(r->connection, sql.at, &rows, err);
    *out = rows.n > 0;
    result_rows_free(&rows);
    buf_free(&sql);
    return ok;
}

static void
put_run(struct buf *sql, const struct sweep_cell *cell,
        const struct sweep_outcome *o)
{
    const char *const where[] = {cell->command, cell->target, cell->level,
                                 cell->workload};
    const char *const what[] = {o->verdict, o->note};
    const char *const anomaly[] = {o->name, o->headline};
    // Another process may have made the same run meanwhile.
    buf_text(sql, "insert or ignore into run values (");
    put_texts(sql, where, 4);
    buf_printf(sql, ", %" PRIu64 ", ", cell->seed);
    put_texts(sql, what, 2);
    buf_printf(sql, ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %.6f, ",
               o->committed, o->aborted, o->unknown, o->seconds);
    put_texts(sql, anomaly, 2);
    buf_char(sql, ')');
}

static void
put_power(struct buf *sql, const struct sweep_cell *cell,
          const struct sweep_outcome *o)
{
    const char *const where[] = {cell->command, cell->target, cell->level,
                                 cell->workload};
    buf_text(sql, "insert or ignore into power values (");
    put_texts(sql, where, 4);
    buf_printf(sql, ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", ",
               cell->seed, o->committed, o->pairs, o->conflicts);
    put_text(sql, o->weakness);
    buf_char(sql, ')');
}

/* Insert the anomaly, or put it in the place of a larger one. */
static void
put_anomaly(struct buf *sql, const struct sweep_cell *cell,
            const struct sweep_outcome *o)
{
    const char *const signature[] = {cell->target, o->name, o->edges};
    const char *const where[] = {cell->level, cell->workload};
    const char *const rest[] = {cell->command, o->headline, o->history};
    buf_text(sql, "insert into anomaly values (");
    put_texts(sql, signature, 3);
    buf_printf(sql, ", %" PRIu64 ", ", o->transactions);
    put_texts(sql, where, 2);
    buf_printf(sql, ", %" PRIu64 ", ", cell->seed);
    put_texts(sql, rest, 3);
    buf_text(sql,
             ") on conflict (target, name, edges) do update set transactions = "
             "excluded.transactions, level = excluded.level, workload = "
             "excluded.workload, seed = excluded.seed, command = "
             "excluded.command, headline = excluded.headline, history = "
             "excluded.history where excluded.transactions < transactions or "
             "(excluded.transactions = transactions and "
             "length(excluded.history) < length(history))");
}

bool
sweep_results_add(struct sweep_results *r, const struct sweep_cell *cell,
                  const struct sweep_outcome *outcome, struct err *err)
{
    struct buf run = {0}, power = {0}, anomaly = {0};
    assert(outcome->verdict && outcome->name && outcome->history);
    assert(outcome->weakness);
    put_run(&run, cell, outcome);
    put_power(&power, cell, outcome);
    bool ok = sql_must(r->connection, "begin", NULL, err) &&
              sql_must(r->connection, run.at, NULL, err) &&
              sql_must(r->connection, power.at, NULL, err);
    if (ok && *outcome->name) {
        put_anomaly(&anomaly, cell, outcome);
        ok = sql_must(r->connection, anomaly.at, NULL, err);
    }
    ok = ok && sql_must(r->connection, "commit", NULL, err);
    buf_free(&run);
    buf_free(&power);
    buf_free(&anomaly);
    return ok;
}

bool
sweep_results_table(struct sweep_results *r, const char *command,
                    struct result_rows *out, struct err *err)
{
    struct buf sql = {0};
    buf_text(&sql,
             "select target, level, workload, count(*), sum(verdict = "
             "'violated'), sum(verdict = 'unknown'), sum(verdict = 'refused'), "
             "coalesce(group_concat(distinct nullif(anomaly, '')), ''), "
             "coalesce(max(case when verdict = 'unknown' then headline end), "
             "''), sum(coalesce(weakness, '') <> ''), "
             "coalesce(max(weakness), ''), sum(verdict = 'finding'), "
             "sum(verdict = 'not run'), coalesce(min(case when verdict in "
             "('finding', 'not run') then headline end), '') "
             "from run left join power using (command, target, level, "
             "workload, seed) where command = ");
    put_text(&sql, command);
    buf_text(&sql, " group by target, level, workload order by min(run.rowid)");
    const bool ok = sql_must(r->connection, sql.at, out, err);
    buf_free(&sql);
    return ok;
}
