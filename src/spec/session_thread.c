/* session_thread.c -- see session_thread.h.
 *
 * The statements of a step that are outside a transaction form one implicit
 * transaction, as PostgreSQL's tester sends them.  The first statement that
 * fails ends the step.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/session_thread.h"

#include "base/limits/limit.h"
#include "driver/sql/sql.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// Seconds between two queries about a busy session: MariaDB repeats its old
// answer for as long.
#define LOOK_AGAIN 0.12

/* --- statements ------------------------------------------------------------*/

static enum outcome
query(struct session_thread *a, const char *sql)
{
    struct connection *c = a->recorder.connection;
    return c->driver->query(c, sql, NULL);
}

static void
note_failure(struct session_thread *a, const char *sql)
{
    char quoted[ERR_QUOTE_ROOM], said[200];
    const char *message = a->recorder.connection->message;
    a->failed++;
    snprintf(a->failure, sizeof a->failure, "'%s': %s",
             err_quote(quoted, sizeof quoted, sql, strlen(sql)),
             err_quote(said, sizeof said, message, strlen(message)));
}

/* After a rollback by the database, further statements would run as
 * transactions of their own.  So none is sent until the script ends the
 * transaction. */
static void
give_up(struct session_thread *a, enum outcome outcome)
{
    struct notes *n = &a->recorder.notes;
    if (n->is_open)
        notes_end(n, outcome == OUTCOME_LOST ? TXN_INDETERMINATE : TXN_ABORTED);
    if (outcome != OUTCOME_LOST)
        query(a, "rollback");
    a->is_gone = !a->is_implicit || outcome == OUTCOME_LOST;
    a->is_implicit = false;
}

static bool
commit(struct session_thread *a)
{
    const enum outcome outcome = query(a, "commit");
    statement_recorder_take_told(&a->recorder); // by what was deferred
    if (outcome == OUTCOME_OK)
        notes_end(&a->recorder.notes, TXN_COMMITTED);
    else
        give_up(a, outcome);
    a->is_implicit = false;
    return outcome == OUTCOME_OK;
}

/* Begin, with the level if the statement names one. */
static bool
begin(struct session_thread *a, const char *text, const char *isolation)
{
    const struct flavour *flavour = a->recorder.flavour;
    enum outcome outcome = OUTCOME_OK;
    if (flavour->has_levels) {
        outcome = query(a, text);
    } else {
        struct buf sql = {0};
        buf_printf(&sql, "set transaction isolation level %s", isolation);
        if (*isolation && flavour->begin_again == BEGIN_COMMITS)
            outcome = query(a, sql.at);
        buf_free(&sql);
        if (outcome == OUTCOME_OK)
            outcome = query(a, "begin");
    }
    vec_clear(&a->recorder.savepoints);
    a->recorder.is_failed = false;
    if (outcome == OUTCOME_OK)
        notes_begin(&a->recorder.notes);
    else
        note_failure(a, text);
    return outcome == OUTCOME_OK;
}

/* 'begin' inside a transaction. */
static bool
begin_again(struct session_thread *a, const struct spec_statement *s)
{
    switch (a->recorder.flavour->begin_again) {
    case BEGIN_COMMITS:
        return commit(a) && begin(a, s->text, s->isolation);
    case BEGIN_FAILS:
        note_failure(a, s->text);
        return true; // the transaction continues
    default:
        break;
    }
    const enum outcome outcome = query(a, s->text);
    if (outcome != OUTCOME_OK) {
        note_failure(a, s->text);
        give_up(a, outcome);
    }
    a->is_implicit = false;
    return outcome == OUTCOME_OK;
}

static bool
run_begin(struct session_thread *a, const struct spec_statement *s)
{
    if (a->recorder.notes.is_open)
        return begin_again(a, s);
    if (a->is_gone && a->recorder.flavour->error_ends_txn)
        return false; // it is still inside the failed transaction
    a->is_gone = false;
    return begin(a, s->text, s->isolation);
}

/* Commit or rollback. */
static bool
run_end(struct session_thread *a, const struct spec_statement *s)
{
    struct notes *n = &a->recorder.notes;
    a->is_gone = false;
    if (!n->is_open)
        return true;
    if (s->kind == SPEC_COMMIT)
        return commit(a);
    query(a, "rollback");
    notes_end(n, TXN_ABORTED);
    a->is_implicit = false;
    return true;
}

/* The savepoint of that name, or SIZE_MAX. */
static size_t
find_savepoint(const struct statement_recorder *p, const char *name)
{
    size_t i = p->savepoints.n;
    while (i && strcmp(p->savepoints.at[i - 1].name, name) != 0)
        i--;
    return i - 1;
}

/* What is undone was not written.  Nor are the reads in between noted: they may
 * have seen what is undone. */
static bool
run_savepoint(struct session_thread *a, const struct spec_statement *s)
{
    struct statement_recorder *p = &a->recorder;
    if (!p->notes.is_open)
        return true;
    if (s->kind != SPEC_ROLLBACK_TO && p->is_failed)
        return true;
    const enum outcome outcome = query(a, s->text);
    if (outcome != OUTCOME_OK) {
        note_failure(a, s->text);
        give_up(a, outcome);
        return false;
    }
    row_note_vec *notes = &vec_top(&p->notes.txns).rows;
    const size_t at = find_savepoint(p, s->savepoint);
    if (s->kind == SPEC_SAVEPOINT) {
        vec_push(&p->savepoints,
                 ((struct recorder_savepoint){s->savepoint, notes->n}));
    } else if (at < p->savepoints.n) {
        if (s->kind == SPEC_ROLLBACK_TO)
            notes->n = p->savepoints.at[at].notes;
        p->savepoints.n = at + (s->kind == SPEC_ROLLBACK_TO);
    }
    p->is_failed = false;
    return true;
}

/* Handle a statement that failed: what becomes of its transaction. */
static void
fail(struct session_thread *a, const struct spec_statement *s,
     enum outcome outcome)
{
    const bool goes_on = outcome == OUTCOME_FAILED && !a->is_implicit &&
                         !a->recorder.flavour->error_ends_txn;
    if (outcome == OUTCOME_FAILED)
        note_failure(a, s->text);
    if (!a->recorder.notes.is_open)
        return;
    if (outcome != OUTCOME_LOST && a->recorder.savepoints.n) {
        a->recorder.is_failed = true; // until it goes back to a savepoint
        return;
    }
    if (goes_on && a->recorder.failed_alone)
        return;
    if (goes_on && !a->recorder.refusal[0])
        snprintf(a->recorder.refusal, sizeof a->recorder.refusal,
                 "a statement failed in a transaction that continues");
    give_up(a, outcome);
}

/* Run a statement; returns whether the step continues. */
static bool
run_statement(struct session_thread *a, const struct spec_statement *s,
              bool is_one_of_many)
{
    struct statement_recorder *p = &a->recorder;
    if (s->kind == SPEC_BEGIN)
        return run_begin(a, s);
    if (s->kind == SPEC_COMMIT || s->kind == SPEC_ROLLBACK)
        return run_end(a, s);
    if (s->kind == SPEC_SAVEPOINT || s->kind == SPEC_RELEASE ||
        s->kind == SPEC_ROLLBACK_TO)
        return run_savepoint(a, s);
    if (a->is_gone || p->is_failed)
        return true;
    if (!p->notes.is_open && (s->kind != SPEC_QUIET || is_one_of_many)) {
        if (!begin(a, "begin", ""))
            return false;
        a->is_implicit = true;
    }
    p->failed_alone = false;
    const enum outcome outcome = s->kind == SPEC_QUIET
                                     ? query(a, s->text)
                                     : statement_recorder_run(p, s);
    if (outcome != OUTCOME_OK)
        fail(a, s, outcome);
    return outcome == OUTCOME_OK;
}

static void
run_block(struct session_thread *a, const struct script_block *block)
{
    const size_t n = block->statements.n;
    const bool many = n > 1 && a->recorder.flavour->runs_many;
    for (size_t i = 0; i < n; i++)
        if (!run_statement(a, &block->statements.at[i], many))
            break;
    if (a->is_implicit && a->recorder.notes.is_open)
        commit(a);
    a->is_implicit = false;
}

/* Run SQL as it is, up to the first statement that fails. */
static void
run_text(struct session_thread *a, const char *sql)
{
    const struct flavour *flavour = a->recorder.flavour;
    struct arena arena = {0};
    text_vec parts = {0};
    if (flavour->runs_many)
        vec_push(&parts, sql);
    else
        script_split(sql, flavour, &arena, &parts);
    for (size_t i = 0; i < parts.n; i++)
        if (query(a, parts.at[i]) != OUTCOME_OK) {
            note_failure(a, parts.at[i]);
            break;
        }
    vec_free(&parts);
    arena_free(&arena);
}

/* --- the thread ------------------------------------------------------------*/

static void *
live(void *arg)
{
    struct session_thread *a = arg;
    pthread_mutex_lock(&a->lock);
    while (!a->is_over) {
        if (!a->is_busy) {
            pthread_cond_wait(&a->changes, &a->lock);
            continue;
        }
        const struct script_block *block = a->block;
        const char *sql = a->sql;
        pthread_mutex_unlock(&a->lock);
        if (block)
            run_block(a, block);
        else
            run_text(a, sql);
        pthread_mutex_lock(&a->lock);
        a->is_busy = false;
        pthread_cond_broadcast(&a->changes);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

static void
hang_up(struct session_thread *a)
{
    struct connection *own = a->recorder.connection;
    if (own)
        own->driver->disconnect(own);
    if (a->observer)
        a->observer->driver->disconnect(a->observer);
    a->recorder.connection = a->observer = NULL;
}

bool
session_thread_open(struct session_thread *a, struct database *db,
                    uint32_t session, size_t node, struct err *err)
{
    *a = (struct session_thread){.recorder.flavour =
                                     flavour_of(db->driver->scheme)};
    if (!db->driver->connect(db, session, node, &a->recorder.connection, err))
        return false;
    if (db->driver->sql->waits &&
        !db->driver->connect(db, session, node, &a->observer, err)) {
        hang_up(a);
        return false;
    }
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changes, NULL);
    a->has_thread = pthread_create(&a->thread, NULL, live, a) == 0;
    if (a->has_thread)
        return true;
    hang_up(a);
    return err_set(err, ERR_IO, "cannot start a thread");
}

static void
act(struct session_thread *a, const struct script_block *block, const char *sql)
{
    pthread_mutex_lock(&a->lock);
    assert(!a->is_busy);
    a->block = block;
    a->sql = sql;
    a->is_busy = true;
    pthread_cond_broadcast(&a->changes);
    pthread_mutex_unlock(&a->lock);
}

void
session_thread_act(struct session_thread *a, const struct script_block *block)
{
    act(a, block, NULL);
}

void
session_thread_run(struct session_thread *a, const char *sql)
{
    act(a, NULL, sql);
}

bool
session_thread_is_busy(struct session_thread *a)
{
    pthread_mutex_lock(&a->lock);
    const bool is_busy = a->is_busy;
    pthread_mutex_unlock(&a->lock);
    return is_busy;
}

/* --- waiting ---------------------------------------------------------------*/

bool
session_thread_await(struct session_thread *a, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const double at = (double)until.tv_nsec + seconds * 1e9;
    until.tv_sec += (time_t)(at / 1e9);
    until.tv_nsec = (long)(at - (double)(time_t)(at / 1e9) * 1e9);
    pthread_mutex_lock(&a->lock);
    int status = 0;
    while (a->is_busy && status == 0)
        status = pthread_cond_timedwait(&a->changes, &a->lock, &until);
    const bool idle = !a->is_busy;
    pthread_mutex_unlock(&a->lock);
    return idle;
}

/* The answer to the observer's query about the session; -1: none. */
static int
ask_observer(struct session_thread *a, const char *pattern)
{
    char id[24];
    struct buf sql = {0};
    struct result_rows rows = {0};
    snprintf(id, sizeof id, "%" PRIu64, a->recorder.connection->server_id);
    sql_fill(&sql, pattern, id);
    const bool known =
        a->observer->driver->query(a->observer, sql.at, &rows) == OUTCOME_OK &&
        rows.n && rows.cells.n;
    const int answer =
        !known ? -1 : strcmp(result_rows_get(&rows, 0, 0), "0") != 0;
    result_rows_free(&rows);
    buf_free(&sql);
    return answer;
}

enum session_thread_state
session_thread_settle(struct session_thread *a, double patience, double limit)
{
    if (!a->observer)
        return session_thread_await(a, limit) ? ACTOR_IDLE : ACTOR_RUNS;
    const double until = time_now() + limit;
    while (!session_thread_await(a, LOOK_AGAIN)) {
        const int waits = ask_observer(a, a->observer->driver->sql->waits);
        if (waits > 0)
            return ACTOR_WAITS;
        if (waits < 0)
            return session_thread_await(a, patience) ? ACTOR_IDLE : ACTOR_WAITS;
        if (time_now() > until)
            return ACTOR_RUNS;
    }
    return ACTOR_IDLE;
}

bool
session_thread_cut(struct session_thread *a, double limit)
{
    if (a->observer)
        ask_observer(a, a->observer->driver->sql->cut);
    return session_thread_await(a, limit);
}

void
session_thread_rest(struct session_thread *a)
{
    if (a->recorder.notes.is_open) {
        query(a, "rollback");
        notes_end(&a->recorder.notes, TXN_ABORTED);
    }
    a->is_gone = a->is_implicit = false;
}

void
session_thread_close(struct session_thread *a)
{
    if (a->has_thread) {
        pthread_mutex_lock(&a->lock);
        assert(!a->is_busy);
        a->is_over = true;
        pthread_cond_broadcast(&a->changes);
        pthread_mutex_unlock(&a->lock);
        pthread_join(a->thread, NULL);
        pthread_cond_destroy(&a->changes);
        pthread_mutex_destroy(&a->lock);
        a->has_thread = false;
    }
    hang_up(a);
}

void
session_thread_free(struct session_thread *a)
{
    notes_free(&a->recorder.notes);
    vec_free(&a->recorder.savepoints);
    buf_free(&a->recorder.notices);
}
