/* database.c -- see database.h.
 *
 * The steps of the schedule are given out one after the other.  The next one
 * comes when the last has been made, or its session waits for a lock; the steps
 * of a session that waits come later, as soon as it is free.
 *
 * SPDX-License-Identifier: MIT */
#include "replay/database.h"

#include "base/limits/limit.h"
#include "driver/sql/sql.h"
#include "replay/player.h"
#include "replay/schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Seconds between two looks at a session that is busy, as long as MariaDB
// keeps an old answer; and after which one that is busy is given up.
#define LOOK_AGAIN 0.12
#define PATIENCE 10.0

struct play {
    struct server_replay shared;
    struct schedule schedule;
    uint8_t *is_done; // by step
    struct connection *observer;
    VEC(struct player) players; // by session, dense
};

bool
replay_is_possible_on(const char *target)
{
    char scheme[16];
    snprintf(scheme, sizeof scheme, "%.*s", (int)strcspn(target, ":"), target);
    const struct driver *driver = driver_find(scheme);
    return driver && driver->sql && driver->sql->waits;
}

enum driver_isolation
replay_isolation(enum level level)
{
    return level_table[level].sql == SQL_READ_COMMITTED
               ? ISOLATION_READ_COMMITTED
               : ISOLATION_REPEATABLE_READ;
}

bool
replay_has_schedule(const struct execution *x, enum level level)
{
    struct schedule s;
    struct err err = {0};
    bool exists;
    const enum driver_isolation isolation = replay_isolation(level);
    bool ok = rerun_fits(x->o->h) &&
              schedule_make(&s, x, isolation, false, &exists, &err);
    if (!ok)
        return false;
    ok = exists && (isolation == ISOLATION_READ_COMMITTED ||
                    !schedule_has_conflict(&s, x->o));
    schedule_free(&s);
    return ok;
}

uint32_t *
replay_rows(const struct history *h)
{
    return rerun_fits(h) ? schedule_rows(h) : NULL;
}

/* --- steps ---------------------------------------------------------------- */

/* Ask the database something about a session; whether it answers other than
 * 0. */
static bool
ask(struct play *g, const struct player *p, const char *pattern)
{
    char id[24];
    struct buf sql = {0};
    struct result_rows rows = {0};
    snprintf(id, sizeof id, "%" PRIu64, p->connection->server_id);
    sql_fill(&sql, pattern, id);
    const bool yes =
        g->observer->driver->query(g->observer, sql.at, &rows) == OUTCOME_OK &&
        rows.n && strcmp(result_rows_get(&rows, 0, 0), "0") != 0;
    result_rows_free(&rows);
    buf_free(&sql);
    return yes;
}

/* Wait until the player is idle, or waits for a lock. */
static bool
watch(struct play *g, struct player *p, bool *waits)
{
    const double until = time_now() + PATIENCE;
    *waits = false;
    while (!player_await(p, LOOK_AGAIN)) {
        *waits = ask(g, p, g->observer->driver->sql->waits);
        if (*waits)
            return true;
        if (time_now() > until)
            return false;
    }
    return true;
}

/* The first step that is not done and whose session is free; the number of
 * steps where there is none. */
static size_t
next_step(struct play *g)
{
    const struct observed *o = g->shared.o;
    for (size_t i = 0; i < g->schedule.steps.n; i++) {
        struct player *p =
            &g->players.at[o->session[g->schedule.steps.at[i].txn]];
        if (!g->is_done[i] && !player_is_busy(p))
            return i;
    }
    return g->schedule.steps.n;
}

static bool
is_all_done(const struct play *g)
{
    for (size_t i = 0; i < g->schedule.steps.n; i++)
        if (!g->is_done[i])
            return false;
    return true;
}

/* Wait until a busy session is free again. */
static bool
await_anybody(struct play *g)
{
    const double until = time_now() + PATIENCE;
    while (time_now() < until)
        for (size_t i = 0; i < g->players.n; i++)
            if (player_is_busy(&g->players.at[i]) &&
                player_await(&g->players.at[i], 0.01))
                return true;
    return false;
}

static bool
is_over(struct play *g)
{
    pthread_mutex_lock(&g->shared.lock);
    const bool over = g->shared.is_over;
    pthread_mutex_unlock(&g->shared.lock);
    return over;
}

static void
run_step(struct play *g, size_t i, bool *ok)
{
    const struct schedule_step *step = &g->schedule.steps.at[i];
    struct player *p = &g->players.at[g->shared.o->session[step->txn]];
    bool waits;
    if (step->begins)
        player_begin(p, step->txn);
    else
        player_go_on(p, step->txn, step->accesses);
    *ok = watch(g, p, &waits);
    g->shared.out->waits += waits;
    g->is_done[i] = true;
}

/* Make all steps; false where sessions do not come back. */
static bool
run_steps(struct play *g)
{
    bool ok = true;
    while (ok && !is_over(g) && !is_all_done(g)) {
        const size_t i = next_step(g);
        if (i < g->schedule.steps.n)
            run_step(g, i, &ok);
        else
            ok = await_anybody(g);
    }
    for (size_t i = 0; ok && i < g->players.n; i++)
        ok = player_await(&g->players.at[i], PATIENCE) || is_over(g);
    return ok;
}

/* --- the play ------------------------------------------------------------- */

static bool
start_players(struct play *g, struct err *err)
{
    struct database *db = g->shared.db;
    const uint32_t n = g->shared.o->n_sessions;
    if (!db->driver->connect(db, n, 0, &g->observer, err))
        return false;
    vec_reserve(&g->players, n); // threads hold pointers into it
    for (uint32_t i = 0; i < n; i++) {
        vec_push(&g->players, (struct player){0});
        if (!player_start(&vec_top(&g->players), &g->shared, i, err))
            return false;
        player_await(&vec_top(&g->players), PATIENCE);
    }
    return true;
}

/* Let everybody go home; sessions that still wait for a lock are cut off. */
static void
dismiss(struct play *g)
{
    pthread_mutex_lock(&g->shared.lock);
    g->shared.is_over = true;
    pthread_cond_broadcast(&g->shared.changes);
    pthread_mutex_unlock(&g->shared.lock);
    for (size_t i = 0; i < g->players.n; i++) {
        struct player *p = &g->players.at[i];
        while (p->has_thread && !player_await(p, 2.0))
            ask(g, p, g->observer->driver->sql->cut);
        player_end(p);
    }
    if (g->observer)
        g->observer->driver->disconnect(g->observer);
    vec_free(&g->players);
    mem_free(g->is_done);
}

static bool
play(struct play *g, enum level level, struct err *err)
{
    struct server_replay *s = &g->shared;
    struct replay *out = s->out;
    g->is_done = mem_calloc(g->schedule.steps.n + 1, sizeof *g->is_done);
    s->builder = builder_new(atom_nil());
    bool ok = start_players(g, err);
    if (ok && !run_steps(g)) {
        out->outcome = REPLAY_STUCK;
        s->has_failed = true;
    }
    dismiss(g);
    struct builder *b = s->builder;
    if (s->err.kind)
        *err = s->err;
    if (!ok || s->err.kind || s->has_failed) {
        builder_free(b);
        return ok && !s->err.kind;
    }
    return builder_finish(b, &out->history, err) &&
           replay_judge(out, level, err);
}

static bool
play_once(struct play *g, enum level level, struct err *err)
{
    struct database *db = g->shared.db;
    struct err left = {0};
    pthread_mutex_init(&g->shared.lock, NULL);
    pthread_cond_init(&g->shared.changes, NULL);
    const bool ok =
        job_tables_load(&g->shared.tables, db, err) && play(g, level, err);
    if (!db->driver->unload(db, &left) && ok)
        *err = left;
    pthread_cond_destroy(&g->shared.changes);
    pthread_mutex_destroy(&g->shared.lock);
    return ok && !err->kind;
}

bool
replay_on_database(const struct execution *x,
                   const struct replay_program *program, enum level level,
                   struct database *db, struct replay *out, struct err *err)
{
    bool ok = true, exists = true;
    *out = (struct replay){.outcome = REPLAY_UNLIKE};
    if (!rerun_fits(x->o->h))
        return true;
    // Boundary transactions end when the certificate says, or after all others:
    // what they go on to do may get in the way of one or the other.
    for (int last = 0; ok && last < 2; last++) {
        struct play g = {.shared = {.x = x, .o = x->o, .db = db, .out = out}};
        ok = schedule_make(&g.schedule, x, replay_isolation(level), last,
                           &exists, err);
        replay_free(out);
        *out = (struct replay){.outcome = REPLAY_NO_SCHEDULE};
        if (ok && exists) {
            g.shared.takes_snapshots =
                level_table[level].sql != SQL_READ_COMMITTED;
            rerun_init(&g.shared.rerun, program, x->o->h);
            job_tables_init(&g.shared.tables, program->app, program->units,
                            false);
            ok = play_once(&g, level, err);
            rerun_free(&g.shared.rerun);
        }
        schedule_free(&g.schedule);
        if (!exists || out->outcome == REPLAY_VALIDATED)
            break;
    }
    return ok;
}
