/* sql_workload.c -- see sql_workload.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/workload/sql_workload.h"

#include "driver/sql/sql.h"
#include "format/input.h"
#include "spec/notes.h"
#include "spec/row/row_history.h"
#include "spec/row/row_setup.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WEIGHT = 1000000 };

/* Variables that need not be set, as with pgbench. */
static const char *const given[] = {"client_id", "scale", "random_seed", NULL};

/* --- files -----------------------------------------------------------------*/

/* The length of the path in "path@3", and the weight, which is 1 without. */
static size_t
split_weight(const char *text, size_t n, uint64_t *weight)
{
    const char *sign = memchr(text, '@', n);
    char *end;
    *weight = 1;
    if (!sign)
        return n;
    *weight = strtoull(sign + 1, &end, 10);
    if (end != text + n || sign[1] < '0' || sign[1] > '9' ||
        *weight > MOST_WEIGHT)
        *weight = 0;
    return (size_t)(sign - text);
}

bool
sql_workload_is(const char *name)
{
    uint64_t weight;
    const size_t n = split_weight(name, strcspn(name, ","), &weight);
    return random_sql_is(name) ||
           (n > 4 && memcmp(name + n - 4, ".sql", 4) == 0);
}

static const char *
read_file(struct arena *arena, const char *path, struct err *err)
{
    struct input in;
    if (!input_open(&in, path, err))
        return NULL;
    const char *text = in.is_directory
                           ? NULL
                           : arena_copy(arena, in.data ? in.data : "", in.size);
    if (!text) {
        err_set(err, ERR_USAGE, "found a directory, expected a file of SQL");
        err_in_file(err, path);
    }
    input_close(&in);
    return text;
}

/* Add a script, whose weight and text are known. */
static bool
add_script(struct sql_workload *w, struct sql_workload_script script,
           const char *path, const char *sql, struct err *err)
{
    if (!pgbench_script_read(&script.script, path, sql, given, err))
        return false;
    const size_t n_commands = script.script.read.commands.n;
    script.is_told = arena_alloc(&w->arena, n_commands + 1);
    memset(script.is_told, 0, n_commands + 1);
    vec_push(&w->scripts, script);
    w->weights += script.weight;
    bool has_sql = false;
    for (size_t i = 0; i < script.script.read.commands.n; i++)
        has_sql |= script.script.read.commands.at[i].kind == COMMAND_SQL;
    if (has_sql)
        return true;
    err_set(err, ERR_SYNTAX, "found no statement, expected transactions");
    return err_in_file(err, path);
}

/* Make the tables and the scripts of a workload of random SQL. */
static bool
make_random(struct sql_workload *w, struct err *err)
{
    struct random_sql_name name;
    if (!random_sql_parse(w->options.scripts, &name, err))
        return false;
    random_sql_make(name.has_seed ? name.seed : w->options.seed, name.left_out,
                    w->options.product, &w->random);
    w->schema = w->random.schema.at;
    bool ok = true, has_any = false;
    for (size_t i = 0; ok && i < RANDOM_SQL_SCRIPTS; i++) {
        char path[32];
        snprintf(path, sizeof path, "transaction-%zu.sql", i + 1);
        if (!w->random.scripts[i].n)
            continue;
        has_any = true;
        ok = add_script(w, (struct sql_workload_script){.weight = 1},
                        arena_copy(&w->arena, path, strlen(path)),
                        w->random.scripts[i].at, err);
    }
    return ok && (has_any ||
                  err_set(err, ERR_USAGE, "-w %s leaves out every statement",
                          w->options.scripts));
}

static bool
read_script(struct sql_workload *w, const char *text, size_t n, struct err *err)
{
    struct sql_workload_script script = {0};
    const size_t length = split_weight(text, n, &script.weight);
    const char *path = arena_copy(&w->arena, text, length);
    if (!script.weight)
        return err_set(err, ERR_USAGE,
                       "found '%.*s', expected FILE.sql@WEIGHT with a weight "
                       "of 1 to %d",
                       (int)n, text, MOST_WEIGHT);
    const char *sql = read_file(&w->arena, path, err);
    return sql && add_script(w, script, path, sql, err);
}

/* --- tables ----------------------------------------------------------------*/

/* What pgbench calls the scale: rows of pgbench_branches, or 1. */
static void
find_scale(struct connection *c, char out[24])
{
    struct result_rows rows = {0};
    snprintf(out, 24, "1");
    if (c->driver->query(c, "select count(*) from pgbench_branches", &rows) ==
            OUTCOME_OK &&
        *result_rows_get(&rows, 0, 0) != '0')
        snprintf(out, 24, "%s", result_rows_get(&rows, 0, 0));
    result_rows_free(&rows);
}

static void
bind_given(struct sql_workload *w, const char *scale)
{
    char number[24], seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, w->options.seed);
    for (size_t i = 0; i < w->sessions.n; i++) {
        struct pgbench_bindings *b = &w->sessions.at[i].bindings;
        snprintf(number, sizeof number, "%zu", i);
        pgbench_bind(b, "client_id", 9, number);
        pgbench_bind(b, "scale", 5, scale);
        pgbench_bind(b, "random_seed", 11, seed);
    }
}

/* Tell what is not recorded of a command, once. */
static void
tell_part(struct sql_workload *w, struct sql_workload_script *s, size_t command,
          const char *part)
{
    struct err err = {0};
    if (!part || s->is_told[command] || !w->options.left_out)
        return;
    s->is_told[command] = true;
    err_set(&err, ERR_FEATURE, "not recorded, so not checked: %s", part);
    err_at_line(&err, s->script.read.commands.at[command].line, 0);
    err_in_file(&err, s->script.read.path);
    w->options.left_out(w->options.self, &err);
}

/* The same for what only showed when the statements ran. */
static void
tell_parts(struct sql_workload *w)
{
    for (size_t i = 0; i < w->sessions.n; i++)
        for (size_t k = 0; k < w->sessions.at[i].statements.n; k++) {
            const struct sql_text *t = w->sessions.at[i].statements.at[k];
            for (size_t n = 0; n < w->scripts.n; n++)
                if (t->script == &w->scripts.at[n].script)
                    tell_part(w, &w->scripts.at[n], t->command,
                              t->statement.rows.part);
        }
}

/* Tell of transactions that were rolled back because of what they did. */
static void
tell_undone(struct sql_workload *w)
{
    struct {
        VEC(struct sql_undone) all;
    } sum = {0};
    for (size_t i = 0; i < w->sessions.n; i++)
        for (size_t k = 0; k < w->sessions.at[i].undone.n; k++) {
            const struct sql_undone *u = &w->sessions.at[i].undone.at[k];
            size_t n = 0;
            while (n < sum.all.n && (sum.all.at[n].script != u->script ||
                                     sum.all.at[n].command != u->command))
                n++;
            if (n < sum.all.n)
                sum.all.at[n].times += u->times;
            else
                vec_push(&sum.all, *u);
        }
    for (size_t i = 0; i < sum.all.n && w->options.left_out; i++) {
        const struct sql_undone *u = &sum.all.at[i];
        struct err err = {0};
        err_set(&err, ERR_FEATURE,
                "not recorded, so rolled back (%" PRIu64 " time%s): %s",
                u->times, u->times == 1 ? "" : "s", u->why);
        err_at_line(&err, u->script->read.commands.at[u->command].line, 0);
        err_in_file(&err, u->script->read.path);
        w->options.left_out(w->options.self, &err);
    }
    vec_free(&sum.all);
}

static bool
understand_script(struct sql_workload *w, struct sql_workload_script *s,
                  struct err *err)
{
    for (size_t i = 0; i < s->script.read.commands.n; i++) {
        struct spec_statement statement;
        if (s->script.read.commands.at[i].kind > COMMAND_ROLLBACK)
            continue;
        if (!sql_session_understand(&w->watched, &w->arena, &s->script, i,
                                    &statement, err))
            return false;
        tell_part(w, s, i, statement.rows.part);
        statement_free(&statement);
    }
    return true;
}

static bool
make_tables(struct sql_workload *w, struct database *db, struct connection *c,
            struct err *err)
{
    w->has_before = watched_read(c, NULL, &w->before, err);
    if (!w->has_before)
        return false;
    if (!row_setup_expect_none(c, &w->before, w->schema, err)) {
        watched_free(&w->before);
        w->has_before = false; // nothing of ours is there
        return false;
    }
    if (!row_setup_make(c, &w->before, w->schema, &w->made, err))
        return err_in_file(err, w->options.schema);
    return w->recorder ||
           row_setup_watch(db, &w->before, &w->made, &w->watched, err);
}

/* Understand the statements, and let triggers report rows. */
static bool
understand(struct sql_workload *w, struct connection *c, bool records,
           struct err *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < w->scripts.n; i++)
        ok = understand_script(w, &w->scripts.at[i], err);
    return ok &&
           (!records || (watched_install(&w->watched, c, err) &&
                         row_state_read(&w->initial, &w->watched, c, err)));
}

static bool
prepare(struct sql_workload *w, struct database *db, struct connection *c,
        const char *path, struct err *err)
{
    const struct spec_recorder *r = path ? w->recorder : NULL;
    char scale[24];
    if (!make_tables(w, db, c, err) ||
        !(w->recorder ? !r || r->begin(r->self, &w->made, path, err)
                      : understand(w, c, path != NULL, err)))
        return false;
    find_scale(c, scale);
    bind_given(w, scale);
    for (size_t i = 0; i < w->sessions.n; i++) {
        struct sql_session *s = &w->sessions.at[i];
        s->watched = path && !w->recorder ? &w->watched : NULL;
        s->recorder = r;
        s->number = i + 1;
        s->runner.recorder.flavour = flavour_of(sql_product(c->driver));
        s->runner.stops = true;
    }
    return true;
}

/* --- the source ------------------------------------------------------------*/

static bool
load(void *self, struct database *db, const char *path, struct err *err)
{
    struct sql_workload *w = self;
    struct connection *c;
    if (!w->recorder && !row_setup_records(db))
        return err_set(err, ERR_FEATURE,
                       "a workload of SQL files needs one node of PostgreSQL "
                       "13, MariaDB 10.4 or SQLite 3.37, or later, or DuckDB, "
                       "and a build with PostgreSQL's parser; found %s",
                       *db->note ? db->note : db->driver->scheme);
    if (!db->driver->connect(db, 0, 0, &c, err))
        return false;
    const bool ok = prepare(w, db, c, path, err);
    c->driver->disconnect(c);
    return ok;
}

static const struct pgbench_script *
draw_script(struct sql_workload *w, struct random *random)
{
    uint64_t at = random_below(random, w->weights);
    size_t i = 0;
    while (at >= w->scripts.at[i].weight)
        at -= w->scripts.at[i++].weight;
    return &w->scripts.at[i].script;
}

static bool
run(void *self, uint32_t session, struct connection *c,
    struct collect_pass *out, struct err *err)
{
    struct sql_workload *w = self;
    struct sql_session *s = &w->sessions.at[session];
    assert(session < w->sessions.n);
    return sql_session_run(s, draw_script(w, &s->random), c, out, err);
}

/* Say why there is no history: the first error, if nothing was done. */
static bool
refuse_history(const struct sql_workload *w, bool is_empty, const char *refusal,
               struct err *err)
{
    for (size_t i = 0; is_empty && i < w->sessions.n; i++)
        if (w->sessions.at[i].failure[0])
            return err_set(
                err, ERR_IO,
                "no transaction did anything; the first error was %s",
                w->sessions.at[i].failure);
    return err_set(err, ERR_FEATURE, "not checked: %s", refusal);
}

/* What sessions keep; the check comes next, and needs the memory. */
static void
free_sessions(struct sql_workload *w)
{
    for (size_t i = 0; i < w->sessions.n; i++)
        sql_session_free(&w->sessions.at[i]);
    vec_clear(&w->sessions);
}

static bool
finish_recorder(struct sql_workload *w, struct err *err)
{
    struct spec_recorded out;
    const bool ok =
        w->recorder->finish(w->recorder->self, &out, err) &&
        (!out.refusal[0] ||
         refuse_history(w, out.is_empty, out.refusal, err)) &&
        (!out.is_empty || refuse_history(w, true, NOTES_EMPTY, err));
    free_sessions(w);
    return ok;
}

static bool
write_history(void *self, struct database *db, const char *path,
              struct err *err)
{
    struct sql_workload *w = self;
    if (w->recorder)
        return finish_recorder(w, err);
    struct connection *c;
    struct row_state final = {0};
    VEC(struct spec_history_session) sessions = {0};
    if (!db->driver->connect(db, 0, 0, &c, err))
        return false;
    for (size_t i = 0; i < w->sessions.n; i++) {
        char name[24];
        const int n = snprintf(name, sizeof name, "s%zu", i + 1);
        vec_push(&sessions, ((struct spec_history_session){
                                arena_copy(&w->arena, name, (size_t)n),
                                &w->sessions.at[i].runner.recorder.notes}));
    }
    bool ok = row_state_read(&final, &w->watched, c, err);
    if (ok) {
        struct row_history history = {.watched = &w->watched,
                                      .connection = c,
                                      .initial = &w->initial,
                                      .final = &final,
                                      .sessions = sessions.at,
                                      .sessions_n = sessions.n};
        ok = row_history_write(&history, path, err);
        if (ok && history.refusal[0])
            ok = refuse_history(w, history.is_empty, history.refusal, err);
        tell_parts(w);
    }
    tell_undone(w);
    vec_free(&sessions);
    row_state_free(&final);
    c->driver->disconnect(c);
    free_sessions(w);
    return ok;
}

/* Remove what random SQL made besides its tables. */
static void
remove_rest(const struct sql_workload *w, struct connection *c)
{
    struct buf sql = {0};
    const struct buf *all = &w->random.cleanup;
    for (size_t at = 0; at < all->n;) {
        const size_t n = strcspn(all->at + at, "\n");
        buf_clear(&sql);
        buf_add(&sql, all->at + at, n);
        c->driver->query(c, sql.at, NULL); // it may not have come to that
        at += n + 1;
    }
    buf_free(&sql);
}

static void
unload(void *self, struct database *db)
{
    struct sql_workload *w = self;
    struct connection *c;
    struct err err = {0};
    if (w->recorder)
        w->recorder->forget(w->recorder->self);
    if (!w->has_before || !db->driver->connect(db, 0, 0, &c, &err))
        return;
    row_setup_remove(c, &w->made);
    watched_remove(&w->made, c);
    remove_rest(w, c);
    c->driver->disconnect(c);
}

/* --- all of it -------------------------------------------------------------*/

bool
sql_workload_open(struct sql_workload *w, const struct sql_workload_options *o,
                  struct err *err)
{
    *w = (struct sql_workload){.options = *o};
    w->source = (struct collect_source){.self = w,
                                        .load = load,
                                        .run = run,
                                        .write = write_history,
                                        .unload = unload};
    const bool is_random = random_sql_is(o->scripts);
    assert(sql_workload_is(o->scripts) && o->sessions);
    assert(is_random ? o->product != NULL : o->schema != NULL);
    bool ok = !is_random || make_random(w, err);
    w->options.product = NULL; // the caller's
    for (const char *at = is_random ? NULL : o->scripts; ok && at;) {
        const size_t n = strcspn(at, ",");
        ok = read_script(w, at, n, err);
        at = at[n] ? at + n + 1 : NULL;
    }
    if (!is_random)
        w->schema = ok ? read_file(&w->arena, o->schema, err) : NULL;
    if (!ok || !w->schema) {
        sql_workload_close(w);
        return false;
    }
    for (size_t i = 0; i < o->sessions; i++) {
        struct sql_session s = {.pause = o->pause};
        workload_seed(&s.random, o->seed, i);
        vec_push(&w->sessions, s);
    }
    return true;
}

bool
sql_workload_put_text(const struct sql_workload *w, struct buf *out,
                      struct err *err)
{
    const struct pgbench_bindings none = {0};
    struct buf sql = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < w->scripts.n; i++) {
        const struct pgbench_script *s = &w->scripts.at[i].script;
        for (size_t k = 0; ok && k < s->read.commands.n; k++) {
            if (s->read.commands.at[k].kind > COMMAND_ROLLBACK)
                continue;
            buf_clear(&sql);
            ok = pgbench_script_fill(s, k, &none, "1", &sql, err);
            buf_printf(out, "%s;\n", ok ? sql.at : "");
        }
    }
    buf_free(&sql);
    return ok;
}

void
sql_workload_close(struct sql_workload *w)
{
    for (size_t i = 0; i < w->scripts.n; i++)
        pgbench_script_free(&w->scripts.at[i].script);
    free_sessions(w);
    vec_free(&w->scripts);
    vec_free(&w->sessions);
    watched_free(&w->watched);
    watched_free(&w->before);
    watched_free(&w->made);
    row_state_free(&w->initial);
    random_sql_free(&w->random);
    arena_free(&w->arena);
}
