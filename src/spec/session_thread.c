/* session_thread.c -- see session_thread.h.
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
        struct script_block *block = a->block;
        const char *sql = a->sql;
        pthread_mutex_unlock(&a->lock);
        if (block)
            step_runner_block(&a->runner, block);
        else
            step_runner_text(&a->runner, sql);
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
    struct connection *own = a->runner.recorder.connection;
    if (own)
        own->driver->disconnect(own);
    if (a->observer)
        a->observer->driver->disconnect(a->observer);
    a->runner.recorder.connection = a->observer = NULL;
}

bool
session_thread_open(struct session_thread *a, struct database *db,
                    uint32_t session, size_t node, struct err *err)
{
    *a = (struct session_thread){.runner.recorder.flavour =
                                     flavour_of(sql_product(db->driver))};
    if (!db->driver->connect(db, session, node, &a->runner.recorder.connection,
                             err))
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
act(struct session_thread *a, struct script_block *block, const char *sql)
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
session_thread_act(struct session_thread *a, struct script_block *block)
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
    snprintf(id, sizeof id, "%" PRIu64,
             a->runner.recorder.connection->server_id);
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
    step_runner_free(&a->runner);
}
