/* nemesis.c -- see nemesis.h.
 *
 * A connection that is lost is made again: the server may have been killed on
 * purpose.  A statement that could not be sent is not counted.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/nemesis.h"

#include "base/time.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define SHORTLY 0.005 // seconds between looks at the clock

bool
nemesis_add(struct nemesis *n, const char *text, struct err *err)
{
    const char *sign = strrchr(text, '@');
    struct nemesis_statement s = {.sql = text};
    s.n = sign ? (size_t)(sign - text) : 0;
    if (!s.n || !fault_time_parse(sign + 1, strlen(sign + 1), &s.time))
        return err_set(err, ERR_USAGE,
                       "found '%s', expected a statement and a time, as in "
                       "'vacuum@2s' or 'vacuum@every:0.5s'",
                       text);
    vec_push(&n->statements, s);
    return true;
}

/* Wait until the run has lasted that long; false if it ends before.  The first
 * run of a statement whose time has come is not left out. */
static bool
await(const struct nemesis_statement *s, double seconds)
{
    const struct nemesis *n = s->nemesis;
    for (;;) {
        const bool is_over = atomic_load(&n->stop);
        if (time_now() - n->began >= seconds && (!is_over || !s->runs))
            return true;
        if (is_over)
            return false;
        time_pause(SHORTLY);
    }
}

/* Run the statement once.  A lost connection becomes NULL. */
static void
run_once(struct nemesis_statement *s, const char *sql, struct connection **c)
{
    const double began = time_now() - s->nemesis->began;
    const enum outcome outcome = (*c)->driver->query(*c, sql, NULL);
    s->runs++;
    if (s->times.n < NEMESIS_TIMES)
        vec_push(&s->times,
                 ((struct report_span){began, time_now() - s->nemesis->began}));
    if (outcome == OUTCOME_OK)
        return;
    if (!s->failures++)
        snprintf(s->message, sizeof s->message, "%s", (*c)->message);
    if (outcome == OUTCOME_LOST) {
        (*c)->driver->disconnect(*c);
        *c = NULL;
    }
}

static void *
run_statement(void *arg)
{
    struct nemesis_statement *s = arg;
    struct nemesis *n = s->nemesis;
    const uint32_t number = (uint32_t)(s - n->statements.at);
    struct connection *c = NULL;
    struct buf sql = {0};
    double next = s->time.seconds;
    buf_add(&sql, s->sql, s->n);
    while (await(s, next)) {
        struct err why = {0};
        if (!c &&
            !n->db->driver->connect(n->db, n->session + number, 0, &c, &why)) {
            c = NULL;
            if (atomic_load(&n->stop))
                break;
            time_pause(SHORTLY);
            continue;
        }
        run_once(s, sql.at, &c);
        if (!s->time.repeats)
            break;
        next = time_now() - n->began + s->time.every;
    }
    if (c)
        c->driver->disconnect(c);
    buf_free(&sql);
    return NULL;
}

void
nemesis_start(struct nemesis *n, struct database *db, uint32_t session,
              double began)
{
    if (n->started)
        return;
    assert(!n->statements.n || db->driver->query);
    n->db = db;
    n->session = session;
    n->began = began;
    for (size_t i = 0; i < n->statements.n; i++) {
        struct nemesis_statement *s = &n->statements.at[i];
        s->nemesis = n;
        if (pthread_create(&s->thread, NULL, run_statement, s) != 0)
            break;
        n->started++;
    }
}

void
nemesis_stop(struct nemesis *n)
{
    atomic_store(&n->stop, true);
    for (size_t i = 0; i < n->started; i++)
        pthread_join(n->statements.at[i].thread, NULL);
    n->started = 0;
}

void
nemesis_free(struct nemesis *n)
{
    assert(!n->started);
    for (size_t i = 0; i < n->statements.n; i++)
        vec_free(&n->statements.at[i].times);
    vec_free(&n->statements);
}
