/* interleave.c -- see interleave.h.
 *
 * Steps are passed to the threads of their sessions one after the other.  The
 * next step starts when the one before has ended or waits for a lock.  A step
 * that waits ends whenever the lock is released.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/interleave.h"

#include "base/limits/limit.h"
#include "base/print.h"
#include "spec/row/row_dialect.h"
#include "spec/row/row_history.h"
#include "spec/session_thread.h"
#include "spec/spec_history.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Seconds that a database needs to detect a deadlock.
#define FIND_DEADLOCK 3.0

struct stage {
    struct script *script;
    struct database *db;
    const struct interleave_options *o;
    struct interleaved *out;
    struct session_thread *setup; // makes and reads the tables
    VEC(struct session_thread) threads;
    struct state initial, final;
    struct row_state rows_initial, rows_final; // instead, if rows are recorded
    VEC(struct spec_history_session) sessions;
    bool has_tables; // the setup was run
};

__attribute__((format(printf, 2, 3))) static void
refuse(struct stage *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!g->out->refusal[0])
        print_args(g->out->refusal, sizeof g->out->refusal, format, args);
    va_end(args);
}

/* --- tables ----------------------------------------------------------------*/

/* Refuse to run if a table of the specification exists already. */
static bool
expect_no_tables(struct stage *g, struct err *err)
{
    struct connection *c = g->setup->runner.recorder.connection;
    for (size_t i = 0; i < g->script->tables.n; i++) {
        const char *name = g->script->tables.at[i].name;
        struct buf sql = {0};
        buf_printf(&sql, "select 1 from %s where 1 = 0", name);
        const enum outcome outcome = c->driver->query(c, sql.at, NULL);
        buf_free(&sql);
        if (outcome == OUTCOME_OK)
            return err_set(err, ERR_USAGE,
                           "the database already has a table '%s', "
                           "expected none",
                           name);
    }
    return true;
}

/* Through the observer if there is one: it works even if the session's own
 * connection was closed. */
static void
drop_tables(struct stage *g)
{
    struct connection *c = g->setup->observer
                               ? g->setup->observer
                               : g->setup->runner.recorder.connection;
    // In reverse order: later tables may depend on earlier ones.
    for (size_t i = g->script->tables.n; i--;) {
        struct buf sql = {0};
        buf_printf(&sql, "drop table if exists %s%s",
                   g->script->tables.at[i].name,
                   g->script->watched ? g->script->watched->dialect->drop : "");
        c->driver->query(c, sql.at, NULL);
        buf_free(&sql);
    }
    if (!g->script->watched)
        return;
    setup_objects_drop(c, &g->script->watched->objects);
    watched_remove(g->script->watched, c);
}

/* Run SQL verbatim; false if it does not end. */
static bool
run_text(struct stage *g, struct session_thread *a, const char *sql)
{
    session_thread_run(a, sql);
    if (session_thread_await(a, g->o->limit))
        return true;
    session_thread_cut(a, g->o->limit);
    return false;
}

/* Run the setup; if one of its statements fails, the run fails. */
static bool
make_tables(struct stage *g, const char *path, struct err *err)
{
    const struct spec *s = g->script->spec;
    struct session_thread *a = g->setup;
    if (!expect_no_tables(g, err))
        return false;
    g->has_tables = true;
    for (size_t i = 0; i < s->setups.n; i++) {
        if (!run_text(g, a, s->setups.at[i].sql))
            return err_set(err, ERR_IO,
                           "the setup has not ended after %g seconds",
                           g->o->limit);
        if (a->runner.failed) {
            // Tables that are there now may be another run's.
            g->has_tables = i || a->runner.done;
            return err_set(err, ERR_IO, "the setup failed at %s",
                           a->runner.failure);
        }
    }
    if (g->o->recorder)
        return g->o->recorder->begin(g->o->recorder->self, g->script->watched,
                                     path, err);
    return !g->script->watched ||
           watched_install(g->script->watched, a->runner.recorder.connection,
                           err);
}

/* --- states ----------------------------------------------------------------*/

static bool
read_tables(struct stage *g, struct statement_recorder *p, struct state *out)
{
    enum outcome outcome = OUTCOME_OK;
    for (size_t i = 0; outcome == OUTCOME_OK && i < g->script->tables.n; i++) {
        vec_push(&out->tables, (struct result_rows){0});
        if (!g->script->tables.at[i].flaw)
            outcome = statement_recorder_table(p, &g->script->tables.at[i],
                                               &vec_top(&out->tables));
    }
    return outcome == OUTCOME_OK;
}

/* Read all tables in one transaction. */
static bool
read_state(struct stage *g, struct session_thread *a, struct state *out,
           struct err *err)
{
    struct connection *c = a->runner.recorder.connection;
    out->began = time_now();
    bool ok = c->driver->query(c, "begin", NULL) == OUTCOME_OK &&
              read_tables(g, &a->runner.recorder, out);
    if (ok)
        ok = c->driver->query(c, "commit", NULL) == OUTCOME_OK;
    else
        c->driver->query(c, "rollback", NULL);
    out->ended = time_now();
    if (ok)
        return true;
    const char *why =
        a->runner.recorder.refusal[0] ? a->runner.recorder.refusal : c->message;
    return err_set(err, ERR_IO, "cannot read the tables back: %s", why);
}

/* Read the state, as registers or as rows. */
static bool
look(struct stage *g, struct state *registers, struct row_state *rows,
     struct err *err)
{
    if (g->o->recorder)
        return true;
    return g->script->watched
               ? row_state_read(rows, g->script->watched,
                                g->setup->runner.recorder.connection, err)
               : read_state(g, g->setup, registers, err);
}

static bool
is_same_state(const struct state *a, const struct state *b)
{
    for (size_t t = 0; t < a->tables.n; t++) {
        const struct result_rows *x = &a->tables.at[t], *y = &b->tables.at[t];
        if (x->n != y->n || x->text.n != y->text.n ||
            (x->text.n && memcmp(x->text.at, y->text.at, x->text.n) != 0))
            return false;
        for (size_t i = 0; i < x->cells.n; i++)
            if (x->cells.at[i].is_null != y->cells.at[i].is_null)
                return false;
    }
    return true;
}

/* Wait until a session sees the initial state, which may still be on its way to
 * another node. */
static bool
meet_state(struct stage *g, struct session_thread *a, const char *name,
           struct err *err)
{
    const double until = time_now() + g->o->limit;
    for (;;) {
        struct state seen = {0};
        struct err missing = {0};
        const bool ok = read_state(g, a, &seen, &missing) &&
                        is_same_state(&seen, &g->initial);
        spec_history_free_state(&seen);
        if (ok)
            return true;
        if (time_now() > until)
            return err_set(err, ERR_IO,
                           "session '%s' does not see the result of the setup",
                           name);
        time_pause(0.05);
    }
}

/* --- steps -----------------------------------------------------------------*/

static bool
prepare(const struct stage *g, struct session_thread *a, const char *name,
        struct err *err)
{
    const struct watched *w = g->script->watched;
    struct connection *c = a->runner.recorder.connection;
    if (g->o->recorder)
        return g->o->recorder->attach(g->o->recorder->self, c, name, err);
    return !w || !w->dialect->prepare ||
           c->driver->query(c, w->dialect->prepare, NULL) == OUTCOME_OK ||
           err_set(err, ERR_IO, "cannot prepare a session: %s", c->message);
}

static bool
open_threads(struct stage *g, struct err *err)
{
    const struct spec *s = g->script->spec;
    vec_reserve(&g->threads, s->sessions.n); // threads hold pointers into it
    for (size_t i = 0; i < s->sessions.n; i++) {
        struct spec_history_session session = {.name = s->sessions.at[i].name};
        vec_push(&g->threads, (struct session_thread){0});
        struct session_thread *a = &vec_top(&g->threads);
        if (!session_thread_open(a, g->db, (uint32_t)i + 1, i % g->db->nodes,
                                 err) ||
            !prepare(g, a, session.name, err) ||
            (g->db->nodes > 1 && !g->script->watched &&
             !meet_state(g, a, session.name, err)))
            return false;
        a->runner.recorder.refusal[0] = 0;
        session.notes = &a->runner.recorder.notes;
        vec_push(&g->sessions, session);
    }
    return true;
}

/* Wait for a session after its step was begun; false if it runs too long.
 */
static bool
watch(struct stage *g, struct session_thread *a, const char *what,
      const char *name, bool *waits)
{
    const enum session_thread_state state =
        session_thread_settle(a, g->o->patience, g->o->limit);
    *waits = state == ACTOR_WAITS;
    if (state == ACTOR_RUNS)
        refuse(g,
               "%s '%.60s' had not ended after %g seconds, and waits for no "
               "lock",
               what, name, g->o->limit);
    else if (state == ACTOR_IDLE && a->runner.recorder.refusal[0])
        refuse(g, "%s '%.60s': %s", what, name, a->runner.recorder.refusal);
    return !g->out->refusal[0];
}

/* Start a block: as it is, or statement by statement. */
static void
act(struct stage *g, struct session_thread *a, const struct spec_block *text,
    struct script_block *block)
{
    if (!g->o->recorder)
        session_thread_act(a, block);
    else if (text->sql[strspn(text->sql, " \t\r\n")])
        session_thread_run(a, text->sql);
}

static void
run_setups(struct stage *g)
{
    bool waits;
    for (size_t i = 0; i < g->threads.n && !g->out->refusal[0]; i++) {
        const char *name = g->script->spec->sessions.at[i].name;
        act(g, &g->threads.at[i], &g->script->spec->sessions.at[i].setup,
            &g->script->setups.at[i]);
        if (watch(g, &g->threads.at[i], "the setup of session", name, &waits) &&
            waits)
            refuse(g, "the setup of session '%.60s' waits for a lock", name);
    }
}

static size_t
count_busy(struct stage *g)
{
    size_t n = 0;
    for (size_t i = 0; i < g->threads.n; i++)
        n += session_thread_is_busy(&g->threads.at[i]);
    return n;
}

/* Whether the session can take a step.  A session that waits for a lock cannot,
 * unless it is in a deadlock, which the database will end. */
static bool
is_free(struct stage *g, struct session_thread *a)
{
    const double until = time_now() + FIND_DEADLOCK;
    while (session_thread_settle(a, g->o->patience, g->o->limit) != ACTOR_IDLE)
        if (count_busy(g) < 2 || time_now() > until)
            return false;
    return true;
}

static void
run_steps(struct stage *g, const u32_vec *order)
{
    g->out->is_possible = true;
    for (size_t i = 0; i < order->n && !g->out->refusal[0]; i++) {
        const struct spec_step *step = &g->script->spec->steps.at[order->at[i]];
        struct session_thread *a = &g->threads.at[step->session];
        bool waits;
        if (!is_free(g, a)) {
            g->out->is_possible = false;
            return;
        }
        act(g, a, &step->block, &g->script->steps.at[order->at[i]]);
        watch(g, a, "step", step->name, &waits);
        g->out->waited += waits;
    }
}

/* End idle sessions so that waiting ones can continue, until no session is
 * busy; false if one still is after that many seconds. */
static bool
give_way(struct stage *g, double seconds)
{
    const double until = time_now() + seconds;
    do
        for (size_t i = 0; i < g->threads.n; i++)
            if (session_thread_await(&g->threads.at[i], 0.01))
                step_runner_rest(&g->threads.at[i].runner);
    while (count_busy(g) && time_now() < until);
    return !count_busy(g);
}

/* End all transactions; the connections of sessions that do not return are
 * closed.  If the run has failed already, no session is waited for. */
static bool
settle(struct stage *g, struct err *err)
{
    const bool is_told = g->out->is_possible && !g->out->refusal[0];
    if (!give_way(g, is_told ? g->o->limit : FIND_DEADLOCK) && is_told)
        refuse(g, "sessions still wait for each other after %g seconds",
               g->o->limit);
    for (size_t i = 0; i < g->threads.n; i++) {
        struct session_thread *a = &g->threads.at[i];
        const char *name = g->script->spec->sessions.at[i].name;
        if (session_thread_is_busy(a) && !session_thread_cut(a, g->o->limit))
            return err_set(err, ERR_IO, "session '%s' does not return", name);
        step_runner_rest(&a->runner);
        if (is_told && a->runner.recorder.refusal[0])
            refuse(g, "session '%.60s': %s", name, a->runner.recorder.refusal);
    }
    return true;
}

static void
tear_down_sessions(struct stage *g)
{
    for (size_t i = 0; i < g->threads.n; i++) {
        const char *sql = g->script->spec->sessions.at[i].teardown.sql;
        if (*sql)
            run_text(g, &g->threads.at[i], sql);
    }
}

/* --- all of it -------------------------------------------------------------*/

static void
count(struct stage *g)
{
    struct interleaved *out = g->out;
    for (size_t i = 0; i < g->threads.n; i++) {
        const struct session_thread *a = &g->threads.at[i];
        for (size_t t = 0; t < a->runner.recorder.notes.txns.n; t++) {
            const enum txn_status status =
                a->runner.recorder.notes.txns.at[t].status;
            out->committed += status == TXN_COMMITTED;
            out->aborted += status == TXN_ABORTED;
        }
        findings_join(&out->findings, &a->runner.findings);
        out->failed += a->runner.failed;
        if (a->runner.failed)
            memcpy(out->failure, a->runner.failure, sizeof out->failure);
    }
}

static bool
write_rows(struct stage *g, const char *path, struct err *err)
{
    struct row_history history = {.watched = g->script->watched,
                                  .connection =
                                      g->setup->runner.recorder.connection,
                                  .initial = &g->rows_initial,
                                  .final = &g->rows_final,
                                  .sessions = g->sessions.at,
                                  .sessions_n = g->sessions.n};
    const bool ok = row_history_write(&history, path, err);
    if (history.refusal[0])
        refuse(g, "%s", history.refusal);
    return ok;
}

static bool
finish(struct stage *g, struct err *err)
{
    struct spec_recorded recorded;
    const bool ok =
        g->o->recorder->finish(g->o->recorder->self, &recorded, err);
    if (ok && (recorded.is_empty || recorded.refusal[0]))
        refuse(g, "%s", recorded.is_empty ? NOTES_EMPTY : recorded.refusal);
    return ok;
}

static bool
write_history(struct stage *g, const char *path, struct err *err)
{
    if (g->o->recorder)
        return finish(g, err);
    if (g->script->watched)
        return write_rows(g, path, err);
    struct spec_history history = {
        .script = g->script, .initial = &g->initial, .final = &g->final};
    for (size_t i = 0; i < g->sessions.n; i++)
        vec_push(&history.sessions, g->sessions.at[i]);
    const bool ok = spec_history_write(&history, path, err);
    if (history.refusal[0])
        refuse(g, "%s", history.refusal);
    vec_free(&history.sessions);
    return ok;
}

static bool
interleave(struct stage *g, const u32_vec *order, const char *path,
           struct err *err)
{
    if (!session_thread_open(g->setup, g->db, 0, 0, err) ||
        !make_tables(g, path, err) ||
        !look(g, &g->initial, &g->rows_initial, err) || !open_threads(g, err))
        return false;
    run_setups(g);
    run_steps(g, order);
    if (!settle(g, err))
        return false;
    count(g);
    bool ok = true;
    if (!g->out->refusal[0] && g->out->is_possible)
        ok = look(g, &g->final, &g->rows_final, err) &&
             write_history(g, path, err);
    tear_down_sessions(g);
    return ok;
}

/* End a session.  The thread of a session that does not return cannot be
 * ended, so what it uses is not freed. */
static bool
dismiss(struct session_thread *a)
{
    if (a->has_thread && session_thread_is_busy(a))
        return false;
    session_thread_close(a);
    session_thread_free(a);
    return true;
}

static void
clear(struct stage *g)
{
    bool ok = true;
    if (g->o->recorder)
        g->o->recorder->forget(g->o->recorder->self);
    for (size_t i = 0; i < g->threads.n; i++)
        ok = dismiss(&g->threads.at[i]) && ok;
    if (ok)
        vec_free(&g->threads);
    if (g->has_tables) {
        if (*g->script->spec->teardown.sql && !session_thread_is_busy(g->setup))
            run_text(g, g->setup, g->script->spec->teardown.sql);
        drop_tables(g);
    }
    if (dismiss(g->setup))
        mem_free(g->setup);
    vec_free(&g->sessions);
    spec_history_free_state(&g->initial);
    spec_history_free_state(&g->final);
    row_state_free(&g->rows_initial);
    row_state_free(&g->rows_final);
}

bool
interleave_run(struct script *s, struct database *db, const u32_vec *order,
               const struct interleave_options *o, const char *path,
               struct interleaved *out, struct err *err)
{
    assert(script_refuses(s, order) == SCRIPT_UNDERSTOOD);
    struct stage g = {.script = s, .db = db, .o = o, .out = out};
    g.setup = mem_calloc(1, sizeof *g.setup);
    *out = (struct interleaved){0};
    const bool ok = interleave(&g, order, path, err);
    clear(&g);
    return ok;
}
